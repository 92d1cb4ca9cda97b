"""The settings of `config.toml`: its sections and keys, their meaning, and how the file is parsed.

The dataclasses are the only list of keys: checks, `config show` and the file that `config init` writes follow them. All
faults of a file are reported together, with the file, the dotted key and the closest valid name.
"""

import os
from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from fugue_tui import trusted_files
from fugue_tui.config.values import (
    key_fault,
    nearest,
    shell_fault,
    socket_fault,
    term_fault,
    toml,
    toolsets_fault,
    typed,
)
from fugue_tui.errors import ConfigError
from fugue_tui.sanitize import clean

SIZE_LIMIT: Final = 1 << 20
"""Bytes; a larger file is not read."""


def _key_or_none(key: str) -> str:
    return key_fault(key) if key else ""


Permission = Literal["allow", "refuse"]
Theme = Literal[
    "ansi-dark", "ansi-light", "textual-dark", "textual-light", "nord", "gruvbox", "catppuccin-mocha", "dracula",
    "catppuccin-latte", "tokyo-night", "monokai", "flexoki", "solarized-dark", "solarized-light", "rose-pine",
    "atom-one-dark", "atom-one-light",
]  # fmt: skip


def _key(default: Any, doc: str, check: Callable[[Any], str] | None = None, *, low: int = 0, high: int = 0) -> Any:
    """Declare a key. `check` returns the fault of a value of the right type, or an empty string; for a table it
    checks one name."""
    return field(default_factory=lambda: default, metadata={"doc": doc, "check": check, "range": (low, high)})


@dataclass(frozen=True, slots=True)
class TerminalSettings:
    """The programs in panes, and their terminal."""

    engine: Literal["ghostty", "pyte"] = _key("ghostty", "The terminal engine; pyte is slower and does less.")
    scrollback: int = _key(10_000, "Lines of history that each pane keeps.", high=1_000_000)
    shell: tuple[str, ...] = _key(
        (),
        "What a new pane runs, with its arguments; empty for the login shell. $SHELL still reads commands.",
        shell_fault,
    )
    term: str = _key("xterm-256color", "What TERM says in panes.", term_fault)
    shell_integration: bool = _key(
        True, "Have bash, zsh and fish mark their prompts, so that commands and their outcome are known."
    )
    on_exit: Literal["close", "keep"] = _key("close", "Close a pane whose program ended well, or keep its text.")


@dataclass(frozen=True, slots=True)
class KeySettings:
    """Key bindings."""

    prefix: str = _key("ctrl+b", "The key that starts a key command; pressed twice, it goes to the program.", key_fault)
    nested_prefix: str = _key(
        "", "A further prefix key, for terminals in tmux, screen or another fugue-tui; empty for none.", _key_or_none
    )
    focus_with_alt_arrows: bool = _key(True, "Alt and an arrow moves the focus, without the prefix.")
    bindings: Mapping[str, str] = _key(
        MappingProxyType({}),
        'What a key does after the prefix: a command as on the command line, or "" for nothing; { x = "close-pane" }.',
        key_fault,
    )


@dataclass(frozen=True, slots=True)
class UiSettings:
    """Appearance and mouse."""

    theme: Theme = _key("ansi-dark", "Colours of the frame around panes; the ansi themes use the host terminal's own.")
    dividers: Literal["thin", "thick", "double", "ascii"] = _key("thin", "The lines between panes.")
    titles: Literal["auto", "always", "never"] = _key(
        "auto", "Show panes' titles: auto shows them when there are several."
    )
    motion: bool = _key(True, "Let things move: blinking, sliding, spinning.")
    mouse: bool = _key(True, "Take the mouse; off leaves it to the host terminal.")
    copy_on_select: bool = _key(True, "Copy text to the clipboard as soon as it is selected with the mouse.")
    status: bool = _key(True, "Show the status bar.")
    which_key_delay_ms: int = _key(400, "Milliseconds from the prefix to the list of keys.", high=10_000)


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """Saving and restoring workspaces."""

    size: Literal["latest", "smallest"] = _key(
        "latest", "Whose size a workspace has that several terminals show: the one used last, or the smallest."
    )
    save: bool = _key(True, "Save the workspace while it runs and when it ends.")
    save_seconds: int = _key(30, "Seconds between a change and its saving.", low=1, high=86_400)
    restore: Literal["ask", "always", "never"] = _key("ask", "Bring back what was saved when a workspace starts anew.")
    rerun: Literal["shells", "all", "never"] = _key(
        "shells", "What runs again by itself in a workspace that was brought back; the rest waits for Enter."
    )
    pane_history: bool = _key(True, "Save the text of panes.")
    history_kib: int = _key(4_096, "Most kibibytes of a pane's text that are saved, compressed.", low=16, high=65_536)
    secrets: tuple[str, ...] = _key(
        ("*TOKEN*", "*SECRET*", "*PASSW*", "*PASSPHRASE*", "*CREDENTIAL*", "*_KEY", "*APIKEY*", "*AUTH*", "*COOKIE*"),
        "Names of environment variables whose values are never saved; * stands for anything.",
    )


@dataclass(frozen=True, slots=True)
class McpSettings:
    """Permissions of agents."""

    enabled: bool = _key(True, "Let agents in; off, a workspace without a server listens to nobody at all.")
    socket: str = _key("", "Where to listen; empty for a socket named after the workspace.", socket_fault)
    read: Permission = _key("allow", "See panes, their text and the layout.")
    layout: Permission = _key("allow", "Open, arrange and name panes and windows.")
    input: Permission = _key("allow", "Type into panes.")
    destroy: Permission = _key("allow", "End programs and close panes.")
    toolsets: tuple[str, ...] = _key(
        ("default",), "The sets of tools that agents see at first; they can switch on others.", toolsets_fault
    )
    longest_answer: int = _key(
        40_000, "Characters of one answer to an agent, which may page on; four are about a token.", low=2_000,
        high=1_000_000,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting; `Config()` holds the defaults."""

    terminal: TerminalSettings = TerminalSettings()
    keys: KeySettings = KeySettings()
    ui: UiSettings = UiSettings()
    session: SessionSettings = SessionSettings()
    mcp: McpSettings = McpSettings()


@dataclass(frozen=True, slots=True)
class ConfigResult:
    """The result of parsing a file: the valid settings, defaults for the rest, and every fault."""

    config: Config = Config()
    faults: tuple[str, ...] = ()


Stamp = tuple[int, int, int] | None
"""Identifies a version of the file; None if there is none."""


def path() -> Path:
    """The path of the configuration: `FUGUE_CONFIG`, or the platform's default."""
    if named := os.environ.get("FUGUE_CONFIG"):
        return Path(named).expanduser()
    from platformdirs import user_config_path

    return user_config_path("fugue-tui", appauthor=False) / "config.toml"


def stamp(file: Path) -> Stamp:
    """The file's current version; reload the file when it changes."""
    try:
        found = file.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def load(file: Path) -> Config:
    """The settings of a file, the defaults if there is none. Raises ConfigError with every fault."""
    found = read(file)
    if found.faults:
        raise ConfigError(*found.faults)
    return found.config


def read(file: Path) -> ConfigResult:
    """The valid settings of a file and its faults; never raises and never writes."""
    try:
        return parse(trusted_files.text(file, SIZE_LIMIT), str(file))
    except FileNotFoundError:
        return ConfigResult()
    except (OSError, ValueError) as error:
        return ConfigResult(faults=(trusted_files.told(file, error),))


def parse(text: str, name: str = "config.toml") -> ConfigResult:
    """The settings of TOML text; `name` is the file's name in faults."""
    try:
        table = trusted_files.toml(text)
    except trusted_files.UntrustedFile as error:
        return ConfigResult(faults=(trusted_files.told(name, error),))
    faults: list[str] = []
    config = _build(Config, table, "", faults)
    return ConfigResult(config, tuple(f"{clean(name)}: {fault}" for fault in faults))


def show(config: Config) -> str:
    """The settings as TOML, which `parse` reads back to an equal value."""
    return _written(config, _plain)


def default_text() -> str:
    """The commented file that `config init` writes: every key with its meaning and its default."""
    head = "# Fugue's settings. Remove the # before a key to set it; changes apply at once.\n\n"
    return head + _written(Config(), _commented)


def _build(kind: type[Any], table: Mapping[str, Any], prefix: str, faults: list[str]) -> Any:
    """A section from the valid values of a table; faults are appended to `faults`."""
    hints, given = get_type_hints(kind), dict[str, Any]()
    entries = {entry.name: entry for entry in fields(kind)}
    for name, raw in table.items():
        if name not in entries:
            faults.append(f"{prefix}{clean(name)}: no such {'key' if prefix else 'section'}{nearest(name, entries)}")
        elif prefix:
            _check(entries[name], hints[name], raw, prefix, given, faults)
        elif isinstance(raw, dict):
            given[name] = _build(hints[name], raw, f"{name}.", faults)  # pyright: ignore[reportUnknownArgumentType]
        else:
            faults.append(f"{name}: must be a section, written [{name}]")
    return kind(**given)


def _check(entry: Field[Any], hint: Any, raw: Any, prefix: str, given: dict[str, Any], faults: list[str]) -> None:
    if get_origin(hint) is Mapping and isinstance(raw, dict):
        table: dict[str, Any] = raw  # pyright: ignore[reportUnknownVariableType]
        wrong = {name: fault for name, value in table.items() if (fault := _pair_fault(entry, name, value))}
        faults += [f"{prefix}{entry.name}.{clean(name)}: {fault}" for name, fault in wrong.items()]
        given[entry.name] = MappingProxyType({name: table[name] for name in table if name not in wrong})
        return
    value, fault = typed(hint, raw, entry.metadata["range"])
    check = entry.metadata["check"]
    fault = fault or (check(value) if check else "")
    if fault:
        faults.append(f"{prefix}{entry.name}: {fault}")
    else:
        given[entry.name] = value


def _pair_fault(entry: Field[Any], name: str, value: object) -> str:
    check = entry.metadata["check"]
    return typed(str, value, (0, 0))[1] or (check(name) if check else "")


def _written(config: Config, lines: Callable[[Field[Any], Any, Any], list[str]]) -> str:
    """The settings section by section; `lines` renders a key from its field, value and type."""
    written: list[str] = []
    for name, kind in get_type_hints(Config).items():
        settings = getattr(config, name)
        written.append(f"[{name}]")
        for entry, hint in zip(fields(kind), get_type_hints(kind).values(), strict=True):
            written += lines(entry, getattr(settings, entry.name), hint)
        written.append("")
    return "\n".join(written)


def _plain(entry: Field[Any], value: Any, _: Any) -> list[str]:
    return [f"{entry.name} = {toml(value)}"]


def _commented(entry: Field[Any], value: Any, hint: Any) -> list[str]:
    choices = f" One of {', '.join(get_args(hint))}." if get_origin(hint) is Literal else ""
    return [f"# {entry.metadata['doc']}{choices}", f"#{entry.name} = {toml(value)}"]
