"""Textual's driver of a workspace."""

import asyncio
from typing import Any

import pytest
from tests.tui.conftest import Open

from fugue_tui.tui.driver import TerminalDriver


def _task(loop: asyncio.AbstractEventLoop, work: Any, **more: Any) -> "asyncio.Task[Any]":
    return asyncio.Task(work, loop=loop, **more)


async def test_tasks_begin_after_they_are_created_in_every_version_of_python(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        monkeypatch.setattr(stage.app, "driver_started", lambda: None)
        loop = asyncio.get_running_loop()
        loop.set_task_factory(_task)
        TerminalDriver(stage.app).start_application_mode()
        assert loop.get_task_factory() is None
