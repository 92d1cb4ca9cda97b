"""The `[mcp.servers.NAME]` sections: other MCP servers that the user and, where granted, agents use through Fugue.

`${NAME}` and `${NAME:-default}` in a value stand for an environment variable, so that no secret need be written down.
"""

import os
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import TEXT, Choice, ListOf, Refined, Table, Text

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""A server's name."""
MOST: Final = 64
"""Servers that may be configured in one place."""
EFFECTS: Final = ("read", "run", "destroy")
"""What a tool can be said to do."""
_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}")
_LINE: Final = Text(nul=False)
_WORDS: Final = Refined(ListOf(_LINE), words='a list of strings, such as ["-y", "server"]')
_STRINGS: Final = Refined(Table(_LINE, _LINE), make=MappingProxyType, words='a table of strings, such as { A = "b" }')


def name_fault(name: str) -> str:
    """Why a server cannot have a name; empty if it can."""
    return "" if NAME.fullmatch(name) else "must be up to 64 letters, digits and . _ -"


def _url_fault(url: str) -> str:
    if not url:
        return ""
    from urllib.parse import urlsplit  # takes half a MiB, for those who have servers over HTTP

    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return "must be an http or https URL"
    return "holds a password; put it into headers, as ${NAME}" if parts.password else ""


def _headers_fault(headers: Mapping[str, str]) -> str:
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name) or not value.isprintable():
            return f"{clean(name, 40)!a} is no header"
    return ""


class ServerSettings(Struct, frozen=True):
    """An MCP server: a program that speaks MCP on its standard streams, or the URL of one that is served over HTTP."""

    command: Annotated[str, _LINE] = ""
    """The program, for a server that Fugue starts."""
    args: Annotated[tuple[str, ...], _WORDS] = ()
    """Its arguments."""
    env: Annotated[Mapping[str, str], _STRINGS] = field(default_factory=lambda: MappingProxyType({}))
    """Variables to set for it; it gets those of the workspace too, without what [session] secrets names."""
    cwd: Annotated[str, _LINE] = ""
    """Where it runs; empty for your home directory, and a project's servers in the project's."""
    url: Annotated[str, Refined(_LINE, _url_fault)] = ""
    """The URL, for a server over streamable HTTP."""
    headers: Annotated[Mapping[str, str], Refined(_STRINGS, _headers_fault)] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """Headers for every request to it."""
    oauth: bool = True
    """Log in by OAuth where a server over HTTP wants it."""
    enabled: bool = True
    """Whether it can be used."""
    agents: Literal["allow", "ask", "refuse"] = "ask"
    """Whether agents may use it through Fugue; what their tools do is judged by the rules of [mcp] as well."""
    workspaces: Annotated[tuple[str, ...], _WORDS] = ()
    """The workspaces that have it; empty for all."""
    effects: Annotated[Mapping[str, Literal["read", "run", "destroy"]], Table(Choice.of(EFFECTS), _LINE)] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """What its tools do, by name, where you know better than the server: { search = "read" }."""
    sampling: Annotated[tuple[str, ...], _WORDS] = ()
    """A program that answers its requests for a model, which are refused without one: it reads the request as JSON and
    writes the text."""
    start_seconds: Annotated[float, Meta(ge=1, le=600)] = 60.0
    """Seconds that it may take to start."""
    call_seconds: Annotated[float, Meta(ge=1, le=86_400)] = 600.0
    """Seconds that one call may take."""

    @property
    def fault(self) -> str:
        """Why it cannot be used; empty if it can."""
        if bool(self.command) == bool(self.url):
            return "needs a command or a url, and not both"
        if self.url and (self.args or self.env or self.cwd):
            return "args, env and cwd belong to a command, not to a url"
        return "headers belong to a url, not to a command" if self.command and self.headers else ""

    @property
    def words(self) -> str:
        """What is started or connected to, on a line, without headers and variables."""
        return self.url or " ".join((self.command, *self.args))


Servers: TypeAlias = Annotated[
    Mapping[str, ServerSettings],
    Refined(
        Table(
            Refined(Record(ServerSettings), lambda server: server.fault, words="a section, written [mcp.servers.NAME]"),
            Refined(TEXT, name_fault),
        ),
        lambda servers: f"has {len(servers)} entries; at most {MOST} are possible" if len(servers) > MOST else "",
        make=MappingProxyType,
        words="a table of servers, written [mcp.servers.NAME]",
    ),
]


def described(settings: ServerSettings) -> dict[str, Any]:
    """What differs from the defaults, for the user to read; values of variables and headers are part of it."""
    default = ServerSettings()
    found = {name: getattr(settings, name) for name in settings.__struct_fields__}
    return {name: value for name, value in found.items() if value != getattr(default, name)}


def expanded(settings: ServerSettings, env: Mapping[str, str] = os.environ) -> ServerSettings:
    """The settings with the values of variables. Raises InvalidArgument for one that is not set."""

    def value(text: str) -> str:
        return _VARIABLE.sub(lambda found: _value(found[1], found[2], env), text)

    return replace(
        settings,
        command=os.path.expanduser(value(settings.command)),
        args=tuple(map(value, settings.args)),
        env={name: value(text) for name, text in settings.env.items()},
        cwd=os.path.expanduser(value(settings.cwd)),
        url=value(settings.url),
        headers={name: value(text) for name, text in settings.headers.items()},
    )


def _value(name: str, default: str | None, env: Mapping[str, str]) -> str:
    if found := env.get(name, "") or default or "":
        return found
    if name in env or default is not None:
        return ""
    raise InvalidArgument(f"${{{name}}} is not set in the environment of the workspace")
