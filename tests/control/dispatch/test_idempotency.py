"""Calls under a key: done once, however often they are made."""

from collections.abc import Callable
from concurrent.futures import Future
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import Command, Effect, Interface, Origin
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.idempotency import MOST, REMEMBERED, IdempotencyCache
from fugue_tui.control.dispatch.thread_gateway import Answer, Caller, ThreadGateway
from fugue_tui.errors import Cancelled, InvalidArgument, NotFound, Refused
from fugue_tui.multiplexer.input.lease import Lease
from fugue_tui.multiplexer.pane_contents import PaneContents
from fugue_tui.multiplexer.undo.closed_panes import ClosedPanes


class MakeProbe(Command[int], name="make-probe", effect=Effect.LAYOUT, creates=True):
    """Make one more."""

    what: str = ""
    later: bool = False

    def run(self, mux: Any, origin: Origin) -> int | Deferred[int]:
        if self.what == "nothing":
            raise NotFound("nothing to make it of")
        mux.made.append(self.what)
        if not self.later:
            return len(mux.made)
        mux.later.append(later := Deferred[int](lambda: mux.stopped.append(self.what)))
        return later


class LookProbe(Command[int], name="look-probe", effect=Effect.READ):
    """Count what was made."""

    def run(self, mux: Any, origin: Origin) -> int:
        mux.looks.append(1)
        return len(mux.looks)


class Main:
    """A main thread that runs what is posted when the test says so."""

    def __init__(self) -> None:
        self.posted: list[Callable[[], object]] = []
        self.made, self.stopped, self.looks = list[str](), list[str](), list[int]()
        self.later = list[Deferred[int]]()
        self.terminals = dict[Any, Any]()
        self.workspace = SimpleNamespace(panes={})
        self.contents = PaneContents(cast("Any", self))
        self.focused = None
        self.permissions = McpSettings(trust="full")
        self.lease = Lease(cast("Any", self), lambda: 0.0)
        self.closed_panes = ClosedPanes(cast("Any", self))
        self.gate = ThreadGateway(Dispatcher(cast("Any", self)), self.posted.append)

    def post(self, call: Callable[[], object]) -> None:
        self.posted.append(call)

    def ask(self, key: str, command: Command[Any] | None = None, who: Caller | None = None) -> Future[Answer]:
        future = self.gate.run(command or MakeProbe(), who or CLAUDE, key=key)
        self.play()
        return future

    def play(self) -> None:
        while self.posted:
            self.posted.pop(0)()


CLAUDE = Caller(Interface.MCP, (10, 1), "claude-code")


def test_the_same_call_under_the_same_key_is_done_once() -> None:
    main = Main()
    first, second = main.ask("k"), main.ask("k")
    assert first.result(0) == second.result(0)
    assert main.made == [""]
    assert main.ask("l").result(0).result == 2
    assert main.ask("").result(0).result == 3


def test_another_call_under_the_same_key_is_refused() -> None:
    main = Main()
    main.ask("k\x1b[31m")
    with pytest.raises(InvalidArgument, match=r"make-probe was called under 'k' with other arguments; use another key"):
        main.ask("k\x1b[31m", MakeProbe(what="other")).result(0)
    assert main.made == [""]


def test_a_call_that_is_under_way_is_joined() -> None:
    main = Main()
    first, second = main.ask("k", MakeProbe(later=True)), main.ask("k", MakeProbe(later=True))
    assert not second.done()
    main.later[0].settle(7)
    assert first.result(0).result == second.result(0).result == 7
    assert len(main.made) == 1


def test_work_goes_on_while_anyone_waits_for_it_and_stops_when_nobody_does() -> None:
    main = Main()
    first, second = main.ask("k", MakeProbe(later=True)), main.ask("k", MakeProbe(later=True))
    first.cancel()
    main.play()
    assert main.stopped == []
    second.cancel()
    main.play()
    assert main.stopped == [""]
    with pytest.raises(Cancelled, match="another key"):
        main.ask("k", MakeProbe(later=True)).result(0)
    assert len(main.made) == 1


def test_a_call_that_was_cancelled_before_it_began_begins_when_it_is_made_again() -> None:
    main = Main()
    main.gate.run(MakeProbe(), CLAUDE, key="k").cancel()
    main.play()
    assert main.ask("k").result(0).result == 1


def test_what_failed_may_be_tried_again_under_its_key() -> None:
    main = Main()
    with pytest.raises(NotFound):
        main.ask("k", MakeProbe(what="nothing")).result(0)
    assert main.ask("k", MakeProbe(what="something")).result(0).result == 1


def test_a_client_that_connects_again_is_the_same_and_others_are_not() -> None:
    main = Main()
    main.ask("k")
    assert main.ask("k", who=Caller(Interface.MCP, (11, 1), "claude-code")).result(0).result == 1
    assert main.ask("k", who=Caller(Interface.MCP, (12, 2), "claude-code")).result(0).result == 2
    assert main.ask("k", who=Caller(Interface.MCP, (13, 1), "codex")).result(0).result == 3
    assert main.ask("k", who=Caller(Interface.MCP)).result(0).result == 4
    assert main.ask("k", who=Caller(Interface.MCP)).result(0).result == 5


def test_what_only_reads_is_done_each_time() -> None:
    main = Main()
    assert [main.ask("k", LookProbe()).result(0).result for _ in range(2)] == [1, 2]


def test_a_key_is_forgotten_after_ten_minutes() -> None:
    now = [0.0]
    once = IdempotencyCache[int](lambda: now[0])
    once.begin("me", "k", MakeProbe()).answer.set_result(1)
    now[0] = REMEMBERED
    assert once.find("me", "k", MakeProbe())
    now[0] += 0.1
    assert once.find("me", "k", MakeProbe(what="other")) is None


def test_the_table_is_bounded() -> None:
    once = IdempotencyCache[int]()
    calls = [once.begin("me", str(number), MakeProbe()) for number in range(MOST)]
    with pytest.raises(Refused, match="under way") as caught:
        once.begin("me", "more", MakeProbe())
    assert caught.value.data == {"retry_after_ms": 1000}
    calls[5].answer.set_result(1)
    once.begin("me", "more", MakeProbe())
    assert once.find("me", "5", MakeProbe()) is None
    assert once.find("me", "0", MakeProbe())
