"""The commands of tmux that open panes, windows and sessions."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from msgspec.structs import replace

from fugue_tui.control.commands.floating_panes import DisplayPopup
from fugue_tui.control.commands.panes import (
    RespawnPane,
    SplitPane,
)
from fugue_tui.control.commands.sessions import CreateSession, SelectSession
from fugue_tui.control.commands.windows import CreateWindow
from fugue_tui.control.core.new_pane import Direction, Line
from fugue_tui.control.core.results import OpenedPane, SessionInfo, WindowInfo
from fugue_tui.control.tmux.arguments import whole
from fugue_tui.control.tmux.call import Call, Results, Translation
from fugue_tui.control.tmux.environment import owner_of
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.geometry import Rect
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit

NEW_PANE: Final = "#{session_name}:#{window_index}.#{pane_index}"
"""What -P prints of a new pane."""
_NEW_SESSION: Final = "#{session_name}:"
_SMALLEST, _LARGEST = 0.1, 0.9


def _line(words: Sequence[str]) -> Line:
    """One word is a line for the shell, several are a program and its arguments, as in tmux."""
    return words[0] if len(words) == 1 else tuple(words)


def _environment(call: Call) -> Mapping[str, str]:
    return {**call.environment(), **_given(call)}


def _given(call: Call) -> Mapping[str, str]:
    """The variables of -e. Raises InvalidArgument."""
    given = dict[str, str]()
    for each in call.arguments.values("e"):
        name, equals, value = each.partition("=")
        if not equals:
            raise InvalidArgument(f"-e {clean(each, 40)}: requires NAME=VALUE")
        given[name] = value
    return given


def show_opened(call: Call, default: str) -> Callable[[Results], Sequence[str]]:
    """Shows the pane that was opened, if -P was given."""

    def show(results: Results) -> Sequence[str]:
        if not call.has("P"):
            return ()
        return (call.expanded(call.value("F", default), _pane_of(call.mux, results[0])),)

    return show


def _pane_of(mux: Multiplexer, opened: Any) -> PaneId:
    match opened:
        case OpenedPane(id=id):
            return PaneId(id[1:])
        case WindowInfo(focus=focus):
            return PaneId(focus[1:])
        case SessionInfo(windows=windows):
            return mux.window(WindowId(windows[0][1:])).active
        case _:
            raise AssertionError(f"{type(opened).__name__} opens no pane")


def split_window(call: Call) -> Translation:
    """A new pane beside another one. Raises InvalidArgument, NotFound and Refused."""
    pane = call.pane
    rect = tile_of(call, pane)
    horizontal = call.has("h")
    if call.has("b"):
        direction = Direction.LEFT if horizontal else Direction.UP
    else:
        direction = Direction.RIGHT if horizontal else Direction.DOWN
    length = (rect.cols if horizontal else rect.rows) or 1
    size = share_of(call.value("l") or (f"{call.value('p')}%" if call.value("p") else ""), length)
    command = SplitPane(
        pane=str(pane),
        direction=direction,
        size=size,
        command=_line(call.words) if call.words else "",
        cwd=call.expanded(call.value("c"), pane),
        env=_environment(call),
        focus=call.shows(call.mux.window_of(pane).session) and not call.has("d"),
    )
    return Translation((command,), show_opened(call, NEW_PANE), then=_selected(call))


def _selected(call: Call) -> Callable[[Results], None]:
    """Selects the pane that was opened, and its window, in a session that is not shown, unless -d was given."""

    def select(results: Results) -> None:
        mux, pane = call.mux, _pane_of(call.mux, results[0])
        window = mux.window_of(pane)
        if not call.shows(window.session):
            mux.assign(edit.activate_pane(edit.activate_window(mux.workspace, window.id), pane))

    return (lambda results: None) if call.has("d") else select


def share_of(length: str, room: int) -> float | None:
    """The share of a length in cells or per cent; None for none. Raises InvalidArgument."""
    if not length:
        return None
    number = whole(length.removesuffix("%"))
    if number is None:
        raise InvalidArgument(f"size invalid: {clean(length, 20)}")
    share = number / (100 if length.endswith("%") else room)
    return min(_LARGEST, max(_SMALLEST, share))


def tile_of(call: Call, pane: PaneId) -> Rect:
    """Where a pane lies while no pane of its window is zoomed; empty if it is not tiled."""
    window = replace(call.mux.window_of(pane), zoomed=False)
    return call.mux.layouts.of(window).panes.get(pane) or Rect(0, 0, 0, 0)


def new_window(call: Call) -> Translation:
    """A new window. Raises InvalidArgument, NotFound and Refused."""
    word = call.value("t").removesuffix(":")
    window = call.targets.window(word) if word and not word.split(":")[-1].isdecimal() else None
    session = window.session if window else call.targets.session(word.split(":")[0] if ":" in word else "")
    command = CreateWindow(
        session=session,
        name=call.value("n"),
        command=_line(call.words) if call.words else "",
        cwd=call.expanded(call.value("c"), call.targets.pane()),
        env=_environment(call),
        focus=call.shows(session) and not call.has("d"),
    )
    return Translation((command,), show_opened(call, NEW_PANE), then=_selected(call))


def new_session(call: Call) -> Translation:
    """A new session, or with -A the one of that name. Raises InvalidArgument, NotFound and Refused."""
    name = call.value("s")
    if call.has("A") and name in call.targets.sessions:
        return Translation(() if call.has("d") else (SelectSession(session=name),))
    if not call.has("d"):
        raise Refused("sessions should be nested with care, unset $TMUX to force")
    if name in call.targets.sessions:
        raise InvalidArgument(f"duplicate session: {clean(name)}")
    command = CreateSession(
        name=name,
        window_name=call.value("n"),
        command=_line(call.words) if call.words else "",
        cwd=call.expanded(call.value("c"), call.targets.pane()),
        env=_environment(call),
        focus=False,
    )
    return Translation((command,), show_opened(call, _NEW_SESSION), then=_kept_environment(call))


def _kept_environment(call: Call) -> Callable[[Results], None]:
    """Keeps the variables of -e for the other new panes of a session."""
    given, owner = _given(call), owner_of(call, ())

    def keep(results: Results) -> None:
        for name, value in given.items():
            call.mux.tmux_environment.set(results[0].name, owner, name, value)

    return keep


def respawn_pane(call: Call) -> Translation:
    """A program in a pane whose program has ended. Raises InvalidArgument, NotFound and Refused."""
    pane = call.pane
    if not call.has("k") and pane not in call.mux.exits:
        place = call.expanded(NEW_PANE, pane)
        raise Refused(f"respawn pane failed: pane {place} still active")
    return Translation((RespawnPane(pane=str(pane), command=_line(call.words) if call.words else ""),))


def display_popup(call: Call) -> Translation:
    """A popup that is waited for, as tmux does; without -E it stays when its program has ended."""
    if call.has("C"):
        raise Refused("a popup is closed by its program, or with kill-pane")
    pane = call.pane
    window = call.mux.window_of(pane)
    command = DisplayPopup(
        command=_line(call.words) if call.words else "",
        wait=True,
        cols=_extent(call.value("w") or "50%"),
        rows=_extent(call.value("h") or "50%"),
        x=_position(call.value("x")),
        y=_position(call.value("y")),
        window=str(window.id),
        cwd=call.expanded(call.value("d"), pane),
        name=call.value("T"),
        env=_environment(call),
        on_exit=OnExit.ALWAYS if call.has("E") or not call.words else OnExit.KEEP,
    )
    return Translation((command,), status=lambda results: results[0].exit_status)


def _position(word: str) -> int | float | None:
    """Cells, or the right or lower edge; in the middle for the others of tmux's places."""
    return int(word) if word.isdecimal() and len(word) < 5 else 1.0 if word in ("R", "S") else None


def _extent(length: str) -> int | float:
    """A length in cells or per cent; half of the window for none. Raises InvalidArgument."""
    number = whole(length.removesuffix("%") or "50")
    if number is None or not 0 < number < 10_000:
        raise InvalidArgument(f"size invalid: {clean(length, 20)}")
    return min(1.0, number / 100) if length.endswith("%") or not length else number
