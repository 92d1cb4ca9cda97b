"""Loading the native library: fast from the cache, slow but sure without it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

_SCRIPT = """
import sys
from fugue_tui.terminal.ghostty.binding import load
assert load().lib.GHOSTTY_TERMINAL_OPT_BELL == 2
print("pycparser" in sys.modules, "pyghostty" in sys.modules)
"""


def parses(cache: Path | str) -> bool:
    """Load in a fresh interpreter; whether the C declarations had to be parsed."""
    env = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    done = subprocess.run([sys.executable, "-c", _SCRIPT], env=env, capture_output=True, text=True, check=True)
    parsed, imported = done.stdout.split()
    assert (imported, done.stderr) == ("False", "")
    return parsed == "True"


def kept(cache: Path) -> Path:
    (file,) = (cache / "fugue-tui").iterdir()
    return file


def test_declarations_are_parsed_once(tmp_path: Path) -> None:
    assert [parses(tmp_path), parses(tmp_path)] == [True, False]
    assert kept(tmp_path).stat().st_mode & 0o777 == 0o600
    assert kept(tmp_path).parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("damage", [b"", b"abc", b"\0" * 1000], ids=["empty", "short", "zeros"])
def test_a_damaged_cache_is_made_again(tmp_path: Path, damage: bytes) -> None:
    parses(tmp_path)
    kept(tmp_path).write_bytes(damage)
    assert [parses(tmp_path), parses(tmp_path)] == [True, False]


def test_a_cache_that_others_can_write_is_not_believed(tmp_path: Path) -> None:
    parses(tmp_path)
    kept(tmp_path).chmod(0o666)
    assert parses(tmp_path)
    (tmp_path / "fugue-tui").chmod(0o777)
    assert parses(tmp_path)


def test_a_linked_cache_is_not_believed(tmp_path: Path) -> None:
    parses(tmp_path)
    file = kept(tmp_path)
    file.rename(tmp_path / "elsewhere")
    file.symlink_to(tmp_path / "elsewhere")
    assert parses(tmp_path)


@pytest.mark.parametrize("cache", ["/proc/no/such/place", "relative"])
def test_without_a_cache_it_loads_the_slow_way(cache: str) -> None:
    assert parses(cache)


def test_a_disk_that_is_full_is_left_without_a_piece_of_it(tmp_path: Path) -> None:
    script = "import os\nos.replace = lambda *_: os.fstat(-1)\n" + _SCRIPT
    subprocess.run([sys.executable, "-c", script], env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)}, check=True)
    assert not list((tmp_path / "fugue-tui").iterdir())
