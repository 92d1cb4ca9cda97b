"""Progress of calls, as a client sees it."""

import asyncio
import threading
from typing import Any, cast

import pytest
from mcp_types import TextContent
from tests.mcp.conftest import Served
from tests.mcp.protocol.test_deferred_results import ASKED, OPEN, asked
from tests.mcp.protocol.test_session import ERAS, client

from fugue_tui.control.core.deferred import Progress
from fugue_tui_mcp.protocol.progress import MOST, ProgressReports

pytestmark = pytest.mark.usefixtures("nothing_asked")


@pytest.fixture
def nothing_asked() -> None:
    OPEN.clear()
    ASKED.clear()


@pytest.mark.slow
@pytest.mark.parametrize("era", ERAS)
async def test_a_client_that_requested_progress_is_notified(served: Served, era: str) -> None:
    heard = list[tuple[float, float | None, str | None]]()
    halfway = asyncio.Event()

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append((progress, total, message))
        halfway.set()

    async with client(served, era) as agent:
        waiting = asyncio.create_task(agent.call_tool("fugue_test_later", {}, progress_callback=hear))
        later = await asked()
        later.report("half \x1b[31mred\u202e", 0.5)
        await asyncio.wait_for(halfway.wait(), 10)
        for text, fraction in (("again", 0.5), ("no idea", None), ("nearly", 0.9)):
            later.report(text, fraction)
        later.settle("done")
        (content,) = (await waiting).content
    assert isinstance(content, TextContent)
    assert [(total, message) for _, total, message in heard] == [
        (100, "half red"),
        (100, "again"),
        (None, "no idea"),
        (100, "nearly"),
    ]
    numbers = [number for number, _, _ in heard]
    assert numbers == sorted(set(numbers))
    assert numbers[0] == 50


class Slow:
    """A client that reads when it is let."""

    def __init__(self) -> None:
        self.reads, self.read = asyncio.Event(), asyncio.Event()
        self.heard = list[str]()

    async def report_progress(self, progress: float, total: float | None, message: str) -> None:
        self.reads.set()
        await self.read.wait()
        self.heard.append(message)


async def test_a_client_that_is_too_slow_is_skipped_ahead_and_told_so() -> None:
    slow: Any = Slow()
    reports = ProgressReports(slow)
    reports.report(Progress("being read"))
    await slow.reads.wait()
    told_elsewhere(reports, MOST + 11)
    await asyncio.sleep(0)
    slow.read.set()
    await reports.finish()
    assert slow.heard[:2] == ["being read", "[11 reports were missed]\n11"]
    assert slow.heard[2:] == [str(number) for number in range(12, MOST + 11)]


async def test_reports_that_come_all_at_once_are_skipped_too_before_any_is_sent() -> None:
    slow: Any = Slow()
    reports = ProgressReports(slow)
    told_elsewhere(reports, MOST + 1)
    await slow.reads.wait()
    slow.read.set()
    await reports.finish()
    assert slow.heard[0] == "[1 reports were missed]\n1"
    assert len(slow.heard) == MOST


def told_elsewhere(reports: ProgressReports, count: int) -> None:
    """Have reports told by another thread, and nothing sent meanwhile: the loop that sends waits for the thread."""
    thread = threading.Thread(target=lambda: [reports.report(Progress(str(number))) for number in range(count)])
    thread.start()
    thread.join()


async def test_nothing_is_sent_once_a_call_is_over() -> None:
    slow: Any = Slow()
    reports = ProgressReports(slow)
    reports.report(Progress("late"))
    await asyncio.sleep(0)
    reports.stop()
    slow.read.set()
    await asyncio.sleep(0)
    assert slow.heard == []


async def test_what_is_told_after_a_call_is_over_is_not_sent() -> None:
    slow: Any = Slow()
    slow.read.set()
    reports = ProgressReports(slow)
    reports.report(Progress("in time"))
    await slow.reads.wait()
    await reports.finish()
    reports.report(Progress("as it ended"))
    reports.stop()
    reports.report(Progress("too late"))
    for _ in range(5):
        await asyncio.sleep(0)
    assert slow.heard == ["in time"]


def test_progress_reported_after_the_end_of_the_workspace_causes_no_error() -> None:
    async def begun() -> ProgressReports:
        return ProgressReports(cast("Any", Slow()))

    asyncio.run(begun()).report(Progress("late"))
