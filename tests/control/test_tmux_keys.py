"""The table of tmux's keys: complete, and as the keymap has it."""

import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from fugue_tui.config.model import KeySettings
from fugue_tui.control.keymap import canonical, keymap
from fugue_tui.control.tmux_keys import COPY_EMACS, COPY_VI, PREFIX, ROOT, page, status, why_not
from fugue_tui.terminal.input.keys import KeyPress, parse_key

PAGE = Path(__file__).parents[2] / "docs" / "tmux-keys.md"


def listed(table: str, private_dir: Path) -> set[str]:
    """The keys of a table of the tmux that is installed, which must be the one that is described."""
    program = shutil.which("tmux")
    if program is None or "3.3a" not in subprocess.run([program, "-V"], capture_output=True, text=True).stdout:
        pytest.skip("no tmux 3.3a")
    server = [program, "-S", str(private_dir / "socket"), "-f", "/dev/null"]
    lines = subprocess.run(
        [*server, "start-server", ";", "list-keys", "-T", table], capture_output=True, text=True, check=True
    ).stdout.splitlines()
    return {shlex.split(line)[shlex.split(line).index("-T") + 2] for line in lines}


@pytest.mark.parametrize(("table", "described"), [("prefix", {each.key for each in PREFIX}), ("root", set(ROOT))])
def test_every_key_of_tmux_is_in_the_table(table: str, described: set[str], private_dir: Path) -> None:
    assert listed(table, private_dir) == described


@pytest.mark.parametrize(("table", "described"), [("copy-mode-vi", COPY_VI), ("copy-mode", COPY_EMACS)])
def test_the_exceptions_of_copy_mode_are_keys_of_tmux(table: str, described: dict[str, str], private_dir: Path) -> None:
    assert set(described) <= listed(table, private_dir)


def test_the_page_says_what_the_keymap_does() -> None:
    assert PAGE.read_text() == f"{page()}\n"


@pytest.mark.parametrize("preset", ["fugue", "tmux"])
def test_a_key_that_is_not_the_same_says_what_it_does_or_why_it_does_nothing(preset: str) -> None:
    keys = keymap(KeySettings(preset="tmux" if preset == "tmux" else "fugue"))[0]
    for each in PREFIX:
        said = status(each, keys)
        assert said == "same" or said.startswith("otherwise: `") or len(said) > len("no: x")


def test_the_tmux_preset_has_more_of_tmuxs_keys_and_loses_none() -> None:
    own, theirs = (keymap(KeySettings(preset=name))[0] for name in ("fugue", "tmux"))
    same = {each.key for each in PREFIX if status(each, own) == "same"}
    assert same < {each.key for each in PREFIX if status(each, theirs) == "same"}
    assert len(same) > 45


def test_only_tmuxs_keys_are_explained() -> None:
    assert why_not(canonical(parse_key("S-Up"))).startswith("a window has the size")
    assert why_not(KeyPress("g")) == ""
