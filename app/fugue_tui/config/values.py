"""Validation of configuration values (types, key names, programs), and their TOML form.

Every `..._fault` returns why a value is invalid, as text that follows its key's name; empty if it is valid.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, cast, get_args, get_origin

from fugue_tui.sanitize import clean

TOOLSETS: Final = ("default", "layout", "sessions", "saving", "reading", "seeing", "running", "other", "all")
"""The sets of tools for agents, and `all`."""
_MODIFIERS: Final = ("ctrl", "alt", "shift", "super")
_KEYS: Final = (
    *(
        "enter",
        "tab",
        "backspace",
        "escape",
        "space",
        "up",
        "down",
        "left",
        "right",
        "home",
        "end",
        "pageup",
        "pagedown",
    ),
    *("insert", "delete", *(f"f{n}" for n in range(1, 25)), *(f"kp_{n}" for n in range(10))),
)


def nearest(word: object, choices: Iterable[str]) -> str:
    """`; did you mean ...?` if one of the choices is similar to the word."""
    import difflib

    found = difflib.get_close_matches(str(word).lower()[:64], list(choices), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def key_fault(key: str) -> str:
    """A key is `ctrl+b`, `alt+left`, `f5` or a single character: the canonical spelling only."""
    written = re.fullmatch(r"((?:[^+]+\+)*)([^+]+|\+)", key)
    if not written:
        return f"'{clean(key)}' is no key; keys are written like ctrl+b, alt+left, f5"
    for modifier in written[1].split("+")[:-1]:
        if modifier not in _MODIFIERS:
            return f"'{clean(modifier)}' is no modifier{nearest(modifier, _MODIFIERS)}"
    name = written[2]
    if name in _KEYS or (len(name) == 1 and name.isprintable() and name != " "):
        return ""
    return f"'{clean(name)}' is no key{nearest(name, _KEYS) or '; keys are written like ctrl+b, alt+left, f5'}"


def shell_fault(shell: tuple[str, ...]) -> str:
    """A relative path would run a file of whatever directory is current."""
    if any("\0" in word for word in shell):
        return "a word holds a NUL character"
    if shell and (not shell[0] or ("/" in shell[0] and not shell[0].startswith("/"))):
        return "the program must be an absolute path, or a name to be found on PATH"
    return ""


def toolsets_fault(named: tuple[str, ...]) -> str:
    """The sets of tools that exist, and `all`."""
    for name in named:
        if name not in TOOLSETS:
            return f"no set {name!a}; there are {', '.join(TOOLSETS)}{nearest(name, TOOLSETS)}"
    return ""


def term_fault(term: str) -> str:
    """TERM must not name a multiplexer: programs would use its escape sequences, which the engine does not parse."""
    if re.match("screen|tmux", term):
        return "programs would take the pane for another multiplexer; xterm-256color fits"
    named = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}", term)
    return "" if named else "must be the name of a terminfo entry, such as xterm-256color"


def socket_fault(socket: str) -> str:
    """The path must be absolute, as clients run in other directories."""
    return "" if not socket or (socket.startswith("/") and "\0" not in socket) else "must be an absolute path"


def typed(hint: Any, raw: object, limits: tuple[int, int]) -> tuple[Any, str]:
    """The value converted to the hint's type, and its fault; a number must lie within the limits."""
    if get_origin(hint) is Literal:
        return raw, _choice_fault(raw, get_args(hint))
    if get_origin(hint) is tuple:
        return _words(raw)
    if hint is bool:
        return raw, "" if isinstance(raw, bool) else f"must be true or false, not {_kind(raw)}"
    if hint is int:
        return raw, _number_fault(raw, *limits)
    if hint is str:
        return raw, "" if isinstance(raw, str) else f"must be a string, not {_kind(raw)}"
    return raw, "must be a table of strings"  # The names in one are looked at one by one.


def toml(value: object) -> str:
    """The value in TOML, on one line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, tuple):
        return f"[{', '.join(map(toml, cast('tuple[object, ...]', value)))}]"
    if isinstance(value, Mapping):
        pairs = [f"{toml(key)} = {toml(entry)}" for key, entry in cast("Mapping[str, object]", value).items()]
        return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
    return str(value)


def _quoted(text: str) -> str:
    import json  # JSON's escapes are TOML's, but for DEL.

    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _choice_fault(raw: object, choices: tuple[str, ...]) -> str:
    return "" if raw in choices else f"must be one of {', '.join(choices)}{nearest(raw, choices)}"


def _number_fault(raw: object, low: int, high: int) -> str:
    if not isinstance(raw, int) or isinstance(raw, bool):
        return f"must be a whole number, not {'a fraction' if isinstance(raw, float) else _kind(raw)}"
    return "" if low <= raw <= high else f"must be from {low} to {high}"


def _words(raw: object) -> tuple[Any, str]:
    words = cast("list[object]", raw) if isinstance(raw, list) else [None]
    fault = "" if all(isinstance(word, str) for word in words) else 'must be a list of strings, such as ["bash", "-l"]'
    return tuple(words), fault


def _kind(raw: object) -> str:
    names: dict[type, str] = {
        bool: "true or false",
        int: "a number",
        float: "a number",
        str: "a string",
        list: "a list",
        dict: "a table",
    }
    return names.get(type(raw), "a date or time")
