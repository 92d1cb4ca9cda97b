"""What a person asked for and gets later."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.tui.conftest import Open, Stage

from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.errors import NotFound


class ErrandProbe(Command[str], name="errand-probe", effect=Effect.READ, plain=True):
    """Answer when the test says so."""

    def run(self, mux: Any, origin: Origin) -> Deferred[str]:
        OPEN.append(later := Deferred[str](lambda: STOPPED.append(later)))
        return later


OPEN, STOPPED = list[Deferred[str]](), list[Deferred[str]]()


@pytest.fixture(autouse=True)
def nothing_asked() -> Iterator[None]:
    yield
    OPEN.clear()
    STOPPED.clear()


def asked(stage: Stage) -> Deferred[str]:
    stage.app.commands.run(ErrandProbe())
    return OPEN[-1]


@pytest.mark.slow
async def test_a_deferred_result_is_shown_when_it_arrives(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        later = asked(stage)
        await stage.until(lambda: "errand-probe: running" in stage.text)
        later.report("half of it", 0.5)
        await stage.until(lambda: "errand-probe: half of it (50%)" in stage.text)
        later.settle("all of it")
        await stage.until(lambda: "errand-probe: all of it" in stage.text)


async def test_the_error_of_a_deferred_result_is_shown(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        asked(stage).fail(NotFound("nothing there; look elsewhere"))
        await stage.until(lambda: "errand-probe: nothing there; look elsewhere" in stage.text)
        asked(stage).fail(ValueError("a secret"))
        await stage.until(lambda: "internal error: ValueError" in stage.text)
        assert "a secret" not in stage.text


async def test_prefix_escape_cancels_and_escape_alone_goes_to_the_program(open_stage: Open) -> None:
    async with open_stage("sh", "-c", "stty -echo -icanon; od -An -c") as stage:
        later = asked(stage)
        await stage.press("escape")
        assert not later.done
        await stage.prefix("escape")
        await stage.until(lambda: "no caller waits for the result" in stage.text)
        assert [later] == STOPPED
        await stage.prefix("escape")
        assert [later] == STOPPED


async def test_a_reading_opens_a_page_when_it_comes(open_stage: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    from fugue_tui.control.core import command

    monkeypatch.setitem(command._registry, "errand-probe", ErrandProbe)  # pyright: ignore[reportPrivateUsage]
    async with open_stage("cat") as stage:
        stage.app.commands.run_line("errand-probe")
        OPEN[-1].settle("a page of it")
        await stage.until(lambda: not stage.app.on_panes and "a page of it" in stage.text)
