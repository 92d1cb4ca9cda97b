"""Lets other threads have commands run: they hand one over with its caller, and get a future.

Only `run` may be called from another thread; everything else here happens on the main thread.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from fugue_tui.control import target
from fugue_tui.control.command import Command, Door, Origin
from fugue_tui.control.dispatch import Dispatcher
from fugue_tui.errors import CommandError, TimedOut
from fugue_tui.ids import PaneId


@dataclass(slots=True)
class Caller:
    """Who is at the other end of a connection, as the kernel tells."""

    door: Door
    pids: tuple[int, ...] = ()
    """The peer's process and its ancestors, nearest first."""
    client: str = ""
    """The name that the client gave itself: untrusted."""
    origin: Origin | None = field(default=None, init=False)
    """Who that is in the workspace, from the first call on, even once its pane is closed; the main thread's."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a command."""

    result: Any
    pane: PaneId | None
    """The pane that the command was about, if it names one."""


class Gate:
    """The way in from other threads. `post` must run a callable on the main thread soon, and drop it at the end."""

    def __init__(self, dispatcher: Dispatcher, post: Callable[[Callable[[], None]], object]) -> None:
        self._dispatcher = dispatcher
        self._post = post

    def run(self, command: Command[Any], caller: Caller) -> Future[Answer]:
        """Have a command run. The future fails with whatever the command raised; cancelled early, nothing runs."""
        future: Future[Answer] = Future()
        self._post(lambda: self._run(command, caller, future))
        return future

    def _run(self, command: Command[Any], caller: Caller, future: Future[Answer]) -> None:
        if not future.set_running_or_notify_cancel():
            return
        try:
            origin = self._origin(caller)
            pane = self._pane(command, origin)
            answer = Answer(self._dispatcher.run(command, origin), pane)
        except Exception as error:  # noqa: BLE001  (handed to the caller's thread, which reports it)
            future.set_exception(error)
        except BaseException:
            future.set_exception(TimedOut("the workspace is being left"))
            raise
        else:
            future.set_result(answer)

    def _origin(self, caller: Caller) -> Origin:
        if caller.origin is None:
            children = {terminal.pid: pane for pane, terminal in self._dispatcher.mux.terminals.items()}
            own = next((children[pid] for pid in caller.pids if pid in children), None)
            pid = caller.pids[0] if caller.pids else None
            caller.origin = Origin(caller.door, own, caller.client, pid)
        return caller.origin

    def _pane(self, command: Command[Any], origin: Origin) -> PaneId | None:
        said = getattr(command, "pane", None)
        try:
            return target.pane(self._dispatcher.mux, said, origin) if isinstance(said, str) else None
        except CommandError:
            return None
