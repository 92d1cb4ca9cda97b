"""The audit log: who did what, without secrets, in memory and on disk."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings
from fugue_tui.control import command_table as command_table
from fugue_tui.control.commands.wait import WaitForOutput
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.audit import TYPED_SECONDS, Audit, gap
from fugue_tui.control.dispatch.audit_entry import AREA, AuditEntry, decode, encode, folder
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema import command_line
from fugue_tui.errors import FugueError, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.author import Author, Kind
from fugue_tui.store.append_log import AppendLog
from fugue_tui.store.append_log_reader import AppendLogReader

AGENT = Origin(Interface.MCP, client="claude", pid=42)
INSIDE = Origin(Interface.CLI, PaneId(1), pid=43, inside=True)
SECRET = "hunter2hunter2"


def recorded(room: Room, line: str, origin: Origin = AGENT) -> AuditEntry:
    """The newest entry after a command that may fail."""
    dispatcher = Dispatcher(room.mux)
    try:
        found = dispatcher.run(command_line.command(line), origin)
        if is_deferred(found):
            found.cancel()
    except FugueError:
        pass
    return list(dispatcher.audit)[-1]


@pytest.mark.parametrize(
    "line",
    [
        f'create-pane --env \'{{"COLOUR": "{SECRET}"}}\' -- true',
        f'execute-command --pane %1 --command env --env \'{{"COLOUR": "{SECRET}"}}\'',
        f'create-layout --layout \'{{"pane": {{"command": "cat", "env": {{"COLOUR": "a}}{SECRET}"}}}}}}\'',
        f"send-input --pane %1 --text 'login --password {SECRET}'",
        f"send-input --pane %1 --text 'mysql -p{SECRET} shop'",
        f"send-input --pane %1 --text 'API_TOKEN={SECRET} make'",
        f"run-command --command 'curl -u me:{SECRET} https://host'",
        f"create-pane -- mysql -p{SECRET} shop",
        f"create-pane -- login --password {SECRET}",
        f'coordinate-panes --steps \'{{"pane": "x", "command": "mysql -p{SECRET}"}}\'',
        f'run-tmux-command --command \'["setenv", "-g", "API_TOKEN", "{SECRET}"]\'',
        f'inject-context --pane %1 --env \'{{"COLOUR": "{SECRET}"}}\'',
    ],
)
def test_secrets_are_not_recorded(room: Room, line: str) -> None:
    room.cat()
    entry = recorded(room, line)
    assert "hunter" not in repr(entry)
    assert "withheld" in entry.command
    assert entry.command.startswith(line.split()[0])


def test_what_is_typed_at_a_password_prompt_is_not_recorded(room: Room) -> None:
    room.mux.allow_hidden = lambda pane, author: True
    room.mux.permissions = McpSettings(trust="full")
    pane = room.opened("create-pane --command 'stty -echo; echo ready; read -r secret; stty echo; cat'")
    room.shows(pane, "ready")
    for line in ("send-keys --pane %1 --keys s --keys 3 --literal", "send-input --pane %1 --text s3 --submit"):
        command = recorded(room, line).command
        assert "s3" not in command
        assert "--keys 3" not in command
        assert "withheld" in command
    room.until(lambda: not room.mux.terminal(pane).hides_input)
    assert "--text s3" in recorded(room, "send-input --pane %1 --text s3").command


def test_what_the_user_has_typed_is_not_recorded_from_errors() -> None:
    audit = Audit()
    audit.record(AGENT, "execute-command", "refused", "the prompt of %1 holds `rm `x` y`, which was typed")
    (entry,) = audit
    assert entry.reason == "the prompt of %1 holds `...`, which was typed"


def test_an_entry_names_its_panes_and_the_decision(room: Room) -> None:
    first, second = room.cat("one"), room.cat()
    entry = recorded(room, "swap-pane --pane one --other %2")
    assert (entry.panes, entry.decision, entry.origin) == ((str(first), str(second)), "allow", "agent")
    assert recorded(room, "create-pane -- cat").panes == ("%3",)
    assert recorded(room, "focus-pane one", USER).origin == "user"
    assert recorded(room, "focus-pane one", INSIDE).origin == "agent"


def test_a_refused_call_is_recorded_as_refused_by_the_policy(room: Room) -> None:
    room.cat()
    room.mux.permissions = McpSettings(input="refuse")
    dispatcher = Dispatcher(room.mux)
    with pytest.raises(Refused):
        dispatcher.run(command_line.command("send-input --pane %1 --text hi"), AGENT)
    (entry,) = dispatcher.audit
    assert (entry.decision, entry.outcome) == ("refuse", "refused")


def test_a_deferred_call_has_two_entries_of_one_id(room: Room) -> None:
    pane, dispatcher = room.cat(), Dispatcher(room.mux)
    for _ in range(2):
        later = dispatcher.run(WaitForOutput(panes=(str(pane),), idle_ms=1), AGENT)
        assert is_deferred(later)
        room.awaited(later)
        room.until(lambda: list(dispatcher.audit)[-1].outcome != "started")
    begun, ended, *others = dispatcher.audit
    assert len(others) == 2
    assert (begun.outcome, ended.outcome) == ("started", "done")
    assert begun.id == ended.id != ""
    assert ended.seconds is not None
    assert {entry.id for entry in others}.isdisjoint({begun.id})


class Timer:
    """Calls when told to."""

    def __init__(self) -> None:
        self.calls: list[tuple[float, Callable[[], object]]] = []

    def __call__(self, seconds: float, call: Callable[[], object]) -> None:
        self.calls.append((seconds, call))

    def ring(self) -> None:
        calls, self.calls = self.calls, []
        for _, call in calls:
            call()


def test_typing_is_one_entry_per_second_author_and_pane() -> None:
    timer = Timer()
    audit = Audit(later=timer)
    user, agent = Author(Kind.USER, pid=7), Author(Kind.AGENT, PaneId(2), 8, "claude\x1b[31m")
    for _ in range(100):
        audit.typed(PaneId(1), user, 1)
    audit.typed(PaneId(1), agent, 5)
    audit.typed(PaneId(2), user, 2)
    assert [seconds for seconds, _ in timer.calls] == [TYPED_SECONDS]
    assert list(audit) == []
    timer.ring()
    audit.typed(PaneId(1), user, 1)
    timer.ring()
    assert [(each.panes, each.origin, each.count, each.pane, each.client, each.pid) for each in audit] == [
        (("%1",), "user", 100, "", "", 7),
        (("%1",), "agent", 5, "%2", "claude", 8),
        (("%2",), "user", 2, "", "", 7),
        (("%1",), "user", 1, "", "", 7),
    ]


def test_an_event_is_recorded_with_its_facts() -> None:
    audit = Audit()
    audit.record_event(
        "approval", AGENT, "send-input\x1b[2J --password x", decision="allow", panes=("%1",), client=PaneId(3)
    )
    (entry,) = audit
    assert (entry.kind, entry.origin, entry.decision, entry.panes) == ("approval", "agent", "allow", ("%1",))
    assert entry.command == "send-input --password [withheld]"
    assert entry.facts == {"client": PaneId(3)}
    assert (decode(encode(entry)) or entry).facts == {"client": "%3"}


def log_in(root: Path, **more: Any) -> AppendLog:
    return AppendLog(root, AREA, "main", gap=gap, **more)


def test_every_entry_is_in_the_file(private_dir: Path) -> None:
    audit = Audit(log_in(private_dir))
    audit.record(AGENT, "list-panes")
    audit.record_event("config", None, "mcp.input")
    audit.typed(PaneId(1), Author(Kind.USER), 3)
    audit.close()
    lines = list(AppendLogReader(folder(private_dir, "main")).lines())
    assert [decode(line) for line in lines] == list(audit)
    assert [each.kind for each in audit] == ["call", "config", "typed"]
    assert decode(gap(3)) is not None


@pytest.mark.parametrize(("required", "refused"), [(True, True), (False, False)])
def test_agents_are_refused_what_cannot_be_recorded_if_it_must_be(
    room: Room, private_dir: Path, required: bool, refused: bool
) -> None:
    private_dir.chmod(0o755)  # Others may enter it: the log is not written there.
    pane, faults = room.cat(), list[str]()
    audit = Audit(log_in(private_dir, on_fault=faults.append))
    audit.required = required
    dispatcher = Dispatcher(room.mux, audit=audit)
    command = command_line.command(f"rename-pane --pane {pane} --name x")
    dispatcher.run(command, AGENT)
    room.until(lambda: faults)
    for origin in (AGENT, INSIDE):
        if refused:
            with pytest.raises(Refused, match="the audit log cannot be written") as caught:
                dispatcher.run(command, origin)
            assert caught.value.data["retry_after_ms"]
        else:
            dispatcher.run(command, origin)
    dispatcher.run(command, USER)
    dispatcher.run(command, Origin(Interface.CLI))
    audit.close()
    assert len(faults) == 1
