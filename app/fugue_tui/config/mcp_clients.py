"""The MCP clients that can be set up: how each is found, and where and in which form it registers servers."""

import os
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any, Final, NamedTuple

SERVER: Final = "fugue"
"""The name of the server in every client."""


def _stdio(argv: Sequence[str]) -> dict[str, Any]:
    return {"command": argv[0], "args": [*argv[1:]]}


def _typed(argv: Sequence[str]) -> dict[str, Any]:
    return {"type": "stdio", **_stdio(argv)}


def _local(argv: Sequence[str]) -> dict[str, Any]:
    return {"type": "local", "command": [*argv], "enabled": True}


class Client(NamedTuple):
    """An MCP client. Paths are templates: `{home}`, `{config}` for the platform's directory of configurations, `{xdg}`
    for that of XDG on every platform, or an environment variable; one whose variable is unset does not count, and
    otherwise goes before those without variables."""

    name: str
    title: str
    files: tuple[str, ...]
    """The file that it reads: the first that exists, or the first."""
    keys: tuple[str, ...] = ("mcpServers", SERVER)
    """The path of the entry in that file."""
    programs: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    """It is installed where one of its programs is on PATH or one of these directories exists."""
    entry: Callable[[Sequence[str]], dict[str, Any]] = _stdio
    """The entry that starts these words."""
    add: tuple[str, ...] = ()
    """Its own command that registers a server, without the words that start it; empty if it has none."""
    add_json: tuple[str, ...] = ()
    """Its own command that registers a server, without the entry as JSON."""
    remove: tuple[str, ...] = ()
    """Its own command that removes the entry."""
    passes_environment: bool = False
    """Whether it starts servers with its whole environment; the MCP SDKs pass six variables only."""


CLIENTS: Final = (
    Client(
        name="claude-code",
        title="Claude Code",
        files=("{CLAUDE_CONFIG_DIR}/.claude.json", "{home}/.claude.json"),
        programs=("claude",),
        folders=("{CLAUDE_CONFIG_DIR}", "{home}/.claude"),
        entry=_typed,
        add=("claude", "mcp", "add", "--scope", "user", SERVER, "--"),
        remove=("claude", "mcp", "remove", "--scope", "user", SERVER),
        passes_environment=True,
    ),
    Client(
        name="claude-desktop",
        title="Claude Desktop",
        files=("{config}/Claude/claude_desktop_config.json",),
        folders=("{config}/Claude",),
    ),
    Client(
        name="codex",
        title="Codex",
        files=("{CODEX_HOME}/config.toml", "{home}/.codex/config.toml"),
        keys=("mcp_servers", SERVER),
        programs=("codex",),
        folders=("{CODEX_HOME}", "{home}/.codex"),
        add=("codex", "mcp", "add", SERVER, "--"),
        remove=("codex", "mcp", "remove", SERVER),
    ),
    Client(
        name="gemini",
        title="Gemini CLI",
        files=("{GEMINI_CLI_HOME}/.gemini/settings.json", "{home}/.gemini/settings.json"),
        programs=("gemini",),
        folders=("{GEMINI_CLI_HOME}/.gemini", "{home}/.gemini"),
        add=("gemini", "mcp", "add", "--scope", "user", SERVER),
        remove=("gemini", "mcp", "remove", "--scope", "user", SERVER),
        passes_environment=True,
    ),
    Client(
        name="cursor",
        title="Cursor",
        files=("{home}/.cursor/mcp.json",),
        programs=("cursor", "cursor-agent"),
        folders=("{home}/.cursor",),
    ),
    Client(
        name="vscode",
        title="VS Code",
        files=("{config}/Code/User/mcp.json",),
        keys=("servers", SERVER),
        programs=("code",),
        folders=("{config}/Code/User",),
        entry=_typed,
        add_json=("code", "--add-mcp"),
        passes_environment=True,
    ),
    Client(
        name="zed",
        title="Zed",
        files=("{xdg}/zed/settings.json",),
        keys=("context_servers", SERVER),
        programs=("zed", "zeditor"),
        folders=("{xdg}/zed",),
        passes_environment=True,
    ),
    Client(
        name="opencode",
        title="opencode",
        files=("{xdg}/opencode/opencode.json", "{xdg}/opencode/opencode.jsonc"),
        keys=("mcp", SERVER),
        programs=("opencode",),
        folders=("{xdg}/opencode",),
        entry=_local,
        passes_environment=True,
    ),
)


def file_of(client: Client, env: Mapping[str, str] = os.environ) -> str:
    """The path of the file in which a client registers servers; it need not exist."""
    return expanded_file(client.files, env)


def expanded_file(templates: Sequence[str], env: Mapping[str, str] = os.environ) -> str:
    """The path of templates: the first that exists, or the first."""
    paths = _expanded(templates, env)
    return next((path for path in paths if os.path.lexists(path)), paths[0])


def is_installed(client: Client, env: Mapping[str, str] = os.environ) -> bool:
    """Whether a program of a client is on PATH, or its configuration directory exists."""
    return any(program_of(each, env) for each in client.programs) or any(
        os.path.isdir(folder) for folder in _expanded(client.folders, env)
    )


def program_of(name: str, env: Mapping[str, str] = os.environ) -> str:
    """The path of a program on PATH; empty if there is none."""
    return shutil.which(name, path=env.get("PATH", os.defpath)) or ""


def words_of(entry: object) -> list[str]:
    """The words that an entry starts, in whichever form; none if it starts nothing."""
    if not isinstance(entry, dict):
        return []
    found: dict[str, Any] = entry  # pyright: ignore[reportUnknownVariableType]
    command, arguments = found.get("command"), found.get("args")
    words = [*_texts(command), *_texts(arguments)]
    return [command, *_texts(arguments)] if isinstance(command, str) else words


def _texts(value: object) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []  # pyright: ignore[reportUnknownVariableType]


def _expanded(templates: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """The paths of templates: those with an environment variable that is set, or else those without variables."""
    home = env.get("HOME", "") or os.path.expanduser("~")
    xdg = env.get("XDG_CONFIG_HOME", "")
    xdg = xdg if os.path.isabs(xdg) else f"{home}/.config"
    known = {
        "home": home,
        "xdg": xdg,
        "config": f"{home}/Library/Application Support" if sys.platform == "darwin" else xdg,
    }
    values = {**{name: value for name, value in env.items() if value}, **known}
    named = [(template, _variable(template)) for template in templates]
    own = [template for template, variable in named if variable not in known and variable in values]
    return [template.format_map(values) for template in own or [each for each, name in named if name in known]]


def _variable(template: str) -> str:
    return next(name for _, name, _, _ in Formatter().parse(template) if name)
