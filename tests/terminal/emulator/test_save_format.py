"""A terminal's text is brought back: all of it, and nothing but it."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from tests.terminal.saved_emulators import SIZE, Make, lines, numbered, recalled, rows
from tests.terminal.saved_emulators import make as make

from fugue_tui.errors import SaveError
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import save_format
from fugue_tui.terminal.emulator.events import CwdChanged, PromptMark, Reply, TitleChanged
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.cells import Cursor, Modes, Scrollback, Style


def test_text_is_restored_as_history_before_what_comes(make: Make) -> None:
    old = make()
    old.feed(numbered(1, 10) + b"$ make")
    new = recalled(make, old.save())
    assert lines(new) == [f"line {number}" for number in range(1, 10)] + ["$ make", ""]
    assert new.caret == (0, 4)
    new.feed(b"$ new\r\n")
    assert lines(new)[-3:] == ["$ make", "$ new", ""]


def test_a_blank_terminal_is_restored_blank(make: Make) -> None:
    new = recalled(make, make().save())
    assert (lines(new), new.caret, new.scrollback) == ([""], (0, 0), Scrollback(0, 0))


def test_blank_rows_below_the_text_are_not_kept(make: Make) -> None:
    old = make(Size(20, 10))
    old.feed(b"one\r\n\r\nthree\r\n\r\n\x1b[41m   \x1b[0m\x1b[9;3H")
    new = recalled(make, old.save(), Size(20, 10))
    assert (lines(new), new.caret) == (["one", "", "three", ""], (0, 3))


@pytest.mark.parametrize("cols", [7, 13, 20, 40])
def test_long_lines_are_rewrapped(make: Make, cols: int) -> None:
    old = make()
    long = "".join(f"word{number:02} " for number in range(12)).strip()
    old.feed(long.encode() + b"\r\nend\r\n")
    new = recalled(make, old.save(), Size(cols, 4))
    kept = new.scrollback.lines + new.caret[1] + 1
    assert new.lines(0, kept, joined=True) == [long, "end", ""]
    assert all(len(line) <= cols for line in lines(new))


def test_a_full_screen_program_is_seen_after_what_was_before_it(make: Make) -> None:
    old = make()
    old.feed(numbered(1, 8) + b"$ vim\x1b[?1049h\x1b[2J\x1b[H\x1b[7mnotes\x1b[0m\r\n~\r\n\x1b[31m~\x1b[0m")
    new = recalled(make, old.save())
    assert lines(new) == [*(f"line {number}" for number in range(1, 8)), "$ vim", "notes", "~", "~", ""]
    assert not new.modes.alternate_screen
    past = rows(new)
    assert past[8].runs[0].style == Style(inverse=True)
    assert past[10].runs[0].style == Style(fg=1)
    new.feed(b"\x1b[?1049l\x1b[?47h")
    assert new.past(0)()[0].text == ""


def test_an_inactive_alternate_screen_is_not_saved(make: Make) -> None:
    old = make()
    old.feed(b"\x1b[?47hbehind\x1b[?47l\r$ ls")
    new = recalled(make, old.save())
    assert lines(new) == ["$ ls", ""]
    new.feed(b"\x1b[?47h")
    assert new.past(0)()[0].text == ""


EVERY_MODE = (
    b"\x1b[?1;5;6;66;67;1000;1002;1003;1004;1006;1016;2004;2026;2031;2048h\x1b[?7;25;1007l\x1b[4;20h\x1b[2;4r"
    b"\x1b(0\x1b)0\x0e\x1b[1;31;4:3m\x1b[>31u\x1b[=5u\x1b[>4;2m\x1b[4 q\x1b7\x1b]4;1;#00ff00\x07\x1b]10;#111111\x07"
    b"\x1b]11;#222222\x07\x1b]12;#333333\x07\x1b]8;;https://example.com\x07\x1b[3g\x1b]2;old\x07\x1b]7;file:///old\x07"
    b"\x1b]133;A\x07\x1b]22;pointer\x07\x1b[?1004;2004s"
)


@pytest.mark.parametrize("front", [b"", b"\x1b[?1049h"])
def test_no_mode_is_restored(make: Make, front: bytes) -> None:
    old = make()
    old.feed(b"text\r\n" + front + EVERY_MODE)
    new, fresh = recalled(make, old.save()), make()
    assert new.modes == fresh.modes == Modes(alternate_scroll=True)
    assert (new.title, new.cwd) == ("", "")
    for emulator in (new, fresh):
        emulator.take_events()
        emulator.feed(b"\x1b[2J\x1b[Hplain\tlq\r\n\x1b[c\x1b[?u\x1b[?2004$p\x1b[?6$p\x1b[4$p\x1b]10;?\x07\x1b]11;?\x07")
        emulator.feed(b"\x1b]4;1;?\x07\x1bP$qr\x1b\\\x1bP$qm\x1b\\\x1b[?1004;2004r\x1b[?2004$p\x1b8\x1b[6n" + b"x" * 25)
        emulator.refresh()
    assert [new.row(y) for y in range(5)] == [fresh.row(y) for y in range(5)]
    assert new.cursor == fresh.cursor == Cursor(5, 1)
    assert new.take_events() == fresh.take_events()


def test_no_events_are_reported_while_text_is_restored(make: Make) -> None:
    old = make()
    old.feed(b"\x1b]2;old\x07\x1b]7;file:///old\x07\x07\x1b]133;A\x07$ \x1b]133;C\x07\x1b[c\x1b]9;told\x07")
    new = recalled(make, old.save())
    assert new.take_events() == []
    new.feed(b"\x1b]2;old\x07\x1b]7;file:///old\x07\x1b]133;A\x07\x1b[5n")
    assert new.take_events() == [TitleChanged("old"), CwdChanged("/old"), PromptMark("A"), Reply(b"\x1b[0n")]


def test_the_host_colours_are_reported_as_before_restoring(make: Make) -> None:
    old = make()
    new = make()
    new.set_colours(0xABCDEF, 0x123456)
    new.recall(old.save())
    new.feed(b"\x1b]11;?\x07")
    assert new.take_events() == [Reply(b"\x1b]11;rgb:1212/3434/5656\x07")]


def test_a_save_tells_title_directory_and_size(make: Make) -> None:
    old = make()
    old.feed(b"\x1b]2;a title\x07\x1b]7;file:///srv/a%20b\x07")
    save = save_format.unpack(old.save())
    assert (save.title, save.cwd, save.size, save.engine) == ("a title", "/srv/a b", SIZE, old.engine)


@pytest.mark.parametrize(
    "unfinished",
    [
        b"\x1b[1;3",
        b"\xe6\xbc",
        b"\x1b]0;half",
        b"\x1bP+q54",
        b"\x1b]52;c;" + b"QUJD" * 50_000,
        b"\x1b_Gf=24;AAAA",
    ],
)
def test_a_sequence_that_has_not_ended_is_no_hindrance(make: Make, unfinished: bytes) -> None:
    old = make()
    old.feed(numbered(1, 30) + b"$ " + unfinished)
    data = old.save()
    new = recalled(make, data)
    assert lines(new) == [*(f"line {number}" for number in range(1, 30)), "$", ""]
    new.feed(b"m\x1b[31mred")
    assert lines(new)[-1] == "mred"
    old.feed(b"\x18after")
    assert lines(old)[-1].endswith("after")


def test_the_view_and_its_damage_are_left_alone(make: Make) -> None:
    old = make()
    old.feed(numbered(1, 30))
    old.scroll(7)
    old.refresh()
    old.feed(b"more\r\n")
    new = recalled(make, old.save())
    assert old.scrollback == Scrollback(26, 8)
    assert new.scrollback == Scrollback(26, 0)
    assert not old.refresh().rows


def test_history_that_was_given_back_is_saved_too() -> None:
    old = make_emulator("ghostty", Size(80, 24), 5_000)
    old.feed(b"".join(b"\x1b[3%dmline %d\x1b[0m\r\n" % (number % 8, number) for number in range(5_000)))
    plain = old.save()
    while old.compact():
        pass
    assert save_format.unpack(old.save()) == save_format.unpack(plain)
    old.close()


@pytest.mark.slow
@pytest.mark.parametrize("limit", [0, 10, 1_000])
def test_no_more_history_is_brought_back_than_is_kept(make: Make, limit: int) -> None:
    old = make(Size(80, 24), 20_000)
    old.feed(numbered(1, 1_500 if old.engine == "pyte" else 20_000))
    last = lines(old)[-2]
    new = recalled(make, old.save(), Size(80, 24), limit)
    assert lines(new)[-2:] == [last, ""]
    assert new.scrollback.lines < max(limit * 8, 4_000)
    if limit and new.engine == "ghostty":
        new.feed(numbered(1, 60_000))
        new.feed(numbered(1, 60_000))
    assert new.scrollback.lines <= limit + 1_500


def damaged(data: bytes) -> Iterator[bytes]:
    yield b""
    yield b"\0" * 100
    yield data[:-1]
    yield data + b"\0"
    yield from (data[:length] for length in range(0, len(data), 97))
    for at in range(0, len(data), 31):
        yield data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]


def test_damage_is_reported_and_changes_nothing(make: Make) -> None:
    old, new = make(), make()
    old.feed(numbered(1, 30))
    new.feed(b"kept")
    new.refresh()
    for data in damaged(old.save()):
        with pytest.raises(SaveError):
            new.recall(data)
    assert lines(new) == ["kept"]
    assert not new.refresh().rows


def test_a_newer_save_is_refused_in_words(make: Make) -> None:
    data = make().save()
    with pytest.raises(SaveError, match="version 9"):
        make().recall(data[:8] + b"\x09\x00" + data[10:])


@pytest.mark.parametrize(
    "size", [Size(65_535, 65_535), Size(0, 5), Size(5, 0), Size(-1, 5), Size(10_001, 1), Size(9_999, 9_999)]
)
def test_a_size_that_no_pane_has_is_refused(make: Make, size: Size) -> None:
    with pytest.raises(SaveError):
        make().recall(save_format.pack(save_format.Save("pyte", size, portable=b"text")))


HOSTILE = b"\x1b]2;evil\x07\x1b]52;c;ZXZpbA==\x07\x1b[c\x1b[?1049h\x1b[?1003h\x1b]133;A\x07\x07text\x1b]0;half"


def test_text_that_somebody_else_wrote_does_nothing_but_show(make: Make) -> None:
    new = recalled(make, save_format.pack(save_format.Save("pyte", SIZE, portable=HOSTILE)))
    assert lines(new) == ["text", ""]
    assert new.modes == Modes(alternate_scroll=True)
    assert (new.title, new.take_events()) == ("", [])


def test_text_in_the_form_of_an_unknown_engine_is_shown_from_its_portable_part(make: Make) -> None:
    new = recalled(make, save_format.pack(save_format.Save("xterm", SIZE, native=b"?", portable=b"text\r\n")))
    assert lines(new) == ["text", ""]


def test_an_engine_that_cannot_read_its_own_form_shows_the_portable_part() -> None:
    new = make_emulator("ghostty", SIZE)
    new.recall(save_format.pack(save_format.Save("ghostty", SIZE, native=b"GHOSTSNP\x63\x00", portable=b"text\r\n")))
    assert lines(new) == ["text", ""]
    with pytest.raises(SaveError):
        new.recall(save_format.pack(save_format.Save("ghostty", SIZE, native=b"GHOSTSNP\x63\x00")))


def test_a_blank_end_of_a_wrapped_line_keeps_its_row(make: Make) -> None:
    old = make(Size(5, 5))
    old.feed(b"abcde \r\nX")
    assert lines(recalled(make, old.save(), Size(5, 5))) == ["abcde", "", "X", ""]


def test_wrapped_rows_are_written_so_that_they_wrap_again() -> None:
    emulator = make_emulator("pyte", Size(5, 6))
    emulator.feed("abcd漢字xy z\r\nend".encode())
    shown = emulator.past(0)()
    assert [one.wrapped for one, _ in pairwise(shown)][:3] == [True, True, False]
    assert save_format.write_rows(shown, 5) == "abcd漢字xy z\r\nend\r\n".encode()
