"""Commands for windows: list, create, select, rename and close."""

from collections.abc import Mapping

from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.confirmation import check_not_last, closing, count
from fugue_tui.control.core.new_pane import Line, new_pane, wants_focus
from fugue_tui.control.core.results import Closed, WindowInfo, WindowList, closed, window_info
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Leaf, panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit, Window


class ListWindows(Command[WindowList], name="list-windows", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """List the windows: their ids, names, sessions and panes."""

    session: str = ""
    """Only the windows of this session."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowList:
        """The windows, in tab order."""
        session = target.session(mux, self.session, origin) if self.session else None
        found = (window for window in mux.workspace.windows if session in (None, window.session))
        return WindowList(tuple(window_info(mux, window) for window in found))


class CreateWindow(
    Command[WindowInfo],
    name="create-window",
    effect=Effect.RUN,
    given=("command", "env"),
    otherwise=Effect.LAYOUT,
    toolset=Toolset.SESSIONS,
    creates=True,
):
    """Create a window with one pane, and run a program in it."""

    session: str = target.ACTIVE
    """The session of the window; omitted, the caller's."""
    name: str = ""
    """The window's name; omitted, the program in its active pane."""
    command: Line = ""
    """The command: one line for the user's shell, or a list of program and arguments; omitted, a login shell."""
    cwd: str = ""
    """The working directory; omitted, that of the caller's pane."""
    env: Mapping[str, str] | None = None
    """Environment variables to set."""
    focus: bool | None = None
    """Whether to select the window; omitted, only if the user ran the command."""
    on_exit: OnExit | None = None
    """close: the pane closes if its program exits with 0. keep: it stays. Omitted, keep for agents, else close."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowInfo:
        """The new window; nothing changes if its program cannot be started."""
        session = target.session(mux, self.session, origin) if mux.workspace.windows else mux.workspace.name
        return open_window(
            mux, origin, session,
            command=self.command, cwd=self.cwd, name=self.name, env=self.env, focus=self.focus, on_exit=self.on_exit,
        )  # fmt: skip


class SelectWindow(
    Command[WindowInfo], name="select-window", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Select a window; the user's keys go to its active pane.

    While the user types, agents select none: its tab is marked instead, and `active` is false.
    """

    window: str
    """The window: an id, a name, next, previous or last in its session, or :1 for its first tab, :2 for the next..."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowInfo:
        """The selected window."""
        window = target.window(mux, self.window, origin)
        mux.assign(edit.select_window(mux.workspace, window.id))
        return window_info(mux, window)


class RenameWindow(
    Command[WindowInfo], name="rename-window", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Rename a window; the name can be used instead of its id."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    name: str
    """The new name; empty names it after the program in its active pane again."""

    def run(self, mux: Multiplexer, origin: Origin) -> WindowInfo:
        """The renamed window."""
        window = target.window(mux, self.window, origin)
        mux.assign(edit.rename_window(mux.workspace, window.id, target.named(self.name)))
        return window_info(mux, mux.window(window.id))


class CloseWindow(Command[Closed], name="close-window", effect=Effect.DESTROY, toolset=Toolset.SESSIONS):
    """Close a window and end the programs of all its panes, after 30 seconds in which undo brings it back; closing the
    last one ends the workspace at once."""

    window: str = target.ACTIVE
    """The window to close; agents must give its exact id."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The panes of the window."""
        return tuple(panes(target.window_to_close(mux, self.window, origin).layout))

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """Asked if a program runs in the window."""
        window = target.window(mux, self.window, origin)
        doomed = list(panes(window.layout))
        question = f"Close window {clean(mux.window_name(window), 24)} with {count(len(doomed), 'pane')}?"
        return closing(mux, doomed, question, replace(self, window=str(window.id)))

    def run(self, mux: Multiplexer, origin: Origin) -> Closed:
        """The closed panes."""
        window = target.window_to_close(mux, self.window, origin)
        check_not_last(mux, origin, tuple(panes(window.layout)))
        mux.undo_log.close(edit.close_window(mux.workspace, window.id))
        return closed(mux, tuple(panes(window.layout)))


def open_window(
    mux: Multiplexer,
    origin: Origin,
    session: str,
    *,
    command: Line = "",
    cwd: str = "",
    name: str = "",
    env: Mapping[str, str] | None = None,
    focus: bool | None = None,
    on_exit: OnExit | None = None,
) -> WindowInfo:
    """Create a window of a session with one pane; nothing changes if its program cannot be started."""
    source = target.pane(mux, target.ACTIVE, origin) if mux.workspace.windows else None
    pane = new_pane(mux, origin, command=command, cwd=cwd, env=env, on_exit=on_exit, source=source)
    label = target.named(name)
    window = Window(mux.ids.next_window(), label, Leaf(pane.id), pane.id, session, named=bool(label))
    mux.open([pane], edit.add_window(mux.workspace, window, [pane], focus=wants_focus(focus, origin)))
    return window_info(mux, mux.window(window.id))
