"""Which engine a pane gets."""

import sys

import pytest

from fugue_tui.errors import SpawnFailed
from fugue_tui.geometry import Size
from fugue_tui.terminal.engines import make_emulator

SIZE = Size(20, 4)


def test_the_engine_that_is_named_is_made() -> None:
    assert make_emulator("ghostty", SIZE).engine == "ghostty"
    assert make_emulator("pyte", SIZE).engine == "pyte"


def test_where_the_native_library_does_not_load_the_fallback_says_what_it_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def missing() -> None:
        raise OSError("no libghostty-vt here")

    monkeypatch.setattr("fugue_tui.terminal.ghostty.emulator.load", missing)
    emulator = make_emulator("ghostty", SIZE)
    assert emulator.engine == "pyte"
    assert emulator.lacks
    emulator.feed(b"still \x1b[1mworks")
    emulator.refresh()
    assert emulator.row(0).text == "still works"


def test_without_any_engine_the_pane_is_refused_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("fugue_tui.terminal.pyte")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyte", None)
    with pytest.raises(SpawnFailed, match="no terminal engine loads"):
        make_emulator("pyte", SIZE)
