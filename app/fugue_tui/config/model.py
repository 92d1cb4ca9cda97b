"""The settings of `config.toml`: its sections and keys, their meaning, and how the file is parsed.

The structs are the only list of keys: checks, `config show` and the file that `config init` writes follow them. All
faults of a file are reported together, with the file, the dotted key and the closest valid name.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias, get_args, get_origin, get_type_hints

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.config.monitor import MonitorRules
from fugue_tui.config.servers import Servers
from fugue_tui.config.status import StatusSettings, known_parts
from fugue_tui.config.values import (
    directories_fault,
    hook_fault,
    key_fault,
    patterns_fault,
    programs_fault,
    shell_fault,
    socket_fault,
    term_fault,
    toml,
    toolsets_fault,
    variables_fault,
)
from fugue_tui.errors import ConfigError
from fugue_tui.sanitize import TEXT_LIMIT, clean
from fugue_tui.user_dirs import config_file
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_docs import field_docs
from fugue_tui.validation.field_types import TEXT, ListOf, OneOf, Refined, Table

SIZE_LIMIT: Final = 1 << 20
"""Bytes; a larger file is not read."""

Permission = Literal["allow", "ask", "refuse"]
Theme = Literal[
    "auto", "dark", "light",
    "ansi-dark", "ansi-light", "textual-dark", "textual-light", "nord", "gruvbox", "catppuccin-mocha", "dracula",
    "catppuccin-latte", "tokyo-night", "monokai", "flexoki", "solarized-dark", "solarized-light", "rose-pine",
    "atom-one-dark", "atom-one-light",
]  # fmt: skip

_KEY: Final = Refined(TEXT, key_fault)
_WORDS: Final = Refined(ListOf(TEXT), words='a list of strings, such as ["bash", "-l"]')

_PATTERNS: Final = Refined(ListOf(_WORDS), words='a list of lists of words, such as [["rm", "-rf", "/"]]')

_LINES: Final = Refined(OneOf((TEXT, ListOf(TEXT))), words="a command line or a list of them")

Bindings: TypeAlias = Annotated[
    Mapping[str, str | tuple[str, ...]],
    Refined(Table(_LINES, _KEY), make=MappingProxyType, words="a table of command lines"),
]
HookLines: TypeAlias = Annotated[
    Mapping[str, str | tuple[str, ...]],
    Refined(
        Table(_LINES, Refined(TEXT, hook_fault)), make=MappingProxyType, words="a table of events and command lines"
    ),
]


def _section(kind: type[Any], name: str) -> Refined:
    return Refined(Record(kind), words=f"a section, written [{name}]")


class TerminalSettings(Struct, frozen=True):
    """The programs in panes, and their terminal."""

    engine: Literal["ghostty", "pyte"] = "ghostty"
    """The terminal engine; pyte is slower and does less."""
    scrollback: Annotated[int, Meta(ge=0, le=1_000_000)] = 10_000
    """Lines of history that each pane keeps."""
    shell: Annotated[tuple[str, ...], Refined(_WORDS, shell_fault)] = ()
    """What a new pane runs, with its arguments; empty for the login shell. $SHELL still reads commands."""
    term: Annotated[str, Refined(TEXT, term_fault)] = "xterm-256color"
    """The value of TERM in panes."""
    shell_integration: bool = True
    """Have bash, zsh and fish mark their prompts, so that commands and their outcome are known."""
    clipboard: Literal["ask", "on", "off"] = "ask"
    """Whether the focused program may set the clipboard (OSC 52); ask asks you, once or for the pane."""
    images: Literal["auto", "off"] = "auto"
    """Show images that programs print: exactly on terminals that can, elsewhere as coloured half blocks."""
    image_memory: Annotated[int, Meta(ge=1, le=1_024)] = 64
    """MiB of decoded images that each screen of a pane keeps."""
    on_exit: Literal["close", "keep"] = "close"
    """Close a pane whose program ended well, or keep its text."""


class KeySettings(Struct, frozen=True):
    """Key bindings."""

    preset: Literal["fugue", "tmux", "zellij"] = "fugue"
    """The keys that there are at first: Fugue's own, as tmux's as it can be, or zellij's modes without a prefix."""
    unlock: Annotated[str, _KEY] = "ctrl+g"
    """The key that ends locked mode, in which every other key goes to the program."""
    prefix: Annotated[str, _KEY] = "ctrl+b"
    """The key that starts a key command; pressed twice, it goes to the program."""
    nested_prefix: Annotated[str, Refined(TEXT, lambda key: key_fault(key) if key else "")] = ""
    """A further prefix key, for terminals in tmux, screen or another fugue-tui; empty for none."""
    focus_with_alt_arrows: bool = True
    """Alt and an arrow moves the focus, without the prefix."""
    copy_mode: Literal["auto", "vi", "emacs"] = "auto"
    """The keys of copy mode; auto takes those of emacs if $VISUAL or $EDITOR is one, else those of vi."""
    bindings: Bindings = field(default_factory=lambda: MappingProxyType({}))
    """What a key does after the prefix: a command as on the command line, several of them (["split-pane",
    "select-layout next"]), or "" for nothing; { x = "close-pane" }."""
    direct: Bindings = field(default_factory=lambda: MappingProxyType({}))
    """The same without the prefix, for keys with Ctrl or Alt and function keys; { "alt+h" = "focus-pane left" }."""


class HookSettings(Struct, frozen=True):
    """Commands that events run, for you."""

    on: HookLines = field(default_factory=lambda: MappingProxyType({}))
    """What an event runs: a command line or several; { pane-exited = "select-layout tiled" }. {pane}, {window} and
    {code} stand for its pane, window and exit code."""


class UiSettings(Struct, frozen=True):
    """Appearance and mouse."""

    theme: Theme = "auto"
    """Colours of frames and dialogs: auto follows the terminal's background, dark and light are for one that does not
    report it, the ansi themes use its 16 colours."""
    dividers: Literal["thin", "thick", "double", "ascii"] = "thin"
    """The lines between panes."""
    titles: Literal["auto", "always", "never"] = "auto"
    """Show panes' titles: auto shows them when there are several."""
    animation: Literal["auto", "full", "none"] = "auto"
    """What moves: the cursor of prompts blinks, lists slide, and an outline shows for an eighth of a second where the
    focused pane goes. auto has no outline over SSH; none is drawn over a slow link. A key switches it."""
    mouse: bool = True
    """Take the mouse; off leaves it to the host terminal."""
    copy_on_select: bool = True
    """Copy text to the clipboard as soon as it is selected with the mouse."""
    status: bool = True
    """Show the status bar."""
    done_seconds: Annotated[int, Meta(ge=0, le=86_400)] = 10
    """Seconds that a command ran whose end marks the tab of a window that is not shown; 0 for never."""
    which_key_delay_ms: Annotated[int, Meta(ge=0, le=10_000)] = 400
    """Milliseconds from the prefix to the list of keys."""


class SessionSettings(Struct, frozen=True):
    """Saving and restoring workspaces."""

    views: Literal["own", "mirrored"] = "own"
    """What several terminals show: each its own window, or all the same; `fugue-tui attach --mirror` shows the same as
    another."""
    size: Literal["latest", "smallest"] = "latest"
    """Whose size a window has that several terminals show: the one used last, or the smallest."""
    save: bool = True
    """Save the workspace while it runs and when it ends."""
    save_seconds: Annotated[int, Meta(ge=1, le=86_400)] = 30
    """Seconds between a change and its saving."""
    restore: Literal["ask", "always", "never"] = "ask"
    """Bring back what was saved when a workspace starts anew."""
    rerun: Literal["shells", "all", "never"] = "shells"
    """What runs again by itself in a workspace that was brought back; the rest waits for Enter."""
    pane_history: bool = True
    """Save the text of panes."""
    history_kib: Annotated[int, Meta(ge=16, le=65_536)] = 4_096
    """Most kibibytes of a pane's text that are saved, compressed."""
    secrets: Annotated[tuple[str, ...], _WORDS] = (
        "*TOKEN*", "*SECRET*", "*PASSW*", "*PASSPHRASE*", "*CREDENTIAL*", "*_KEY", "*APIKEY*", "*AUTH*", "*COOKIE*"
    )  # fmt: skip
    """Names of environment variables whose values are never saved; * stands for anything."""
    update_environment: Annotated[tuple[str, ...], Refined(_WORDS, variables_fault)] = (
        "DISPLAY", "KRB5CCNAME", "MSYSTEM", "SSH_ASKPASS", "SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION",
        "WAYLAND_DISPLAY", "WINDOWID", "XAUTHORITY",
    )  # fmt: skip
    """Environment variables that new panes get from the terminal that was attached or used last."""


class SecuritySettings(Struct, frozen=True):
    """Limits of what agents may start, besides their permissions. They stop mistakes, and confine no program."""

    allowed_commands: Annotated[tuple[str, ...], Refined(_WORDS, programs_fault)] = ()
    """The programs that agents may start or type into shells, by name or absolute path; empty for all."""
    dangerous_patterns: Annotated[tuple[tuple[str, ...], ...], Refined(_PATTERNS, patterns_fault)] = ()
    """Words that in this order always need your approval, such as [["rm", "-rf", "/"], ["git", "push"]]."""
    allowed_directories: Annotated[tuple[str, ...], Refined(_WORDS, directories_fault)] = ()
    """Where agents may start programs and run commands, with all that is below; empty for everywhere."""
    command_timeout_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 0
    """Milliseconds after which an agent's execute-command or run-command is interrupted; 0 for no limit."""
    max_panes: Annotated[int, Meta(ge=1, le=10_000)] = 64
    """Panes that agents may have open, all together; the user's own do not count."""


class McpSettings(Struct, frozen=True):
    """Permissions of agents."""

    enabled: bool = True
    """Let agents in; off, a workspace without a server accepts no connections."""
    socket: Annotated[str, Refined(TEXT, socket_fault)] = ""
    """Where to listen; empty for a socket named after the workspace."""
    tcp: bool = False
    """Serve agents over HTTP too, on 127.0.0.1, for clients with the token that `fugue-tui mcp --token` prints."""
    tcp_port: Annotated[int, Meta(ge=0, le=65_535)] = 0
    """The port for that; 0 for any that is free."""
    start: bool = False
    """Start a workspace when an agent calls a tool and none runs; it has no terminal until you attach one."""
    trust: Literal["ask", "full"] = "ask"
    """full: never ask the user; "ask" below then means "allow"."""
    read: Permission = "allow"
    """See panes, their text and the layout."""
    layout: Permission = "allow"
    """Open shells, arrange and name panes and windows."""
    input: Permission = "ask"
    """Type into panes; ask allows it in an agent's own pane and in those that it opened, and asks for others."""
    run: Permission = "ask"
    """Start programs of their own choice; ask as above."""
    destroy: Permission = "ask"
    """End programs, close panes, delete saves; ask as above."""
    clipboard: Permission = "ask"
    """See and change what was copied in the workspace."""
    admin: Permission = "ask"
    """Detach terminals, rename or end the workspace, write layout files."""
    ask_seconds: Annotated[int, Meta(ge=1, le=3_600)] = 100
    """Seconds that a question waits for the user; then the agent is refused."""
    audit_required: bool = False
    """Refuse agents while the audit log cannot be written."""
    toolsets: Annotated[tuple[str, ...], Refined(_WORDS, toolsets_fault)] = ("default",)
    """The sets of tools that agents see at first; they can switch on others."""
    longest_answer: Annotated[int, Meta(ge=2_000, le=1_000_000)] = 40_000
    """Characters of one answer to an agent, which may page on; four are about a token."""
    security: Annotated[SecuritySettings, _section(SecuritySettings, "mcp.security")] = SecuritySettings()
    """Limits of what agents may start."""
    servers: Servers = field(default_factory=lambda: MappingProxyType({}))
    """Other MCP servers to use, by name: { files = { command = "npx", args = ["-y", "a-server"] } }."""


class CommunicationSettings(Struct, frozen=True):
    """How agents in panes may speak to Fugue."""

    mcp_enabled: bool = True
    """Over MCP; the same as [mcp] enabled, and off if either is."""
    mcp_socket: Annotated[str, Refined(TEXT, socket_fault)] = ""
    """Where to listen, if [mcp] socket is not set."""
    sideband_enabled: bool = True
    """By tags in their output: those in the foreground of a pane, and whatever runs where grant-sideband was run."""
    prefer: Literal["mcp", "sideband"] = "mcp"
    """mcp: parse no tags in a pane whose program is connected over MCP."""
    require_key: bool = False
    """Run only tags with key="...", which is in the pane's FUGUE_SIDEBAND_KEY."""
    panes: Annotated[tuple[str, ...], Refined(_WORDS, words="a list of the names of panes")] = ()
    """Panes that may print tags, whatever runs there, by name."""


class ClaudeSettings(Struct, frozen=True):
    """What concerns agents that run in panes."""

    communication: Annotated[CommunicationSettings, _section(CommunicationSettings, "claude.communication")] = (
        CommunicationSettings()
    )


class AgentSettings(Struct, frozen=True):
    """Agents in panes."""

    notify: Literal["off", "bell", "osc9", "osc99", "osc777"] = "osc9"
    """How the host terminal notifies you of an agent that waits or is done while you look elsewhere: osc9 in iTerm2,
    Ghostty, WezTerm, foot and Windows Terminal, osc99 in kitty, osc777 in VTE and rxvt."""
    tmux_shim: bool = False
    """Let programs in new panes drive this workspace as they would a tmux; off, only those started by fugue-tui
    claude."""
    monitor: Annotated[
        MonitorRules,
        Refined(Record(MonitorRules), lambda rules: rules.fault, words="a section, written [agents.monitor]"),
    ] = MonitorRules()


class Config(Struct, frozen=True):
    """Every setting; `Config()` holds the defaults."""

    terminal: Annotated[TerminalSettings, _section(TerminalSettings, "terminal")] = TerminalSettings()
    keys: Annotated[KeySettings, _section(KeySettings, "keys")] = KeySettings()
    hooks: Annotated[HookSettings, _section(HookSettings, "hooks")] = HookSettings()
    ui: Annotated[UiSettings, _section(UiSettings, "ui")] = UiSettings()
    status: Annotated[StatusSettings, _section(StatusSettings, "status")] = StatusSettings()
    session: Annotated[SessionSettings, _section(SessionSettings, "session")] = SessionSettings()
    mcp: Annotated[McpSettings, _section(McpSettings, "mcp")] = McpSettings()
    agents: Annotated[AgentSettings, _section(AgentSettings, "agents")] = AgentSettings()
    claude: Annotated[ClaudeSettings, _section(ClaudeSettings, "claude")] = ClaudeSettings()


class ConfigResult(Struct, frozen=True):
    """The result of parsing a file: the valid settings, defaults for the rest, and every fault."""

    config: Config = Config()
    faults: tuple[str, ...] = ()


Stamp = tuple[int, int, int] | None
"""Identifies a version of the file; None if there is none."""


def path() -> Path:
    """The path of the configuration: `FUGUE_CONFIG`, or the platform's default."""
    return Path(config_file())


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
        return ConfigResult(faults=(trusted_files.describe(file, error),))


def parse(text: str, name: str = "config.toml") -> ConfigResult:
    """The settings of TOML text; `name` is the file's name in faults."""
    try:
        table = trusted_files.toml(text)
    except trusted_files.UntrustedFile as error:
        return ConfigResult(faults=(trusted_files.describe(name, error),))
    faults: list[str] = []
    config = Record(Config).salvage(table, "", faults.append)
    other, mcp = config.claude.communication, config.mcp
    status, unknown = known_parts(config.status)
    faults += unknown
    mcp = replace(mcp, enabled=mcp.enabled and other.mcp_enabled, socket=mcp.socket or other.mcp_socket)
    return ConfigResult(
        replace(config, mcp=mcp, status=status), tuple(f"{clean(name)}: {clean(fault, TEXT_LIMIT)}" for fault in faults)
    )


def changed_keys(old: Struct, new: Struct, prefix: str = "") -> list[str]:
    """The dotted names of the settings that differ."""
    changed = list[str]()
    for name in old.__struct_fields__:
        one, other = getattr(old, name), getattr(new, name)
        if isinstance(one, Struct) and isinstance(other, Struct):
            changed += changed_keys(one, other, f"{prefix}{name}.")
        elif one != other:
            changed.append(f"{prefix}{name}")
    return changed


def show(config: Config) -> str:
    """The settings as TOML, which `parse` reads back to an equal value."""
    return _written(config, _plain)


def default_text() -> str:
    """The commented file that `config init` writes: every key with its meaning and its default."""
    head = "# Fugue's settings. Remove the # before a key to set it; changes apply at once.\n\n"
    return head + _written(Config(), _commented)


def _written(config: Config, lines: Callable[[str, Any, Any, str], list[str]]) -> str:
    """The settings section by section; `lines` renders a key from its name, value, type and meaning."""
    written: list[str] = []
    for name, settings in _sections(config):
        kind = type(settings)
        docs = field_docs(kind)
        if all(isinstance(getattr(settings, key), Struct) for key in settings.__struct_fields__):
            continue
        written.append(f"[{name}]")
        for key, hint in get_type_hints(kind).items():
            if not isinstance(value := getattr(settings, key), Struct):
                written += lines(key, value, hint, docs.get(key, ""))
        written.append("")
    return "\n".join(written)


def _sections(settings: Struct, prefix: str = "") -> Iterator[tuple[str, Struct]]:
    """Every section with its dotted name, a section within another after it."""
    for name in settings.__struct_fields__:
        if isinstance(section := getattr(settings, name), Struct):
            yield f"{prefix}{name}", section
            yield from _sections(section, f"{prefix}{name}.")


def _plain(key: str, value: Any, *_: Any) -> list[str]:
    return [f"{key} = {toml(value)}"]


def _commented(key: str, value: Any, hint: Any, doc: str) -> list[str]:
    choices = f" One of {', '.join(get_args(hint))}." if get_origin(hint) is Literal else ""
    return [f"# {doc}{choices}", f"#{key} = {toml(value)}"]
