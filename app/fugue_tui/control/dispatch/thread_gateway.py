"""Runs commands for other threads: they submit a command with its caller and get a future.

Only `run` may be called from another thread; everything else here runs on the main thread.
"""

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from functools import partial
from typing import Any

from msgspec import Struct, field
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Interface, Origin
from fugue_tui.control.core.deferred import Deferred, Progress, is_deferred
from fugue_tui.control.core.fair_queue import FairQueue, on_behalf_of
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.idempotency import IdempotencyCache, KeyedCall
from fugue_tui.control.dispatch.policy import Decision, rule
from fugue_tui.errors import Cancelled, CommandError, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.events.log import LogEntry
from fugue_tui.sanitize import TEXT_LIMIT, clean
from fugue_tui.terminal.pty import process
from fugue_tui.workspace.model import Workspace


class Caller(Struct, eq=False):
    """The peer of a connection, by its kernel credentials."""

    interface: Interface
    pids: tuple[int, ...] = ()
    """The peer's process and its ancestors, nearest first."""
    client: str = ""
    """The client's name for itself: untrusted."""
    takes: int = TEXT_LIMIT
    """Characters of a result that it accepts."""
    inside: bool = False
    """Whether the peer came out of a pane, even if it has left it, or cannot be shown not to have."""
    direct: bool = False
    """Whether the peer is the client itself, and no bridge or command that the client started."""
    origin: Origin | None = None
    """Its origin, fixed at the first call and kept even once its pane is closed. Main thread only."""
    _unique: object = field(default_factory=object)

    @property
    def identity(self) -> object:
        """A key that stays the same when a client reconnects."""
        return (self.interface, self.client, self.program or self._unique)

    @property
    def program(self) -> int | None:
        """The client's process: the parent of the one that connects, unless that is the client itself."""
        return next(iter((() if self.direct else self.pids[1:2]) or self.pids), None)

    @property
    def share(self) -> object:
        """A key for the client's share of what all clients use: its process."""
        return self.pids[:1] or self._unique


class Answer(Struct, frozen=True):
    """The result of a command."""

    result: Any
    pane: PaneId | None
    """The pane that the command names, if any."""


class _Request(Struct, frozen=True):
    """A submitted command, and the future of its result."""

    command: Command[Any]
    caller: Caller
    future: Future[Answer]
    on_progress: Callable[[Progress], None] | None


class ThreadGateway:
    """Entry point for other threads. `post` must run a callable on the main thread soon, and drop it at shutdown."""

    def __init__(self, dispatcher: Dispatcher, post: Callable[[Callable[[], None]], object]) -> None:
        self._dispatcher = dispatcher
        self._post = post
        self._calls = IdempotencyCache[Answer]()
        self._requests = FairQueue[Callable[[], None]]()

    def run(
        self,
        command: Command[Any],
        caller: Caller,
        on_progress: Callable[[Progress], None] | None = None,
        *,
        key: str = "",
    ) -> Future[Answer]:
        """Run a command. The future fails with what the command or its deferred result raised.

        Cancelled early, nothing runs; cancelled while the result is pending, the command is cancelled too.
        `on_progress` is called on any thread. With a key, a command that creates something runs once for its caller:
        further calls get the first result."""
        future: Future[Answer] = Future()
        request = _Request(command, caller, future, on_progress)
        start = partial(self._run_once, request, key) if key and command.creates else partial(self._run, request)
        self._requests.put(caller.share, start)
        self._post(self._start_next)
        return future

    def follow(
        self, caller: Caller, on_entry: Callable[[LogEntry], None], on_view: Callable[[PaneId], None]
    ) -> Callable[[], None]:
        """Subscribe to log entries, and to panes whose view was scrolled or selected in; called on the main thread,
        while the caller may read. The function returned unsubscribes. Any thread."""

        def entered(entry: LogEntry) -> None:
            if self._may_read(caller):
                on_entry(entry)

        def viewed(pane: PaneId) -> None:
            if self._may_read(caller):
                on_view(pane)

        return self._subscribe(lambda: self._dispatcher.mux.event_log.follow(entered, viewed))

    def follow_panes(self, caller: Caller, on_change: Callable[[], None]) -> Callable[[], None]:
        """Subscribe to panes that are opened, closed or renamed; called on the main thread, while the caller may read.
        The function returned unsubscribes. Any thread."""

        def changed(old: Workspace, new: Workspace) -> None:
            before, after = ({pane: each.name for pane, each in state.panes.items()} for state in (old, new))
            if before != after and self._may_read(caller):
                on_change()

        return self._subscribe(lambda: self._dispatcher.mux.on_change.connect(changed))

    def note_session(self, caller: Caller) -> Callable[[], None]:
        """Note that a caller has an MCP session, until the function returned is called. Any thread."""

        def note() -> Callable[[], None]:
            sideband, pane = self._dispatcher.mux.sideband, self._own_pane(caller)
            if pane is None:
                return lambda: None
            sideband.mcp_session(pane, 1)
            return lambda: sideband.mcp_session(pane, -1)

        return self._subscribe(note)

    def _may_read(self, caller: Caller) -> bool:
        return rule(self._dispatcher.mux.permissions, self._origin(caller).kind, Effect.READ) is not Decision.REFUSE

    def _subscribe(self, subscribe: Callable[[], Callable[[], None]]) -> Callable[[], None]:
        """Subscribe on the main thread; the function returned unsubscribes there."""
        ends = list[Callable[[], None]]()

        def end() -> None:
            self._post(lambda: ends.pop()() if ends else None)

        self._post(lambda: ends.append(subscribe()))
        return end

    def _start_next(self) -> None:
        """Start one request: clients take turns, however many each has sent."""
        if start := self._requests.take():
            start()

    def _run_once(self, request: _Request, key: str) -> None:
        """Run a request once for its key; repeated requests wait for the same result."""
        future, client = request.future, request.caller.identity
        if future.cancelled():
            return
        try:
            call = self._calls.find(client, key, request.command)
            first = call is None
            call = call or self._calls.begin(client, key, request.command)
        except CommandError as error:
            _fail(future, error)
            return
        self._share(call, future)
        if first:
            self._run(replace(request, future=call.answer))

    def _share(self, call: KeyedCall[Answer], future: Future[Answer]) -> None:
        """Resolve a future with the result of a call; the call is cancelled once no request waits for it."""

        def done(answer: Future[Answer]) -> None:
            if answer.cancelled():
                _fail(
                    future,
                    Cancelled(
                        "the call was cancelled while it ran; what was done stays done; use another key to start anew"
                    ),
                )
            elif (error := answer.exception()) is not None:
                _fail(future, error)
            else:
                _answer(future, answer.result())

        def leave() -> None:
            call.waiting -= 1
            if not call.waiting:
                call.answer.cancel()

        def cancelled(_: Future[Answer]) -> None:
            if future.cancelled():
                self._post(leave)

        call.waiting += 1
        call.answer.add_done_callback(done)
        future.add_done_callback(cancelled)

    def _run(self, request: _Request) -> None:
        command, future = request.command, request.future
        if future.cancelled():
            return
        try:
            origin = self._origin(request.caller)
            pane = self._pane(command, origin)
            with on_behalf_of(request.caller.share):
                result = self._dispatcher.run(command, origin)
        except Exception as error:  # noqa: BLE001  (handed to the caller's thread, which reports it)
            _fail(future, error)
        except BaseException:
            _fail(future, TimedOut("the workspace is being left"))
            raise
        else:
            if not is_deferred(result):
                _answer(future, Answer(result, pane))
                return
            if request.on_progress is not None:
                result.on_progress(request.on_progress)
            self._follow(result, pane, future)

    def _follow(self, later: Deferred[Any], pane: PaneId | None, future: Future[Answer]) -> None:
        def done() -> None:
            if (error := later.error) is not None:
                _fail(future, error)
            else:
                _answer(future, Answer(later.result(), pane))

        def stop() -> None:
            later.cancel()

        def cancelled(_: Future[Answer]) -> None:
            if future.cancelled():
                self._post(stop)

        later.on_done(done)
        future.add_done_callback(cancelled)

    def _origin(self, caller: Caller) -> Origin:
        if caller.origin is None:
            caller.origin = _origin_of(caller, self._own_pane(caller))
        if caller.origin.takes != caller.takes:
            caller.origin = replace(caller.origin, takes=caller.takes)
        return caller.origin

    def _own_pane(self, caller: Caller) -> PaneId | None:
        """The pane that a caller came out of."""
        mux = self._dispatcher.mux
        children = {each.pid: pane for pane, each in (mux.closed_panes.terminals() | mux.terminals).items()}
        return next((children[pid] for pid in caller.pids if pid in children), None)

    def _pane(self, command: Command[Any], origin: Origin) -> PaneId | None:
        pane = getattr(command, "pane", None)
        try:
            return target.pane(self._dispatcher.mux, pane, origin) if isinstance(pane, str) else None
        except CommandError:
            return None


def _origin_of(caller: Caller, own: PaneId | None) -> Origin:
    """The origin of a caller, by the client's process: an agent, a shell, a script."""
    program = caller.program
    return Origin(
        caller.interface,
        own,
        caller.client,
        pid=caller.pids[0] if caller.pids else None,
        takes=caller.takes,
        inside=caller.inside or own is not None,
        process=f"{program}@{process.start_ticks(program)}" if program else f"unknown {id(caller)}",
        program=clean(process.comm(program), 16) if program else "",
        executable=process.executable(program) if program else "",
    )


def _answer(future: Future[Answer], answer: Answer) -> None:
    with suppress(InvalidStateError):  # It may be cancelled at any time, on the caller's thread.
        future.set_result(answer)


def _fail(future: Future[Answer], error: BaseException) -> None:
    with suppress(InvalidStateError):
        future.set_exception(error)
