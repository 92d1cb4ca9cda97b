"""Gate, run, record."""

import shlex
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import USER, Command, Effect, Interface, Origin
from fugue_tui.control.dispatch.audit import KEPT, Audit
from fugue_tui.control.dispatch.audit_entry import LONGEST
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema import command_line
from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.input_log import InputLog
from fugue_tui.multiplexer.events.pane_events import PaneReports
from fugue_tui.multiplexer.input.lease import RESERVED_SECONDS, Lease
from fugue_tui.multiplexer.pane_contents import PaneContents
from fugue_tui.multiplexer.undo.closed_panes import ClosedPanes
from fugue_tui.sanitize import clean
from fugue_tui.workspace.model import Pane

AGENT = Origin(Interface.MCP, PaneId(2), client="claude\x1b[31m", pid=42)


class DispatchType(Command[str], name="dispatch-type", effect=Effect.INPUT):
    """Type."""

    pane: str = "active"
    text: str = ""

    def run(self, mux: Any, origin: Origin) -> str:
        return f"{origin.interface} {self.text}"


class DispatchFail(Command[None], name="dispatch-fail", effect=Effect.READ):
    """Fail in the way that is asked for."""

    bug: bool = False

    def run(self, mux: Any, origin: Origin) -> None:
        raise ValueError("secret") if self.bug else NotFound("no such thing; look elsewhere")


class _Mux:
    """A workspace with two panes, the first of which has the focus; some are leased."""

    def __init__(self, **leases: int) -> None:
        self.workspace = SimpleNamespace(panes={PaneId(1): Pane(PaneId(1)), PaneId(2): Pane(PaneId(2))})
        self.contents = PaneContents(cast("Any", self))
        self.focused = PaneId(1)
        self.permissions = McpSettings(trust="full")
        self.terminals: dict[PaneId, Any] = {}
        self.lease = Lease(cast("Any", self), lambda: 0.0)
        self.pane_reports = {
            PaneId(int(name[1:])): PaneReports(input=InputLog(wait / 1000 - RESERVED_SECONDS))
            for name, wait in leases.items()
        }
        self.closed_panes = ClosedPanes(cast("Any", self))


def _dispatcher(audit: Audit | None = None, **leases: int) -> Dispatcher:
    return Dispatcher(cast("Any", _Mux(**leases)), audit=audit)


def test_a_command_runs_and_is_recorded_cleaned() -> None:
    dispatcher = _dispatcher()
    assert dispatcher.run(DispatchType(text="hi\x1b[2J\u202e"), AGENT) == "mcp hi\x1b[2J\u202e"
    (entry,) = dispatcher.audit
    assert (entry.interface, entry.pane, entry.client, entry.pid, entry.outcome) == ("mcp", "%2", "claude", 42, "done")
    assert entry.command == "dispatch-type --text hi" or entry.command == "dispatch-type --text 'hi'"


def test_agents_do_not_type_where_a_user_does() -> None:
    dispatcher = _dispatcher(p2=1500)
    with pytest.raises(Refused, match=r"the user is typing in %2; try again in 1500 ms") as caught:
        dispatcher.run(DispatchType(), AGENT)
    assert caught.value.data == {"retry_after_ms": 1500}
    assert [entry.outcome for entry in dispatcher.audit] == ["refused"]
    assert dispatcher.run(DispatchType(pane="%1"), AGENT)
    assert dispatcher.run(DispatchType(pane="%2"), USER)
    assert dispatcher.run(DispatchType(pane="%2"), Origin(Interface.CLI))


def test_what_policy_refuses_does_not_run() -> None:
    dispatcher = _dispatcher()
    dispatcher.mux.permissions = McpSettings(input="refuse")
    with pytest.raises(Refused, match=r"dispatch-type: agents may not do this here: \[mcp\] input = 'refuse'"):
        dispatcher.run(DispatchType(), AGENT)
    assert dispatcher.run(DispatchType(), USER)


def test_failures_are_recorded_and_passed_on() -> None:
    dispatcher = _dispatcher()
    with pytest.raises(NotFound):
        dispatcher.run(DispatchFail(), USER)
    with pytest.raises(ValueError, match="secret"):
        dispatcher.run(DispatchFail(bug=True), USER)
    assert [(entry.outcome, entry.reason) for entry in dispatcher.audit] == [
        ("not_found", "no such thing; look elsewhere"),
        ("internal", "ValueError"),
    ]


@pytest.mark.slow
def test_the_audit_log_is_bounded() -> None:
    audit = Audit()
    for number in range(KEPT + 5):
        audit.record(USER, f"{number} " + "x" * 10_000)
    entries = list(audit)
    assert len(entries) == KEPT
    assert entries[0].command.startswith("5 ")
    assert max(len(entry.command) for entry in entries) <= LONGEST


class Lengths(Audit):
    """An audit that notes how long what it is given is."""

    def __init__(self) -> None:
        super().__init__()
        self.lengths = list[int]()

    def record(self, origin: Origin, words: str, *more: Any, **facts: Any) -> None:
        self.lengths.append(len(words))
        super().record(origin, words, *more, **facts)


@pytest.mark.slow
@pytest.mark.parametrize("text", ["x" * 1_000_000, "é\n" * 500_000, "'" * 1_000_000])
def test_of_a_long_text_only_its_beginning_is_recorded(text: str) -> None:
    audit = Lengths()
    dispatcher = _dispatcher(audit)
    dispatcher.run(DispatchType(text=text), AGENT)
    assert max(audit.lengths) < 5 * LONGEST + 100
    (entry,) = audit
    assert entry.command == clean(shlex.join(command_line.format(DispatchType(text=text))), LONGEST)


def test_invisible_characters_hide_nothing_in_the_audit_log() -> None:
    dispatcher = _dispatcher()
    dispatcher.run(DispatchType(text="\u200b" * 5_000 + "rm -rf"), AGENT)
    (entry,) = dispatcher.audit
    assert entry.command == "dispatch-type --text 'rm -rf'"
