"""Older rows are read without anybody's view moving."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.terminal.conftest import Spawn
from tests.terminal.saved_emulators import Make
from tests.terminal.saved_emulators import make as make

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.cells import Row, Scrollback

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.vt"))


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"\r\nline \x1b[3%dm%d\x1b[0m" % (number % 8, number) for number in range(first, last))


def rows(emulator: Emulator) -> list[Row]:
    emulator.refresh()
    return [emulator.row(y) for y in range(emulator.size.rows)]


def texts(emulator: Emulator) -> list[str]:
    return [row.text for row in rows(emulator)]


def test_scrollback_rows_are_those_that_scrolling_shows(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b]8;;https://example.com\x07link\x1b]8;;\x07" + numbered(1, 20))
    for back in range(25):
        past = emulator.past(back)()
        emulator.scroll(back)
        assert rows(emulator) == past
        emulator.scroll_to_bottom()


@pytest.mark.slow
@pytest.mark.parametrize(("cols", "later"), [(140, 70), (300, 20), (70, 140), (80, 79)])
def test_a_full_history_is_kept_when_the_screen_becomes_narrower_or_wider(make: Make, cols: int, later: int) -> None:
    emulator = make(Size(cols, 24), 10_000)
    emulator.feed(b"".join(b"%d\r\n" % number for number in range(20_000)))
    emulator.resize(Size(later, 24))
    kept = emulator.lines(0, emulator.scrollback.lines)
    assert len(kept) >= 9_900
    assert kept == [str(number) for number in range(int(kept[0]), int(kept[0]) + len(kept))]
    emulator.feed(b"more\r\n" * 30_000)
    assert 9_900 <= emulator.scrollback.lines <= 12_000


@pytest.mark.parametrize("scrolled", [0, 3, 15])
def test_the_view_stays_where_it_is(make: Make, scrolled: int) -> None:
    emulator = make()
    emulator.feed(numbered(1, 20))
    emulator.scroll(scrolled)
    before = texts(emulator)
    assert [row.text for row in emulator.past(4)()] == [f"line {number}" for number in range(11, 16)]
    assert emulator.scrollback == Scrollback(15, scrolled)
    assert not emulator.refresh().rows
    emulator.feed(numbered(20, 22))
    assert emulator.scrollback == Scrollback(17, scrolled + 2 if scrolled else 0)
    assert texts(emulator) == (before if scrolled else [f"line {number}" for number in range(17, 22)])


def test_reading_scrollback_consumes_no_damage(make: Make) -> None:
    emulator = make()
    emulator.feed(numbered(1, 20))
    emulator.refresh()
    emulator.feed(b"\x1b[2;1Hnews")
    shown = [emulator.row(y) for y in range(5)]
    emulator.past(0)
    emulator.past(3)
    assert [emulator.row(y) for y in range(5)] == shown
    assert emulator.refresh().rows == (1,)
    assert emulator.row(1).text == "news 16"
    emulator.feed(b"\x1b[3;1Hmore")
    assert emulator.refresh().rows == (2,)
    assert emulator.past(0)()[2].text == "more 17"


def test_a_synchronized_frame_is_unchanged_after_reading_scrollback(make: Make) -> None:
    emulator = make()
    emulator.feed(b"old")
    emulator.refresh()
    emulator.feed(b"\x1b[?2026h\r\nhalf")
    emulator.refresh()
    emulator.past(0)
    emulator.feed(b" and half\x1b[?2026l")
    assert texts(emulator)[:2] == ["old", "half and half"]


def test_the_alternate_screen_has_no_scrollback(make: Make) -> None:
    emulator = make()
    emulator.feed(numbered(1, 20) + b"\x1b[?1049h\x1b[Hfull screen")
    assert emulator.past(7)()[0].text == "full screen"


@pytest.mark.slow
@given(st.sampled_from(RECORDINGS), st.integers(0, 60), st.integers(1, 400), st.sampled_from(["ghostty", "pyte"]))
def test_reading_scrollback_does_not_change_the_screen(recording: Path, back: int, step: int, engine: str) -> None:
    data = recording.read_bytes()[: step * 20]
    watched, alone = make_emulator(engine, Size(80, 24), 100), make_emulator(engine, Size(80, 24), 100)
    shown = rows(watched)
    for at in range(0, len(data), step):
        for emulator in (watched, alone):
            emulator.feed(data[at : at + step])
        watched.past(back)
        damage = watched.refresh()
        shown = [*shown[damage.shift :], *[Row(())] * damage.shift]
        for y in damage.rows:
            shown[y] = watched.row(y)
        assert shown == rows(alone)
        assert (watched.cursor, watched.scrollback) == (alone.cursor, alone.scrollback)


def test_scrollback_is_read_without_the_lock(make: Make) -> None:
    emulator = make()
    emulator.feed(numbered(1, 20))
    read = emulator.past(4)
    emulator.feed(numbered(20, 200) + b"\x1b[2J")
    emulator.refresh()
    assert [row.text for row in read()] == [f"line {number}" for number in range(11, 16)]


def test_a_closed_terminal_has_no_scrollback(spawn: Spawn) -> None:
    pane = spawn("true")
    pane.wait_exit()
    pane.terminal.close()
    assert pane.terminal.past(3) == []
