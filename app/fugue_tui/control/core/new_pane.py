"""Panes that commands open: their program, directory, environment and focus."""

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, TypeAlias

from msgspec.structs import replace

from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.target import named
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.terminal.pty.spawn import login_shell
from fugue_tui.workspace.auto_layout import settled
from fugue_tui.workspace.model import OnExit, Pane, Window

Line: TypeAlias = tuple[str, ...] | str
"""A program and its arguments, or one line for the user's shell (`$SHELL -c LINE`); empty for the default program.

The default, `[terminal] shell`, may be any program, so lines always go to `$SHELL`.
"""

LONGEST_LINE: Final = 65_536
"""Characters that a command may have."""

BACKGROUND: Final = "background"
"""The session of hidden windows."""
NARROWEST: Final = 2
"""Columns that a new pane needs: most characters outside Latin scripts are two wide."""


class Direction(StrEnum):
    """On which side of a pane the new one opens."""

    HORIZONTAL = "horizontal"
    """Side by side: the new pane to the right."""
    VERTICAL = "vertical"
    """Stacked: the new pane below."""
    LEFT = "left"
    """To the left."""
    RIGHT = "right"
    """To the right."""
    UP = "up"
    """Above."""
    DOWN = "down"
    """Below."""
    AUTO = "auto"
    """To the right if the pane is wider than high, else below."""

    def beside(self, rect: Rect | None) -> Side:
        """The side of a pane on which the new one opens; a cell is about twice as high as wide."""
        match self:
            case Direction.HORIZONTAL:
                return Side.RIGHT
            case Direction.VERTICAL:
                return Side.DOWN
            case Direction.AUTO:
                return Side.RIGHT if rect is None or rect.cols >= 2 * rect.rows else Side.DOWN
            case _:
                return Side(self.value)


class Placement(StrEnum):
    """Where a pane opens."""

    SPLIT = "split"
    """Beside another pane."""
    WINDOW = "window"
    """In a new window, which is not selected."""
    HIDDEN = "hidden"
    """In a new window of the session background."""
    FLOATING = "floating"
    """Floating over the tiles of a window."""


def argv_of(command: Line) -> tuple[str, ...]:
    """The argument vector of a command. Raises InvalidArgument if exec could not accept it."""
    text = " ".join(command) if isinstance(command, tuple) else command
    if "\0" in text or len(text) > LONGEST_LINE:
        raise InvalidArgument(f"command: holds a NUL character or more than {LONGEST_LINE} characters")
    if (found := _unencodable(text)) is not None:
        raise InvalidArgument(f"command: U+{ord(text[found]):04X} at {found} is half of a character; leave it out")
    if isinstance(command, tuple):
        if command and not command[0]:
            raise InvalidArgument("command: the first entry names the program and cannot be empty")
        return command
    return (login_shell(os.environ), "-c", command) if command.strip() else ()


def new_pane(
    mux: Multiplexer,
    origin: Origin,
    *,
    command: Line = "",
    cwd: str = "",
    name: str = "",
    env: Mapping[str, str] | None = None,
    on_exit: OnExit | None = None,
    tags: Iterable[str] = (),
    source: PaneId | None = None,
) -> Pane:
    """A pane that is about to open; a relative or empty `cwd` starts from the directory of `source`."""
    inherited = mux.cwd(source) if source is not None else ""
    return Pane(
        mux.ids.next_pane(),
        name=named(name),
        argv=argv_of(command),
        cwd=_directory(cwd, inherited),
        env=environment(env or {}),
        on_exit=on_exit or (OnExit.KEEP if origin.is_agent else mux.on_exit),
        tags=frozenset(tags),
    )


def wants_focus(focus: bool | None, origin: Origin) -> bool:
    """Whether a new pane gets the focus: as requested, else only if the user opened it by hand."""
    return origin.is_user if focus is None else focus


def too_narrow(mux: Multiplexer, after: Window, before: Window | None = None) -> tuple[PaneId, ...]:
    """The panes that are hidden or too narrow in the window `after`, and were not in the window `before`."""
    tight = [] if before is None else _tight(mux, before)
    return tuple(pane for pane in _tight(mux, after) if pane not in tight)


def _tight(mux: Multiplexer, window: Window) -> list[PaneId]:
    solution = mux.layouts.of(as_laid_out(mux, window))
    return [*solution.hidden, *(pane for pane, rect in solution.panes.items() if rect.cols < NARROWEST)]


def as_laid_out(mux: Multiplexer, window: Window) -> Window:
    """A window that is about to be assigned, without its zoom, as it is then: its layout may adapt to the panes."""
    before = next((each for each in mux.workspace.windows if each.id == window.id), None)
    return replace(settled(before, window, mux.layouts.bounds(window)), zoomed=False)


def _directory(cwd: str, inherited: str) -> str:
    if "\0" in cwd:
        raise InvalidArgument("cwd: holds a NUL character")
    if not cwd:
        return inherited if os.path.isdir(inherited) else ""
    return os.path.normpath(os.path.join(inherited, os.path.expanduser(cwd)))


def environment(env: Mapping[str, str]) -> Mapping[str, str]:
    """Variables for a program, checked. Raises InvalidArgument."""
    for name, value in env.items():
        if not name or "=" in name or "\0" in name + value or _unencodable(name + value) is not None:
            raise InvalidArgument(
                f"env: {name!a} cannot be set; names hold no =, and nothing holds NUL or half of a character"
            )
    return MappingProxyType(dict(env))


def _unencodable(text: str) -> int | None:
    """Where the first surrogate is that stands for no byte; None if there is none."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError as error:
        return error.start
    return None
