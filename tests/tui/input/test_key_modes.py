"""Modes of keys, and the presets: what is pressed is done, and the status bar says so."""

from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, Open, Stage

from fugue_tui.config.model import Config, KeySettings
from fugue_tui.control.commands.panes import SplitPane
from fugue_tui.control.key_presets import MODES, TMUX, ZELLIJ
from fugue_tui.control.keymap import DEFAULTS, Action, Binding, Mode, binding, canonical, keymap, steps
from fugue_tui.control.tmux_keys import PREFIX
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui_widgets.command_prompt import CommandPrompt

ZELLIJ_KEYS = replace(CALM, keys=KeySettings(preset="zellij"))
TMUX_KEYS = replace(CALM, keys=KeySettings(preset="tmux"))


async def split(stage: Stage) -> None:
    """Two panes side by side, the right one focused."""
    stage.run(SplitPane(command=("cat",), focus=True))
    await stage.until(lambda: len(stage.rects) == 2)


async def test_every_key_goes_to_the_program_until_it_is_unlocked(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.run(SplitPane(command=("cat", "-v"), focus=True))
        await stage.until(lambda: len(stage.rects) == 2)
        await stage.prefix("K")
        await stage.until(lambda: " LOCKED " in stage.text and "ctrl+g unlocks" in stage.text)
        await stage.press("alt+left", "ctrl+b", "z", "enter")
        await stage.until(lambda: "^B" in stage.text and "^[[1;3D" in stage.text)
        assert stage.mux.focused == 2
        await stage.press("ctrl+g")
        await stage.until(lambda: "LOCKED" not in stage.text)
        assert "^G" not in stage.text
        await stage.press("alt+left")
        await stage.until(lambda: stage.mux.focused == 1)


async def test_resize_and_move_mode_go_on_until_escape(open_stage: Open) -> None:
    async with open_stage() as stage:
        await split(stage)
        left, right = stage.rects[1], stage.rects[2]
        await stage.prefix("plus")
        await stage.until(lambda: " RESIZE " in stage.text)
        await stage.press("h", "h", "left")
        await stage.until(lambda: stage.rects[1].cols == left.cols - 3)
        await stage.press("x")
        await stage.until(lambda: "x does nothing in resize mode; Escape leaves it" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: " RESIZE " not in stage.text)
        await stage.prefix("W", "h")
        await stage.until(lambda: " MOVE " in stage.text and stage.rects[2].x < right.x)
        await stage.press("escape", *"typed")
        await stage.until(lambda: "typed" in stage.text)


@pytest.mark.parametrize(
    ("mode", "keys"),
    [
        (Mode.RESIZE, "h j k l = · Escape"),
        (Mode.MOVE, "h j k l · Escape"),
        (Mode.PANE, "n d r x f · Escape"),
        (Mode.TAB, "n x r 1-9 · Escape"),
        (Mode.SESSION, "d w · Escape"),
        (Mode.LOCKED, "ctrl+g unlocks"),
    ],
)
async def test_a_narrow_status_bar_says_the_mode_once_and_its_keys(open_stage: Open, mode: Mode, keys: str) -> None:
    async with open_stage(cols=40, rows=12) as stage:
        stage.app.keyboard.set_mode(mode)
        await stage.until(lambda: keys in stage.text)
        assert stage.text.count(mode.upper()) == 1


async def test_zellij_keys_need_no_prefix(open_stage: Open) -> None:
    async with open_stage(config=ZELLIJ_KEYS) as stage:
        await stage.until(lambda: "ctrl+p pane · ctrl+t tab" in stage.text)
        await stage.press("ctrl+p")
        await stage.until(lambda: " PANE " in stage.text)
        await stage.press("r")
        await stage.until(lambda: len(stage.rects) == 2 and " PANE " not in stage.text)
        await stage.press("alt+h")
        await stage.until(lambda: stage.mux.focused == 1)
        await stage.press("ctrl+t", "n")
        await stage.until(lambda: len(stage.mux.workspace.windows) == 2)
        await stage.press("ctrl+t", "1")
        await stage.until(lambda: stage.mux.workspace.active == 1)
        await stage.press("ctrl+n")
        await stage.until(lambda: " RESIZE " in stage.text)
        await stage.press("ctrl+n", "ctrl+g")
        await stage.until(lambda: " LOCKED " in stage.text)


@pytest.mark.parametrize("keys", [["ctrl+s"], ["ctrl+b", "left_square_bracket"]])
async def test_copy_mode_gets_its_keys_whatever_mode_it_is_started_in(open_stage: Open, keys: list[str]) -> None:
    async with open_stage(config=ZELLIJ_KEYS) as stage:
        await stage.press("ctrl+p")
        await stage.until(lambda: " PANE " in stage.text)
        await stage.press(*keys)
        await stage.until(lambda: stage.app.keyboard.mode and " PANE " not in stage.text)
        await stage.press("escape", *"typed")
        await stage.until(lambda: "typed" in stage.text)


async def test_tmux_keys_select_windows_and_open_the_command_line(open_stage: Open) -> None:
    async with open_stage(config=TMUX_KEYS) as stage:
        await stage.prefix("c")
        await stage.until(lambda: stage.mux.workspace.active == 2 and "P palette" in stage.text)
        await stage.prefix("p")
        await stage.until(lambda: stage.mux.workspace.active == 1)
        await stage.prefix("colon")
        await stage.until(lambda: isinstance(stage.app.screen, CommandPrompt))


LINES = {f"{mode} {key}": line for mode, table in MODES.items() for key, line in table.items()}


@pytest.mark.parametrize("line", [*TMUX.values(), *ZELLIJ.values(), *LINES.values()])
def test_every_key_of_a_preset_is_something_that_can_be_done(line: str) -> None:
    for step in steps(binding(line)):
        assert (step.action is None) != (step.command is None)


@pytest.mark.parametrize("table", [DEFAULTS, {**DEFAULTS, **TMUX}, ZELLIJ, *MODES.values()])
def test_no_two_keys_of_a_table_are_the_same_key(table: dict[str, str]) -> None:
    assert len({canonical(parse_key(key)) for key in table}) == len(table)


def test_the_users_own_keys_come_before_those_of_the_preset() -> None:
    mine = KeySettings(preset="zellij", direct=MappingProxyType({"ctrl+p": "", "ctrl+t": "help"}))
    keys, faults = keymap(mine)
    assert not faults
    assert canonical(parse_key("ctrl+p")) not in keys.always
    assert keys.always[canonical(parse_key("ctrl+t"))].action is Action.HELP


@pytest.mark.parametrize("config", [CALM, TMUX_KEYS], ids=["fugue", "tmux"])
async def test_every_key_of_tmux_does_something_or_says_why_not(
    open_stage: Open, config: Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage(config=config) as stage:
        ran, run, keys = list[Binding](), stage.app.actions.run, stage.app.keyboard

        def record(binding: Binding) -> None:
            ran.append(binding)
            run(binding)

        monkeypatch.setattr(stage.app.actions, "run", record)
        for each in PREFIX:
            await split(stage) if len(stage.mux.workspace.panes) < 2 else None
            press = parse_key(each.key)
            keys.press(keys.keymap.prefix)
            assert keys.press(press) == (each.key != "C-b")
            await stage.pilot.pause()
            if canonical(press) in keys.keymap.prefixed:
                assert ran.pop() == keys.keymap.prefixed[canonical(press)]
            elif each.key != "C-b":
                assert stage.app.alerts.text.endswith(f"does nothing; {each.note}")
            while not stage.app.on_panes or keys.mode:
                await stage.press("escape")
