"""Every key of tmux's copy mode is pressed. It does what tmux 3.3a did on the same text, which `tmux_copy_keys.json`
recorded, or what `docs/tmux-keys.md` says instead."""

import json
import re
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.control.test_tmux_keys import listed
from tests.fork_server import REPOSITORY
from tests.tui.conftest import CALM, Open, Stage

from fugue_tui.config.model import KeySettings
from fugue_tui.control.tmux_keys import COPY_EMACS, COPY_VI
from fugue_tui.terminal.input.keys import KeyPress, Modifiers, parse_key

RECORDED: dict[str, Any] = json.loads((REPOSITORY / "tests" / "recordings" / "tmux_copy_keys.json").read_text())
SCENES = {
    "vi": ("k k k k k k 0 w w w", "Space l l l"),
    "emacs": ("Up Up Up Up Up Up C-a M-f M-f M-f", "C-Space Right Right Right"),
}
"""The keys before each key, and those that begin a selection."""
UNRECORDED = {"vi": ("C-b",), "emacs": ("C-b",)}
"""The prefix of the tmux that was recorded. `n` and `N` are in a test of their own, after a search."""
SPECIAL = {"\r": "Enter", "\x10": "C-p"}
"""What was typed at tmux's prompts, as keys."""


def state(stage: Stage) -> tuple[int, int, int] | None:
    """The cursor's column and line, counted from the top of the screen when it is not scrolled, and whether there is a
    selection; None outside of copy mode."""
    live = stage.terminal()
    reader = live.copy_mode.reader
    if not live.copy_mode.reads or reader is None:
        return None
    return reader.x, reader.y - live.scrollback.offset, int(live.copy_mode.selected is not None)


def theirs(stage: Stage, found: list[int]) -> tuple[int, int, int] | None:
    """What tmux says, whose cursor may be behind the last character of a line, and on blanks at its end."""
    if not found[0]:
        return None
    _, x, y, offset, selected = found
    top = stage.terminal().scrollback.top
    line = next(iter(stage.terminal().lines(top + y - offset, top + y - offset + 1)), "").rstrip()
    return min(x, max(len(line) - 1, 0)), y - offset, selected


def press(stage: Stage, words: str) -> None:
    """Press keys in copy mode at once."""
    for word in words.split():
        stage.app.keyboard._copy_mode.press(key(word), 0)  # pyright: ignore[reportPrivateUsage]


async def press_key(stage: Stage, name: str, then: str) -> None:
    """Press the key that is tried and what follows it, and wait until a search that it began has ended."""
    press(stage, name)
    press(stage, " ".join(SPECIAL.get(char, char) for char in then))
    await stage.until(lambda: not searches(stage))


def searches(stage: Stage) -> bool:
    """Whether text is being searched on another thread."""
    mode = stage.app.keyboard._copy_mode._mode  # pyright: ignore[reportPrivateUsage]
    return mode is not None and mode.search is not None and mode.search._task is not None  # pyright: ignore[reportPrivateUsage]


def enter(stage: Stage, keys: str) -> None:
    """Start copy mode anew, and press keys there."""
    while stage.terminal().copy_mode.reads:
        press(stage, "q")
    stage.terminal().copy_mode.deselect()  # What was copied stays marked.
    stage.app.keyboard.start_copy_mode()
    press(stage, keys)


def key(word: str) -> KeyPress:
    if word in ("Space", "C-Space"):
        return KeyPress("space", text=" ") if word == "Space" else KeyPress("@", Modifiers.CTRL)
    return KeyPress(word, text=word) if len(word) == 1 else parse_key(word)


def copying(open_stage: Open, mode: str, directory: Path) -> AbstractAsyncContextManager[Stage]:
    """A pane with the text on which tmux was recorded."""
    (directory / "text").write_text(RECORDED["text"])
    config = replace(CALM, keys=KeySettings(copy_mode="vi" if mode == "vi" else "emacs"))
    return open_stage("sh", "-c", f"cat {directory}/text; exec cat", config=config)


@pytest.mark.parametrize(("mode", "table"), [("vi", "copy-mode-vi"), ("emacs", "copy-mode")])
def test_no_key_of_tmux_is_left_out(mode: str, table: str, private_dir: Path) -> None:
    keys = {key for key in listed(table, private_dir) if not re.search("Mouse|Wheel|Click", key)}
    assert keys == {*RECORDED[mode], *UNRECORDED[mode], "n", "N"}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["vi", "emacs"])
async def test_copy_mode_is_tmuxs(open_stage: Open, mode: str, tmp_path: Path) -> None:
    described = COPY_VI if mode == "vi" else COPY_EMACS
    wrong, tried = list[str](), set[str]()
    async with copying(open_stage, mode, tmp_path) as stage:
        await stage.until_text("last foo bar foo")
        for name, each in RECORDED[mode].items():
            if name in described:
                continue
            for scene in [scene for scene in ("selecting", "plain") if scene in each]:
                enter(stage, " ".join(SCENES[mode][: 1 if scene == "plain" else 2]))
                await press_key(stage, name, each["then"])
                tried.add(name)
                if (found := state(stage)) != (wanted := theirs(stage, each[scene])):
                    wrong.append(f"{name} {scene} {each['does']}: {found}, in tmux {wanted}")
    assert not wrong, "\n".join(wrong)
    assert len(tried) > 45


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["vi", "emacs"])
async def test_keys_of_copy_mode_that_differ_are_without_effect_or_have_one(
    open_stage: Open, mode: str, tmp_path: Path
) -> None:
    described = COPY_VI if mode == "vi" else COPY_EMACS
    wrong = list[str]()
    async with copying(open_stage, mode, tmp_path) as stage:
        await stage.until_text("last foo bar foo")
        recorded = RECORDED[mode]
        for name, said in {**dict.fromkeys(UNRECORDED[mode], "same"), **described}.items():
            effects, lacks = set[bool](), said.startswith("no: ")
            for scene in SCENES[mode], SCENES[mode][:1]:
                enter(stage, " ".join(scene))
                before = (state(stage), stage.terminal().scrollback.offset)
                await press_key(stage, name, recorded[name]["then"] if not lacks and name in recorded else "")
                effects.add((state(stage), stage.terminal().scrollback.offset) != before)
            if (True in effects) == lacks:
                wrong.append(f"{name}: {said}, but it {'has an' if True in effects else 'has no'} effect")
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["vi", "emacs"])
async def test_n_and_shift_n_go_through_the_matches_of_a_search(open_stage: Open, mode: str, tmp_path: Path) -> None:
    async with copying(open_stage, mode, tmp_path) as stage:
        await stage.until_text("last foo bar foo")
        enter(stage, SCENES[mode][0])
        await press_key(stage, "/" if mode == "vi" else "C-s", "foo\r")
        places = [state(stage)]
        for name in ("n", "N", "N"):
            await press_key(stage, name, "")
            places.append(state(stage))
        first, second = (5, 21, 0), (13, 21, 0)
        assert places == [first, second, first, second]
