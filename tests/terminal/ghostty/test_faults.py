"""What programs get wrong, or do on purpose: nothing may hang, grow without bound or leave the screen unusable."""

from random import Random

import pytest
from tests.terminal.ghostty.ghostty_screens import MIB, Clock, Make, memory, texts
from tests.terminal.ghostty.ghostty_screens import make as make

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.event_queue import KEPT
from fugue_tui.terminal.emulator.events import Bell, ClipboardWrite, EventsDropped, Reply, TitleChanged
from fugue_tui.terminal.emulator.pending_events import REPLY_LIMIT
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator


def replies(emulator: GhosttyEmulator) -> bytes:
    return b"".join(event.data for event in emulator.take_events() if isinstance(event, Reply))


@pytest.mark.parametrize("end", [b"\x1b\\", b"\x18", b"\x1bc", b"\x07"])
def test_an_unterminated_title_ends_with_the_next_escape(make: Make, end: bytes) -> None:
    emulator = make()
    emulator.feed(b"\x1b]0;" + b"A" * 3_000)
    emulator.feed(end + b"prompt")
    assert texts(emulator)[0] == "prompt"


@pytest.mark.parametrize("final", [b"b", b"@", b"A", b"L", b"P", b"S", b"T", b"X", b"d", b"G", b"I", b"Z", b"M"])
def test_huge_counts_are_harmless(make: Make, final: bytes) -> None:
    emulator = make()
    emulator.feed(b"x\x1b[999999999" + final + b"x\x1b[99999999999999999999" + final)
    emulator.refresh()
    assert emulator.size == Size(20, 5)


@pytest.mark.parametrize(
    "switch", [b"\x1b[?40h\x1b[?3h", b"\x1b[?40h\x1b[?3h\x1b[?3l", b"\x1b[?40;3h text \x1b[10;130Hx"]
)
def test_the_program_does_not_choose_the_width(make: Make, switch: bytes) -> None:
    emulator = make(cols=60)
    emulator.feed(switch)
    emulator.feed(b"\x1b[18t\x1b[Hx\x1b[999C\x1b[6n")
    assert replies(emulator) == b"\x1b[8;5;60t\x1b[1;60R"
    assert texts(emulator)[0].startswith("x")
    assert all(len(row) <= 60 for row in texts(emulator))


def test_window_operations_are_ignored(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b[8;1;1t\x1b[8;0;0t\x1b[4;1;1t\x1b[2t\x1b[3;0;0t\x1b[9;1t\x1b[18t")
    assert emulator.size == Size(20, 5)
    assert replies(emulator) == b"\x1b[8;5;20t"


def test_malformed_utf8_looks_the_same_however_it_is_cut(make: Make) -> None:
    data = bytes(
        Random(1).choices([0x61, 0x80, 0xBF, 0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0xED, 0xFF], k=400)
    )
    whole = make(cols=80, rows=10)
    whole.feed(data)
    for at in range(0, len(data), 7):
        cut = make(cols=80, rows=10)
        cut.feed(data[:at])
        cut.feed(data[at:])
        assert texts(cut) == texts(whole)


@pytest.mark.slow
def test_endless_combining_marks_are_bounded(make: Make) -> None:
    emulator = make(cols=80, rows=50)
    before = memory()
    emulator.feed(("a" + "\u0301" * 500_000).encode())
    emulator.feed(("\r\nb" + "\u0301" * 5_000).encode() * 200)
    emulator.refresh()
    assert memory() - before < 20 * MIB
    assert len(emulator.paint(49, 1)[0]) < 200


@pytest.mark.parametrize(
    "emoji", ["👩\u200d🚀", "🇩🇪", "👍🏽", "❤\ufe0f", "1\ufe0f\u20e3", "🏳\ufe0f\u200d🌈", "👨\u200d👩\u200d👧\u200d👦"]
)
def test_an_emoji_is_two_columns_wide_even_after_a_reset(make: Make, emoji: str) -> None:
    emulator = make()
    for start in (b"", b"\x1bc"):
        emulator.feed(start + f"{emoji}|".encode())
        emulator.refresh()
        assert emulator.cursor.x == 3
        assert emulator.row(0).text == f"{emoji}|"


def test_replies_to_a_flood_of_questions_are_capped(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b[c\x1b[6n" * 20_000)
    answers = replies(emulator)
    assert 0 < len(answers) <= REPLY_LIMIT
    emulator.feed(b"\x1b[5n")
    assert replies(emulator) == b"\x1b[0n"


@pytest.mark.slow
def test_events_of_a_flood_are_capped(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x07" * 100_000)
    assert emulator.take_events() == [Bell()]
    emulator.feed(b"".join(b"\x1b]2;%d\x07" % number for number in range(5_000)))
    newest = [TitleChanged(str(number)) for number in range(5_000)][-KEPT:]
    assert emulator.take_events() == [EventsDropped(5_000 - KEPT), *newest]


def test_an_outsized_copy_is_dropped_whole(make: Make) -> None:
    emulator = make()
    emulator.feed(b"\x1b]52;c;" + b"QUFB" * 350_000 + b"\x07")
    assert emulator.take_events() == []
    emulator.feed(b"\x1b]52;c;QUFB\x07")
    assert emulator.take_events() == [ClipboardWrite("AAA")]


def test_the_alternate_screen_of_a_killed_program_can_be_reset(make: Make) -> None:
    emulator = make()
    emulator.feed(b"shell\r\n\x1b[?1049h\x1b[?1002;1006h\x1b[?25lvim\x1b[2;3r")
    emulator.reset()
    emulator.feed(b"$ ")
    assert texts(emulator)[0].strip() == "$"
    assert not emulator.modes.alternate_screen
    assert emulator.cursor.visible


@pytest.mark.parametrize("pieces", [[b"\x1bktitle\x1b\\$ "], [b"\x1bkti", b"tle\x1b\\$ "]])
def test_a_title_for_gnu_screen_is_not_printed(make: Make, pieces: list[bytes]) -> None:
    emulator = make()
    for piece in pieces:
        emulator.feed(piece)
    assert (texts(emulator)[0], emulator.title) == ("$", "title")


def test_a_synchronized_update_holds_the_picture_until_it_ends(make: Make) -> None:
    emulator = make()
    emulator.feed(b"old")
    emulator.refresh()
    emulator.feed(b"\x1b[?2026h\x1b[Hnew")
    assert (emulator.refresh().rows, emulator.row(0).text, emulator.paint(0, 1)) == ((), "old", [b"old"])
    emulator.feed(b"\x1b[?2026l")
    assert (emulator.refresh().rows, emulator.row(0).text) == ((0,), "new")


def test_a_synchronized_update_without_end_is_shown_after_a_second(make: Make) -> None:
    clock = Clock()
    emulator = make(clock=clock)
    emulator.refresh()
    emulator.feed(b"\x1b[?2026hstuck")
    clock.now += 0.9
    assert emulator.refresh().rows == ()
    clock.now += 0.2
    assert (emulator.refresh().rows, emulator.row(0).text) == ((0,), "stuck")
    emulator.feed(b"\r\nmore")
    assert emulator.refresh().rows == (1,)


def test_a_program_that_always_holds_is_shown_between_its_holds(make: Make) -> None:
    clock = Clock()
    emulator = make(clock=clock)
    emulator.refresh()
    seen: list[str] = []
    for frame in range(10):
        clock.now += 0.016
        emulator.feed(b"\x1b[?2026l\x1b[?2026h\x1b[Hframe %d" % frame)
        emulator.refresh()
        seen.append(emulator.row(0).text)
    assert seen == ["", *[f"frame {frame}" for frame in range(9)]]
    emulator.feed(b"\x1b[?2026l\x1b[2;1Hdone")
    assert texts(emulator)[:2] == ["frame 9", "done"]


def test_a_resize_ends_a_hold(make: Make) -> None:
    emulator = make()
    emulator.refresh()
    emulator.feed(b"\x1b[?2026hshown")
    emulator.resize(Size(30, 6))
    assert (emulator.refresh().full, emulator.row(0).text) == (True, "shown")


def test_output_in_pieces_gives_the_same_screen(make: Make) -> None:
    random = Random(3)
    data = "".join(
        random.choice(
            ["漢", "é", "\x1b[31m", "\x1b[5;5H", "\x1b]8;;http://x\x1b\\", "\x1bM", "\r\n", "\x1b[2K", "word "]
        )
        for _ in range(2_000)
    ).encode()
    whole = make(cols=40, rows=12)
    whole.feed(data)
    expected = (texts(whole), whole.lines(0, 500), whole.cursor)
    for step in (1, 7, 4_096):
        cut = make(cols=40, rows=12)
        for at in range(0, len(data), step):
            cut.feed(memoryview(data)[at : at + step])
        assert (texts(cut), cut.lines(0, 500), cut.cursor) == expected


@pytest.mark.slow
def test_random_bytes_leave_a_working_screen(make: Make) -> None:
    emulator = make(cols=80, rows=24)
    before = memory()
    noise = Random(5).randbytes(2 * MIB)
    for _ in range(5):
        emulator.feed(noise)
        emulator.take_events()
    assert emulator.size == Size(80, 24)
    emulator.refresh()
    emulator.reset()
    emulator.feed(b"after")
    assert "after" in "".join(texts(emulator))
    assert memory() - before < 40 * MIB
