"""One connection to an MCP server, by the SDK's client: handshake of either era, lists, requests, callbacks.

Belongs to the loop of the pool's thread. Importing this imports the SDK.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any, Final, TypeVar, cast

import mcp_types as types
from mcp.client.client import Client
from mcp.client.session import ClientRequestContext
from mcp.client.subscriptions import SubscriptionLost
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from fugue_tui import __version__
from fugue_tui.errors import FugueError, ServerFailed, TimedOut
from fugue_tui.multiplexer.mcp_servers.connector import Handler, Launch, Progress
from fugue_tui.multiplexer.mcp_servers.model import ArgumentQuery, Call, Catalog, Content, Elicitation
from fugue_tui.sanitize import clean, clean_text
from fugue_tui_mcp.client import oauth, sampling, values
from fugue_tui_mcp.client.http_transport import http_transport
from fugue_tui_mcp.client.log_buffer import LogBuffer
from fugue_tui_mcp.client.stdio_transport import stdio_transport

PAGES: Final = 50
"""Pages of a list that are read."""
RELIST_SECONDS: Final = 0.5
"""Seconds from a notice that a list has changed until it is read again."""
UPDATE_SECONDS: Final = 0.2
"""Seconds in which several changes of one resource count as one."""
LOG_SECONDS: Final = 0.2
"""Seconds in which several lines of the log are reported as one."""
LISTEN_SECONDS: Final = (1.0, 2.0, 5.0, 15.0, 60.0)
"""Seconds from each end of a stream of changes until it is opened again; the last from then on."""
CLOSE_SECONDS: Final = 3.0
"""How long a connection may take to end."""
COMPLETE_SECONDS: Final = 5.0
"""How long completing an argument may take."""
LOG_LEVEL: Final = "info"

Found = TypeVar("Found")


class Connection:
    """A server that is being connected to, is connected, or was."""

    def __init__(self, name: str, launch: Launch, log: LogBuffer, handler: Handler) -> None:
        self._name, self._launch, self._log, self._handler = name, launch, log, handler
        self._ready: asyncio.Future[Catalog] = asyncio.get_running_loop().create_future()
        self._end = asyncio.Event()
        self._reason = ""
        self._client: Client | None = None
        self._deadline: asyncio.Timeout | None = None
        self._task: asyncio.Task[None] | None = None
        self._uris = set[str]()
        self._faults = list[str]()
        self._listening: asyncio.Task[None] | None = None
        self._soon: dict[object, asyncio.TimerHandle] = {}
        self._relisting = set[asyncio.Task[None]]()

    async def start(self) -> Catalog:
        """Connect. Raises ServerFailed or TimedOut; nothing of it is left then."""
        self._task = asyncio.create_task(self._run())
        seconds = self._launch.settings.start_seconds
        try:
            async with asyncio.timeout(seconds) as self._deadline:
                return await asyncio.shield(self._ready)
        except TimeoutError:
            await self.close()
            raise TimedOut(f"it was not ready within {seconds:g} s{self._said()}") from None
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """End the connection and the program. Idempotent."""
        self._end.set()
        if self._task is not None:
            if not self._ready.done():
                self._task.cancel()
            await asyncio.wait((self._task,), timeout=CLOSE_SECONDS)
            self._task.cancel()

    async def request(self, call: Call, seconds: float, report: Progress) -> Content:
        """Send a request. Raises FugueError; cancelling it notifies the server."""
        return await self._guarded(self._sent(self._connected(), call, report), seconds)

    async def complete(self, query: ArgumentQuery) -> tuple[str, ...]:
        """The values that an argument may have. Raises FugueError."""
        client = self._connected()
        if client.server_capabilities.completions is None:
            return ()
        asked = (
            types.PromptReference(name=query.prompt) if query.prompt else types.ResourceTemplateReference(uri=query.uri)
        )
        argument = {"name": query.argument, "value": query.value}
        work = client.complete(asked, argument, dict(query.others) or None)
        return values.completions(await self._guarded(work, COMPLETE_SECONDS))

    def _connected(self) -> Client:
        if self._client is None or self._end.is_set():
            raise ServerFailed(f"{self._name} has ended{self._why()}")
        return self._client

    async def subscribe(self, uri: str, *, on: bool) -> None:
        """Subscribe to changes of a resource, or unsubscribe."""
        client = self._client
        if client is None or on == (uri in self._uris):
            return
        (self._uris.add if on else self._uris.discard)(uri)
        if self._is_modern(client):
            self._listen(client)
        elif on:
            request: Any = types.SubscribeRequest(params=types.SubscribeRequestParams(uri=uri))
            await self._guarded(client.session.send_request(request, types.EmptyResult), 30.0)
        else:
            request = types.UnsubscribeRequest(params=types.UnsubscribeRequestParams(uri=uri))
            await self._guarded(client.session.send_request(request, types.EmptyResult), 30.0)

    async def roots_changed(self) -> None:
        """Notify a server whose protocol version has such notifications."""
        if self._client is not None and not self._is_modern(self._client):
            with suppress(Exception):
                await self._client.session.send_notification(types.RootsListChangedNotification())

    # The life of the connection

    async def _run(self) -> None:
        try:
            async with self._open() as client:
                catalog = await self._catalog(client)
                if self._end.is_set():
                    raise ServerFailed(self._reason or "it was disconnected")
                self._client = client
                if not self._ready.done():
                    self._ready.set_result(catalog)
                await self._end.wait()
        except Exception as error:  # noqa: BLE001  (an error boundary: a server's fault, whatever the SDK raises for it)
            self._fail(error)
        finally:
            self._client = None
            self._stop_timers()
            if self._reason and self._ready.done() and not self._ready.exception():
                self._handler.ended(self._name, self._reason + self._said())
            elif not self._ready.done():
                self._ready.set_exception(ServerFailed(f"{self._reason or 'it was disconnected'}{self._said()}"))

    @asynccontextmanager
    async def _open(self) -> AsyncGenerator[Client]:
        """The SDK's client, connected."""
        settings = self._launch.settings
        async with AsyncExitStack() as stack:
            streams = await stack.enter_async_context(self._transport())
            client = Client(
                _Opened(streams),
                client_info=types.Implementation(name="fugue-tui", version=__version__),
                elicitation_callback=self._elicited,
                sampling_callback=self._sampled if settings.sampling else None,
                list_roots_callback=self._roots,
                logging_callback=self._logged,
                log_level=LOG_LEVEL,
                message_handler=self._notified,
                read_timeout_seconds=max(settings.start_seconds, oauth.LOGIN_SECONDS if settings.url else 0.0),
            )
            yield await stack.enter_async_context(client)

    def _transport(self) -> AbstractAsyncContextManager[Any]:
        if self._launch.settings.url:
            return http_transport(self._launch.settings, self._authorize)
        return stdio_transport(self._launch, self._log, self._ended, lambda: self._later("log", self._tell_log))

    def _authorize(self, page: str) -> None:
        """Have the user log in, for which there is more time than to start; an empty page ends that."""
        if page and self._deadline is not None and not self._ready.done():
            self._deadline.reschedule(asyncio.get_running_loop().time() + oauth.LOGIN_SECONDS)
        self._handler.authorize(self._name, clean(page, 8_000))

    def _ended(self, reason: str) -> None:
        if not self._end.is_set():
            self._reason = reason
            self._end.set()

    def _fail(self, error: BaseException) -> None:
        error = _first(error)
        self._reason = self._reason or (str(error) if isinstance(error, FugueError) else _words(error))

    def _said(self) -> str:
        last_error = self._log.last_error
        return f"; it says: {clean(last_error, 300)}" if last_error else ""

    def _why(self) -> str:
        return f": {self._reason}" if self._reason else ""

    # Requests

    async def _sent(self, client: Client, call: Call, report: Progress) -> Content:
        if call.uri:
            return values.of_resource(await client.read_resource(call.uri, cache_mode="refresh"))
        if call.prompt:
            texts = {
                name: value if isinstance(value, str) else json.dumps(value) for name, value in call.arguments.items()
            }
            return values.of_prompt(await client.get_prompt(call.prompt, texts))

        async def progressed(progress: float, total: float | None, message: str | None) -> None:
            words = clean(message or "") or f"{progress:g}" + (f" of {total:g}" if total else "")
            report(words, min(max(progress / total, 0.0), 1.0) if total else None)

        seconds = self._launch.settings.call_seconds
        return values.of_tool(
            await client.call_tool(
                call.tool, dict(call.arguments), read_timeout_seconds=seconds, progress_callback=progressed
            )
        )

    async def _guarded(self, work: Awaitable[Found], seconds: float) -> Found:
        """The result of work. Raises ServerFailed or TimedOut."""
        try:
            async with asyncio.timeout(seconds):
                return await work
        except TimeoutError:
            raise TimedOut(f"{self._name} did not answer within {seconds:g} s") from None
        except FugueError:
            raise
        except Exception as error:  # noqa: BLE001  (an error boundary: see `_run`)
            if self._end.is_set():
                raise ServerFailed(f"{self._name} has ended{self._why()}") from None
            raise ServerFailed(f"{self._name}: {_words(_first(error))}") from None

    # Lists

    async def _catalog(self, client: Client) -> Catalog:
        can = client.server_capabilities
        self._faults.clear()
        tools, prompts, resources = list[Any](), list[Any](), list[Any]()
        if can.tools is not None:
            tools = await self._pages(client.list_tools, lambda page: page.tools)
        if can.prompts is not None:
            prompts = await self._pages(client.list_prompts, lambda page: page.prompts)
        if can.resources is not None:
            resources = await self._pages(client.list_resources, lambda page: page.resources)
            resources += await self._pages(client.list_resource_templates, lambda page: page.resource_templates)
        if self._is_modern(client):
            self._listen(client)
        elif can.logging is not None:
            request: Any = types.SetLevelRequest(params=types.SetLevelRequestParams(level=LOG_LEVEL))
            with suppress(MCPError):
                await client.session.send_request(request, types.EmptyResult)
        return values.catalog(
            values.found(map(values.tool, tools)),
            values.found(map(values.prompt, prompts)),
            values.found(map(values.resource, resources)),
            client.server_info,
            client.protocol_version,
            client.instructions,
            subscribes=bool(can.resources is not None and can.resources.subscribe) or self._is_modern(client),
            completes=can.completions is not None,
            fault="; ".join(self._faults),
        )

    async def _pages(self, read: Callable[..., Awaitable[Any]], items: Callable[[Any], list[Any]]) -> list[Any]:
        """All items of a list; none if the server does not have that list in spite of its capabilities."""
        found, cursor = list[Any](), None
        for _ in range(PAGES):
            try:
                page = await read(cursor=cursor, cache_mode="refresh")
            except (MCPError, ValidationError) as error:
                self._faults.append(f"a list cannot be read: {_words(error)}")
                self._log.add(self._faults[-1], "client")
                break
            found += items(page)
            cursor = page.next_cursor
            if cursor is None or len(found) >= values.MOST:
                break
        return found

    async def _relist(self) -> None:
        if (client := self._client) is not None:
            with suppress(Exception):
                async with asyncio.timeout(self._launch.settings.start_seconds):
                    catalog = await self._catalog(client)
                self._handler.changed(self._name, catalog)

    # What the server sends

    async def _notified(self, message: Any) -> None:
        match message:
            case (
                types.ToolListChangedNotification()
                | types.PromptListChangedNotification()
                | types.ResourceListChangedNotification()
            ):
                self._later("relist", self._start_relisting, RELIST_SECONDS)
            case types.ResourceUpdatedNotification():
                uri = message.params.uri
                self._later(("updated", uri), lambda: self._handler.updated(self._name, uri), UPDATE_SECONDS)
            case _:
                return

    async def _logged(self, params: types.LoggingMessageNotificationParams) -> None:
        data: Any = params.data
        text = data if isinstance(data, str) else json.dumps(values.plain(data))
        self._log.add(f"{params.logger}: {text}" if params.logger else text, params.level)
        self._later("log", self._tell_log)

    def _tell_log(self) -> None:
        self._handler.logged(self._name)

    def _start_relisting(self) -> None:
        task = asyncio.create_task(self._relist())
        self._relisting.add(task)
        task.add_done_callback(self._relisting.discard)

    def _later(self, key: object, call: Callable[[], None], seconds: float = LOG_SECONDS) -> None:
        """Call something in a moment, once however often this is called until then."""
        if key in self._soon or len(self._soon) > 1_000:
            return

        def run() -> None:
            del self._soon[key]
            call()

        self._soon[key] = asyncio.get_running_loop().call_later(seconds, run)

    def _stop_timers(self) -> None:
        for timer in self._soon.values():
            timer.cancel()
        self._soon.clear()
        for task in (*self._relisting, *([self._listening] if self._listening else [])):
            task.cancel()

    def _listen(self, client: Client) -> None:
        """Follow changes by a stream of the era from 2026-07-28, with what is subscribed to now."""
        if self._listening is not None:
            self._listening.cancel()
        self._listening = asyncio.create_task(self._follow(client, sorted(self._uris)))

    async def _follow(self, client: Client, uris: list[str]) -> None:
        with suppress(Exception):  # A server without such a stream.
            for again, seconds in enumerate(chain(LISTEN_SECONDS, repeat(LISTEN_SECONDS[-1]))):
                with suppress(SubscriptionLost, TimeoutError):
                    async with client.listen(
                        tools_list_changed=True,
                        prompts_list_changed=True,
                        resources_list_changed=True,
                        resource_subscriptions=uris,
                    ) as events:
                        for uri in uris if again else ():  # What has changed meanwhile is not reported.
                            self._handler.updated(self._name, uri)
                        async for _ in events:
                            pass  # Each is a notification too.
                await asyncio.sleep(seconds)

    @staticmethod
    def _is_modern(client: Client) -> bool:
        return client.protocol_version in MODERN_PROTOCOL_VERSIONS

    # What the server asks for

    async def _elicited(
        self, context: ClientRequestContext, params: types.ElicitRequestParams
    ) -> types.ElicitResult | types.ErrorData:
        message = clean_text(params.message, 4_000)
        if isinstance(params, types.ElicitRequestURLParams):
            question = Elicitation(self._name, message, url=clean(params.url, 4_000))
        else:
            question = Elicitation(self._name, message, values.schema(params.requested_schema))
        answer = await asyncio.wrap_future(self._handler.elicit(question))
        content: Any = dict(answer.content) if answer.content is not None else None
        return types.ElicitResult.model_validate({"action": answer.action, "content": content})

    async def _roots(self, context: ClientRequestContext) -> types.ListRootsResult:
        directories = await asyncio.wrap_future(self._handler.roots(self._name))
        found = [
            types.Root.model_validate({"uri": Path(each).as_uri(), "name": Path(each).name}) for each in directories
        ]
        return types.ListRootsResult(roots=found)

    async def _sampled(
        self, context: ClientRequestContext, params: types.CreateMessageRequestParams
    ) -> types.CreateMessageResult | types.ErrorData:
        return await sampling.answer(self._launch, params)


class _Opened:
    """A transport that is open already, as the SDK's client takes it."""

    def __init__(self, streams: Any) -> None:
        self._streams = streams

    async def __aenter__(self) -> Any:
        return self._streams

    async def __aexit__(self, *_: object) -> None:
        return None


def _first(error: BaseException) -> BaseException:
    """The first error of a group."""
    while isinstance(error, BaseExceptionGroup):
        error = cast("BaseExceptionGroup[BaseException]", error).exceptions[0]
    return error


def _words(error: BaseException) -> str:
    """An error in words, which the server may have chosen."""
    if isinstance(error, ValidationError):
        first = ".".join(
            map(str, error.errors(include_url=False, include_context=False, include_input=False)[0]["loc"])
        )
        where = f"{error.error_count()} places, such as {clean(first, 100)}"
        return f"it does not speak MCP: {clean(error.title)} is wrong in {where}"
    return clean(str(error), 1_000) or type(error).__name__
