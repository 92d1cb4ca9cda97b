"""Logs in to MCP servers over HTTP by OAuth: the SDK's flow, with a page that the user opens and a port on 127.0.0.1 to
which it returns. Importing this imports the SDK."""

import asyncio
import json
import socket
import time
from collections.abc import Callable
from typing import Any, Final, TypeVar, cast
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth.oauth2 import OAuthClientProvider, OAuthContext
from mcp.shared.auth import (
    AuthorizationCodeResult,
    OAuthClientInformationFull,
    OAuthClientMetadata,
    OAuthMetadata,
    OAuthToken,
    ProtectedResourceMetadata,
)
from pydantic import BaseModel, ValidationError

from fugue_tui.errors import TimedOut
from fugue_tui_mcp.client import token_store

HOST: Final = "127.0.0.1"
PATH: Final = "/callback"
LOGIN_SECONDS: Final = 600.0
"""How long the user may take to log in."""
_DONE: Final = "You are logged in; this page may be closed."
_FAILED: Final = "The log-in has failed; Fugue shows the reason."


Kept = TypeVar("Kept", bound=BaseModel)


class TokenStorage:
    """Tokens and the registration of one server, as the SDK reads and writes them."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._context: OAuthContext | None = None

    async def restore(self, context: OAuthContext) -> None:
        """Give the SDK's flow what it does not load by itself, and needs to refresh tokens of an earlier connection:
        when they expire, and who issues them. `set_tokens` keeps that of this flow from now on."""
        kept = await self._load()
        expires = kept.get("expires")
        context.token_expiry_time = float(expires) if isinstance(expires, int | float) else None
        context.oauth_metadata = _model(OAuthMetadata, kept.get("issuer"))
        resource = context.protected_resource_metadata = _model(ProtectedResourceMetadata, kept.get("resource"))
        context.auth_server_url = str(resource.authorization_servers[0]) if resource is not None else None
        self._context = context

    async def get_tokens(self) -> OAuthToken | None:
        """The tokens; None if there are none."""
        return _model(OAuthToken, (await self._load()).get("tokens"))

    async def set_tokens(self, tokens: OAuthToken) -> None:
        """Keep tokens."""
        context = self._context
        await self._keep(
            tokens=_json(tokens),
            expires=time.time() + tokens.expires_in if tokens.expires_in is not None else None,
            issuer=_json(context.oauth_metadata) if context is not None else None,
            resource=_json(context.protected_resource_metadata) if context is not None else None,
        )

    async def get_client_info(self) -> OAuthClientInformationFull | None:
        """The registration; None if there is none."""
        return _model(OAuthClientInformationFull, (await self._load()).get("client"))

    async def set_client_info(self, client_info: OAuthClientInformationFull) -> None:
        """Keep a registration."""
        await self._keep(client=_json(client_info))

    async def redirect_port(self) -> int:
        """The port of the registration; 0 if there is none."""
        client: Any = (await self._load()).get("client") or {}
        uris = client.get("redirect_uris") or [""]
        return urlsplit(str(uris[0])).port or 0

    async def _load(self) -> dict[str, Any]:
        try:
            found: Any = json.loads(await asyncio.to_thread(token_store.load, self._url) or "{}")
        except ValueError:
            return {}
        return cast("dict[str, Any]", found) if isinstance(found, dict) else {}

    async def _keep(self, **values: Any) -> None:
        text = json.dumps(await self._load() | values)
        await asyncio.to_thread(token_store.save, self._url, text)


async def provider(url: str, open_page: Callable[[str], None]) -> OAuthClientProvider:
    """What logs in when the server wants it; `open_page` is called with the page that the user has to open,
    and with an empty text once the log-in is over."""
    storage = TokenStorage(url)
    port = await storage.redirect_port() or _free_port()
    redirect = f"http://{HOST}:{port}{PATH}"
    metadata = OAuthClientMetadata.model_validate(
        {"client_name": "fugue-tui", "redirect_uris": [redirect], "token_endpoint_auth_method": "none"}
    )
    login = _Login(port, open_page)
    found = OAuthClientProvider(url, metadata, storage, login.opened, login.returned)
    await storage.restore(found.context)
    return found


class _Login:
    """One log-in: listens before the page is opened, until it returns."""

    def __init__(self, port: int, open_page: Callable[[str], None]) -> None:
        self._port, self._open_page = port, open_page
        self._server: asyncio.Server | None = None
        self._result: asyncio.Future[AuthorizationCodeResult] | None = None

    async def opened(self, page: str) -> None:
        """Listen, and have the user open the page."""
        self._result = asyncio.get_running_loop().create_future()
        self._server = await asyncio.start_server(self._connected, HOST, self._port)
        self._open_page(page)

    async def returned(self) -> AuthorizationCodeResult:
        """What the page returned with. Raises TimedOut."""
        assert self._result is not None
        assert self._server is not None
        try:
            async with asyncio.timeout(LOGIN_SECONDS):
                return await self._result
        except TimeoutError:
            raise TimedOut("no log-in was completed on the page that was opened") from None
        finally:
            self._server.close()
            self._open_page("")

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(10):
                words = (await reader.readline()).decode(errors="replace").split()
                found = self._read(words[1] if len(words) > 1 else "")
                status, text = ("200 OK", _DONE if found else _FAILED) if found is not None else ("404 Not Found", "")
                head = f"HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {len(text)}\r\n"
                writer.write(f"{head}Connection: close\r\n\r\n{text}".encode())
                await writer.drain()
        except (TimeoutError, ConnectionError, ValueError):
            pass
        finally:
            writer.close()

    def _read(self, target: str) -> bool | None:
        """Take what the page returned with: whether that is a code; None for any other request."""
        parts = urlsplit(target)
        query = {name: values[0] for name, values in parse_qs(parts.query).items()}
        if parts.path != PATH or self._result is None or self._result.done() or not query.keys() & {"code", "error"}:
            return None
        result = AuthorizationCodeResult(code=query.get("code", ""), state=query.get("state"), iss=query.get("iss"))
        self._result.set_result(result)
        return bool(result.code)


def _json(model: BaseModel | None) -> Any:
    return model.model_dump(mode="json", exclude_none=True) if model is not None else None


def _model(kind: type[Kept], value: Any) -> Kept | None:
    """What was kept; None if it is missing or damaged."""
    try:
        return kind.model_validate(value)
    except ValidationError:
        return None


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])
