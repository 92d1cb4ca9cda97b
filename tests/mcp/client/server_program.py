"""An MCP server of the SDK with a tool for each behaviour; `--legacy` speaks only the protocol before 2026-07-28,
`--http PORT` serves it over HTTP."""

import asyncio
import os
import sys
from typing import Annotated, Any, Literal

import anyio
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, Image, MCPServer, Resolve
from mcp.server.runner import serve_loop
from mcp.server.stdio import stdio_server
from mcp_types import ToolAnnotations
from pydantic import BaseModel

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
async def hang(flag: str) -> str:
    """Wait until the call is cancelled, and then make a file."""
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


def ask_person() -> Elicit[Person]:
    """Ask the user."""
    return Elicit("Who are you?", Person)


@server.tool()
def greet(person: Annotated[ElicitationResult[Person], Resolve(ask_person)]) -> str:
    """Ask the user for a name."""
    data = getattr(person, "data", None)
    return f"hello {data.name}, {data.age}" if isinstance(data, Person) else person.action


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
def environment(name: str) -> str:
    """A variable of the server."""
    return os.environ.get(name, "unset")


@server.tool()
def grow() -> str:
    """Add a tool."""
    server.add_tool(lambda: "grown", name="grown", description="A new tool.")
    return "added"


@server.prompt()
def review(code: str, style: str = "short") -> str:
    """Review code."""
    return f"Review {style}: {code}"


@server.resource("small://note")
def note() -> str:
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


if __name__ == "__main__":
    if "--legacy" in sys.argv:
        anyio.run(legacy)
    elif "--http" in sys.argv:
        server.run("streamable-http", port=int(sys.argv[sys.argv.index("--http") + 1]))
    else:
        server.run()
