"""List, connect and disconnect other MCP servers."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace.secret_filter import SecretFilter


class ServerTool(Struct, frozen=True):
    """A tool of a server. Its texts are untrusted."""

    name: str
    """Its name, for call-server."""
    effect: str
    """read, run or destroy: by the configuration, else by the server's annotations, else run."""
    title: str
    """Its title: untrusted."""
    description: str
    """What it does: untrusted."""
    arguments: Any
    """The JSON Schema of its arguments: untrusted."""


class ServerPrompt(Struct, frozen=True):
    """A prompt of a server. Its texts are untrusted."""

    name: str
    """Its name, for get-prompt."""
    description: str
    """What it is for: untrusted."""
    arguments: tuple[str, ...]
    """The names of its arguments; those that it needs end in !."""


class ServerResource(Struct, frozen=True):
    """A resource of a server, or a template of some. Its texts are untrusted."""

    uri: str
    """Its URI, for read-resource; of a template one with {variables} to replace."""
    name: str
    """What it is called: untrusted."""
    description: str
    """What it is: untrusted."""
    media_type: str
    """Its media type."""


class ServerInfo(Struct, frozen=True):
    """An MCP server."""

    server: str
    """Its name in the configuration."""
    state: str
    """off, starting, login (it waits for the user to log in), connected, waiting to be started again, failed, or
    disabled."""
    error: str
    """Why it is not connected, with the page to log in on, or some of what it offers is missing: untrusted; empty if
    neither is so."""
    what: str
    """What is started, or the URL, without secrets."""
    source: str
    """The project file that defines it; empty for the configuration."""
    agents: str
    """Whether agents may use it: allow, ask or refuse."""
    title: str
    """Its name for itself: untrusted."""
    protocol: str
    """The version of the protocol that is spoken."""
    instructions: str
    """The server's instructions: untrusted."""
    tool_count: int
    """How many tools it has."""
    prompt_count: int
    """How many prompts."""
    resource_count: int
    """How many resources and templates."""
    tools: tuple[ServerTool, ...] = ()
    """Its tools, if they were asked for."""
    prompts: tuple[ServerPrompt, ...] = ()
    """Its prompts, if they were asked for."""
    resources: tuple[ServerResource, ...] = ()
    """Its resources, if they were asked for."""


class ServerList(Struct, frozen=True):
    """MCP servers."""

    servers: tuple[ServerInfo, ...]
    """The servers, by name."""


class ListServers(Command[ServerList], name="list-servers", effect=Effect.READ, toolset=Toolset.SERVERS):
    """List the other MCP servers that are configured in [mcp.servers], their states, and what connected ones offer.

    A server is started when it is first used: connect-server does that, and call-server.
    """

    server: str = ""
    """Only this server, with all that it offers; omitted, all in brief."""
    tools: bool = False
    """List the tools, prompts and resources of every connected server too."""

    def run(self, mux: Multiplexer, origin: Origin) -> ServerList:
        """The servers. Raises NotFound."""
        servers = mux.mcp_servers
        names = [self.server] if self.server else sorted(servers.all())
        return ServerList(tuple(server_info(mux, name, whole=self.tools or bool(self.server)) for name in names))


class ConnectServer(
    Command[ServerInfo], name="connect-server", effect=Effect.RUN, toolset=Toolset.SERVERS, repeatable=True
):
    """Start an MCP server, or connect to it, and list what it offers. Using it does that too."""

    server: str
    """Its name in [mcp.servers]."""

    @property
    def mcp_server(self) -> str:
        """The server."""
        return self.server

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[ServerInfo]:
        """The server. Raises NotFound; the result fails with Refused or ServerFailed."""
        mux.mcp_servers.find(self.server)
        return run_task(self._connect(mux))

    async def _connect(self, mux: Multiplexer) -> ServerInfo:
        await mux.mcp_servers.ensure(self.server)
        return server_info(mux, self.server, whole=True)


class DisconnectServer(Command[ServerInfo], name="disconnect-server", effect=Effect.DESTROY, toolset=Toolset.SERVERS):
    """End the connection to an MCP server, and the server if Fugue has started it; its next use starts it again."""

    server: str
    """Its name in [mcp.servers]."""

    @property
    def mcp_server(self) -> str:
        """The server."""
        return self.server

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation | None:
        """None: it is started again when it is used."""
        return None

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[ServerInfo]:
        """The server. Raises NotFound."""
        mux.mcp_servers.find(self.server)
        return run_task(self._disconnect(mux))

    async def _disconnect(self, mux: Multiplexer) -> ServerInfo:
        await mux.mcp_servers.disconnect(self.server)
        return server_info(mux, self.server, whole=False)


def server_info(mux: Multiplexer, name: str, *, whole: bool) -> ServerInfo:
    """A server as it is now; `whole` with all that it offers. Raises NotFound."""
    servers = mux.mcp_servers
    definition, status = servers.find(name), servers.status(name)
    catalog, settings = status.catalog, definition.settings
    found: Mapping[str, Any] = _offers(mux, name) if whole else {}
    return ServerInfo(
        server=name,
        state=status.shown.value,
        error=clean(status.reason or catalog.fault, 10_000 if status.login else 1_000),
        what=clean(SecretFilter(mux.secrets).line(settings.words), 400),
        source=clean(definition.source, 400),
        agents=settings.agents,
        title=catalog.title,
        protocol=catalog.protocol,
        instructions=catalog.instructions if whole else "",
        tool_count=len(catalog.tools),
        prompt_count=len(catalog.prompts),
        resource_count=len(catalog.resources),
        **found,
    )


def _offers(mux: Multiplexer, name: str) -> dict[str, Any]:
    servers = mux.mcp_servers
    catalog = servers.status(name).catalog
    return {
        "tools": tuple(
            ServerTool(each.name, servers.effect(name, each.name).value, each.title, each.description, each.schema)
            for each in catalog.tools
        ),
        "prompts": tuple(
            ServerPrompt(
                each.name,
                each.description or each.title,
                tuple(argument.name + "!" * argument.required for argument in each.arguments),
            )
            for each in catalog.prompts
        ),
        "resources": tuple(
            ServerResource(each.uri, each.title or each.name, each.description, each.media_type)
            for each in catalog.resources
        ),
    }
