"""Every key of tmux's copy mode does what tmux 3.3a did on the same text, which `tmux_copy_keys.json` recorded, but for
those of which `docs/tmux-keys.md` says something else."""

import json
from typing import Any

import pytest
from msgspec.structs import replace
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
ROWS = 23


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


def key(word: str) -> KeyPress:
    if word in ("Space", "C-Space"):
        return KeyPress("space", text=" ") if word == "Space" else KeyPress("@", Modifiers.CTRL)
    return KeyPress(word, text=word) if len(word) == 1 else parse_key(word)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["vi", "emacs"])
async def test_copy_mode_is_tmuxs(open_stage: Open, mode: str, tmp_path: Any) -> None:
    (tmp_path / "text").write_text(RECORDED["text"])
    described = COPY_VI if mode == "vi" else COPY_EMACS
    config = replace(CALM, keys=KeySettings(copy_mode="vi" if mode == "vi" else "emacs"))
    wrong, tried = list[str](), 0
    async with open_stage("sh", "-c", f"cat {tmp_path}/text; exec cat", config=config) as stage:
        await stage.until_text("last foo bar foo")
        for name, each in RECORDED[mode].items():
            if name in described or "prompt" in each["does"] or "search" in each["does"]:
                continue
            for scene in [scene for scene in ("selecting", "plain") if scene in each]:
                while stage.terminal().copy_mode.reads:
                    press(stage, "q")
                stage.terminal().copy_mode.deselect()  # What was copied stays marked.
                stage.app.keyboard.start_copy_mode()
                press(stage, " ".join(SCENES[mode][: 1 if scene == "plain" else 2]))
                press(stage, name)
                tried += 1
                if (found := state(stage)) != (wanted := theirs(stage, each[scene])):
                    wrong.append(f"{name} {scene} {each['does']}: {found}, in tmux {wanted}")
    assert not wrong, "\n".join(wrong)
    assert tried > 60
