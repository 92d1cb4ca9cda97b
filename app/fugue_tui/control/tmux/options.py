"""The commands of tmux that set and show options."""

import re
from typing import Final

from msgspec.structs import replace

from fugue_tui.control.tmux.call import Call, Translation
from fugue_tui.control.tmux.variables import DEFAULTS, PaneVariables
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.multiplexer.tmux_options import GLOBAL
from fugue_tui.sanitize import clean

_OPTION: Final = re.compile(r"@?[a-z][a-z0-9_-]{0,63}", re.ASCII | re.IGNORECASE)


def _scope(call: Call) -> str:
    if call.has("g") or call.has("s"):
        return GLOBAL
    if call.has("p"):
        return str(call.pane)
    if call.has("w") or call.value("t").startswith("@"):
        return str(call.window.id)
    return f"${call.targets.session(call.value('t'))}"


def set_option(call: Call) -> Translation:
    """The value of an option. Raises InvalidArgument, NotFound and Refused."""
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


def set_window_option(call: Call) -> Translation:
    """The value of an option of a window. Raises InvalidArgument, NotFound and Refused."""
    return set_option(_of_window(call))


def show_options(call: Call) -> Translation:
    """The values of options. Raises InvalidArgument, NotFound and Refused."""
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


def show_window_options(call: Call) -> Translation:
    """The values of options of a window. Raises InvalidArgument, NotFound and Refused."""
    return show_options(_of_window(call))


def _of_window(call: Call) -> Call:
    """The call with -w, unless it is about all."""
    flags = call.arguments.flags
    return call if "g" in flags else replace(call, arguments=replace(call.arguments, flags={**flags, "w": ()}))
