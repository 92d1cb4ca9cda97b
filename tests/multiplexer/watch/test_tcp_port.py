"""Waits for local ports."""

import asyncio
import socket

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.core.deferred import run_task
from fugue_tui.errors import InvalidArgument
from fugue_tui.multiplexer.watch import tcp_port
from fugue_tui.multiplexer.watch.tcp_port import addresses, wait_for_port


def reserved() -> socket.socket:
    """A socket that has a port of this machine, without a listener yet."""
    link = socket.socket()
    link.bind(("127.0.0.1", 0))
    return link


def test_a_port_that_is_open_already_is_found_at_once(room: Room) -> None:
    with reserved() as server:
        server.listen()
        found = room.awaited(run_task(wait_for_port(server.getsockname()[1])))
    assert found.listening


def test_a_port_that_opens_later_is_found_by_the_next_attempt(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    tried, accepts = list[bool](), tcp_port._accepts  # pyright: ignore[reportPrivateUsage]

    async def noted(host: str, port: int) -> bool:
        tried.append(await accepts(host, port))
        return tried[-1]

    monkeypatch.setattr(tcp_port, "_accepts", noted)
    with reserved() as server:
        later = run_task(wait_for_port(server.getsockname()[1], "127.0.0.1"))
        room.until(lambda: len(tried) == 3)
        server.listen()
        found = room.awaited(later)
    assert found.listening
    assert tried == [False, False, False, True]


def test_a_port_that_stays_closed_takes_the_time_that_was_given(room: Room) -> None:
    with reserved() as server:
        found = room.awaited(run_task(wait_for_port(server.getsockname()[1], "::1", 0.3)))
    assert not found.listening
    assert found.elapsed >= 0.3


def test_a_wait_for_a_port_that_is_cancelled_leaves_nothing(room: Room) -> None:
    with reserved() as server:
        later = run_task(wait_for_port(server.getsockname()[1], seconds=60))
        room.until(lambda: len(asyncio.all_tasks()) == 3)
        assert later.cancel()
        room.until(lambda: not asyncio.all_tasks())


def test_what_is_no_port_and_no_address_is_refused(room: Room) -> None:
    assert addresses("10.1.2.3") == ("10.1.2.3",)
    with pytest.raises(InvalidArgument, match="65535"):
        room.awaited(run_task(wait_for_port(70_000)))
    with pytest.raises(InvalidArgument, match=r"neither localhost"):
        room.awaited(run_task(wait_for_port(80, "example.com")))
