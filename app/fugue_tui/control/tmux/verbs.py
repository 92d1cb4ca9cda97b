"""tmux's commands, each as the commands here that do the same. Source of their syntax: tmux(1) 3.5, COMMANDS.

Only what programs that drive a tmux use is here; docs/tmux-programs.md has the table.
"""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.commands.clear_history import ClearHistory
from fugue_tui.control.commands.layouts import EqualizePanes, RotatePanes, SelectLayout, UndoLayout
from fugue_tui.control.commands.move import BreakPane, JoinPane, MoveWindow, SwapWindow
from fugue_tui.control.commands.panes import (
    ClosePane,
    FocusPane,
    RenamePane,
    ResizePane,
    SwapPane,
    ZoomPane,
)
from fugue_tui.control.commands.pipe_pane import PipeEnds, PipePane
from fugue_tui.control.commands.send_keys import InputStep, SendInput
from fugue_tui.control.commands.sessions import KillSession, RenameSession, SelectSession
from fugue_tui.control.commands.sideband import NotifyUser
from fugue_tui.control.commands.windows import CloseWindow, RenameWindow, SelectWindow
from fugue_tui.control.core.command import Effect
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.core.pane_names import holders
from fugue_tui.control.core.target import window_in
from fugue_tui.control.tmux import formats
from fugue_tui.control.tmux.arguments import Arguments, parse, whole
from fugue_tui.control.tmux.call import Call, Results, Translation
from fugue_tui.control.tmux.environment import set_environment, show_environment
from fugue_tui.control.tmux.new_panes import (
    NEW_PANE,
    display_popup,
    new_session,
    new_window,
    respawn_pane,
    share_of,
    show_opened,
    split_window,
    tile_of,
)
from fugue_tui.control.tmux.options import set_option, set_window_option, show_options, show_window_options
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.sanitize import clean
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Window

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
_FOR_SHELL: Final = re.compile(r"[^\w.,:@%+/=-]|^-")
_SIDES: Final = {"L": Side.LEFT, "R": Side.RIGHT, "U": Side.UP, "D": Side.DOWN}


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
    if call.shows(call.mux.window_of(pane).session):
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
    if call.shows(window.session):
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
    if (cells := whole(word)) is None:
        raise InvalidArgument(f"adjustment invalid: {clean(word, 20)}")
    sides = [side for flag, side in _SIDES.items() if call.has(flag)]
    return Translation(tuple(ResizePane(pane=str(pane), side=side, cells=min(1000, cells)) for side in sides))


def _cells(length: str, room: int) -> int | None:
    if not length:
        return None
    number = whole(length.removesuffix("%"))
    if number is None:
        raise InvalidArgument(f"size invalid: {clean(length, 20)}")
    return max(1, min(10_000, number * room // 100 if length.endswith("%") else number))


def _swap_pane(call: Call) -> Translation:
    other = call.targets.pane(call.value("s")) if call.has("s") else None
    if other is None:
        step = "next" if call.has("D") else "previous"
        return Translation((SwapPane(pane=str(call.pane), other=step),))
    return Translation((SwapPane(pane=str(call.pane), other=str(other)),))


def _break_pane(call: Call) -> Translation:
    pane = call.targets.pane(call.value("s"))
    command = BreakPane(pane=str(pane), name=call.value("n"), focus=not call.has("d"))
    return Translation((command,), show_opened(call, NEW_PANE))


def _join_pane(call: Call) -> Translation:
    pane, other = call.targets.pane(call.value("s")), call.pane
    horizontal = call.has("h")
    rect = tile_of(call, other)
    direction = (Direction.LEFT if horizontal else Direction.UP) if call.has("b") else (
        Direction.RIGHT if horizontal else Direction.DOWN
    )  # fmt: skip
    length = call.value("l") or (f"{call.value('p')}%" if call.value("p") else "")
    size = share_of(length, (rect.cols if horizontal else rect.rows) or 1)
    command = JoinPane(pane=str(pane), other=str(other), direction=direction, size=size or 0.5, focus=not call.has("d"))
    return Translation((command,))


def _rotate_window(call: Call) -> Translation:
    return Translation((RotatePanes(window=str(call.window.id), forward=call.has("D")),))


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
    if call.shows(into):
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


def _pipe_pane(call: Call) -> Translation:
    pane = call.pane
    if not call.words and call.mux.pipes.of(pane) is None:
        return Translation()
    line = call.expanded(" ".join(call.words), pane, _for_shell)
    ends = PipeEnds.OUTPUT if not call.has("I") else PipeEnds.BOTH if call.has("O") else PipeEnds.INPUT
    return Translation((PipePane(line=line, pane=str(pane), toggle=call.has("o"), connect=ends),))


def _for_shell(value: str) -> str:
    """A value without what a shell interprets, whether the line quotes it or a format cuts it: programs choose titles
    and names."""
    return _FOR_SHELL.sub("_", value)


def _send_keys(call: Call) -> Translation:
    pane, steps = call.pane, list[InputStep]()
    for word in call.words:
        key = "" if call.has("l") else _key(word)
        if key:
            steps.append(InputStep(key=key))
        elif word:
            steps.append(InputStep(text=word))
    times = whole(call.value("N", "1"))
    if times is None or not 1 <= times <= 100:
        raise InvalidArgument(f"repeat count invalid: {clean(call.value('N'), 20)}")
    return Translation((SendInput(pane=str(pane), steps=tuple(steps * times)),) if steps else ())


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
    if whole(word.removeprefix("-")) is None:
        raise InvalidArgument(f"line invalid: {clean(word, 20)}")
    return min(max(0, top + int(word)), top + height - 1)


def _clear_history(call: Call) -> Translation:
    return Translation((ClearHistory(pane=str(call.pane)),))


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
    _verb("display-popup", "popup", "BCEN", "bcdehsStTwxy", display_popup, Effect.RUN),
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
    _verb("new-session", "new", "AdP", "ceFnsxy", new_session, Effect.RUN),
    _verb("new-window", "neww", "abdP", "ceFnt", new_window, Effect.RUN),
    _verb("next-layout", "nextl", "", "t", _with_flag("n", _select_layout), Effect.LAYOUT),
    _verb("next-window", "next", "", "t", _with_flag("n", _select_window), Effect.LAYOUT),
    _verb("previous-layout", "prevl", "", "t", _with_flag("p", _select_layout), Effect.LAYOUT),
    _verb("previous-window", "prev", "", "t", _with_flag("p", _select_window), Effect.LAYOUT),
    _verb("pipe-pane", "pipep", "IOo", "t", _pipe_pane, Effect.RUN),
    _verb("rename-session", "rename", "", "t", _rename_session, Effect.LAYOUT),
    _verb("rename-window", "renamew", "", "t", _rename_window, Effect.LAYOUT),
    _verb("resize-pane", "resizep", "DLRUZ", "txy", _resize_pane, Effect.LAYOUT),
    _verb("respawn-pane", "respawnp", "k", "t", respawn_pane, Effect.DESTROY, Effect.RUN),
    _verb("rotate-window", "rotatew", "DUZ", "t", _rotate_window, Effect.LAYOUT),
    _verb("select-layout", "selectl", "Enop", "t", _select_layout, Effect.LAYOUT),
    _verb("select-pane", "selectp", "DLlRUZ", "Tt", _select_pane, Effect.LAYOUT),
    _verb("select-window", "selectw", "lnp", "t", _select_window, Effect.LAYOUT),
    _verb("send-keys", "send", "l", "Nt", _send_keys, Effect.INPUT),
    _verb("set-environment", "setenv", "Fgru", "t", set_environment, Effect.RUN),
    _verb("set-option", "set", "aFgopqsuUw", "t", set_option, Effect.LAYOUT),
    _verb("set-window-option", "setw", "aFgoqu", "t", set_window_option, Effect.LAYOUT),
    _verb("show-environment", "showenv", "gs", "t", show_environment),
    _verb("show-options", "show", "Agpqsvw", "t", show_options),
    _verb("show-window-options", "showw", "gv", "t", show_window_options),
    _verb("split-window", "splitw", "bdhvP", "ceFlpt", split_window, Effect.RUN),
    _verb("start-server", "start", "", "", _start_server),
    _verb("swap-pane", "swapp", "dDU", "st", _swap_pane, Effect.LAYOUT),
    _verb("swap-window", "swapw", "d", "st", _swap_window, Effect.LAYOUT),
    _verb("switch-client", "switchc", "np", "ct", _switch_client, Effect.LAYOUT),
)
"""Every command that is translated."""
_BY_NAME: Final = {word: verb for verb in VERBS for word in (verb.name, verb.alias) if word}
