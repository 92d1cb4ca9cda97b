"""Rows as VT text: drawn on a second screen, they must give the same cells, whatever the first was fed."""

import re
from random import Random

import pytest
from msgspec.structs import replace

from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.screen.cells import PLAIN, Row, Style

_WORDS = [
    "a", "b c", "漢", "字", "é", "e\u0301", "👩\u200d🚀", "🇩🇪", "\u202e", "\x7f", "\u200b", "x\u2066y", "\t", "   ",
    "─│┌", "\xa0", "\xad", "👍🏽", "❤️", "\U0010ffff", "ก็", "\x85", "\ue0b0", "ﷺ", "한", "①", "·", "\u3000",
    "w" * 30, "漢" * 20,
]  # fmt: skip
_STYLES = [
    "0", "1", "2", "3", "4", "4:3", "4:0", "5", "7", "8", "9", "53", "21", "22", "27", "31", "42", "93", "104", "39",
    "49", "38;5;123", "48;5;226", "38;2;1;2;3", "48;2;9;8;7", "58;5;3", "58:2::1:2:3", "59",
]  # fmt: skip
_CONTROLS = [
    "\x1b[?1049h", "\x1b[?1049l", "\x1b7", "\x1b8", "\x1b[?7l", "\x1b[?7h", "\x1b[4h", "\x1b[4l", "\x1b[2;4r", "\x1b[r",
    "\x1b(0", "\x1b(B", "\x1bM", "\x1b]8;;http://x\x07", "\x1b]8;;\x07", "\x1b]4;3;#123456\x07", "\x1b]104\x07",
    "\x1b]11;#223344\x07", "\x1b]111\x07", "\x1b[?5h", "\x1b[?5l", "\x1bc", "\x1b#8", "\x1b[?40h\x1b[?3h",
]  # fmt: skip


def babble(random: Random, size: Size) -> bytes:
    """Output that no program would make."""
    out: list[str] = []
    for _ in range(random.randrange(5, 120)):
        kind = random.random()
        if kind < 0.45:
            out.append(random.choice(_WORDS))
        elif kind < 0.65:
            out.append(f"\x1b[{';'.join(random.choices(_STYLES, k=random.randrange(1, 3)))}m")
        elif kind < 0.80:
            out.append(f"\x1b[{random.randrange(1, size.rows + 2)};{random.randrange(1, size.cols + 2)}H")
        elif kind < 0.92:
            out.append(f"\x1b[{random.choice(['', '1', '2', '5'])}{random.choice('ABCDEFGIJKLMPSTX@Zb')}")
        elif kind < 0.95:
            out.append("\r\n" * random.randrange(1, 6))
        else:
            out.append(random.choice(_CONTROLS))
    return "".join(out).encode()


def visible(row: Row) -> list[tuple[str, Style]]:
    """Text and styles of a row, without what does not show: the colour of blanks, blanks at the end."""
    cells: list[tuple[str, Style]] = []
    for run in row.runs:
        style = run.style
        lines = style.inverse or style.underline or style.strikethrough or style.overline
        blank = style if lines else replace(PLAIN, bg=style.bg)
        for text in re.findall(" +|[^ ]+", run.text):
            shown = blank if text[0] == " " else style
            if cells and cells[-1][1] == shown:
                cells[-1] = (cells[-1][0] + text, shown)
            else:
                cells.append((text, shown))
    if cells and cells[-1][1] == PLAIN:
        text, _ = cells.pop()
        cells += [(text.rstrip(" "), PLAIN)] if text.strip(" ") else []
    return cells


def drawn(emulator: GhosttyEmulator) -> list[list[tuple[str, Style]]]:
    """What a host shows that is sent the painted rows."""
    host = GhosttyEmulator(emulator.size, 0)
    for y, row in enumerate(emulator.paint(0, emulator.size.rows)):
        host.feed(b"\x1b[%d;1H" % (y + 1) + row)
    host.refresh()
    rows = [visible(host.row(y)) for y in range(emulator.size.rows)]
    host.close()
    return rows


def shown(emulator: GhosttyEmulator) -> list[list[tuple[str, Style]]]:
    return [visible(emulator.row(y)) for y in range(emulator.size.rows)]


@pytest.mark.parametrize("seed", range(40))
def test_painted_rows_and_damage_give_the_screen(seed: int) -> None:
    random = Random(seed)
    size = Size(random.randrange(2, 45), random.randrange(1, 12))
    emulator = GhosttyEmulator(size, 100)
    kept: list[bytes] = []
    for _ in range(8):
        emulator.feed(babble(random, size))
        if random.random() < 0.2:
            emulator.scroll(random.randrange(-5, 6))
        if random.random() < 0.1:
            size = Size(random.randrange(2, 45), random.randrange(1, 12))
            emulator.resize(size)
        damage, painted = emulator.refresh(), emulator.paint(0, size.rows)
        kept = kept[damage.shift :] + [b"?"] * damage.shift if len(kept) == size.rows else [b"?"] * size.rows
        for y in damage.rows:
            kept[y] = painted[y]
        assert kept == painted
        assert drawn(emulator) == shown(emulator)
    emulator.close()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"\x1b[44m\x1b[K", id="a row with only a background"),
        pytest.param(b"a\r\n\x1b[44m\x1b[3X\x1b[m\r\nb", id="a part of a row with only a background"),
        pytest.param(b"\x1b[44mA\x1b[m\x1b[5G\x1b[44mB", id="a gap between two backgrounds"),
        pytest.param(b"\x1b[4mA\x1b[m\x1b[9GB", id="a gap after a line"),
        pytest.param(b"\x1b[44mA\x1b[m\x1b[5G\x1b[44m\x1b[3X", id="a gap before a background"),
        pytest.param("\x1b[41m漢漢漢漢漢漢漢".encode(), id="a wide character that did not fit"),
        pytest.param("\x1b(0漢\x1b(Bx".encode(), id="a wide blank of the line-drawing set"),
        pytest.param(b"\x1b[44m" + b"x" * 13 + b"\r\n\x1b[mplain", id="a style across a soft wrap"),
        pytest.param(b"\x1b[?5hx", id="a reverse screen"),
        pytest.param(b"\x1b]11;#102030\x07x", id="a redefined background"),
        pytest.param("1️⃣ ©️ x".encode(), id="wide clusters of narrow characters"),
        pytest.param(b"  \x1b[7m  \x1b[27m  ", id="inverse blanks"),
        pytest.param("e\u035c \u0361x".encode(), id="marks on a letter and on a blank"),
    ],
)
def test_what_the_formatter_gets_wrong_is_painted_right(data: bytes) -> None:
    emulator = GhosttyEmulator(Size(13, 4), 0)
    emulator.feed(data)
    emulator.refresh()
    assert drawn(emulator) == shown(emulator)
    assert any(emulator.paint(0, 4))
    emulator.close()


def test_colours_stay_the_hosts_until_the_program_redefines_them() -> None:
    emulator = GhosttyEmulator(Size(10, 2), 0)
    emulator.feed(b"\x1b[31mred")
    emulator.refresh()
    assert emulator.paint(0, 1) == [b"\x1b[0;31mred\x1b[0m"]
    emulator.feed(b"\x1b]4;1;#0a0b0c\x07")
    assert 0 in emulator.refresh().rows
    assert emulator.paint(0, 1) == [b"\x1b[0;38;2;10;11;12mred\x1b[0m"]
    emulator.feed(b"\x1b]104;1\x07\x1b]10;#010203\x07\x1b[m\x1b[Hplain")
    emulator.refresh()
    assert emulator.paint(0, 1)[0].startswith(b"\x1b[0;38;2;1;2;3mplain")
    emulator.feed(b"\x1b]110\x07")
    emulator.refresh()
    assert emulator.paint(0, 1) == [b"plain"]
    emulator.close()


def test_the_hosts_own_colours_are_answered_and_not_painted() -> None:
    emulator = GhosttyEmulator(Size(10, 2), 0)
    emulator.set_colours(0x112233, 0xF0F0F0)
    emulator.feed(b"x\x1b]11;?\x07\x1b[?996n")
    emulator.refresh()
    assert emulator.paint(0, 1) == [b"x"]
    assert b"rgb:f0f0/f0f0/f0f0" in str(emulator.take_events()).encode()
    emulator.close()


def test_a_plain_scroll_is_reported_as_a_shift() -> None:
    emulator = GhosttyEmulator(Size(20, 6), 100)
    emulator.feed(b"".join(b"line %d\r\n" % number for number in range(20)) + b"last")
    emulator.refresh()
    emulator.feed(b"\r\nnew")
    damage = emulator.refresh()
    assert (damage.shift, damage.rows) == (1, (5,))


def test_a_change_beside_a_scroll_is_damaged_too() -> None:
    emulator = GhosttyEmulator(Size(20, 6), 100)
    emulator.feed(b"".join(b"line %d\r\n" % number for number in range(20)) + b"last")
    emulator.refresh()
    emulator.feed(b"\r\nnew\x1b[2;1Hchanged")
    damage = emulator.refresh()
    assert (damage.shift, damage.rows) == (1, (1, 5))


def test_a_link_put_under_the_same_text_is_damage() -> None:
    emulator = GhosttyEmulator(Size(20, 3), 0)
    emulator.feed(b"text")
    emulator.refresh()
    emulator.feed(b"\r\x1b]8;;http://x.example\x07text\x1b]8;;\x07")
    assert emulator.refresh().rows == (0,)
    assert emulator.row(0).runs[0].link == "http://x.example"
    emulator.close()


def test_adjacent_links_are_distinguished() -> None:
    emulator = GhosttyEmulator(Size(20, 3), 0)
    emulator.feed(b"\x1b]8;;http://a\x07aaa\x1b]8;;http://b\x07bb\x1b]8;;\x07 \x1b]8;;http://c\x07c\x1b]8;;\x07")
    emulator.refresh()
    assert [(run.text, run.link) for run in emulator.row(0).runs] == [
        ("aaa", "http://a"), ("bb", "http://b"), (" ", None), ("c", "http://c"),
    ]  # fmt: skip
    emulator.close()


def test_a_row_can_be_read_while_the_terminal_is_fed() -> None:
    emulator = GhosttyEmulator(Size(20, 3), 100)
    emulator.feed("\x1b[31m漢e\u0301 \x1b]8;;http://x\x07l".encode())
    emulator.refresh()
    before = emulator.row(0)
    emulator.feed(b"\x1bc" + b"gone\r\n" * 5_000)
    assert emulator.row(0) == before
    emulator.close()
