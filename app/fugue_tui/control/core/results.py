"""Results of commands: frozen values whose docstrings become the output schemas.

Ids are in their written form. All text from programs and files is cleaned.
"""

import shlex

from msgspec import Struct
from msgspec.structs import asdict, replace

from fugue_tui.control.core.new_pane import Placement
from fugue_tui.control.core.own_position import birth_cursor
from fugue_tui.geometry import Rect, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import float_of, panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import WORD_LIMIT, clean, clean_path
from fugue_tui.workspace.model import Window


class PaneInfo(Struct, frozen=True):
    """A pane, and what runs in it."""

    id: str
    """The pane's id, such as %3; never used again."""
    name: str
    """The name that was set; empty if none."""
    title: str
    """The title that its program set: untrusted."""
    program: str
    """The program in the foreground now; empty if unknown."""
    command: str
    """What was started in it; empty for a login shell."""
    cwd: str
    """The current working directory; the last known one if it cannot be read."""
    window: str
    """The id of its window, such as @1."""
    session: str
    """The session its window belongs to."""
    focused: bool
    """Whether it receives the user's keys."""
    visible: bool
    """Whether it is on the screen now."""
    rect: Rect | None
    """Its rectangle in its window in cells, without borders and dividers; null if it does not fit there."""
    pid: int | None
    """The process id of what was started in it."""
    exit: str | None
    """How its program ended; null while it runs."""
    waits: str | None
    """For a restored pane that waits: what Enter or start-pane would run, empty for a shell; null for others."""
    content: str = ""
    """What Fugue itself shows in it, such as agents, where no program runs; empty for a program."""
    floating: bool = False
    """Whether it floats over the other panes of its window."""


class OpenedPane(PaneInfo, frozen=True, kw_only=True):
    """A pane whose program was started."""

    placed: Placement | None = None
    """Where it opened: split, beside another pane; window, in a new window; null if the pane was there before."""
    note: str = ""
    """Why it did not open where it was requested; empty if it did."""
    cursor: str | None = None
    """For wait-for-output or read-pane: the start of its program, so that nothing is missed."""


class WindowInfo(Struct, frozen=True):
    """A window: one tab with its panes."""

    id: str
    """The window's id, such as @1; never used again."""
    name: str
    """The label of its tab."""
    session: str
    """The session it belongs to."""
    active: bool
    """Whether it is in front."""
    zoomed: bool
    """Whether one pane fills it and the others are hidden."""
    focus: str
    """The id of the pane that has the focus when the window is in front."""
    panes: tuple[str, ...]
    """The ids of its panes, in reading order."""


class PaneList(Struct, frozen=True):
    """The panes that are open, and their windows."""

    panes: tuple[PaneInfo, ...]
    """The panes, window by window, in reading order."""
    you: str | None
    """The caller's own pane; null if it sits in none."""
    workspace: str
    """The workspace's name."""
    focus: str | None
    """The pane that has the user's focus; null if none is open."""
    area: Size
    """The size shared by a window's panes, in cells."""
    windows: tuple[WindowInfo, ...]
    """The windows of these panes, in the order of their tabs."""

    @property
    def brief(self) -> "PaneList":
        """The same without what windows tell of panes, and the reverse; snapshot-pane has the rest of a pane."""
        only = len(self.windows) == 1
        panes = tuple(
            replace(
                each, session="", window="" if only else each.window, focused=False, visible=False, pid=None,
                command=clean(each.command, WORD_LIMIT // 2),
            )
            for each in self.panes
        )  # fmt: skip
        return replace(self, panes=panes, windows=tuple(replace(each, panes=()) for each in self.windows))


class WindowList(Struct, frozen=True):
    """The windows that are open."""

    windows: tuple[WindowInfo, ...]
    """The windows, in the order of their tabs."""


class SessionInfo(Struct, frozen=True):
    """A session: a label on windows, which exists as long as a window has it."""

    name: str
    """The session's name."""
    windows: tuple[str, ...]
    """The ids of its windows."""
    active: bool
    """Whether its window is in front."""


class SessionList(Struct, frozen=True):
    """All sessions."""

    sessions: tuple[SessionInfo, ...]
    """The sessions, in the order of their first windows."""


class Closed(Struct, frozen=True):
    """Panes that were closed."""

    panes: tuple[str, ...]
    """The ids of the panes that were closed."""
    focus: str | None
    """The focused pane now; null if none is left."""


def pane_info(mux: Multiplexer, pane_id: PaneId) -> PaneInfo:
    """The current state of a pane."""
    window, pane = mux.window_of(pane_id), mux.workspace.panes[pane_id]
    terminal, exited = mux.terminals.get(pane_id), mux.exits.get(pane_id)
    rect, waiting = mux.rect(pane_id), mux.restored_panes.get(pane_id)
    return PaneInfo(
        id=str(pane_id),
        name=clean(pane.name),
        title=clean(terminal.title, WORD_LIMIT) if terminal else "",
        program=clean(terminal.foreground, WORD_LIMIT) if terminal else "",
        command=clean(shlex.join(pane.argv)),
        cwd=clean_path(mux.cwd(pane_id)),
        window=str(window.id),
        session=clean(window.session),
        focused=pane_id == mux.focused,
        visible=window.id == mux.workspace.active and rect is not None,
        rect=rect,
        pid=terminal.pid or None if terminal and not waiting else None,
        exit=exited.words if exited else None,
        waits=clean(waiting.offer.words) if waiting and not pane.content else None,
        content=clean(pane.content),
        floating=float_of(window.layout, pane_id) is not None,
    )


def opened_pane(mux: Multiplexer, pane: PaneId, placed: Placement | None = None, note: str = "") -> OpenedPane:
    """A pane whose program was just started."""
    return OpenedPane(**asdict(pane_info(mux, pane)), placed=placed, note=note, cursor=birth_cursor(mux, pane))


def window_info(mux: Multiplexer, window: Window) -> WindowInfo:
    """The current state of a window."""
    return WindowInfo(
        id=str(window.id),
        name=clean(mux.window_name(window)),
        session=clean(window.session),
        active=window.id == mux.workspace.active,
        zoomed=window.zoomed,
        focus=str(window.active),
        panes=tuple(map(str, panes(window.layout))),
    )


def session_info(mux: Multiplexer, name: str) -> SessionInfo:
    """The current state of a session."""
    windows = tuple(window for window in mux.workspace.windows if window.session == name)
    return SessionInfo(
        name=clean(name),
        windows=tuple(str(window.id) for window in windows),
        active=any(window.id == mux.workspace.active for window in windows),
    )


def session_names(mux: Multiplexer) -> tuple[str, ...]:
    """Every session's name, in the order of their first windows."""
    return tuple(dict.fromkeys(window.session for window in mux.workspace.windows))


def closed(mux: Multiplexer, gone: tuple[PaneId, ...]) -> Closed:
    """The result of closing panes."""
    return Closed(panes=tuple(map(str, gone)), focus=str(mux.focused) if mux.focused is not None else None)
