"""Lets other threads have commands run: they hand one over with its caller, and get a future.

Only `run` may be called from another thread; everything else here happens on the main thread.
"""

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Door, Origin
from fugue_tui.control.core.deferred import Deferred, Progress, is_later
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.idempotency import IdempotencyCache, KeyedCall
from fugue_tui.errors import Cancelled, CommandError, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui.sanitize import TEXT_LIMIT
from fugue_tui.workspace.model import Workspace


@dataclass(slots=True)
class Caller:
    """Who is at the other end of a connection, as the kernel tells."""

    door: Door
    pids: tuple[int, ...] = ()
    """The peer's process and its ancestors, nearest first."""
    client: str = ""
    """The name that the client gave itself: untrusted."""
    takes: int = TEXT_LIMIT
    """Characters of an answer that it takes."""
    origin: Origin | None = field(default=None, init=False)
    """Who that is in the workspace, from the first call on, even once its pane is closed; the main thread's."""
    _itself: object = field(default_factory=object, init=False, repr=False, compare=False)

    @property
    def identity(self) -> object:
        """What stays the same when a client connects anew: who started the program that connects for it."""
        return (self.door, self.client, self.pids[1:2] or self.pids or self._itself)


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a command."""

    result: Any
    pane: PaneId | None
    """The pane that the command was about, if it names one."""


@dataclass(frozen=True, slots=True)
class _Request:
    """What somebody wants, and where the answer goes."""

    command: Command[Any]
    caller: Caller
    future: Future[Answer]
    told: Callable[[Progress], None] | None


class ThreadGateway:
    """The way in from other threads. `post` must run a callable on the main thread soon, and drop it at the end."""

    def __init__(self, dispatcher: Dispatcher, post: Callable[[Callable[[], None]], object]) -> None:
        self._dispatcher = dispatcher
        self._post = post
        self._once = IdempotencyCache[Answer]()

    def run(
        self,
        command: Command[Any],
        caller: Caller,
        told: Callable[[Progress], None] | None = None,
        *,
        key: str = "",
    ) -> Future[Answer]:
        """Have a command run. The future fails with whatever the command raised or came to.

        Cancelled early, nothing runs; cancelled while the answer is still to come, the command is told to stop.
        `told` hears of its progress, on any thread. Under a key, one that creates is done once for its caller: further
        calls get the first one's answer."""
        future: Future[Answer] = Future()
        asked = _Request(command, caller, future, told)
        self._post(lambda: self._run_once(asked, key) if key and command.creates else self._run(asked))
        return future

    def follow(self, told: Callable[[LogEntry], None], looked: Callable[[PaneId], None]) -> Callable[[], None]:
        """Have all that happens told from about now on, on the main thread, and whose view was moved or selected in;
        what is returned ends that. Any thread."""
        return self._until_left(lambda: self._dispatcher.mux.event_log.follow(told, looked))

    def follow_panes(self, told: Callable[[], None]) -> Callable[[], None]:
        """Have it told on the main thread when panes come, go or are named; what is returned ends that. Any thread."""

        def changed(old: Workspace, new: Workspace) -> None:
            if {pane: record.name for pane, record in old.panes.items()} != {
                pane: record.name for pane, record in new.panes.items()
            }:
                told()

        return self._until_left(lambda: self._dispatcher.mux.on_change.connect(changed))

    def _until_left(self, begin: Callable[[], Callable[[], None]]) -> Callable[[], None]:
        """Begin something on the main thread; what is returned has it ended there."""
        ends = list[Callable[[], None]]()

        def end() -> None:
            self._post(lambda: ends.pop()() if ends else None)

        self._post(lambda: ends.append(begin()))
        return end

    def _run_once(self, asked: _Request, key: str) -> None:
        """Run it, unless the caller had it run under that key: whoever asks waits for the one answer."""
        future, client = asked.future, asked.caller.identity
        if future.cancelled():
            return
        try:
            call = self._once.find(client, key, asked.command)
            first = call is None
            call = call or self._once.begin(client, key, asked.command)
        except CommandError as error:
            _fail(future, error)
            return
        self._share(call, future)
        if first:
            self._run(replace(asked, future=call.answer))

    def _share(self, call: KeyedCall[Answer], future: Future[Answer]) -> None:
        """Give the answer of a call to one who waits for it; once nobody does any more, it is given up."""

        def over(answer: Future[Answer]) -> None:
            if answer.cancelled():
                _fail(
                    future,
                    Cancelled("it was given up under way; what was done stays done, and another key begins anew"),
                )
            elif (error := answer.exception()) is not None:
                _fail(future, error)
            else:
                _answer(future, answer.result())

        def left() -> None:
            call.waiting -= 1
            if not call.waiting:
                call.answer.cancel()

        def given_up(_: Future[Answer]) -> None:
            if future.cancelled():
                self._post(left)

        call.waiting += 1
        call.answer.add_done_callback(over)
        future.add_done_callback(given_up)

    def _run(self, asked: _Request) -> None:
        command, future = asked.command, asked.future
        if future.cancelled():
            return
        try:
            origin = self._origin(asked.caller)
            pane = self._pane(command, origin)
            result = self._dispatcher.run(command, origin)
        except Exception as error:  # noqa: BLE001  (handed to the caller's thread, which reports it)
            _fail(future, error)
        except BaseException:
            _fail(future, TimedOut("the workspace is being left"))
            raise
        else:
            if not is_later(result):
                _answer(future, Answer(result, pane))
                return
            if asked.told is not None:
                result.on_progress(asked.told)
            self._follow(result, pane, future)

    def _follow(self, later: Deferred[Any], pane: PaneId | None, future: Future[Answer]) -> None:
        def over() -> None:
            if (error := later.error) is not None:
                _fail(future, error)
            else:
                _answer(future, Answer(later.result(), pane))

        def stop() -> None:
            later.cancel()

        def given_up(_: Future[Answer]) -> None:
            if future.cancelled():
                self._post(stop)

        later.when_over(over)
        future.add_done_callback(given_up)

    def _origin(self, caller: Caller) -> Origin:
        if caller.origin is None:
            children = {terminal.pid: pane for pane, terminal in self._dispatcher.mux.terminals.items()}
            own = next((children[pid] for pid in caller.pids if pid in children), None)
            pid = caller.pids[0] if caller.pids else None
            caller.origin = Origin(caller.door, own, caller.client, pid, caller.takes)
        if caller.origin.takes != caller.takes:
            caller.origin = replace(caller.origin, takes=caller.takes)
        return caller.origin

    def _pane(self, command: Command[Any], origin: Origin) -> PaneId | None:
        said = getattr(command, "pane", None)
        try:
            return target.pane(self._dispatcher.mux, said, origin) if isinstance(said, str) else None
        except CommandError:
            return None


def _answer(future: Future[Answer], answer: Answer) -> None:
    with suppress(InvalidStateError):  # It may be cancelled at any moment, on the caller's thread.
        future.set_result(answer)


def _fail(future: Future[Answer], error: BaseException) -> None:
    with suppress(InvalidStateError):
        future.set_exception(error)
