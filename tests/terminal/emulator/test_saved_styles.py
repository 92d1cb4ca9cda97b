"""What was seen comes back as it looked: recorded programs, styles, links and marks, in either engine."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hypothesis_profiles import examples
from tests.terminal.emulator.test_engines_agree import (
    Look,
    basic,
    basic_styles,
    look,
    motion,
    styles,
    switches,
    text,
    wide_text,
)
from tests.terminal.saved_emulators import ENGINES, SIZE, Make, lines, numbered, recalled, rows
from tests.terminal.saved_emulators import make as make

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import save_format
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.cells import Modes, Style

RECORDINGS = sorted((Path(__file__).parents[2] / "recordings").glob("*.vt"))


def looks(emulator: Emulator) -> list[tuple[Look, bool]]:
    """Rows as the program left them, without blank ones at the end, whatever the last goes on in."""
    found = [(look(row), row.wrapped) for row in rows(emulator)]
    while found and not "".join(char for char, *_ in found[-1][0]).strip():
        found.pop()
    return [*found[:-1], *((row, False) for row, _ in found[-1:])]


def seen(emulator: Emulator) -> list[tuple[str, list[Style]]]:
    """Rows without the background of blanks."""
    return [
        ("".join(char for char, *_ in row).rstrip(), [basic(style) for char, style, _ in row if char != " "])
        for row, _ in looks(emulator)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("recording", RECORDINGS, ids=lambda path: path.stem)
def test_a_recorded_program_is_restored_row_by_row(recording: Path, engine: str) -> None:
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


@pytest.mark.slow
@examples(300)
@given(st.lists(st.one_of(text, wide_text, styles, st.builds(LINK.format, st.integers(1, 3), text)), max_size=30))
def test_styled_text_and_links_are_restored_as_they_were(pieces: list[str]) -> None:
    for engine in ENGINES:
        old, new = make_emulator(engine, SIZE, 100), make_emulator(engine, SIZE, 100)
        old.feed("\r\n".join(pieces).encode())
        new.recall(old.save())
        assert looks(new) == looks(old)


@pytest.mark.slow
@examples(300)
@given(streams, sizes, sizes, st.sampled_from(ENGINES))
def test_any_screen_is_restored_at_any_size(pieces: list[str], before: Size, after: Size, engine: str) -> None:
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


@pytest.mark.slow
@examples(200)
@given(st.lists(st.one_of(text, wide_text, basic_styles, st.just("\r\n")), max_size=40), st.permutations(ENGINES))
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
    from fugue_tui.terminal.ghostty import snapshot as records

    def pages(data: bytes) -> bytes:
        return records.read(save_format.unpack(data).native).primary.pages

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
