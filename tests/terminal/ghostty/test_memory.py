"""What the first engine keeps is what was asked for, and given back."""

import pytest
from tests.terminal.ghostty.ghostty_screens import MIB, Make, memory, texts
from tests.terminal.ghostty.ghostty_screens import make as make

from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("start", [b"\x1b]0;", b"\x1b]52;c;", b"\x1bP", b"\x1b_G", b"\x1b[", b"\x1b]133;", b"\x1b]8;;"])
def test_an_endless_string_takes_little_memory(make: Make, start: bytes) -> None:
    emulator = make()
    chunk = memoryview(b"1" * MIB)
    before = memory()
    emulator.feed(start)
    for _ in range(25):
        emulator.feed(chunk)
    emulator.feed(b"\x1b\\\x1bcnext")
    assert memory() - before < 20 * MIB
    assert texts(emulator)[0] == "next"


@pytest.mark.parametrize("lines", [100, 1_000, 10_000])
def test_the_lines_that_were_asked_for_are_kept_and_not_many_more(make: Make, lines: int) -> None:
    emulator = make(cols=80, scrollback=lines)
    for number in range(0, 4 * lines, 100):
        emulator.feed(b"".join(b"line %d\r\n" % (number + offset) for offset in range(100)))
    assert lines <= emulator.scrollback.lines <= 1.2 * lines + 1_500
    kept = emulator.lines(0, emulator.scrollback.lines)
    assert kept[-1] == f"line {4 * lines - 5}"
    assert kept == [f"line {4 * lines - 4 - len(kept) + at}" for at in range(len(kept))]


def test_no_scrollback_keeps_nothing(make: Make) -> None:
    emulator = make(scrollback=0)
    emulator.feed(b"line\r\n" * 1_000)
    assert emulator.scrollback.lines == 0


def test_costly_lines_are_kept_too(make: Make) -> None:
    emulator = make(cols=80, scrollback=2_000)
    line = ("👩\u200d🚀 " * 25).encode() + b"\r\n"
    for _ in range(60):
        emulator.feed(line * 500)
    assert emulator.scrollback.lines >= 2_000


def test_quiet_scrollback_can_be_compacted_and_read_again(make: Make) -> None:
    emulator = make(cols=120, scrollback=10_000)
    emulator.feed(b"".join(b"line %d\r\n" % number for number in range(12_000)))
    before = memory()
    while emulator.compact():
        pass
    assert before - memory() > 5 * MIB
    assert not emulator.compact()
    last = emulator.scrollback.lines
    assert emulator.lines(last - 1, last) == ["line 11995"]


def test_closed_terminals_give_their_memory_back() -> None:
    def open_and_close() -> None:
        emulator = GhosttyEmulator(Size(80, 24), 1_000)
        emulator.feed(b"line\r\n" * 2_000)
        emulator.refresh()
        emulator.close()

    for _ in range(20):
        open_and_close()
    before = memory()
    for _ in range(200):
        open_and_close()
    assert memory() - before < 4 * MIB


def test_calls_that_come_after_the_end_do_no_harm(make: Make) -> None:
    emulator = make()
    emulator.feed(b"last words")
    emulator.refresh()
    emulator.close()
    emulator.close()
    assert (emulator.row(0).text, emulator.paint(0, 1)) == ("last words", [b"last words"])
    emulator.feed(b"\x1b[?2026h\r\nmore" * 100)
    emulator.resize(Size(9, 3))
    emulator.refresh()
    assert emulator.scrollback.lines == 0
    assert len(emulator.lines(0, 3)) == 3
