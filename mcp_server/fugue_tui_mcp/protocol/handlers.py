"""Request handlers for one MCP client. Importing this imports the SDK.

The SDK's low-level server supports the protocol before and from 2026-07-28; the handlers are the same for both.
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from anyio import BrokenResourceError, ClosedResourceError
from mcp.server.caching import CacheableMethod, CacheHint
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import InMemorySubscriptionBus, ToolsListChanged
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    CompleteRequestParams,
    CompleteResult,
    Completion,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListToolsResult,
    PaginatedRequestParams,
)
from pydantic import ValidationError

from fugue_tui import __version__
from fugue_tui.config.model import McpSettings
from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.dispatch.thread_gateway import Answer, Caller, ThreadGateway
from fugue_tui.control.introspection import tool_words
from fugue_tui.control.schema import aliases
from fugue_tui.control.schema.command_schema import build, describe, payload
from fugue_tui.errors import FugueError, InvalidArgument
from fugue_tui.sanitize import clean
from fugue_tui_mcp.bridge.handshake import FRESH, INSTRUCTIONS
from fugue_tui_mcp.protocol import completions, prompts, tools
from fugue_tui_mcp.protocol.progress import ProgressReports
from fugue_tui_mcp.protocol.resource_handlers import ResourceHandlers
from fugue_tui_mcp.protocol.toolsets import CALL, NAME, Toolsets, parse_call

_CACHED: Final[Mapping[CacheableMethod, CacheHint]] = {
    "server/discover": CacheHint(FRESH),
    "prompts/list": CacheHint(FRESH),
    "resources/templates/list": CacheHint(FRESH),
}

_BUG: Final = "internal: a bug in fugue-tui; its log has the details"

_log = logging.getLogger(__name__)
_Context: TypeAlias = ServerRequestContext[Any, Any]


class Handlers:
    """The request handlers of one client."""

    def __init__(
        self, gateway: ThreadGateway, caller: Caller, settings: Callable[[], McpSettings] = McpSettings
    ) -> None:
        self._gateway = gateway
        self._caller = caller
        self._settings = settings
        self._toolsets = Toolsets(settings().toolsets)
        self._bus = InMemorySubscriptionBus()
        self._resources = ResourceHandlers(
            gateway, caller, self._bus, self.ask, lambda: self._settings().longest_answer
        )

    def server(self) -> Server[Any]:
        """The SDK's server with these handlers."""
        server: Server[Any] = Server(
            "fugue-tui",
            title="Fugue",
            version=__version__,
            instructions=INSTRUCTIONS,
            cache_hints=_CACHED,
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
            on_completion=self._complete,
            on_list_resources=self._resources.listed,
            on_list_resource_templates=self._resources.templates,
            on_read_resource=self._resources.read,
            on_subscribe_resource=self._resources.subscribe,
            on_unsubscribe_resource=self._resources.unsubscribe,
            on_subscriptions_listen=self._resources.listen,
        )
        server.middleware[:] = [self._middleware]
        return server

    def close(self) -> None:
        """Stop notifying the client, which is disconnected."""
        self._resources.close()

    async def ask(
        self, cls: type[Command[Any]], arguments: Mapping[str, Any], reports: ProgressReports | None = None
    ) -> Answer:
        """Run a command for this client, cancelled with the task. Raises what the command raises."""
        remaining, self._caller.takes = dict(arguments), self._settings().longest_answer
        key = tools.key_of(cls, remaining)
        on_progress = reports.report if reports is not None else None
        return await asyncio.wrap_future(self._gateway.run(build(cls, remaining), self._caller, on_progress, key=key))

    async def _middleware(self, ctx: _Context, call_next: CallNext) -> HandlerResult:
        """Record the client's name, and report errors with their codes."""
        client = ctx.session.client_params
        if client is not None and not self._caller.client:
            self._caller.client = clean(client.client_info.name, 64)
            self._toolsets.identify(self._caller.client)
        try:
            return await call_next(ctx)
        except FugueError as error:
            raise MCPError(INVALID_PARAMS, clean(f"{error.code}: {tool_words(str(error))}", 1_000)) from None
        except (MCPError, ValidationError, OSError, BrokenResourceError, ClosedResourceError):
            raise
        except Exception:  # noqa: BLE001  (bugs are logged and reported as internal)
            _log.exception("%s failed", clean(ctx.method, 64))
            raise MCPError(INTERNAL_ERROR, _BUG) from None

    async def _list_tools(self, context: _Context, params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=self._toolsets.listed(), ttl_ms=FRESH if self._resources.notifies_tools else 0)

    async def _call_tool(self, context: _Context, params: CallToolRequestParams) -> CallToolResult:
        name, arguments = params.name, params.arguments or {}
        try:
            if name == CALL:
                name, arguments = parse_call(arguments)
            if name == NAME:
                return await self._switch_toolsets(context, arguments)
            verb, arguments = aliases.tool(name, arguments)
            cls = tools.by_verb().get(verb)
            return tools.unknown(name) if cls is None else await self._run(context, cls, arguments)
        except FugueError as error:
            return tools.failure(error)
        except Exception:  # noqa: BLE001  (bugs are logged and reported as internal)
            _log.exception("%s failed", clean(name, 64))
            return tools.failed(_BUG)

    async def _run(self, context: _Context, cls: type[Command[Any]], arguments: dict[str, Any]) -> CallToolResult:
        reports = ProgressReports(context.session) if "progress_token" in (context.meta or {}) else None
        try:
            answer = await self.ask(cls, arguments, reports)
            if reports is not None:
                await reports.finish()
        finally:
            if reports is not None:
                reports.stop()
        asked = aliases.fields({each.name: each for each in describe(cls).fields}, arguments)
        return tools.success(cls, answer, self._settings().longest_answer, asked)

    async def _switch_toolsets(self, context: _Context, arguments: dict[str, Any]) -> CallToolResult:
        if self._toolsets.switch(arguments):
            await self._bus.publish(ToolsListChanged())
            await context.session.send_tool_list_changed()
        query = arguments.get("query", "")
        if not isinstance(query, str):
            raise InvalidArgument("query: requires a text")
        return self._toolsets.result(query)

    async def _list_prompts(self, context: _Context, params: PaginatedRequestParams | None) -> ListPromptsResult:
        return ListPromptsResult(prompts=prompts.listed())

    async def _get_prompt(self, context: _Context, params: GetPromptRequestParams) -> GetPromptResult:
        return prompts.get(params.name, params.arguments or {})

    async def _complete(self, context: _Context, params: CompleteRequestParams) -> CompleteResult:
        source = completions.source(params)
        if source is None:
            return CompleteResult(completion=Completion(values=[]))
        result: dict[str, Any] = {}
        if source.verb:
            cls = registry()[source.verb]
            result = payload(cls, (await self.ask(cls, {})).result) or {}
        return CompleteResult(completion=completions.matching(source.values(result), params.argument.value))
