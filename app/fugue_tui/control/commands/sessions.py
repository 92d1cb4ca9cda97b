"""Commands for sessions: named groups of windows."""

from collections.abc import Mapping

from msgspec.structs import replace

from fugue_tui.control.commands.windows import open_window
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import check_not_last, closing, count
from fugue_tui.control.core.new_pane import Line
from fugue_tui.control.core.results import Closed, SessionInfo, SessionList, closed, session_info, session_names
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit


class ListSessions(Command[SessionList], name="list-sessions", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """List the sessions and their windows."""

    def run(self, mux: Multiplexer, origin: Origin) -> SessionList:
        """The sessions, in the order of their first windows."""
        return SessionList(tuple(session_info(mux, name) for name in session_names(mux)))


class CreateSession(
    Command[SessionInfo],
    name="create-session",
    effect=Effect.RUN,
    given=("command", "env"),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.SESSIONS,
    creates=True,
):
    """Create a session with one window and one pane."""

    name: str = ""
    """The session's name; omitted, session-2 or the next free one."""
    command: Line = ""
    """The command: one line for the user's shell, or a list of program and arguments; omitted, a login shell."""
    cwd: str = ""
    """The working directory; omitted, that of the caller's pane."""
    window_name: str = ""
    """The name of its window; omitted, the program in its active pane."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    focus: bool | None = None
    """Whether to select its window; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> SessionInfo:
        """The new session; nothing changes if its program cannot be started."""
        taken = session_names(mux)
        name = target.named(self.name) or _free(taken)
        if name in taken:
            raise InvalidArgument(f"name: there is a session {name} already; create-window adds a window to it")
        open_window(
            mux, origin, name,
            command=self.command, cwd=self.cwd, name=self.window_name, env=self.env, focus=self.focus,
        )  # fmt: skip
        return session_info(mux, name)


class SelectSession(
    Command[SessionInfo], name="select-session", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Select a session: its last selected window is shown."""

    session: str
    """The session: its name, next, previous or last."""

    def run(self, mux: Multiplexer, origin: Origin) -> SessionInfo:
        """The selected session."""
        name = target.session(mux, self.session, origin)
        mux.assign(edit.select_session(mux.workspace, name))
        return session_info(mux, name)


class RenameSession(
    Command[SessionInfo], name="rename-session", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Rename a session."""

    session: str = target.ACTIVE
    """The session; omitted, the caller's."""
    name: str
    """The new name."""

    def run(self, mux: Multiplexer, origin: Origin) -> SessionInfo:
        """The renamed session."""
        old, name = target.session(mux, self.session, origin), target.named(self.name)
        mux.assign(edit.rename_session(mux.workspace, old, name))
        return session_info(mux, name)


class KillSession(Command[Closed], name="kill-session", effect=Effect.DESTROY, toolset=Toolset.SESSIONS):
    """Close all windows of a session and end their programs, after 30 seconds in which undo brings it back; killing the
    last one ends the workspace at once."""

    session: str = target.ACTIVE
    """The session; agents must give its name."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The panes of the session."""
        return _panes(mux, target.session_to_kill(mux, self.session, origin))

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if a program runs in the session."""
        name = target.session(mux, self.session, origin)
        doomed = _panes(mux, name)
        question = f"End session {clean(name, 24)} with {count(len(doomed), 'pane')}?"
        return closing(mux, doomed, question, replace(self, session=name))

    def run(self, mux: Multiplexer, origin: Origin) -> Closed:
        """The closed panes."""
        name = target.session_to_kill(mux, self.session, origin)
        doomed = _panes(mux, name)
        check_not_last(mux, origin, doomed)
        mux.undo_log.close(edit.close_session(mux.workspace, name))
        return closed(mux, doomed)


def _panes(mux: Multiplexer, session: str) -> tuple[PaneId, ...]:
    """Every pane of a session."""
    windows = (window for window in mux.workspace.windows if window.session == session)
    return tuple(pane for window in windows for pane in panes(window.layout))


def _free(taken: tuple[str, ...]) -> str:
    number = len(taken) + 1
    while f"session-{number}" in taken:
        number += 1
    return f"session-{number}"
