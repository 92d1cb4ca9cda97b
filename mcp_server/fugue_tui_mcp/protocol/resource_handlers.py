"""Lists and reads resources for one client, and keeps its subscriptions in both eras of the protocol."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, Protocol, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.server.session import ServerSession
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ResourcesListChanged, ResourceUpdated
from mcp_types import (
    EmptyResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    SubscribeRequestParams,
    SubscriptionsListenRequestParams,
    SubscriptionsListenResult,
    TextContent,
    TextResourceContents,
    UnsubscribeRequestParams,
)
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.dispatch.thread_gateway import Answer, ThreadGateway
from fugue_tui.control.introspection import SHORTENED
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import FugueError, NotFound, Refused
from fugue_tui_mcp.protocol import resources, tools
from fugue_tui_mcp.protocol.resources import ResourceRequest, WatchedResource
from fugue_tui_mcp.protocol.subscriptions import Subscriptions
from fugue_tui_mcp.protocol.truncate import cleaned, fitted, written

MOST: Final = 200
"""Resources that one client may subscribe to at a time."""

_Context: TypeAlias = ServerRequestContext[Any, Any]


class Ask(Protocol):
    """Has a command run for the client."""

    def __call__(self, cls: type[Command[Any]], arguments: Mapping[str, Any]) -> Awaitable[Answer]:
        """The answer. Raises what the command raises."""
        ...


class ResourceHandlers:
    """The resources as one client sees them."""

    def __init__(self, gate: ThreadGateway, bus: InMemorySubscriptionBus, ask: Ask, limit: Callable[[], int]) -> None:
        """`limit` tells how many characters a reading may have."""
        self._bus, self._ask, self._limit = bus, ask, limit
        self._listen = ListenHandler(bus, max_subscriptions=MOST)
        self._watching = Subscriptions(gate, self._updated, self._relisted)
        self._session: ServerSession | None = None
        """Of a client of before 2026-07-28, which is told without having asked."""
        self._tools_listeners = 0

    @property
    def tells_tools(self) -> bool:
        """Whether the client is told when other tools are listed."""
        return self._tools_listeners > 0

    def close(self) -> None:
        """The client is gone."""
        self._watching.close()

    async def listed(self, context: _Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """What can be read now."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS and not self._watching.lists:
            self._session = context.session
            self._watching.add((), lists=True)
        panes = await self._value("list-panes", {})
        return ListResourcesResult(resources=resources.listed(panes["panes"]))

    async def templates(self, context: _Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """Every way to look at a pane or a window."""
        return ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read(self, context: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """A resource as it is now. Raises FugueError."""
        asked = resources.asked(params.uri)
        text = await self._layouts() if params.uri == resources.LAYOUT else await self._text(asked)
        return ReadResourceResult(contents=[TextResourceContents(uri=asked.uri, mime_type=asked.mime_type, text=text)])

    async def subscribe(self, context: _Context, params: SubscribeRequestParams) -> EmptyResult:
        """Tell a client of before 2026-07-28 when a resource changes. Raises FugueError."""
        watched = await self._found(params.uri)
        self._session = context.session
        self._watching.remove_all(params.uri)
        if self._watching.count >= MOST:
            raise Refused(f"{MOST} resources may be subscribed to at a time; unsubscribe from some")
        self._watching.add([watched])
        return EmptyResult()

    async def unsubscribe(self, context: _Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Tell such a client no more of a resource."""
        self._watching.remove_all(params.uri)
        return EmptyResult()

    async def listen(self, context: _Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Tell a client of what it wants to hear, until it hangs up or cancels."""
        wanted = params.notifications
        uris = tuple(dict.fromkeys(wanted.resource_subscriptions or ()))
        if self._watching.count + len(uris) > MOST:
            raise Refused(f"{MOST} resources may be subscribed to at a time; end some subscriptions")
        watched = [each for uri in uris if (each := await self._likely(uri))]
        lists, of_tools = bool(wanted.resources_list_changed), bool(wanted.tools_list_changed)
        self._watching.add(watched, lists=lists)
        self._tools_listeners += of_tools
        try:
            return await self._listen(context, params)
        finally:
            self._tools_listeners -= of_tools
            self._watching.remove(watched, lists=lists)

    async def _found(self, uri: str) -> WatchedResource:
        """What to watch for a resource that can be read. Raises FugueError if it cannot."""
        asked = resources.asked(uri)
        answer = await self._ask(registry()[asked.verb], asked.arguments)
        return WatchedResource(uri, asked.view, answer.pane)

    async def _likely(self, uri: str) -> WatchedResource | None:
        """The same; None for what will never be there."""
        try:
            return await self._found(uri)
        except NotFound:
            return resources.expected(uri)
        except FugueError:
            return None

    async def _text(self, asked: ResourceRequest) -> str:
        cls = registry()[asked.verb]
        result = tools.success(cls, await self._ask(cls, asked.arguments), self._limit())
        return "\n".join(part.text for part in result.content if isinstance(part, TextContent))

    async def _layouts(self) -> str:
        """How every window is laid out."""
        windows = (await self._value("list-windows", {}))["windows"]
        layouts = [await self._value("get-layout", {"window": window["id"]}) for window in windows]
        found = fitted(cleaned({"windows": layouts}), self._limit())
        left_out = {SHORTENED: f"{'; '.join(found.left_out)}; fugue_get_layout shows one window"}
        return written(tools.marked(found.value | (left_out if found.left_out else {})))

    async def _value(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        cls = registry()[verb]
        return payload(cls, (await self._ask(cls, arguments)).result) or {}

    async def _updated(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri))
        if self._session is not None:
            await self._session.send_resource_updated(uri)

    async def _relisted(self) -> None:
        await self._bus.publish(ResourcesListChanged())
        if self._session is not None:
            await self._session.send_resource_list_changed()
