"""Parts of the app by themselves: the queue of the main thread, borders under the mouse."""

import asyncio
import threading

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.edit import split
from fugue_tui.layout.tree import Layout, Leaf, tiled
from fugue_tui.tui.main_thread_queue import SLICE, MainThreadQueue
from fugue_tui.tui.ui.actions import last_pane


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


def test_early_posts_are_delivered_and_late_ones_are_dropped() -> None:
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
    node: Layout = split(Leaf(one), one, two, Axis.HORIZONTAL, 0.5)
    node = split(node, two, three, Axis.VERTICAL, 0.5)
    assert last_pane(tiled(node), Axis.HORIZONTAL) == two
    assert last_pane(tiled(node), Axis.VERTICAL) == one
    assert last_pane(Leaf(three), Axis.VERTICAL) == three
