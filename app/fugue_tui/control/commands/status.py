"""The status of the workspace, and the terminal state of one pane."""

from collections.abc import Iterable

from msgspec import Struct

from fugue_tui import __version__
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.results import (
    PaneInfo,
    SessionInfo,
    WindowInfo,
    pane_info,
    session_info,
    session_names,
    window_info,
)
from fugue_tui.control.restore.agent_resume import agent_of
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import WORD_LIMIT, clean, clean_path
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.screen.cells import Modes, MouseTracking


class CellPosition(Struct, frozen=True):
    """A cell position in a pane, counted from 0."""

    x: int
    """The column."""
    y: int
    """The row."""


class PaneState(Struct, frozen=True):
    """The state of a pane's terminal."""

    pane: str
    """The pane's id."""
    title: str
    """The title set by its program: untrusted text."""
    program: str
    """The program in the foreground; empty if unknown."""
    agent: str
    """The known agent that this is, such as claude; else empty."""
    sideband: str
    """Whether its output is parsed for tags, and why."""
    cwd: str
    """Its working directory; empty if unknown."""
    size: Size
    """Its size in cells."""
    cursor: CellPosition
    """The position of the terminal's cursor."""
    alternate_screen: bool
    """Whether the alternate screen is active, as in full-screen programs; it has no scrollback."""
    modes: tuple[str, ...]
    """The modes that are set: bracketed_paste, mouse, focus_events, application_cursor, kitty_keyboard..."""
    scrollback: int
    """Lines of scrollback."""
    scrolled: int
    """Lines by which the user has scrolled back; 0 follows new output."""
    selected: int
    """Rows of the user's selection, for read-pane with source selection; 0 if nothing is selected."""
    running: bool
    """Whether its program runs."""
    exit_code: int | None
    """Its program's exit status; null while it runs, or if a signal ended it."""
    exit: str | None
    """How it exited, in words; null while it runs."""
    waits: str | None
    """For a restored pane that waits: what Enter or start-pane runs, empty for a shell; null for others."""
    at_prompt: bool | None
    """Whether a shell is at its prompt; null if its prompts are not marked (OSC 133)."""
    marks_trusted: bool
    """Whether the prompt marks come from a shell that Fugue set up, which no output can forge."""
    last_status: int | None
    """The exit status of the shell's last command; null without prompt marks."""
    bells: int
    """How many bells it rang."""
    notice: str
    """Its newest notification: untrusted text."""


class Status(Struct, frozen=True):
    """The status of the workspace."""

    workspace: str
    """The workspace's name."""
    version: str
    """The version of fugue-tui."""
    engine: str
    """The terminal engine of the panes; empty if there are none."""
    lacks: tuple[str, ...]
    """Features that the engine lacks."""
    area: Size
    """The size shared by a window's panes, in cells."""
    focus: str | None
    """The pane that has the user's focus."""
    you: str | None
    """The caller's own pane; null if it is in none."""
    sessions: tuple[SessionInfo, ...]
    """The sessions."""
    windows: tuple[WindowInfo, ...]
    """The windows, in tab order."""
    panes: tuple[PaneInfo, ...]
    """The panes; only the requested one, if any."""
    state: PaneState | None
    """The terminal state of the requested pane."""


class GetStatus(Command[Status], name="get-status", effect=Effect.READ, toolset=Toolset.READING):
    """Show the sessions, windows and panes; with a pane, also its cursor, modes, size and scrollback."""

    pane: str = ""
    """A pane to show in detail: an id, a name, or active for your own; omitted, none."""

    def run(self, mux: Multiplexer, origin: Origin) -> Status:
        """The current status. Raises NotFound."""
        requested = target.pane(mux, self.pane, origin) if self.pane else None
        windows = mux.workspace.windows
        shown = [requested] if requested is not None else [pane for window in windows for pane in panes(window.layout)]
        engine, lacks = _engine(mux)
        return Status(
            workspace=clean(mux.workspace.name),
            version=__version__,
            engine=engine,
            lacks=lacks,
            area=mux.layouts.area,
            focus=str(mux.focused) if mux.focused is not None else None,
            you=str(origin.pane) if origin.pane in mux.workspace.panes else None,
            sessions=tuple(session_info(mux, name) for name in session_names(mux)),
            windows=tuple(window_info(mux, window) for window in windows),
            panes=tuple(pane_info(mux, pane) for pane in shown),
            state=pane_state(mux, requested) if requested is not None else None,
        )


def pane_state(mux: Multiplexer, pane: PaneId) -> PaneState:
    """A pane's current terminal state. Raises NotFound."""
    terminal, live, exited = mux.terminal(pane), mux.pane_reports[pane], mux.exits.get(pane)
    selecting = terminal.selecting
    with terminal.locked() as screen:
        emulator, selection = screen.emulator, selecting.copy_mode.span(screen)
        caret, modes, scrollback = emulator.caret, emulator.modes, emulator.scrollback
        scrolled = terminal.seen.offset(screen)
    notice, waiting = live.notice, mux.restored_panes.get(pane)
    return PaneState(
        pane=str(pane),
        title=clean(terminal.title, WORD_LIMIT),
        program=clean(terminal.foreground, WORD_LIMIT),
        agent=agent_of(process.argv(terminal.foreground_group)),
        sideband=_sideband(mux, pane),
        cwd=clean_path(mux.cwd(pane)),
        size=terminal.size,
        cursor=CellPosition(*caret),
        alternate_screen=modes.alternate_screen,
        modes=tuple(_set_modes(modes)),
        scrollback=scrollback.lines,
        scrolled=scrolled,
        selected=selection.rows if selection is not None else 0,
        running=mux.runs(pane),
        exit_code=exited.code if exited else None,
        exit=exited.words if exited else None,
        waits=clean(waiting.offer.words) if waiting else None,
        at_prompt=live.at_prompt,
        marks_trusted=terminal.shell.integrated,
        last_status=live.last_status,
        bells=live.bells,
        notice=clean(": ".join(part for part in (notice.title, notice.body) if part)) if notice else "",
    )


def _sideband(mux: Multiplexer, pane: PaneId) -> str:
    status = mux.sideband.status(pane, mux.workspace.panes[pane].name)
    return f"{'parsed' if status.parsed else 'not parsed'}: {clean(status.reason)}"


def _set_modes(modes: Modes) -> Iterable[str]:
    words = {
        "application_cursor": modes.application_cursor,
        "application_keypad": modes.application_keypad,
        "bracketed_paste": modes.bracketed_paste,
        "focus_events": modes.focus_events,
        "kitty_keyboard": modes.kitty_flags,
        "modify_other_keys": modes.modify_other_keys,
        "mouse": modes.mouse is not MouseTracking.NONE,
        "synchronized": modes.synchronized,
    }
    return (word for word, on in words.items() if on)


def _engine(mux: Multiplexer) -> tuple[str, tuple[str, ...]]:
    for terminal in mux.terminals.values():
        if not terminal.closed:
            return terminal.engine, tuple(sorted(terminal.lacks))
    return "", ()
