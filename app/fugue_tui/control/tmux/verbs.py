"""tmux's commands, each as the commands here that do the same. Source of their syntax: tmux(1) 3.5, COMMANDS.

Only what programs that drive a tmux use is here; docs/tmux-programs.md has the table.
"""

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import count
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.commands.clear_history import ClearHistory
from fugue_tui.control.commands.floating_panes import DisplayPopup
from fugue_tui.control.commands.layouts import EqualizePanes, RotatePanes, SelectLayout, UndoLayout
from fugue_tui.control.commands.move import BreakPane, JoinPane, MoveWindow, SwapWindow
from fugue_tui.control.commands.panes import (
    ClosePane,
    FocusPane,
    RenamePane,
    ResizePane,
    RespawnPane,
    SplitPane,
    SwapPane,
    ZoomPane,
)
from fugue_tui.control.commands.pipe_pane import PipeEnds, PipePane
from fugue_tui.control.commands.send_keys import InputStep, SendInput
from fugue_tui.control.commands.sessions import CreateSession, KillSession, RenameSession, SelectSession
from fugue_tui.control.commands.sideband import NotifyUser
from fugue_tui.control.commands.windows import CloseWindow, CreateWindow, RenameWindow, SelectWindow
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.new_pane import Direction, Line
from fugue_tui.control.core.pane_names import holders
from fugue_tui.control.core.results import OpenedPane, SessionInfo, WindowInfo
from fugue_tui.control.core.target import window_in
from fugue_tui.control.tmux import formats
from fugue_tui.control.tmux.arguments import Arguments, parse
from fugue_tui.control.tmux.targets import Targets
from fugue_tui.control.tmux.variables import DEFAULTS, PaneVariables
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Rect, Side
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.tmux_options import GLOBAL
from fugue_tui.sanitize import clean
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import OnExit, Window

Results: TypeAlias = Sequence[Any]
"""The results of the commands of a translation, in their order."""
_NEW_PANE: Final = "#{session_name}:#{window_index}.#{pane_index}"
_NEW_SESSION: Final = "#{session_name}:"
_PANE_LINE: Final = (
    "#{pane_index}: [#{pane_width}x#{pane_height}] [history #{history_size}] #{pane_id}"
    "#{?pane_active, (active),}#{?pane_dead, (dead),}"
)
_WINDOW_LINE: Final = (
    "#{window_index}: #{window_name}#{window_flags} (#{window_panes} panes) [#{window_width}x#{window_height}] "
    "#{window_id}#{?window_active, (active),}"
)
_SESSION_LINE: Final = "#{session_name}: #{session_windows} windows#{?session_attached, (attached),}"
_CLIENT_LINE: Final = "#{client_termname}: #{session_name} [#{client_width}x#{client_height}]"
_SIDES: Final = {"L": Side.LEFT, "R": Side.RIGHT, "U": Side.UP, "D": Side.DOWN}
_OPTION: Final = re.compile(r"@?[a-z][a-z0-9_-]{0,63}", re.ASCII | re.IGNORECASE)
_SMALLEST, _LARGEST = 0.1, 0.9
_LONGEST_FORMAT: Final = 8192
"""Characters; libtmux, which asks for every variable at once, needs half of that."""


class Call(Struct, frozen=True):
    """One call of a tmux command."""

    mux: Multiplexer
    origin: Origin
    targets: Targets
    arguments: Arguments
    environment: Callable[[], Mapping[str, str]]
    """Returns the variables by which programs in new panes find the tmux commands here."""

    def has(self, flag: str) -> bool:
        """Whether a flag was given."""
        return self.arguments.has(flag)

    def value(self, flag: str, default: str = "") -> str:
        """The value of a flag."""
        return self.arguments.value(flag, default)

    @property
    def words(self) -> tuple[str, ...]:
        """What follows the flags."""
        return self.arguments.words

    @property
    def pane(self) -> PaneId:
        """The target pane. Raises NotFound."""
        return self.targets.pane(self.value("t"))

    @property
    def window(self) -> Window:
        """The target window. Raises NotFound."""
        return self.targets.window(self.value("t"))

    def expanded(self, text: str, pane: PaneId, shown: Callable[[str], str] = str) -> str:
        """A format as of a pane; `shown` maps the values of variables. Raises InvalidArgument if it is too long."""
        if len(text) > _LONGEST_FORMAT:
            raise InvalidArgument(f"format too long: it has {len(text)} characters, and {_LONGEST_FORMAT} are the most")
        variables = PaneVariables(self.mux, self.targets, pane)

        @cache
        def value(name: str) -> str:
            return shown(variables(name))

        return formats.expand(text, value)

    def only_word(self, name: str) -> str:
        """The one word after the flags. Raises InvalidArgument."""
        if len(self.words) != 1:
            raise InvalidArgument(f"command {name}: requires one argument")
        return self.words[0]


class Translation(Struct, frozen=True):
    """What a call does."""

    commands: tuple[Command[Any], ...] = ()
    show: Callable[[Results], Sequence[str]] = lambda results: ()
    """The lines to print once the commands have run."""
    act: Callable[[], None] = lambda: None
    """What it does besides."""
    then: Callable[[Results], None] = lambda results: None
    """What it does once the commands have run."""
    status: Callable[[Results], int] = lambda results: 0
    """The exit status of the caller."""


class Verb(Struct, frozen=True):
    """A tmux command: its name and alias, its flags, those of them that take a value, its effects."""

    name: str
    alias: str
    flags: str
    valued: str
    effects: frozenset[Effect]
    translate: Callable[[Call], Translation]

    def arguments(self, words: Sequence[str]) -> Arguments:
        """The parsed arguments. Raises InvalidArgument."""
        return parse(self.name, self.flags, self.valued, words)


def lookup(name: str) -> Verb:
    """The command of that name or alias. Raises InvalidArgument."""
    found = _BY_NAME.get(name)
    if found is None:
        raise InvalidArgument(f"unknown command: {clean(name, 40)}")
    return found


# New panes


def _line(words: Sequence[str]) -> Line:
    """One word is a line for the shell, several are a program and its arguments, as in tmux."""
    return words[0] if len(words) == 1 else tuple(words)


def _environment(call: Call) -> Mapping[str, str]:
    given = dict[str, str]()
    for each in call.arguments.values("e"):
        name, equals, value = each.partition("=")
        if not equals:
            raise InvalidArgument(f"-e {clean(each, 40)}: requires NAME=VALUE")
        given[name] = value
    return {**call.environment(), **given}


def _opened(call: Call, default: str) -> Callable[[Results], Sequence[str]]:
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


def _split_window(call: Call) -> Translation:
    pane = call.pane
    rect = _rect(call, pane)
    horizontal = call.has("h")
    if call.has("b"):
        direction = Direction.LEFT if horizontal else Direction.UP
    else:
        direction = Direction.RIGHT if horizontal else Direction.DOWN
    length = (rect.cols if horizontal else rect.rows) or 1
    size = _share(call.value("l") or (f"{call.value('p')}%" if call.value("p") else ""), length)
    command = SplitPane(
        pane=str(pane),
        direction=direction,
        size=size,
        command=_line(call.words) if call.words else "",
        cwd=call.expanded(call.value("c"), pane),
        env=_environment(call),
        focus=_is_shown(call, call.mux.window_of(pane).session) and not call.has("d"),
    )
    return Translation((command,), _opened(call, _NEW_PANE), then=_selected(call))


def _selected(call: Call) -> Callable[[Results], None]:
    """Selects the pane that was opened, and its window, in a session that is not shown, unless -d was given."""

    def select(results: Results) -> None:
        mux, pane = call.mux, _pane_of(call.mux, results[0])
        window = mux.window_of(pane)
        if not _is_shown(call, window.session):
            mux.assign(edit.activate_pane(edit.activate_window(mux.workspace, window.id), pane))

    return (lambda results: None) if call.has("d") else select


def _share(length: str, room: int) -> float | None:
    """The share of a length in cells or per cent; None for none. Raises InvalidArgument."""
    if not length:
        return None
    number = length.removesuffix("%")
    if not number.isdecimal():
        raise InvalidArgument(f"size invalid: {clean(length, 20)}")
    share = int(number) / 100 if length.endswith("%") else int(number) / room
    return min(_LARGEST, max(_SMALLEST, share))


def _rect(call: Call, pane: PaneId) -> Rect:
    window = replace(call.mux.window_of(pane), zoomed=False)
    return call.mux.layouts.of(window).panes.get(pane) or Rect(0, 0, 0, 0)


def _new_window(call: Call) -> Translation:
    word = call.value("t").removesuffix(":")
    window = call.targets.window(word) if word and not word.split(":")[-1].isdecimal() else None
    session = window.session if window else call.targets.session(word.split(":")[0] if ":" in word else "")
    command = CreateWindow(
        session=session,
        name=call.value("n"),
        command=_line(call.words) if call.words else "",
        cwd=call.expanded(call.value("c"), call.targets.pane()),
        env=_environment(call),
        focus=_is_shown(call, session) and not call.has("d"),
    )
    return Translation((command,), _opened(call, _NEW_PANE), then=_selected(call))


def _new_session(call: Call) -> Translation:
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
    return Translation((command,), _opened(call, _NEW_SESSION))


def _respawn_pane(call: Call) -> Translation:
    pane = call.pane
    if not call.has("k") and pane not in call.mux.exits:
        place = call.expanded(_NEW_PANE, pane)
        raise Refused(f"respawn pane failed: pane {place} still active")
    return Translation((RespawnPane(pane=str(pane), command=_line(call.words) if call.words else ""),))


def _display_popup(call: Call) -> Translation:
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


def _pipe_pane(call: Call) -> Translation:
    pane = call.pane
    if not call.words and call.mux.pipes.of(pane) is None:
        return Translation()
    line = call.expanded(" ".join(call.words), pane, _for_shell)
    ends = PipeEnds.OUTPUT if not call.has("I") else PipeEnds.BOTH if call.has("O") else PipeEnds.INPUT
    return Translation((PipePane(line=line, pane=str(pane), toggle=call.has("o"), connect=ends),))


def _for_shell(value: str) -> str:
    """A value as one word of a shell line: programs choose titles and names."""
    return shlex.quote(value) if value else ""


# The ends of panes


def _kill_pane(call: Call) -> Translation:
    pane = call.pane
    doomed = [each for each in panes(call.mux.window_of(pane).layout) if each != pane] if call.has("a") else [pane]
    return Translation(tuple(ClosePane(pane=str(each)) for each in doomed))


def _kill_window(call: Call) -> Translation:
    return Translation((CloseWindow(window=str(call.window.id)),))


def _kill_session(call: Call) -> Translation:
    return Translation((KillSession(session=call.targets.session(call.value("t"))),))


# Layout, focus and names


def _select_pane(call: Call) -> Translation:
    pane = call.pane
    if call.has("T"):
        return _titled(call, pane)
    for flag, side in _SIDES.items():
        if call.has(flag):
            found = call.mux.neighbour(pane, side)
            return Translation((FocusPane(pane=str(pane if found is None else found)),))
    if call.has("l"):
        return Translation((FocusPane(pane="last"),))
    if _is_shown(call, call.mux.window_of(pane).session):
        return Translation((FocusPane(pane=str(pane)),))
    return Translation(act=lambda: call.mux.assign(edit.activate_pane(call.mux.workspace, pane)))


def _titled(call: Call, pane: PaneId) -> Translation:
    """A title is a pane's name here, which is unique in its session."""
    title = clean(call.expanded(call.value("T"), pane), 60).strip()
    taken = {name for name, holder in holders(call.mux.workspace, call.mux.window_of(pane).session).items()
             if holder != pane}  # fmt: skip
    free = next(name for number in count(1) if (name := title if number == 1 else f"{title}-{number}") not in taken)
    return Translation((RenamePane(pane=str(pane), name=free if title else ""),))


def _select_window(call: Call) -> Translation:
    word = next((name for flag, name in (("n", "next"), ("p", "previous"), ("l", "last")) if call.has(flag)), "")
    if word and not call.value("t"):
        return Translation((SelectWindow(window=word),))
    window = _along(call, word) if word else call.window
    if _is_shown(call, window.session):
        return Translation((SelectWindow(window=str(window.id)),))
    return Translation(act=lambda: call.mux.assign(edit.activate_window(call.mux.workspace, window.id)))


def _along(call: Call, word: str) -> Window:
    """The next, previous or last window of the target's session. Raises NotFound."""
    session = call.targets.session(call.value("t"))
    windows, workspace = call.targets.windows(session), call.mux.workspace
    here = windows.index(window_in(workspace, session))
    if word != "last":
        return windows[(here + (1 if word == "next" else -1)) % len(windows)]
    by_id = {window.id: window for window in windows if window.id != windows[here].id}
    if (found := next((by_id[each] for each in workspace.recent if each in by_id), None)) is None:
        raise NotFound("no last window")
    return found


def _is_shown(call: Call, session: str) -> bool:
    """Whether the user sees a session: what is selected in others moves nobody, as in tmux."""
    front = call.mux.front
    return front is None or front.session == session


def _select_layout(call: Call) -> Translation:
    window = call.window
    if call.has("E"):
        return Translation((EqualizePanes(window=str(window.id)),))
    if call.has("o"):
        return Translation((UndoLayout(window=str(window.id)),))
    stepped = "next" if call.has("n") else "previous" if call.has("p") else ""
    preset = stepped or (call.words[0] if call.words else "tiled")
    if not re.fullmatch(r"[a-z-]{1,40}", preset):
        raise InvalidArgument(f"invalid layout: {clean(preset, 60)}")
    main = "" if stepped else str(next(panes(window.layout)))
    return Translation((SelectLayout(preset=preset, window=str(window.id), main=main, main_share=0.5),))


def _resize_pane(call: Call) -> Translation:
    pane = call.pane
    if call.has("Z"):
        return Translation((ZoomPane(pane=str(pane)),))
    bounds = call.mux.layouts.bounds(call.mux.window_of(pane))
    cols, rows = _cells(call.value("x"), bounds.cols), _cells(call.value("y"), bounds.rows)
    if cols or rows:
        return Translation((ResizePane(pane=str(pane), cols=cols, rows=rows),))
    word = call.words[0] if call.words else "1"
    if not word.isdecimal():
        raise InvalidArgument(f"adjustment invalid: {clean(word, 20)}")
    sides = [side for flag, side in _SIDES.items() if call.has(flag)]
    return Translation(tuple(ResizePane(pane=str(pane), side=side, cells=min(1000, int(word))) for side in sides))


def _cells(length: str, room: int) -> int | None:
    if not length:
        return None
    number = length.removesuffix("%")
    if not number.isdecimal():
        raise InvalidArgument(f"size invalid: {clean(length, 20)}")
    return max(1, min(10_000, int(number) * room // 100 if length.endswith("%") else int(number)))


def _swap_pane(call: Call) -> Translation:
    other = call.targets.pane(call.value("s")) if call.has("s") else None
    if other is None:
        step = "next" if call.has("D") else "previous"
        return Translation((SwapPane(pane=str(call.pane), other=step),))
    return Translation((SwapPane(pane=str(call.pane), other=str(other)),))


def _break_pane(call: Call) -> Translation:
    pane = call.targets.pane(call.value("s"))
    command = BreakPane(pane=str(pane), name=call.value("n"), focus=not call.has("d"))
    return Translation((command,), _opened(call, _NEW_PANE))


def _join_pane(call: Call) -> Translation:
    pane, other = call.targets.pane(call.value("s")), call.pane
    horizontal = call.has("h")
    rect = _rect(call, other)
    direction = (Direction.LEFT if horizontal else Direction.UP) if call.has("b") else (
        Direction.RIGHT if horizontal else Direction.DOWN
    )  # fmt: skip
    length = call.value("l") or (f"{call.value('p')}%" if call.value("p") else "")
    size = _share(length, (rect.cols if horizontal else rect.rows) or 1)
    command = JoinPane(pane=str(pane), other=str(other), direction=direction, size=size or 0.5, focus=not call.has("d"))
    return Translation((command,))


def _move_window(call: Call) -> Translation:
    window = call.targets.window(call.value("s"))
    session, colon, index = call.value("t").rpartition(":")
    if not colon and not index.isdecimal():
        session, index = index, ""
    if index and not index.isdecimal():
        raise NotFound(f"can't find window: {clean(call.value('t'), 60)}")
    into = call.targets.session(session) if session else window.session
    command = MoveWindow(
        window=str(window.id),
        session=into,
        index=max(1, min(int(index[:5]), 9_999) + 1 - call.targets.base) if index else None,
    )
    if call.has("d"):
        return Translation((command,))
    if _is_shown(call, into):
        return Translation((command, SelectWindow(window=str(window.id))))
    return Translation((command,), then=lambda _: call.mux.assign(edit.activate_window(call.mux.workspace, window.id)))


def _swap_window(call: Call) -> Translation:
    first, second = call.targets.window(call.value("s")), call.window
    return Translation((SwapWindow(window=str(first.id), other=str(second.id)),))


def _rename_window(call: Call) -> Translation:
    return Translation((RenameWindow(window=str(call.window.id), name=call.only_word("rename-window")),))


def _rename_session(call: Call) -> Translation:
    session = call.targets.session(call.value("t"))
    return Translation((RenameSession(session=session, name=call.only_word("rename-session")),))


def _switch_client(call: Call) -> Translation:
    stepped = "next" if call.has("n") else "previous" if call.has("p") else ""
    return Translation((SelectSession(session=stepped or call.targets.session(call.value("t"))),))


# Input and output


def _send_keys(call: Call) -> Translation:
    pane, steps = call.pane, list[InputStep]()
    for word in call.words:
        key = "" if call.has("l") else _key(word)
        if key:
            steps.append(InputStep(key=key))
        elif word:
            steps.append(InputStep(text=word))
    times = call.value("N", "1")
    if not times.isdecimal() or not 1 <= int(times) <= 100:
        raise InvalidArgument(f"repeat count invalid: {clean(times, 20)}")
    return Translation((SendInput(pane=str(pane), steps=tuple(steps * int(times))),) if steps else ())


def _key(word: str) -> str:
    """The word, if it is the name of a key, and not a character to type."""
    if len(word) > 1:
        with suppress(InvalidArgument):
            parse_key(word)
            return word
    return ""


def _capture_pane(call: Call) -> Translation:
    if not call.has("p"):
        raise InvalidArgument("command capture-pane: requires -p, as there are no paste buffers of tmux here")
    pane = call.pane

    def show(results: Results) -> Sequence[str]:
        with call.mux.terminal(pane).locked() as screen:
            emulator = screen.emulator
            top, height = emulator.scrollback.lines, emulator.size.rows
            first = _row(call.value("S", "0"), 0, top, height)
            last = _row(call.value("E", str(height - 1)), height - 1, top, height)
            rows = emulator.lines(first, last + 1, joined=call.has("J"))
        return rows if call.has("N") else [row.rstrip() for row in rows]

    return Translation((), show)


def _row(word: str, edge: int, top: int, height: int) -> int:
    """A row as capture-pane counts it, 0 for the first of the screen, as one of the scrollback and the screen."""
    if word == "-":
        return 0 if edge == 0 else top + height - 1
    number = word.removeprefix("-")
    if not number.isdecimal() or len(number) > 9:
        raise InvalidArgument(f"line invalid: {clean(word, 20)}")
    return min(max(0, top + int(word)), top + height - 1)


def _display_message(call: Call) -> Translation:
    pane = call.pane
    word = call.words[0] if call.words else _PANE_LINE
    text = word if call.has("l") else call.expanded(word, pane)
    if call.has("p"):
        return Translation((), lambda results: (text,))
    return Translation((NotifyUser(pane=str(pane), text=text),))


def _list_panes(call: Call) -> Translation:
    if call.has("a"):
        windows = call.mux.workspace.windows
    elif call.has("s"):
        windows = tuple(call.targets.windows(call.targets.session(call.value("t"))))
    else:
        windows = (call.window,)
    return _listed(call, [pane for window in windows for pane in panes(window.layout)], _PANE_LINE)


def _list_windows(call: Call) -> Translation:
    windows = call.mux.workspace.windows if call.has("a") else call.targets.windows(
        call.targets.session(call.value("t"))
    )  # fmt: skip
    return _listed(call, [window.active for window in windows], _WINDOW_LINE)


def _list_sessions(call: Call) -> Translation:
    return _listed(call, [call.targets.window(f"{name}:").active for name in call.targets.sessions], _SESSION_LINE)


def _list_clients(call: Call) -> Translation:
    attached, pane = call.mux.clients.attached(), call.targets.pane()
    return _listed(call, [pane] * bool(attached), _CLIENT_LINE)


def _listed(call: Call, found: Sequence[PaneId], default: str) -> Translation:
    """A line for each pane, or for what it is the active one of."""
    chosen = [pane for pane in found if formats.is_true(call.expanded(call.value("f", "1"), pane))]
    lines = [call.expanded(call.value("F", default), pane) for pane in chosen]
    return Translation((), lambda results: lines)


def _has_session(call: Call) -> Translation:
    call.targets.session(call.value("t"))
    return Translation()


def _start_server(call: Call) -> Translation:
    return Translation()


# Options


def _scope(call: Call) -> str:
    if call.has("g") or call.has("s"):
        return GLOBAL
    if call.has("p"):
        return str(call.pane)
    if call.has("w") or call.value("t").startswith("@"):
        return str(call.window.id)
    return f"${call.targets.session(call.value('t'))}"


def _set_option(call: Call) -> Translation:
    words = list(call.words)
    if not 1 <= len(words) <= 2:
        raise InvalidArgument("command set-option: requires an option and its value")
    name, value = words[0], words[1] if len(words) == 2 else "on"
    if not _OPTION.fullmatch(name):
        raise InvalidArgument(f"invalid option: {clean(name, 60)}")
    scope = _scope(call)
    unset = call.has("u") or call.has("U")
    kept = call.mux.tmux_options.all(scope).get(name)
    if call.has("o") and kept is not None and not unset:
        raise Refused(f"already set: {name}")
    added = f"{kept}{value}" if call.has("a") and kept is not None else value
    text = call.expanded(added, call.targets.pane()) if call.has("F") else added
    return Translation(act=lambda: call.mux.tmux_options.set(scope, name, None if unset else text))


def _set_window_option(call: Call) -> Translation:
    return _set_option(_of_window(call))


def _show_options(call: Call) -> Translation:
    if len(call.words) > 1:
        raise InvalidArgument("command show-options: requires at most one option")
    wanted = next(iter(call.words), "")
    scope = _scope(call)
    own = call.mux.tmux_options.all(scope)
    if not wanted:
        known = {**(DEFAULTS if scope == GLOBAL else {}), **own}
        lines = [value if call.has("v") else f"{name} {value}" for name, value in sorted(known.items())]
        return Translation((), lambda results: lines)
    value = own.get(wanted)
    if value is None and (call.has("A") or scope == GLOBAL):
        value = PaneVariables(call.mux, call.targets, call.targets.pane()).option(wanted)
    if value is None:
        if call.has("q") or wanted in DEFAULTS:
            return Translation()
        raise NotFound(f"invalid option: {clean(wanted, 60)}")
    shown = value if call.has("v") else f"{wanted} {value}"
    return Translation((), lambda results: (shown,))


def _show_window_options(call: Call) -> Translation:
    return _show_options(_of_window(call))


def _of_window(call: Call) -> Call:
    """The call with -w, unless it is about all."""
    flags = call.arguments.flags
    return call if "g" in flags else replace(call, arguments=replace(call.arguments, flags={**flags, "w": ()}))


def _extent(length: str) -> int | float:
    """A length in cells or per cent; half of the window for none. Raises InvalidArgument."""
    number = length.removesuffix("%") or "50"
    if not number.isdecimal() or not 0 < int(number) < 10_000:
        raise InvalidArgument(f"size invalid: {clean(length, 20)}")
    return min(1.0, int(number) / 100) if length.endswith("%") or not length else int(number)


def _clear_history(call: Call) -> Translation:
    return Translation((ClearHistory(pane=str(call.pane)),))


def _rotate_window(call: Call) -> Translation:
    return Translation((RotatePanes(window=str(call.window.id), forward=call.has("D")),))


def _with_flag(flag: str, translate: Callable[[Call], Translation]) -> Callable[[Call], Translation]:
    """The translation of a command that is another one with a flag."""
    return lambda call: translate(
        replace(call, arguments=replace(call.arguments, flags={**call.arguments.flags, flag: ()}))
    )


def _verb(
    name: str, alias: str, flags: str, valued: str, translate: Callable[[Call], Translation], *effects: Effect
) -> Verb:
    return Verb(name, alias, flags, valued, frozenset(effects or (Effect.READ,)), translate)


VERBS: Final = (
    _verb("break-pane", "breakp", "dP", "Fns", _break_pane, Effect.LAYOUT),
    _verb("capture-pane", "capturep", "eJNpq", "ESt", _capture_pane),
    _verb("display-message", "display", "lp", "ct", _display_message, Effect.LAYOUT),
    _verb("clear-history", "clearhist", "H", "t", _clear_history, Effect.DESTROY),
    _verb("display-popup", "popup", "BCEN", "bcdehsStTwxy", _display_popup, Effect.RUN),
    _verb("has-session", "has", "", "t", _has_session),
    _verb("join-pane", "joinp", "bdhv", "lpst", _join_pane, Effect.LAYOUT),
    _verb("kill-pane", "killp", "a", "t", _kill_pane, Effect.DESTROY),
    _verb("kill-session", "", "", "t", _kill_session, Effect.DESTROY),
    _verb("kill-window", "killw", "", "t", _kill_window, Effect.DESTROY),
    _verb("last-pane", "lastp", "Z", "t", _with_flag("l", _select_pane), Effect.LAYOUT),
    _verb("last-window", "last", "", "t", _with_flag("l", _select_window), Effect.LAYOUT),
    _verb("list-clients", "lsc", "", "Fft", _list_clients),
    _verb("list-panes", "lsp", "as", "Fft", _list_panes),
    _verb("list-sessions", "ls", "", "Ff", _list_sessions),
    _verb("list-windows", "lsw", "a", "Fft", _list_windows),
    _verb("move-pane", "movep", "bdhv", "lpst", _join_pane, Effect.LAYOUT),
    _verb("move-window", "movew", "d", "st", _move_window, Effect.LAYOUT),
    _verb("new-session", "new", "AdP", "ceFnsxy", _new_session, Effect.RUN),
    _verb("new-window", "neww", "abdP", "ceFnt", _new_window, Effect.RUN),
    _verb("next-layout", "nextl", "", "t", _with_flag("n", _select_layout), Effect.LAYOUT),
    _verb("next-window", "next", "", "t", _with_flag("n", _select_window), Effect.LAYOUT),
    _verb("previous-layout", "prevl", "", "t", _with_flag("p", _select_layout), Effect.LAYOUT),
    _verb("previous-window", "prev", "", "t", _with_flag("p", _select_window), Effect.LAYOUT),
    _verb("pipe-pane", "pipep", "IOo", "t", _pipe_pane, Effect.RUN),
    _verb("rename-session", "rename", "", "t", _rename_session, Effect.LAYOUT),
    _verb("rename-window", "renamew", "", "t", _rename_window, Effect.LAYOUT),
    _verb("resize-pane", "resizep", "DLRUZ", "txy", _resize_pane, Effect.LAYOUT),
    _verb("respawn-pane", "respawnp", "k", "t", _respawn_pane, Effect.DESTROY, Effect.RUN),
    _verb("rotate-window", "rotatew", "DUZ", "t", _rotate_window, Effect.LAYOUT),
    _verb("select-layout", "selectl", "Enop", "t", _select_layout, Effect.LAYOUT),
    _verb("select-pane", "selectp", "DLlRUZ", "Tt", _select_pane, Effect.LAYOUT),
    _verb("select-window", "selectw", "lnp", "t", _select_window, Effect.LAYOUT),
    _verb("send-keys", "send", "l", "Nt", _send_keys, Effect.INPUT),
    _verb("set-option", "set", "aFgopqsuUw", "t", _set_option, Effect.LAYOUT),
    _verb("set-window-option", "setw", "aFgoqu", "t", _set_window_option, Effect.LAYOUT),
    _verb("show-options", "show", "Agpqsvw", "t", _show_options),
    _verb("show-window-options", "showw", "gv", "t", _show_window_options),
    _verb("split-window", "splitw", "bdhvP", "ceFlpt", _split_window, Effect.RUN),
    _verb("start-server", "start", "", "", _start_server),
    _verb("swap-pane", "swapp", "dDU", "st", _swap_pane, Effect.LAYOUT),
    _verb("swap-window", "swapw", "d", "st", _swap_window, Effect.LAYOUT),
    _verb("switch-client", "switchc", "np", "ct", _switch_client, Effect.LAYOUT),
)
"""Every command that is translated."""
_BY_NAME: Final = {word: verb for verb in VERBS for word in (verb.name, verb.alias) if word}
