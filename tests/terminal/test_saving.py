"""A terminal's text is brought back: all of it, and nothing but it."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.terminal.test_engines_agree import Look, look, motion, styles, switches, text, wide_text

from fugue_tui.errors import SaveError
from fugue_tui.geometry import Size
from fugue_tui.terminal import saving
from fugue_tui.terminal.emulator import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.events import CwdChanged, PromptMark, Reply, TitleChanged
from fugue_tui.terminal.frame import Cursor, Modes, Row, Scrollback, Style

Make = Callable[..., Emulator]

RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*.vt"))
ENGINES = ["ghostty", "pyte"]
SIZE = Size(20, 5)


@pytest.fixture(params=ENGINES)
def make(request: pytest.FixtureRequest) -> Iterator[Make]:
    made: list[Emulator] = []

    def emulator(size: Size = SIZE, scrollback: int = 100) -> Emulator:
        made.append(make_emulator(request.param, size, scrollback))
        return made[-1]

    yield emulator
    for one in made:
        one.close()


def numbered(first: int, last: int) -> bytes:
    return b"".join(b"line %d\r\n" % number for number in range(first, last))


def lines(emulator: Emulator) -> list[str]:
    """Everything from the oldest line to the cursor's."""
    return emulator.lines(0, emulator.scrollback.lines + emulator.caret[1] + 1)


def rows(emulator: Emulator) -> list[Row]:
    """Every row there is, oldest first."""
    found: list[Row] = []
    back = emulator.scrollback.lines
    while back > 0:
        shown = emulator.past(back)()
        found += shown[: min(back, len(shown))]
        back -= len(shown)
    return found + emulator.past(0)()


def looks(emulator: Emulator) -> list[tuple[Look, bool]]:
    """Rows as the program left them, without blank ones at the end, whatever the last goes on in."""
    found = [(look(row), row.wrapped) for row in rows(emulator)]
    while found and not "".join(char for char, *_ in found[-1][0]).strip():
        found.pop()
    return [*found[:-1], *((row, False) for row, _ in found[-1:])]


def seen(emulator: Emulator) -> list[tuple[str, list[Style]]]:
    """Rows without the background of blanks."""
    return [
        ("".join(char for char, *_ in row).rstrip(), [style for char, style, _ in row if char != " "])
        for row, _ in looks(emulator)
    ]


def recalled(make: Make, data: bytes, size: Size = SIZE, scrollback: int = 100) -> Emulator:
    emulator = make(size, scrollback)
    emulator.recall(data)
    return emulator


def test_text_comes_back_as_history_before_what_comes(make: Make) -> None:
    old = make()
    old.feed(numbered(1, 10) + b"$ make")
    new = recalled(make, old.save())
    assert lines(new) == [f"line {number}" for number in range(1, 10)] + ["$ make", ""]
    assert new.caret == (0, 4)
    new.feed(b"$ new\r\n")
    assert lines(new)[-3:] == ["$ make", "$ new", ""]


def test_a_blank_terminal_comes_back_blank(make: Make) -> None:
    new = recalled(make, make().save())
    assert (lines(new), new.caret, new.scrollback) == ([""], (0, 0), Scrollback(0, 0))


def test_blank_rows_below_the_text_are_not_kept(make: Make) -> None:
    old = make(Size(20, 10))
    old.feed(b"one\r\n\r\nthree\r\n\r\n\x1b[41m   \x1b[0m\x1b[9;3H")
    new = recalled(make, old.save(), Size(20, 10))
    assert (lines(new), new.caret) == (["one", "", "three", ""], (0, 3))


@pytest.mark.parametrize("cols", [7, 13, 20, 40])
def test_long_lines_are_wrapped_anew(make: Make, cols: int) -> None:
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


def test_an_alternate_screen_in_the_back_is_forgotten(make: Make) -> None:
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
def test_no_mode_comes_back(make: Make, front: bytes) -> None:
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


def test_nothing_is_said_while_text_is_recalled(make: Make) -> None:
    old = make()
    old.feed(b"\x1b]2;old\x07\x1b]7;file:///old\x07\x07\x1b]133;A\x07$ \x1b]133;C\x07\x1b[c\x1b]9;told\x07")
    new = recalled(make, old.save())
    assert new.take_events() == []
    new.feed(b"\x1b]2;old\x07\x1b]7;file:///old\x07\x1b]133;A\x07\x1b[5n")
    assert new.take_events() == [TitleChanged("old"), CwdChanged("/old"), PromptMark("A"), Reply(b"\x1b[0n")]


def test_the_host_is_told_of_as_before_the_recall(make: Make) -> None:
    old = make()
    new = make()
    new.set_colours(0xABCDEF, 0x123456)
    new.recall(old.save())
    new.feed(b"\x1b]11;?\x07")
    assert new.take_events() == [Reply(b"\x1b]11;rgb:1212/3434/5656\x07")]


def test_a_save_tells_title_directory_and_size(make: Make) -> None:
    old = make()
    old.feed(b"\x1b]2;a title\x07\x1b]7;file:///srv/a%20b\x07")
    save = saving.unpack(old.save())
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
    assert saving.unpack(old.save()) == saving.unpack(plain)
    old.close()


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


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recorded_program_comes_back_row_by_row(recording: Path, engine: str) -> None:
    size = Size(80, 24)
    data = recording.read_bytes()
    for share in (0.4, 0.8, 1):
        old, new = make_emulator(engine, size, 500), make_emulator(engine, size, 500)
        old.feed(data[: int(len(data) * share)])
        new.recall(old.save())
        if old.modes.alternate_screen:
            assert looks(new)[-len(looks(old)) :] == looks(old)
        else:
            assert looks(new) == looks(old)
        assert new.modes == make_emulator(engine, size, 0).modes


streams = st.lists(
    st.one_of(
        text, wide_text, styles, motion, switches, st.sampled_from(["\x1b[?1049h", "\x1b[?1049l", "\r\n\r\n\r\n"])
    ),
    max_size=40,
)
sizes = st.builds(Size, st.integers(1, 30), st.integers(1, 10))
LINK = "\x1b]8;;https://example.com/{}\x07{}\x1b]8;;\x07"


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(text, wide_text, styles, st.builds(LINK.format, st.integers(1, 3), text)), max_size=30))
def test_styled_text_and_links_come_back_as_they_were(pieces: list[str]) -> None:
    for engine in ENGINES:
        old, new = make_emulator(engine, SIZE, 100), make_emulator(engine, SIZE, 100)
        old.feed("\r\n".join(pieces).encode())
        new.recall(old.save())
        assert looks(new) == looks(old)


@settings(max_examples=300, deadline=None)
@given(streams, sizes, sizes, st.sampled_from(ENGINES))
def test_any_screen_comes_back_at_any_size(pieces: list[str], before: Size, after: Size, engine: str) -> None:
    old, new = make_emulator(engine, before, 1_000), make_emulator(engine, after, 1_000)
    old.feed("".join(pieces).encode())
    new.recall(old.save())
    assert new.size == after
    assert new.caret[0] == 0
    assert new.modes == Modes(alternate_scroll=True)
    assert not new.take_events()
    new.feed(b"\r\nX")
    assert lines(new)[-1] == "X"
    again = make_emulator(engine, after, 1_000)
    again.recall(new.save())
    assert looks(again) == looks(new)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.one_of(text, wide_text, styles, st.just("\r\n")), max_size=40), st.permutations(ENGINES))
def test_one_engine_shows_what_the_other_saved(pieces: list[str], engines: list[str]) -> None:
    old, new = (make_emulator(engine, SIZE, 100) for engine in engines)
    old.feed("".join(pieces).encode())
    new.recall(old.save())
    assert seen(new) == seen(old)


def test_the_other_engine_gets_the_newest_lines_of_a_long_history() -> None:
    old, new = make_emulator("ghostty", SIZE, 5_000), make_emulator("pyte", SIZE, 5_000)
    old.feed(numbered(1, 3_001))
    new.recall(old.save())
    assert lines(new) == [*(f"line {number}" for number in range(2_502, 3_001)), ""]


MARKED = (
    b"\x1b]133;A\x07$ \x1b]133;B\x07make\r\n\x1b]133;C\x07"
    b"built\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07a  b\r\n\x1b]133;D\x07"
)


def test_the_marks_of_prompts_stay_on_their_cells() -> None:
    from fugue_tui.terminal import ghostty_records as records

    def pages(data: bytes) -> bytes:
        return records.read(saving.unpack(data).native).primary.pages

    marked, plain, new = (make_emulator("ghostty", Size(20, 10), 100) for _ in range(3))
    marked.feed(MARKED)
    plain.feed(MARKED.replace(b"\x1b]133;", b"\x1b]999;"))
    new.recall(marked.save())
    assert pages(marked.save()) != pages(plain.save())
    assert pages(new.save()) == pages(marked.save())


def test_rows_say_where_they_were_marked_after_a_recall(make: Make) -> None:
    old = make(Size(20, 10))
    old.feed(MARKED)
    new = recalled(make, old.save(), Size(20, 10))
    assert [(one.text, one.wrapped) for one in rows(new)] == [(one.text, one.wrapped) for one in rows(old)]


def damaged(data: bytes) -> Iterator[bytes]:
    yield b""
    yield b"\0" * 100
    yield data[:-1]
    yield data + b"\0"
    yield from (data[:length] for length in range(0, len(data), 97))
    for at in range(0, len(data), 31):
        yield data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1 :]


def test_damage_is_told_and_changes_nothing(make: Make) -> None:
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
        make().recall(saving.pack(saving.Save("pyte", size, portable=b"text")))


HOSTILE = b"\x1b]2;evil\x07\x1b]52;c;ZXZpbA==\x07\x1b[c\x1b[?1049h\x1b[?1003h\x1b]133;A\x07\x07text\x1b]0;half"


def test_text_that_somebody_else_wrote_does_nothing_but_show(make: Make) -> None:
    new = recalled(make, saving.pack(saving.Save("pyte", SIZE, portable=HOSTILE)))
    assert lines(new) == ["text", ""]
    assert new.modes == Modes(alternate_scroll=True)
    assert (new.title, new.take_events()) == ("", [])


def test_text_in_the_form_of_an_unknown_engine_is_shown_from_its_portable_part(make: Make) -> None:
    new = recalled(make, saving.pack(saving.Save("xterm", SIZE, native=b"?", portable=b"text\r\n")))
    assert lines(new) == ["text", ""]


def test_an_engine_that_cannot_read_its_own_form_shows_the_portable_part() -> None:
    new = make_emulator("ghostty", SIZE)
    new.recall(saving.pack(saving.Save("ghostty", SIZE, native=b"GHOSTSNP\x63\x00", portable=b"text\r\n")))
    assert lines(new) == ["text", ""]
    with pytest.raises(SaveError):
        new.recall(saving.pack(saving.Save("ghostty", SIZE, native=b"GHOSTSNP\x63\x00")))


def test_a_blank_end_of_a_wrapped_line_keeps_its_row(make: Make) -> None:
    old = make(Size(5, 5))
    old.feed(b"abcde \r\nX")
    assert lines(recalled(make, old.save(), Size(5, 5))) == ["abcde", "", "X", ""]


def test_wrapped_rows_are_written_so_that_they_wrap_again() -> None:
    emulator = make_emulator("pyte", Size(5, 6))
    emulator.feed("abcd漢字xy z\r\nend".encode())
    shown = emulator.past(0)()
    assert [one.wrapped for one, _ in pairwise(shown)][:3] == [True, True, False]
    assert saving.write_rows(shown, 5) == "abcd漢字xy z\r\nend\r\n".encode()
