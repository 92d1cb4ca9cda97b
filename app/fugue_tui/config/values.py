"""Checks of configuration values (key names, programs), and their TOML form.

Every `..._fault` returns why a value is invalid, as text that follows its key's name; empty if it is valid.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final, cast

from msgspec import Struct

from fugue_tui.sanitize import clean
from fugue_tui.validation.suggestion import suggestion

TOOLSETS: Final = (
    "default",
    "layout",
    "sessions",
    "saving",
    "reading",
    "seeing",
    "running",
    "agents",
    "servers",
    "other",
    "all",
)
"""The sets of tools for agents, and `all`."""
HOOKS: Final = (
    "started", "exit", "pane-exited", "bell", "notification", "title", "cwd", "events-dropped",
    "agent", "agent-idle", "agent-working", "agent-blocked", "agent-done", "agent-error", "agent-unknown",
    "task", "monitor",
    "command-started", "command-finished", "focus", "layout", "pane-opened", "pane-created", "pane-closed",
    "pane-renamed", "window-opened", "window-created", "window-closed", "window-renamed",
    "client-attached", "client-detached",
)  # fmt: skip
"""The events that can run a hook."""
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


def key_fault(key: str) -> str:
    """A key is `ctrl+b`, `alt+left`, `f5` or a single character: the canonical spelling only."""
    written = re.fullmatch(r"((?:[^+]+\+)*)([^+]+|\+)", key)
    if not written:
        return f"'{clean(key)}' is no key; keys are written like ctrl+b, alt+left, f5"
    for modifier in written[1].split("+")[:-1]:
        if modifier not in _MODIFIERS:
            return f"'{clean(modifier)}' is no modifier{suggestion(modifier, _MODIFIERS)}"
    name = written[2]
    if name in _KEYS or (len(name) == 1 and name.isprintable() and name != " "):
        return ""
    return f"'{clean(name)}' is no key{suggestion(name, _KEYS) or '; keys are written like ctrl+b, alt+left, f5'}"


def hook_fault(name: str) -> str:
    """A hook is named after an event."""
    there = f"; there are {', '.join(HOOKS)}"
    return "" if name in HOOKS else f"no event {clean(name)!a}{suggestion(name, HOOKS) or there}"


def shell_fault(shell: tuple[str, ...]) -> str:
    """A relative path would run a file of whatever directory is current."""
    if any("\0" in word for word in shell):
        return "a word holds a NUL character"
    if shell and (not shell[0] or ("/" in shell[0] and not shell[0].startswith("/"))):
        return "the program must be an absolute path, or a name to be found on PATH"
    return ""


def programs_fault(programs: tuple[str, ...]) -> str:
    """A relative path would be another file in every directory."""
    for program in programs:
        if not program or "\0" in program or ("/" in program and not program.startswith("/")):
            return f"{program!a} must be an absolute path, or a name to be found on PATH"
    return ""


def patterns_fault(patterns: tuple[tuple[str, ...], ...]) -> str:
    """A pattern without words would match everything; its first word is the name of a program."""
    for pattern in patterns:
        if not pattern or not pattern[0] or "/" in pattern[0]:
            return "every pattern must begin with the name of a program, without its directory"
    return ""


def directories_fault(directories: tuple[str, ...]) -> str:
    """A relative path would be another directory for every server."""
    for directory in directories:
        if "\0" in directory or (not directory.startswith(("/", "~/")) and directory != "~"):
            return f"{directory!a} must be an absolute path, or begin with ~"
    return ""


def toolsets_fault(named: tuple[str, ...]) -> str:
    """The sets of tools that exist, and `all`."""
    for name in named:
        if name not in TOOLSETS:
            return f"no set {name!a}; there are {', '.join(TOOLSETS)}{suggestion(name, TOOLSETS)}"
    return ""


def variables_fault(names: tuple[str, ...]) -> str:
    """Variables that name the terminal or the pane are set for each pane."""
    for name in names:
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,63}", name):
            return f"{name!a} is not the name of an environment variable"
        if name in ("TERM", "COLORTERM", "PWD") or name.startswith(("FUGUE_", "TERM_PROGRAM")):
            return f"{name} is set for each pane"
    return "" if len(names) <= 64 else "may name at most 64 variables"


def term_fault(term: str) -> str:
    """TERM must not name a multiplexer: programs would use its escape sequences, which the engine does not parse."""
    if re.match("screen|tmux", term):
        return "programs would take the pane for another multiplexer; xterm-256color fits"
    named = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.+_-]{0,63}", term)
    return "" if named else "must be the name of a terminfo entry, such as xterm-256color"


def socket_fault(socket: str) -> str:
    """The path must be absolute, as clients run in other directories."""
    return "" if not socket or (socket.startswith("/") and "\0" not in socket) else "must be an absolute path"


def toml(value: object) -> str:
    """The value in TOML: on one line, but for a literal string of several lines."""
    match value:
        case bool():
            return "true" if value else "false"
        case str() if "\n" in value and _is_literal(value):
            return f"'''\n{value}'''"
        case str():
            return _quoted(value)
        case tuple() | list():
            return f"[{', '.join(map(toml, cast('Sequence[object]', value)))}]"
        case Struct():
            return toml({name: getattr(value, name) for name in value.__struct_fields__})
        case Mapping():
            pairs = [f"{toml_key(key)} = {toml(entry)}" for key, entry in cast("Mapping[str, object]", value).items()]
            return f"{{ {', '.join(pairs)} }}" if pairs else "{}"
        case _:
            return str(value)


def _is_literal(text: str) -> bool:
    """Whether a text can be a TOML literal between three single quotes."""
    return (
        "'''" not in text
        and not text.endswith("'")
        and all(letter in "\n\t" or letter.isprintable() for letter in text)
    )


def toml_key(name: str) -> str:
    """A key in TOML, quoted if need be."""
    bare = name.isascii() and name.replace("-", "").replace("_", "").isalnum()
    return name if bare else _quoted(name)


def _quoted(text: str) -> str:
    """A basic string: JSON's escapes are TOML's, but for DEL. Only such may be a key on one line."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
