"""Messages: at once or in their turn, for as long as they take to read, and none unseen that must be known."""

import asyncio
import time
from collections.abc import Callable

import pytest

from fugue_tui.tui.ui import messages
from fugue_tui.tui.ui.messages import Messages


class Bar:
    """What was shown, message by message."""

    def __init__(self) -> None:
        self.watched = True
        self.shown: list[str] = []
        self.alerts = Messages(self._changed, lambda: self.watched)

    def _changed(self) -> None:
        self.shown.append(self.alerts.text)

    async def until(self, condition: Callable[[], object]) -> None:
        """Wait."""
        end = time.monotonic() + 40
        while not condition():
            assert time.monotonic() < end, self.shown
            await asyncio.sleep(0)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages that are over soon."""
    monkeypatch.setattr(messages, "SECONDS", 0.02)
    monkeypatch.setattr(messages, "READ_A_SECOND", 1000)


async def test_the_newest_message_is_shown_at_once_and_goes_by_itself() -> None:
    bar = Bar()
    bar.alerts.show("one")
    bar.alerts.show("two\x1b[31m")
    await bar.until(lambda: not bar.alerts.text)
    assert bar.shown == ["one", "two", ""]


async def test_important_messages_are_shown_one_after_the_other() -> None:
    bar = Bar()
    for text in ("one", "two", "two", "three"):
        bar.alerts.queue(text)
    await bar.until(lambda: bar.shown.count("") == 3)
    assert bar.shown == ["one", "", "two", "", "three", ""]


async def test_a_message_replaces_the_earlier_ones_of_its_topic_at_once() -> None:
    bar = Bar()
    for text, topic in (("not saved", "saving"), ("not logged", "audit"), ("saved again", "saving"), ("later", "")):
        bar.alerts.queue(text, topic)
    await bar.until(lambda: bar.shown.count("") == 3)
    assert bar.shown == ["not saved", "saved again", "", "not logged", "", "later", ""]


async def test_a_message_replaces_those_of_its_topic_that_wait() -> None:
    bar = Bar()
    bar.alerts.queue("not saved", "saving")
    bar.alerts.show("no such pane")
    bar.alerts.queue("saved again", "saving")
    bar.watched = False
    bar.alerts.queue("not saved", "saving")
    bar.alerts.queue("saved again", "saving")
    bar.watched = True
    await bar.until(lambda: bar.shown.count("") == 2)
    assert bar.shown == ["not saved", "no such pane", "", "saved again", ""]


async def test_a_message_cut_short_by_an_answer_is_shown_again() -> None:
    bar = Bar()
    bar.alerts.queue("not saved")
    bar.alerts.show("no such pane")
    await bar.until(lambda: bar.shown.count("") == 2)
    assert bar.shown == ["not saved", "no such pane", "", "not saved", ""]


async def test_important_messages_wait_for_an_attached_client() -> None:
    bar = Bar()
    bar.watched = False
    for number in range(9):
        bar.alerts.queue(f"message {number}")
    assert bar.shown == []
    bar.watched = True
    bar.alerts.show_next()
    await bar.until(lambda: bar.shown.count("") == messages.MOST)
    assert bar.shown[::2] == [f"message {number}" for number in range(4, 9)]


async def test_a_message_cut_short_by_detaching_is_shown_again() -> None:
    bar = Bar()
    bar.alerts.queue("not saved")
    bar.watched = False
    await bar.until(lambda: bar.shown == ["not saved", ""])
    bar.watched = True
    bar.alerts.show_next()
    assert bar.alerts.text == "not saved"


async def test_long_messages_stay_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    bar, loop, stays = Bar(), asyncio.get_running_loop(), list[float]()

    def call_later(seconds: float, call: Callable[[], object]) -> asyncio.Handle:
        stays.append(seconds)
        return loop.call_soon(call)

    monkeypatch.setattr(loop, "call_later", call_later)
    for text in ("x" * 100, "x"):
        bar.alerts.show(text)
        await bar.until(lambda: not bar.alerts.text)
    assert stays == [100 / messages.READ_A_SECOND, messages.SECONDS]


async def test_a_notification_waits_for_a_message_that_lasts_and_of_several_the_newest() -> None:
    bar = Bar()
    bar.alerts.show_lasting("copied")
    bar.alerts.notify("one")
    bar.alerts.notify("two")
    await bar.until(lambda: bar.shown.count("") == 2)
    assert bar.shown == ["copied", "", "two", ""]


async def test_a_message_that_lasts_is_shown_again_after_another() -> None:
    bar = Bar()
    bar.alerts.show_lasting("copied")
    bar.alerts.show("no such pane")
    await bar.until(lambda: bar.shown.count("") == 2)
    assert bar.shown == ["copied", "no such pane", "", "copied", ""]


async def test_of_several_messages_that_last_the_latest_is_shown() -> None:
    bar = Bar()
    for text in ("one", "two", "three"):
        bar.alerts.show_lasting(text)
    await bar.until(lambda: not bar.alerts.text)
    assert bar.shown == ["one", "two", "three", ""]
