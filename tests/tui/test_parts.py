"""The roof's parts by themselves: the change of a row, the host's output, the mailbox, borders under the mouse."""

import asyncio
import os
import threading
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.tui.host_programs import cells

from fugue_tui.geometry import Axis, Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import split
from fugue_tui.layout.tree import Leaf, Node
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.tui.main_thread_queue import SLICE, MainThreadQueue
from fugue_tui.tui.ui.actions import last_pane
from fugue_tui.tui.vt_output.row_diff import Delta
from fugue_tui.tui.vt_output.writer import BACKLOG_LIMIT, HostWriter

COLS = 12
PIECES = st.lists(
    st.tuples(st.sampled_from(["", "31", "0;1", "0;4:3", "7", "48;5;20", "0"]), st.text("ab cd~", max_size=5)),
    max_size=4,
)


def painted(pieces: list[tuple[str, str]]) -> bytes:
    """A row as an emulator paints it: it ends in the default style, default blanks at its end left out."""
    emulator = GhosttyEmulator(Size(COLS, 1))
    emulator.feed("".join(f"\x1b[{look}m{text}" if look else text for look, text in pieces).encode())
    emulator.refresh()
    return emulator.paint(0, 1)[0]


@given(old=PIECES.map(painted), new=PIECES.map(painted))
def test_the_spans_turn_the_old_row_into_the_new_one(old: bytes, new: bytes) -> None:
    parts = Delta().spans(old, new, COLS)
    assert parts is not None
    shown, wanted = GhosttyEmulator(Size(COLS, 2)), GhosttyEmulator(Size(COLS, 2))
    shown.feed(b"\x1b[?7l" + old)
    wanted.feed(b"\x1b[?7l" + new)
    for column, text, _ in parts:
        shown.feed(b"\x1b[1;%dH" % (column + 1) + text)
    shown.refresh()
    wanted.refresh()
    assert cells(shown.row(0)) == cells(wanted.row(0))
    assert all(column + width <= COLS for column, _, width in parts)


def test_a_row_that_is_the_same_needs_nothing() -> None:
    assert Delta().spans(b"\x1b[31mred\x1b[m text", b"\x1b[31mred\x1b[m text", 20) == []


def test_one_changed_letter_is_one_short_piece() -> None:
    assert Delta().spans(b"hello world", b"hello_world", 20) == [(5, b"_", 1)]


@pytest.mark.parametrize("row", ["漢字", "\x1b]8;;https://x.example/\x1b\\x\x1b]8;;\x1b\\"])
def test_a_row_of_other_than_plain_cells_is_written_whole(row: str) -> None:
    assert Delta().spans(b"abc", row.encode(), 20) is None


def test_a_program_that_shows_ever_new_styles_is_still_compared() -> None:
    delta = Delta()

    def row(first: int) -> bytes:
        return b"".join(b"\x1b[0;38;5;%dmx" % style for style in range(first, first + 200)) + b"\x1b[m"

    for first in range(0, 70_000, 200):
        assert delta.spans(b"a", row(first), 201) is not None
    assert delta.spans(row(0), row(0)[:-3] + b"y", 201) == [(200, b"\x1b[0;38;5;199my\x1b[m", 1)]


# The host's output


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


async def test_a_hang_up_is_told_once_and_ends_writing(pipe: tuple[int, int]) -> None:
    host = HostWriter(pipe[1], asyncio.get_running_loop())
    told: list[bool] = []
    host.on_gone = lambda: told.append(True)
    os.close(pipe[0])
    host.write(b"x")
    host.write(b"y")
    assert told == [True]
    assert host.gone
    host.finish(0.1)


# The mailbox


async def test_posts_before_and_after_the_loop_arrive_in_order_on_its_thread() -> None:
    mailbox, seen, done = MainThreadQueue(), list[tuple[int, int]](), asyncio.Event()

    def post(number: int) -> None:
        mailbox.post(lambda: seen.append((number, threading.get_ident())))

    early = threading.Thread(target=lambda: [post(number) for number in range(100)])
    early.start()
    early.join()
    mailbox.attach()
    late = threading.Thread(target=lambda: [post(number) for number in range(100, 200)])
    late.start()
    await asyncio.get_running_loop().run_in_executor(None, late.join)
    mailbox.post(done.set)
    await asyncio.wait_for(done.wait(), 40)
    assert [number for number, _ in seen] == list(range(200))
    assert {thread for _, thread in seen} == {threading.get_ident()}


async def test_delivery_gives_way_to_the_loop_after_its_slice() -> None:
    now, seen, done = [0.0], list[str](), asyncio.Event()
    mailbox = MainThreadQueue(lambda: now[0])

    def work(number: int) -> None:
        seen.append(f"call {number}")
        now[0] += SLICE / 2

    for number in range(6):
        mailbox.post(lambda number=number: work(number))
    mailbox.post(done.set)
    mailbox.attach()
    loop = asyncio.get_running_loop()
    loop.call_soon(seen.append, "a key")
    loop.call_soon(lambda: loop.call_soon(seen.append, "another key"))
    await asyncio.wait_for(done.wait(), 40)
    assert seen == ["call 0", "call 1", "a key", "call 2", "call 3", "another key", "call 4", "call 5"]


async def test_a_call_that_breaks_does_not_stop_those_behind_it() -> None:
    mailbox, done = MainThreadQueue(), asyncio.Event()
    faults = list[object]()
    asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context["exception"]))
    mailbox.post(lambda: list[None]()[0])
    mailbox.post(done.set)
    mailbox.attach()
    await asyncio.wait_for(done.wait(), 40)
    assert [type(fault) for fault in faults] == [IndexError]


def test_early_posts_are_told_and_late_ones_are_dropped() -> None:
    mailbox, told = MainThreadQueue(), list[bool]()
    mailbox.on_early = lambda: told.append(True)
    mailbox.post(lambda: None)
    assert told == [True]

    async def attach() -> None:
        mailbox.attach()

    asyncio.run(attach())
    mailbox.post(lambda: told.append(False))
    assert told == [True]


def test_the_last_pane_is_the_one_at_the_border_that_is_dragged() -> None:
    one, two, three = PaneId(1), PaneId(2), PaneId(3)
    node: Node = split(Leaf(one), one, two, Axis.HORIZONTAL, 0.5)
    node = split(node, two, three, Axis.VERTICAL, 0.5)
    assert last_pane(node, Axis.HORIZONTAL) == two
    assert last_pane(node, Axis.VERTICAL) == one
    assert last_pane(Leaf(three), Axis.VERTICAL) == three
