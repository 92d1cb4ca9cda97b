"""What is going on: the workspace at a glance, and one pane in full."""

from collections.abc import Iterable
from dataclasses import dataclass

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
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.screen.cells import Modes, MouseTracking


@dataclass(frozen=True, slots=True)
class Place:
    """A cell of a pane, counted from 0."""

    x: int
    """The column."""
    y: int
    """The row."""


@dataclass(frozen=True, slots=True)
class PaneState:
    """A pane's terminal in full."""

    pane: str
    """The pane's id."""
    title: str
    """The title that its program set: untrusted text."""
    program: str
    """The program in the foreground; empty if unknown."""
    agent: str
    """The agent that this is, such as claude; empty if it is none that is known."""
    cwd: str
    """The directory it works in, as far as it is known."""
    size: Size
    """Its size in cells."""
    cursor: Place
    """Where its program's cursor is."""
    alternate_screen: bool
    """Whether a full-screen program has the screen; it has no scrollback then."""
    modes: tuple[str, ...]
    """What the program asked for: bracketed_paste, mouse, focus_events, application_cursor, kitty_keyboard..."""
    scrollback: int
    """Lines that scrolled off the top and can be read."""
    scrolled: int
    """Lines by which a person has scrolled back; 0 follows new output."""
    selected: int
    """Rows in which a person has selected text, for read-pane with source selection; 0 if nothing is selected."""
    running: bool
    """Whether its program runs."""
    exit_code: int | None
    """Its program's exit status; null while it runs, or if a signal ended it."""
    exit: str | None
    """The same in words; null while it runs."""
    waits: str | None
    """For a pane that came back and waits: what Enter or start-pane would run, empty for a shell; null for others."""
    at_prompt: bool | None
    """Whether a shell waits for a command; null if its prompts are not marked (OSC 133)."""
    marks_trusted: bool
    """Whether the prompts' marks are those of a shell that Fugue set up, which no output can forge."""
    last_status: int | None
    """The exit status of the last command of a shell that marks its prompts."""
    bells: int
    """How often it rang the bell."""
    notice: str
    """Its newest notification: untrusted text."""


@dataclass(frozen=True, slots=True)
class Status:
    """The workspace at a glance."""

    workspace: str
    """The workspace's name."""
    version: str
    """The version of fugue-tui."""
    engine: str
    """The terminal engine of the panes; empty while there are none."""
    lacks: tuple[str, ...]
    """What that engine cannot do."""
    area: Size
    """The cells that a window's panes share."""
    focus: str | None
    """The pane that the person's keys go to."""
    you: str | None
    """The caller's own pane; null if it sits in none."""
    sessions: tuple[SessionInfo, ...]
    """The sessions."""
    windows: tuple[WindowInfo, ...]
    """The windows, in the order of their tabs."""
    panes: tuple[PaneInfo, ...]
    """The panes; only the one that was asked for, if one was."""
    state: PaneState | None
    """The pane that was asked for, in full."""


class GetStatus(Command[Status], name="get-status", effect=Effect.READ, toolset=Toolset.DEFAULT):
    """Tell what is open and running; with a pane, also its cursor, modes, size and scrollback."""

    pane: str = ""
    """The pane to tell more of: an id, a name, or active for your own; omitted, none."""

    def run(self, mux: Multiplexer, origin: Origin) -> Status:
        """The state at this moment. Raises NotFound."""
        asked = target.pane(mux, self.pane, origin) if self.pane else None
        windows = mux.workspace.windows
        shown = [asked] if asked is not None else [pane for window in windows for pane in panes(window.layout)]
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
            state=pane_state(mux, asked) if asked is not None else None,
        )


def pane_state(mux: Multiplexer, pane: PaneId) -> PaneState:
    """A pane's terminal as it is now. Raises NotFound."""
    terminal, live, exited = mux.terminal(pane), mux.pane_reports[pane], mux.exits.get(pane)
    with terminal.locked() as screen:
        emulator, selection = screen.emulator, terminal.copy_mode.span(screen)
        caret, modes, scrollback = emulator.caret, emulator.modes, emulator.scrollback
    notice, waiting = live.notice, mux.restored_panes.get(pane)
    return PaneState(
        pane=str(pane),
        title=clean(terminal.title),
        program=clean(terminal.foreground),
        agent=agent_of(process.argv(terminal.foreground_group)),
        cwd=clean(mux.cwd(pane)),
        size=terminal.size,
        cursor=Place(*caret),
        alternate_screen=modes.alternate_screen,
        modes=tuple(_asked_for(modes)),
        scrollback=scrollback.lines,
        scrolled=scrollback.offset,
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


def _asked_for(modes: Modes) -> Iterable[str]:
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
