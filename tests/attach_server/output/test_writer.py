"""Output to a terminal that reads slowly, or not at all."""

import asyncio
import os
from collections.abc import Iterator

import pytest

from fugue_tui.attach_server.output.writer import BACKLOG_LIMIT, HostWriter


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    """A pipe whose writing end does not block: what is read, what is written."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    os.set_blocking(reader, False)
    yield reader, writer
    for fd in (reader, writer):
        try:
            os.close(fd)
        except OSError:
            continue


def drain(fd: int) -> bytes:
    """Everything that can be read now."""
    parts: list[bytes] = []
    while True:
        try:
            part = os.read(fd, 1 << 20)
        except BlockingIOError:
            return b"".join(parts)
        parts.append(part)
        if not part:
            return b"".join(parts)


async def test_bytes_arrive_in_order_however_slow_the_host_reads(pipe: tuple[int, int]) -> None:
    host, drained = HostWriter(pipe[1], asyncio.get_running_loop()), asyncio.Event()
    host.on_drain = drained.set
    sent = bytes(range(256)) * 2000
    for at in range(0, len(sent), 7777):
        host.write(sent[at : at + 7777])
    assert host.busy
    got = b""
    while not drained.is_set():
        got += drain(pipe[0])
        await asyncio.sleep(0)
    assert got + drain(pipe[0]) == sent
    assert not host.busy


async def test_a_host_that_does_not_read_costs_bounded_memory_and_a_repaint(pipe: tuple[int, int]) -> None:
    host, overflown, drained = HostWriter(pipe[1], asyncio.get_running_loop()), asyncio.Event(), asyncio.Event()
    host.on_overflow, host.on_drain = overflown.set, drained.set
    for _ in range(3 * BACKLOG_LIMIT // 65_536):
        host.write(b"x" * 65_536)
    assert host.busy
    got = b""
    while not drained.is_set():
        got += drain(pipe[0])
        await asyncio.sleep(0)
    assert overflown.is_set()
    assert len(got) < BACKLOG_LIMIT
    assert b"\x18" in got


async def test_a_hang_up_is_reported_once_and_ends_writing(pipe: tuple[int, int]) -> None:
    host = HostWriter(pipe[1], asyncio.get_running_loop())
    told: list[bool] = []
    host.on_hang_up = lambda: told.append(True)
    os.close(pipe[0])
    host.write(b"x")
    host.write(b"y")
    assert told == [True]
    assert host.hung_up
    host.finish(0.1)
