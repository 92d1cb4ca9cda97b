"""Lists and reads resources for one client, and keeps its subscriptions, before and from protocol 2026-07-28."""

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
from fugue_tui.control.dispatch.thread_gateway import Answer, Caller, ThreadGateway
from fugue_tui.control.introspection import SHORTENED
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import FugueError, NotFound, Refused
from fugue_tui_mcp.protocol import resources, tools
from fugue_tui_mcp.protocol.lean import lean
from fugue_tui_mcp.protocol.resources import ResourceRequest, WatchedResource
from fugue_tui_mcp.protocol.subscriptions import Subscriptions
from fugue_tui_mcp.protocol.truncate import cleaned, fitted, written

MOST: Final = 200
"""Resources that one client may subscribe to at a time."""

_Context: TypeAlias = ServerRequestContext[Any, Any]


class Ask(Protocol):
    """Runs a command for the client."""

    def __call__(self, cls: type[Command[Any]], arguments: Mapping[str, Any]) -> Awaitable[Answer]:
        """The result. Raises what the command raises."""
        ...


class ResourceHandlers:
    """The resource handlers of one client."""

    def __init__(
        self, gateway: ThreadGateway, caller: Caller, bus: InMemorySubscriptionBus, ask: Ask, limit: Callable[[], int]
    ) -> None:
        """`limit` returns the maximum number of characters of a result."""
        self._bus, self._ask, self._limit = bus, ask, limit
        self._listen = ListenHandler(bus, max_subscriptions=MOST)
        self._subscriptions = Subscriptions(gateway, caller, self._updated, self._list_changed)
        self._session: ServerSession | None = None
        """The session of a client before 2026-07-28, which is notified without a subscription."""
        self._tools_listeners = 0

    @property
    def notifies_tools(self) -> bool:
        """Whether the client is notified when the list of tools changes."""
        return self._tools_listeners > 0

    def close(self) -> None:
        """Cancel all subscriptions."""
        self._subscriptions.close()

    async def listed(self, context: _Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
        """The resources that can be read now."""
        if context.protocol_version not in MODERN_PROTOCOL_VERSIONS and not self._subscriptions.lists:
            self._session = context.session
            self._subscriptions.add((), lists=True)
        panes = await self._value("list-panes", {})
        return ListResourcesResult(resources=resources.listed(panes["panes"]))

    async def templates(self, context: _Context, params: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
        """The resource templates of panes and windows."""
        return ListResourceTemplatesResult(resource_templates=resources.templates())

    async def read(self, context: _Context, params: ReadResourceRequestParams) -> ReadResourceResult:
        """The current contents of a resource. Raises FugueError."""
        request = resources.parse(params.uri)
        text = await self._layouts() if params.uri == resources.LAYOUT else await self._text(request)
        return ReadResourceResult(
            contents=[TextResourceContents(uri=request.uri, mime_type=request.mime_type, text=text)]
        )

    async def subscribe(self, context: _Context, params: SubscribeRequestParams) -> EmptyResult:
        """Notify a client before 2026-07-28 of changes of a resource. Raises FugueError."""
        watched = await self._resolve(params.uri)
        self._session = context.session
        self._subscriptions.remove_all(params.uri)
        if self._subscriptions.count >= MOST:
            raise Refused(f"{MOST} resources may be subscribed to at a time; unsubscribe from some")
        self._subscriptions.add([watched])
        return EmptyResult()

    async def unsubscribe(self, context: _Context, params: UnsubscribeRequestParams) -> EmptyResult:
        """Stop notifying such a client of a resource."""
        self._subscriptions.remove_all(params.uri)
        return EmptyResult()

    async def listen(self, context: _Context, params: SubscriptionsListenRequestParams) -> SubscriptionsListenResult:
        """Notify a client as requested until it disconnects or cancels."""
        requested = params.notifications
        uris = tuple(dict.fromkeys(requested.resource_subscriptions or ()))
        if self._subscriptions.count + len(uris) > MOST:
            raise Refused(f"{MOST} resources may be subscribed to at a time; end some subscriptions")
        watched = [each for uri in uris if (each := await self._resolve_expected(uri))]
        lists, tools_changed = bool(requested.resources_list_changed), bool(requested.tools_list_changed)
        self._subscriptions.add(watched, lists=lists)
        self._tools_listeners += tools_changed
        try:
            return await self._listen(context, params)
        finally:
            self._tools_listeners -= tools_changed
            self._subscriptions.remove(watched, lists=lists)

    async def _resolve(self, uri: str) -> WatchedResource:
        """The resource of a URI. Raises FugueError if it cannot be read."""
        request = resources.parse(uri)
        answer = await self._ask(registry()[request.verb], request.arguments)
        return WatchedResource(uri, request.view, answer.pane)

    async def _resolve_expected(self, uri: str) -> WatchedResource | None:
        """The same, also for a pane that is not open yet; None for all others."""
        try:
            return await self._resolve(uri)
        except NotFound:
            return resources.expected(uri)
        except FugueError:
            return None

    async def _text(self, request: ResourceRequest) -> str:
        cls = registry()[request.verb]
        result = tools.success(cls, await self._ask(cls, request.arguments), self._limit())
        return "\n".join(part.text for part in result.content if isinstance(part, TextContent))

    async def _layouts(self) -> str:
        """The layouts of all windows."""
        windows = (await self._value("list-windows", {}))["windows"]
        cls = registry()["get-layout"]
        layouts = [(await self._ask(cls, {"window": window["id"]})).result for window in windows]
        shortened = fitted(cleaned({"windows": lean(layouts, {})}), self._limit())
        left_out = {SHORTENED: f"{'; '.join(shortened.left_out)}; fugue_get_layout shows one window"}
        return written(tools.marked(layouts, shortened.value | (left_out if shortened.left_out else {})))

    async def _value(self, verb: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        cls = registry()[verb]
        return payload(cls, (await self._ask(cls, arguments)).result) or {}

    async def _updated(self, uri: str) -> None:
        await self._bus.publish(ResourceUpdated(uri))
        if self._session is not None:
            await self._session.send_resource_updated(uri)

    async def _list_changed(self) -> None:
        await self._bus.publish(ResourcesListChanged())
        if self._session is not None:
            await self._session.send_resource_list_changed()
