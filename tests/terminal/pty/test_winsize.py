"""Changes of size: told at once, rarely while there are many, and the last one always."""

from types import SimpleNamespace

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.pty import winsize
from fugue_tui.terminal.pty.winsize import PAUSE, Winsize


def test_many_changes_are_reported_once_and_then_the_last(monkeypatch: pytest.MonkeyPatch) -> None:
    now, told = 1_000.0, list[Size]()
    monkeypatch.setattr(winsize, "time", SimpleNamespace(monotonic=lambda: now))
    size = Winsize(Size(80, 24), told.append)
    assert size.change(Size(1, 1)) is None
    now += PAUSE / 2
    assert size.change(Size(2, 1)) == pytest.approx(PAUSE / 2)  # pyright: ignore[reportUnknownMemberType]
    assert [size.change(Size(cols, 1)) for cols in range(3, 200)] == [None] * 197
    assert told == [Size(1, 1)]
    now += PAUSE / 2
    size.catch_up()
    assert told == [Size(1, 1), Size(199, 1)]
    now += PAUSE
    assert size.change(Size(3, 1)) is None
    assert told == [Size(1, 1), Size(199, 1), Size(3, 1)]
