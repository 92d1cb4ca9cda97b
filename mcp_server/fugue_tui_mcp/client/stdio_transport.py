"""Starts an MCP server and exchanges messages with it on its standard streams, within limits.

The SDK's own transport keeps a line of any length, and handles lines as fast as they come.
"""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types.jsonrpc import jsonrpc_message_adapter

from fugue_tui.errors import ServerFailed
from fugue_tui.multiplexer.mcp_servers.connector import Launch
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty import orphans
from fugue_tui_mcp.client.log_buffer import LogBuffer
from fugue_tui_mcp.client.pace import VALUE_BYTES, Pace

LONGEST: Final = 16 << 20
"""Bytes of a message."""
MOST_VALUES: Final = 150_000
"""Values in a message, counted by its commas: reading many stops every other thread."""
CHUNK: Final = 1 << 16
"""Bytes that are read at a time."""
CHUNK_SECONDS: Final = 0.02
"""Seconds between two reads of stderr."""
END_SECONDS: Final = (0.5, 0.5, 1.0)
"""How long a program has to end after its input was closed, after SIGTERM, and after SIGKILL."""
POLL_SECONDS: Final = 0.01
ERROR_SECONDS: Final = 0.3
"""How long to read on what a program has written on stderr that has ended."""

Streams = tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]


@asynccontextmanager
async def stdio_transport(
    launch: Launch, log: LogBuffer, ended: Callable[[str], None], logged: Callable[[], None]
) -> AsyncGenerator[Streams, None]:
    """A transport for the SDK's client. `ended` is called with the reason when the server has stopped speaking.

    Raises ServerFailed if the program cannot be started."""
    process = await _start(launch)
    incoming, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    write, outgoing = anyio.create_memory_object_stream[SessionMessage](0)
    errors = asyncio.create_task(_read_errors(process, log, logged))
    tasks = [
        asyncio.create_task(_read(process, incoming, errors, log, ended)),
        asyncio.create_task(_write(process, outgoing)),
        errors,
    ]
    try:
        yield read, write
    finally:
        for stream in (read, write):
            stream.close()
        try:
            await _end(process)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            process._transport.close()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
            orphans.own.discard(process.pid)


async def _start(launch: Launch) -> asyncio.subprocess.Process:
    settings = launch.settings
    try:
        process = await asyncio.create_subprocess_exec(
            settings.command,
            *settings.args,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=dict(launch.env),
            cwd=launch.cwd,
            start_new_session=True,
            limit=CHUNK,
        )
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise ServerFailed(f"{clean(settings.command)!a} cannot be started: {clean(reason)}") from None
    orphans.own.add(process.pid)
    return process


async def _read(
    process: asyncio.subprocess.Process,
    incoming: MemoryObjectSendStream[SessionMessage | Exception],
    errors: "asyncio.Task[None]",
    log: LogBuffer,
    ended: Callable[[str], None],
) -> None:
    assert process.stdout is not None
    pace, reason = Pace(), ""
    async with incoming:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, ConnectionError):
            try:
                async for line in _lines(process.stdout):
                    values = line.count(b",")
                    await pace.wait(len(line) + values * VALUE_BYTES)
                    if values > MOST_VALUES:
                        raise ServerFailed(f"it sent a message of more than {MOST_VALUES:,} values")
                    if isinstance(message := _message(line), SessionMessage):
                        await incoming.send(message)
                    else:
                        log.add(message, "stdout")
                reason = await _exit_words(process)
            except ServerFailed as error:
                reason = str(error)
        await asyncio.wait((errors,), timeout=ERROR_SECONDS)
        ended(reason)  # Before the stream is closed, for which the SDK fails every request.


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """The lines, each with its end. Raises ServerFailed if one is too long."""
    pieces, size = list[bytes](), 0
    while data := await stream.read(CHUNK):
        *ended, rest = data.split(b"\n")
        for line in ended:
            yield b"".join((*pieces, line, b"\n"))
            pieces, size = [], 0
        pieces.append(rest)
        size += len(rest)
        if size > LONGEST:
            raise ServerFailed("it sent a message of more than 16 MiB")
    if any(pieces):
        yield b"".join(pieces)


def _message(line: bytes) -> "SessionMessage | str":
    """A message; what is none, such as a line that a program prints by mistake, is text for the log."""
    try:
        return SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False))
    except ValueError:
        return line[:4_000].decode(errors="replace")


async def _exit_words(process: asyncio.subprocess.Process) -> str:
    if not await _has_exited(process, END_SECONDS[0]):
        return "it has closed its output"
    code = process.returncode or 0
    return f"it was ended by {signal.Signals(-code).name}" if code < 0 else f"it ended with exit code {code}"


async def _has_exited(process: asyncio.subprocess.Process, seconds: float) -> bool:
    """Whether a program exits within so many seconds. Its own `wait` also waits for what else holds its pipes."""
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            while process.returncode is None:
                await asyncio.sleep(POLL_SECONDS)
    return process.returncode is not None


async def _write(process: asyncio.subprocess.Process, outgoing: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async with outgoing:
        with suppress(ConnectionError):
            async for item in outgoing:
                message: Any = item.message
                line: bytes = message.__pydantic_serializer__.to_json(message, by_alias=True, exclude_unset=True)
                process.stdin.write(line + b"\n")
                await process.stdin.drain()


async def _read_errors(process: asyncio.subprocess.Process, log: LogBuffer, logged: Callable[[], None]) -> None:
    assert process.stderr is not None
    rest = b""
    while data := await process.stderr.read(CHUNK):
        *lines, rest = (rest + data)[-2 * CHUNK :].split(b"\n")
        log.add(b"\n".join(lines).decode(errors="replace"))
        logged()
        await asyncio.sleep(CHUNK_SECONDS)
    log.add(rest.decode(errors="replace"))
    logged()


async def _end(process: asyncio.subprocess.Process) -> None:
    """Close the program's input, and end it with its process group if it goes on."""
    assert process.stdin is not None
    process.stdin.close()
    for seconds, number in zip(END_SECONDS, (signal.SIGTERM, signal.SIGKILL, None), strict=True):
        if await _has_exited(process, seconds):
            break
        if number is not None:
            _signal(process.pid, number)
    _signal(process.pid, signal.SIGKILL)  # What it has started and left behind.


def _signal(group: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
