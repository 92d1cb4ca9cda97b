"""The first change of a state is shown at once, and those that follow are shown together."""

import asyncio
from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

from fugue_tui.ids import PaneId
from fugue_tui.tui.status_updates import StatusUpdates


class Shown:
    """Collects the updates."""

    def __init__(self, *, watched: bool = True) -> None:
        anything: Any = SimpleNamespace(watched=watched)
        self.states = list[set[PaneId]]()
        self.all = 0
        self.came = asyncio.Event()
        self.held_until = 0.0
        self.updates = StatusUpdates(
            anything, anything, self._update, self._update_states, lambda: 0.0, lambda: self.held_until
        )

    @property
    def due(self) -> float:
        """When the next states are shown."""
        timer = self.updates._soon  # pyright: ignore[reportPrivateUsage]
        assert timer is not None
        return timer.when()

    def _update(self) -> None:
        self.all += 1

    def _update_states(self, changed: Collection[PaneId]) -> None:
        self.states.append(set(changed))
        self.came.set()

    async def next(self) -> None:
        async with asyncio.timeout(10):
            await self.came.wait()
        self.came.clear()


async def test_a_stream_of_changes_is_shown_once_a_pause() -> None:
    shown, panes = Shown(), [PaneId(number) for number in range(1, 17)]
    shown.updates.state_changed(panes[0])
    await shown.next()
    for pane in panes * 10:
        shown.updates.state_changed(pane)
    await asyncio.sleep(0)
    assert shown.states == [{panes[0]}]
    await shown.next()
    assert shown.states == [{panes[0]}, set(panes)]


async def test_an_update_of_everything_shows_the_changes_too() -> None:
    shown = Shown()
    shown.updates.state_changed(PaneId(1))
    shown.updates.request()
    shown.updates.updated()
    shown.updates.state_changed(PaneId(2))
    await shown.next()
    assert (shown.all, shown.states) == (1, [{PaneId(2)}])


async def test_what_agents_say_in_their_states_is_shown_together_and_later_than_a_change_of_one() -> None:
    shown = Shown()
    shown.updates.words_changed(PaneId(1))
    await shown.next()
    shown.updates.words_changed(PaneId(2))
    waits = shown.due
    shown.updates.state_changed(PaneId(3))
    assert shown.due < waits
    shown.updates.words_changed(PaneId(4))
    await shown.next()
    assert shown.states == [{PaneId(1)}, {PaneId(3)}]
    await shown.next()
    assert shown.states == [{PaneId(1)}, {PaneId(3)}, {PaneId(2), PaneId(4)}]


async def test_states_are_shown_after_the_answer_to_a_key() -> None:
    shown = Shown()
    loop = asyncio.get_running_loop()
    shown.held_until = loop.time() + 0.02
    shown.updates.state_changed(PaneId(1))
    await shown.next()
    assert loop.time() >= shown.held_until
    assert shown.states == [{PaneId(1)}]


async def test_nothing_is_drawn_without_an_attached_client() -> None:
    shown = Shown(watched=False)
    shown.updates.state_changed(PaneId(1))
    shown.updates.request()
    await asyncio.sleep(0)
    assert (shown.all, shown.states) == (0, [])
