"""The status bar shows the parts that the user declares, and commands of the user's own."""

import asyncio
import time
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.config.model import Config, parse, show
from fugue_tui.config.status import StatusCommand, StatusSettings
from fugue_tui.control.command_table import windows
from fugue_tui.ids import WindowId
from fugue_tui.tui.config_reload import without_risks
from fugue_tui.tui.ui.tab_names import NEW_SECONDS, SETTLED_SECONDS, TabNames

pytestmark = pytest.mark.slow

PARTS = replace(
    CALM,
    status=StatusSettings(
        left=("workspace", "session", "tabs", "title"),
        right=("word", "hint", "clock"),
        clock="noon",
        commands=MappingProxyType({"word": StatusCommand(run=("echo", "up 3 days"))}),
    ),
)


async def tabs(stage: Stage) -> None:
    """Nine windows with names, the fifth before the user, and a split in it."""
    for number in range(2, 10):
        stage.run(windows.CreateWindow(name=f"window{number}", focus=True))
    stage.run(windows.SelectWindow(window=":5"))
    await stage.until(lambda: "[5 w" in stage.text)


async def declared(stage: Stage) -> None:
    """The declared parts, once the command has printed."""
    await tabs(stage)
    await stage.until(lambda: "up 3 days" in stage.text or stage.app.size.width < 80)


@pytest.mark.parametrize("cols", [120, 80, 40, 20])
def test_a_bar_of_ones_own(picture: Picture, cols: int) -> None:
    assert picture(declared, cols, 8, PARTS)


@pytest.mark.parametrize("cols", [120, 80, 40, 20])
def test_the_bar_as_it_comes_in_copy_mode(picture: Picture, cols: int) -> None:
    async def script(stage: Stage) -> None:
        await tabs(stage)
        await stage.prefix("[")
        await stage.until(lambda: "copy mode" in stage.text)

    assert picture(script, cols, 8)


async def test_parts_follow_the_workspace_and_commands_run_again(open_stage: Open, tmp_path: Path) -> None:
    (tmp_path / "said").write_text("one\x1b[31m\nsecond line\n")
    commands = {"said": StatusCommand(run=("cat", str(tmp_path / "said")), interval=1.0)}
    commands["bad"] = StatusCommand(run=("false",))
    right = ("said", "bad", "agents", "clients", "branch", "host", "load", "hint")
    config = replace(CALM, status=StatusSettings(right=right, commands=MappingProxyType(commands)))
    async with open_stage("cat", config=config) as stage:
        await stage.until(lambda: " one " in stage.text and " false failed " in stage.text)
        assert "second" not in stage.text
        (tmp_path / "said").write_text("two")
        await stage.until(lambda: " two " in stage.text)


async def test_a_command_that_hangs_holds_nothing_up(open_stage: Open) -> None:
    commands = MappingProxyType({"slow": StatusCommand(run=("sleep", "60"), timeout=0.2)})
    config = replace(CALM, status=StatusSettings(right=("slow", "hint"), commands=commands))
    async with open_stage("cat", config=config) as stage:
        await stage.until(lambda: "1 cat" in stage.text)
        await stage.until(lambda: "sleep failed" in stage.text)


async def test_nothing_is_read_while_no_client_is_attached(open_stage: Open, tmp_path: Path) -> None:
    line = f"echo x >> {tmp_path}/runs"
    commands = MappingProxyType({"runs": StatusCommand(run=("sh", "-c", line), interval=1.0)})
    config = replace(CALM, status=StatusSettings(right=("runs",), commands=commands))
    async with open_stage("cat", config=config) as stage:
        await stage.until(lambda: (tmp_path / "runs").exists())
        stage.app.clients.watched = False
        before = (tmp_path / "runs").read_text()
        end = time.monotonic() + 1.5
        while time.monotonic() < end:
            await asyncio.sleep(0.05)
        assert len((tmp_path / "runs").read_text()) <= len(before) + 2


async def test_a_click_on_a_part_opens_what_belongs_to_it(open_stage: Open) -> None:
    async with open_stage("cat") as stage:
        await stage.until(lambda: "1 cat" in stage.text)
        await stage.pilot.click("#status", offset=(2, 0))
        await stage.until(lambda: "windows" in stage.text)


def test_unknown_parts_are_reported_with_a_suggestion() -> None:
    text = '[status]\nleft = ["worksapce", "tabs", "hint"]\nright = ["clok", "tabs", "up", "up", "hint"]\n'
    found = parse(f'{text}[status.commands.up]\nrun = ["uptime"]\n[status.commands.clock]\nrun = []\n')
    said = "\n".join(found.faults)
    for words in (
        "did you mean workspace?",
        "did you mean clock?",
        "hint can be at the right only",
        "up is there already",
    ):
        assert words in said
    assert "clock is the name of a part" in said
    assert (found.config.status.left, found.config.status.right) == (("tabs",), ("up", "hint"))
    assert parse(show(found.config)).config == found.config


def test_a_changed_file_runs_no_new_command_by_itself() -> None:
    old = parse('[status.commands.up]\nrun = ["uptime"]\n').config
    new = parse(
        '[status]\nright = ["clock"]\n[status.commands.up]\nrun = ["evil"]\n[status.commands.x]\nrun = ["other"]\n'
    )
    safe, lines = without_risks(old, new.config)
    assert (safe.status.right, dict(safe.status.commands)) == (("clock",), dict(old.status.commands))
    assert [line.split("]")[0] for line in lines] == ["[status.commands.up", "[status.commands.x"]
    assert without_risks(old, old) == (old, [])
    assert Config().status.commands == {}


def test_a_tab_keeps_its_name_while_commands_come_and_go() -> None:
    now, waits = [100.0], list[float]()
    names, window = TabNames(lambda: now[0], waits.append), WindowId(1)
    assert [names.stable(window, name) for name in ("sh", "bash")] == ["sh", "bash"]
    now[0] += NEW_SECONDS
    assert names.stable(window, "ls") == "bash"
    assert waits == [SETTLED_SECONDS]
    now[0] += 0.1
    assert names.stable(window, "bash") == "bash"
    now[0] += SETTLED_SECONDS
    assert names.stable(window, "vim") == "bash"
    now[0] += SETTLED_SECONDS
    assert names.stable(window, "vim") == "vim"
    names.keep([])
    assert names.stable(window, "ls") == "ls"
