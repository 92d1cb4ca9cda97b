"""An MCP server of the SDK with a tool for each behaviour; `--legacy` speaks only the protocol before 2026-07-28,
`--http PORT` serves it over HTTP."""

import asyncio
import os
import secrets
import sys
import time
import warnings
from typing import Annotated, Any, Literal

import anyio
import uvicorn
from mcp.server.auth.provider import (
    AccessToken,
    AuthorizationCode,
    AuthorizationParams,
    OAuthAuthorizationServerProvider,
    RefreshToken,
    TokenError,
    construct_redirect_uri,
)
from mcp.server.auth.settings import AuthSettings, ClientRegistrationOptions
from mcp.server.mcpserver import (
    Context,
    Elicit,
    ElicitationResult,
    Image,
    ListRoots,
    MCPServer,
    Resolve,
    Sample,
)
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp.shared.auth import OAuthClientInformationFull, OAuthToken
from mcp_types import (
    Completion,
    CompletionArgument,
    CompletionContext,
    CreateMessageResult,
    ListRootsResult,
    PromptReference,
    ResourceLink,
    ResourceTemplateReference,
    SamplingMessage,
    TextContent,
    ToolAnnotations,
)
from pydantic import BaseModel
from starlette.responses import Response

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c4944415408d763f8cfc000000301"
    "0100c9fe92ef0000000049454e44ae426082"
)
READ, DESTROY = ToolAnnotations(read_only_hint=True), ToolAnnotations(destructive_hint=True)

server = MCPServer("small", version="7", instructions="Use echo.", log_level="ERROR")


class Weather(BaseModel):
    """Structured output."""

    city: str
    degrees: float


class Person(BaseModel):
    """What the user is asked."""

    name: str
    age: int = 30


@server.tool(annotations=READ)
def echo(text: str, times: int = 1) -> str:
    """Say it again."""
    return text * times


@server.tool(annotations=READ)
def escapes() -> str:
    """Try to take over the terminal."""
    return "\x1b]0;owned\x07red\x1b[31m\u202etxt"


@server.tool(annotations=DESTROY)
def remove(path: str) -> str:
    """Remove something."""
    return f"removed {path}"


@server.tool()
def weather(city: str, unit: Literal["C", "F"] = "C") -> Weather:
    """Structured output."""
    return Weather(city=city, degrees=21.5 if unit == "C" else 70.7)


@server.tool(annotations=READ)
def picture() -> Image:
    """An image."""
    return Image(data=PIXEL, format="png")


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("no luck")


@server.tool()
def crash() -> str:
    """End the server."""
    print("going down", file=sys.stderr, flush=True)
    os._exit(3)


@server.tool()
async def hang(ctx: Context[Any, Any], flag: str) -> str:
    """Wait until the call is cancelled, and then make a file."""
    await ctx.report_progress(1, 2, "half of it")
    open(f"{flag}-began", "w").close()
    try:
        await asyncio.sleep(600)
    finally:
        open(f"{flag}-cancelled", "w").close()
    return ""


@server.tool()
async def steps(ctx: Context[Any, Any], count: int) -> str:
    """Report progress."""
    for step in range(count):
        await ctx.report_progress(step + 1, count, f"step {step + 1}")
    return "done"


class Edit(BaseModel):
    """A change of a text."""

    old: str
    new: str
    count: int = 1


@server.tool(annotations=READ)
def paint(colours: list[Literal["red", "green", "blue", "sea green, dark"]], edits: list[Edit] | None = None) -> str:
    """Take several choices and a list of objects."""
    return f"{'+'.join(colours)} {[(each.old, each.new, each.count) for each in edits or []]}"


@server.tool(annotations=READ)
def replace(edit: Edit) -> str:
    """Take an object."""
    return f"{edit.old} to {edit.new}, {edit.count} times"


def ask_person() -> Elicit[Person]:
    """Ask the user."""
    return Elicit("Who are you?", Person)


@server.tool()
def greet(person: Annotated[ElicitationResult[Person], Resolve(ask_person)]) -> str:
    """Ask the user for a name."""
    data = getattr(person, "data", None)
    return f"hello {data.name}, {data.age}" if isinstance(data, Person) else person.action


@server.tool()
async def visit(ctx: Context[Any, Any], url: str) -> str:
    """Ask the user to open a page."""
    return (await ctx.elicit_url("Please confirm there.", url, "1")).action


@server.tool()
async def flood(ctx: Context[Any, Any], count: int) -> str:
    """Send many notifications at once."""
    for step in range(count):
        await ctx.report_progress(step + 1, count, "x" * 100)
    return "flooded"


@server.tool()
def stderr(lines: int) -> str:
    """Write on stderr."""
    for line in range(lines):
        print(f"line {line}", file=sys.stderr)
    sys.stderr.flush()
    return "written"


@server.tool()
def many(count: int) -> list[int]:
    """Return many values."""
    return [0] * count


@server.tool()
def large(size: int) -> str:
    """Return a long text."""
    return "x" * size


@server.tool()
def links() -> list[ResourceLink]:
    """Refer to what must not be opened."""
    names = ("file:///etc/shadow", "javascript:alert(1)", "small://note")
    return [ResourceLink(type="resource_link", uri=each, name="\x1b[31mread me") for each in names]


@server.tool()
def environment(name: str) -> str:
    """A variable of the server."""
    return os.environ.get(name, "unset")


@server.tool()
async def grow(ctx: Context[Any, Any]) -> str:
    """Add a tool."""
    server.add_tool(lambda: "grown", name="grown", description="A new tool.")
    await ctx.notify_tools_changed()
    if "--legacy" in sys.argv:
        await ctx.session.send_tool_list_changed()
    return "added"


def ask_roots() -> ListRoots:
    """Ask for the roots."""
    return ListRoots()


@server.tool()
def roots(found: Annotated[ListRootsResult, Resolve(ask_roots)]) -> str:
    """The roots."""
    return " ".join(str(each.uri) for each in found.roots)


def ask_model(question: str) -> Sample:
    """Ask a model."""
    return Sample([SamplingMessage(role="user", content=TextContent(text=question))], max_tokens=100)


@server.tool()
def think(question: str, found: Annotated[CreateMessageResult, Resolve(ask_model)]) -> str:
    """Ask a model."""
    content = found.content
    return f"the model says {content.text}" if isinstance(content, TextContent) else "nothing"


COUNT = [0]


@server.resource("small://count")
def counted() -> str:
    """A resource that changes."""
    return f"count {COUNT[0]}"


@server.tool()
async def count(ctx: Context[Any, Any]) -> str:
    """Change the resource."""
    COUNT[0] += 1
    await ctx.notify_resource_updated("small://count")
    if "--legacy" in sys.argv:
        await ctx.session.send_resource_updated("small://count")
    return "counted"


@server.tool()
async def note(ctx: Context[Any, Any], text: str) -> str:
    """Send a logging message."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        await ctx.info(text)  # pyright: ignore[reportDeprecated]
    return "noted"


@server.prompt()
def review(code: str, style: str = "short") -> str:
    """Review code."""
    return f"Review {style}: {code}"


@server.completion()
async def completed(
    ref: PromptReference | ResourceTemplateReference,
    argument: CompletionArgument,
    context: CompletionContext | None,
) -> Completion | None:
    """Values of the arguments that have some."""
    if isinstance(ref, PromptReference) and argument.name == "style":
        known = ["long", "short", "shortest"] if argument.value != "\x00" else []
        given = (context.arguments or {}) if context is not None else {}
        known += [f"short for {given['code']}"] if "code" in given else []
        return Completion(values=[each for each in known if each.startswith(argument.value)])
    if isinstance(ref, ResourceTemplateReference):
        return Completion(values=[f"{argument.value}\x1b[31m", "Ann", "Anna"])
    if argument.value == "hang":
        await asyncio.sleep(600)
    return None


@server.resource("small://note")
def the_note() -> str:
    """A note."""
    return "the note"


@server.resource("small://greeting/{name}")
def greeting(name: str) -> str:
    """A greeting."""
    return f"hello {name}"


async def legacy() -> None:
    """Serve on the standard streams, with the handshake only."""
    lowlevel = server._lowlevel_server  # pyright: ignore[reportPrivateUsage]
    async with stdio_server() as (read, write), lowlevel.lifespan(lowlevel) as state:
        await serve_loop(lowlevel, read, write, lifespan_state=state)


class Accounts(OAuthAuthorizationServerProvider[AuthorizationCode, RefreshToken, AccessToken]):
    """Lets everybody in who opens the page; if tokens `expire`, they do so in an hour, and can be refreshed once."""

    def __init__(self, *, expire: bool = False) -> None:
        self.expire = expire
        self.clients = dict[str, OAuthClientInformationFull]()
        self.codes = dict[str, AuthorizationCode]()
        self.tokens = dict[str, AccessToken]()
        self.refreshes = dict[str, RefreshToken]()

    async def get_client(self, client_id: str) -> OAuthClientInformationFull | None:
        return self.clients.get(client_id)

    async def register_client(self, client_info: OAuthClientInformationFull) -> None:
        self.clients[client_info.client_id or ""] = client_info

    async def authorize(self, client: OAuthClientInformationFull, params: AuthorizationParams) -> str:
        code = secrets.token_hex(20)
        self.codes[code] = AuthorizationCode(
            code=code, scopes=[], expires_at=time.time() + 60, client_id=client.client_id or "",
            code_challenge=params.code_challenge, redirect_uri=params.redirect_uri,
            redirect_uri_provided_explicitly=True, resource=params.resource,
        )  # fmt: skip
        return construct_redirect_uri(str(params.redirect_uri), code=code, state=params.state)

    async def load_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: str
    ) -> AuthorizationCode | None:
        return self.codes.get(authorization_code)

    async def exchange_authorization_code(
        self, client: OAuthClientInformationFull, authorization_code: AuthorizationCode
    ) -> OAuthToken:
        return self.issue(client.client_id or "", authorization_code.resource)

    def issue(self, client: str, resource: str | None) -> OAuthToken:
        """New tokens."""
        token, refresh = secrets.token_hex(20), secrets.token_hex(20)
        self.tokens[token] = AccessToken(token=token, client_id=client, scopes=[], resource=resource)
        if not self.expire:
            return OAuthToken(access_token=token)
        self.refreshes[refresh] = RefreshToken(token=refresh, client_id=client, scopes=[])
        return OAuthToken(access_token=token, expires_in=3_600, refresh_token=refresh)

    async def load_access_token(self, token: str) -> AccessToken | None:
        return self.tokens.get(token)

    async def load_refresh_token(self, client: OAuthClientInformationFull, refresh_token: str) -> RefreshToken | None:
        return self.refreshes.get(refresh_token)

    async def exchange_refresh_token(
        self, client: OAuthClientInformationFull, refresh_token: RefreshToken, scopes: list[str]
    ) -> OAuthToken:
        if self.refreshes.pop(refresh_token.token, None) is None:
            raise TokenError("invalid_grant", "a refresh token is good for one use")
        return self.issue(client.client_id or "", None)

    async def revoke_token(self, token: AccessToken | RefreshToken) -> None:
        self.tokens.pop(token.token, None)


def behind_login(port: int) -> MCPServer:
    """A server that lets in whoever has logged in by OAuth."""
    url = f"http://127.0.0.1:{port}"
    auth = AuthSettings.model_validate(
        {
            "issuer_url": url,
            "resource_server_url": f"{url}/mcp",
            "client_registration_options": ClientRegistrationOptions(enabled=True),
            "validate_token_resource": False,
        }
    )
    accounts = Accounts(expire="--expire" in sys.argv)
    private = MCPServer("private", version="1", auth_server_provider=accounts, auth=auth, log_level="ERROR")
    private.add_tool(echo, annotations=READ)
    private.add_tool(
        lambda: accounts.tokens.clear(), name="expire", description="Refuse all access tokens from now on."
    )
    return private


def http(port: int) -> None:
    """Serve over HTTP; with `--legacy` requests of the era from 2026-07-28 are refused, and with `--token` others than
    those that bring it."""
    app = (behind_login(port) if "--oauth" in sys.argv else server).streamable_http_app()
    token = sys.argv[sys.argv.index("--token") + 1] if "--token" in sys.argv else ""

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        headers = dict(scope.get("headers", ()))
        modern = headers.get(b"mcp-protocol-version", b"") >= b"2026"
        refused = 400 if modern and "--legacy" in sys.argv else 0
        if token and headers.get(b"authorization", b"") != f"Bearer {token}".encode():
            refused = 403
        if scope["type"] == "http" and refused:
            await Response("no", refused)(scope, receive, send)
        else:
            await app(scope, receive, send)

    uvicorn.run(guarded, port=port, log_level="error")


if __name__ == "__main__":
    if "--http" in sys.argv:
        http(int(sys.argv[sys.argv.index("--http") + 1]))
    elif "--legacy" in sys.argv:
        anyio.run(legacy)
    else:
        server.run()
