"""Commands from other threads, and whose they are."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest
from msgspec.structs import replace

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import Command, Effect, Interface, Origin
from fugue_tui.control.core.fair_queue import current_client
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.errors import NotFound, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.pane_events import PaneReports
from fugue_tui.multiplexer.input.lease import Lease
from fugue_tui.multiplexer.pane_contents import PaneContents
from fugue_tui.multiplexer.undo.closed_panes import ClosedPanes
from fugue_tui.workspace.model import Pane


class GateProbe(Command[Origin], name="gate-probe", effect=Effect.READ):
    """Tell who asks."""

    pane: str = "active"
    fails: bool = False
    leaves: bool = False

    def run(self, mux: Any, origin: Origin) -> Origin:
        if self.fails:
            raise NotFound("nothing here")
        if self.leaves:
            raise SystemExit(143)
        return origin


class _Main:
    """A main thread that runs what is posted when the test says so."""

    def __init__(self) -> None:
        self.posted: list[Callable[[], object]] = []
        self.terminals = {PaneId(1): SimpleNamespace(pid=100), PaneId(2): SimpleNamespace(pid=200)}
        self.workspace = SimpleNamespace(panes={pane: Pane(pane) for pane in self.terminals})
        self.contents = PaneContents(cast("Any", self))
        self.focused = PaneId(1)
        self.permissions = McpSettings(trust="full")
        self.pane_reports = dict[PaneId, PaneReports]()
        self.lease = Lease(cast("Any", self), lambda: 0.0)
        self.closed_panes = ClosedPanes(cast("Any", self))
        self.gate = ThreadGateway(Dispatcher(cast("Any", self)), self.posted.append)

    def play(self) -> None:
        while self.posted:
            self.posted.pop(0)()


def without_process(origin: Origin) -> Origin:
    """What does not depend on the processes of this machine."""
    return replace(origin, process="", program="", executable="")


def test_the_callers_pane_is_found_by_its_ancestor_processes() -> None:
    main = _Main()
    caller = Caller(Interface.MCP, (7, 8, 200, 9), "claude")
    answered = main.gate.run(GateProbe(), caller)
    assert not answered.done()
    main.play()
    assert without_process(answered.result(0).result) == Origin(Interface.MCP, PaneId(2), "claude", 7, inside=True)
    assert answered.result(0).pane == PaneId(2)


def test_a_caller_outside_of_panes_has_no_pane() -> None:
    main = _Main()
    answered = main.gate.run(GateProbe(pane="%1"), Caller(Interface.CLI, (7, 8)))
    main.play()
    assert without_process(answered.result(0).result) == Origin(Interface.CLI, None, "", 7)
    assert answered.result(0).pane == PaneId(1)


def test_a_caller_keeps_its_pane_when_that_is_closed() -> None:
    main = _Main()
    caller = Caller(Interface.MCP, (7, 200))
    main.gate.run(GateProbe(pane="%1"), caller)
    main.play()
    del main.terminals[PaneId(2)]
    answered = main.gate.run(GateProbe(pane="%1"), caller)
    main.play()
    assert answered.result(0).result.pane == PaneId(2)


def test_what_a_command_raises_goes_to_the_caller() -> None:
    main = _Main()
    answered = main.gate.run(GateProbe(fails=True), Caller(Interface.MCP))
    main.play()
    with pytest.raises(NotFound, match="nothing here"):
        answered.result(0)


def test_leaving_in_the_middle_of_a_command_is_reported_and_continues() -> None:
    main = _Main()
    answered = main.gate.run(GateProbe(leaves=True), Caller(Interface.MCP))
    with pytest.raises(SystemExit):
        main.play()
    with pytest.raises(TimedOut, match="being left"):
        answered.result(0)


def test_what_is_cancelled_before_it_began_does_not_run() -> None:
    main = _Main()
    answered = main.gate.run(GateProbe(), Caller(Interface.MCP))
    assert answered.cancel()
    main.play()
    assert list(main.gate._dispatcher.audit) == []  # pyright: ignore[reportPrivateUsage]


def test_a_client_is_served_in_turn_however_much_another_has_sent() -> None:
    main = _Main()
    flood = [main.gate.run(GateProbe(), Caller(Interface.MCP, (7,))) for _ in range(500)]
    other = main.gate.run(GateProbe(), Caller(Interface.MCP, (8,)))
    for _ in range(2):
        main.posted.pop(0)()
    assert other.done()
    assert sum(each.done() for each in flood) == 1
    main.play()
    assert all(each.done() for each in flood)


class ClientProbe(Command[object], name="client-probe", effect=Effect.READ):
    """Tell whose turn it is."""

    def run(self, mux: Any, origin: Origin) -> object:
        return current_client()


def test_a_command_knows_whose_share_it_uses() -> None:
    main = _Main()
    first, second = Caller(Interface.MCP, (7, 1)), Caller(Interface.CLI, (7, 1))
    answers = [main.gate.run(ClientProbe(), caller) for caller in (first, second, Caller(Interface.MCP, (8, 1)))]
    main.play()
    one, two, three = (answer.result(0).result for answer in answers)
    assert one == two != three
    assert current_client() is None
