"""The mirrors show what the compositor draws, of which they are sent the cells that changed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.segment import Segment
from rich.style import Style
from tests.tui.host_programs import cells
from textual.strip import Strip

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.geometry import Rect, Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.tui.render.client_view import vt_text
from fugue_tui.tui.render.mirror_updates import MirrorRows

SIZE = Size(12, 3)
LOOKS = [None, Style(bold=True), Style(color="#ff0000"), Style(bgcolor="blue", color="default")]
SEGMENTS = st.lists(
    st.tuples(st.text("ab │é…漢 ", max_size=5), st.sampled_from(LOOKS)).map(lambda each: Segment(*each)),
    min_size=1,
    max_size=4,
)
ROWS = st.integers(0, SIZE.rows - 1)
Drawn = tuple[int, int, list[Segment], int]
WHOLE = st.tuples(st.just(0), ROWS, SEGMENTS, st.just(SIZE.cols))
PART = st.tuples(st.integers(0, 7), ROWS, SEGMENTS, st.integers(0, 5))
PANE = st.lists(st.text("xyz│", max_size=4), min_size=SIZE.rows, max_size=SIZE.rows)
RECT = Rect(5, 0, 4, SIZE.rows)


def strip_of(segments: list[Segment], width: int) -> Strip:
    return Strip(segments).adjust_cell_length(width)


def known() -> MirrorRows:
    rows = MirrorRows()
    rows.fit(SIZE)
    return rows


def row(text: str, y: int, x: int = 0) -> bytes:
    return b"\x1b[%d;%dH\x1b[m" % (y + 1, x + 1) + text.encode()


@pytest.mark.slow
@given(steps=st.lists(st.one_of(WHOLE, PART, PANE), max_size=12), forgotten=st.sets(st.integers(0, 12)))
def test_the_mirrors_show_what_was_drawn(steps: list[Drawn | list[str]], forgotten: set[int]) -> None:
    shown, wanted, rows = GhosttyEmulator(SIZE), GhosttyEmulator(SIZE), known()
    for number, step in enumerate(steps):
        if isinstance(step, list):
            texts = [f"{text:{RECT.cols}}" for text in step]
            for emulator in (shown, wanted):
                emulator.feed(b"".join(row(text, y, RECT.x) for y, text in enumerate(texts)))
            rows.drawn(RECT, [text.encode() for text in texts])
        else:
            x, y, segments, width = step
            strip = strip_of(segments, width)
            wanted.feed(row(vt_text(strip, Depth.TRUE).decode(), y, x))
            shown.feed(b"\x1b[m" + rows.change((x, y, strip)))
        if number in forgotten:
            rows.forget({0, 2})
    shown.refresh()
    wanted.refresh()
    for y in range(SIZE.rows):
        assert cells(shown.row(y)) == cells(wanted.row(y))


def test_what_is_there_is_not_sent_again() -> None:
    rows, strip = known(), strip_of([Segment("a │ 漢"), Segment("b", LOOKS[1])], SIZE.cols)
    assert rows.change((0, 0, strip))
    assert rows.change((0, 0, strip)) == b""


def test_a_part_of_a_known_row_is_compared_with_what_a_pane_drew_there() -> None:
    rows = known()
    rows.change((0, 1, strip_of([Segment("ab│")], SIZE.cols)))
    rows.drawn(Rect(5, 0, 4, 2), [None, b"pane"])
    assert rows.change((4, 1, strip_of([Segment(" panes")], 6))) == b"\x1b[2;10Hs"
    rows.forget({1})
    assert b"panes" in rows.change((4, 1, strip_of([Segment(" panes")], 6)))


def test_a_screen_of_another_size_is_unknown() -> None:
    rows, strip = known(), strip_of([Segment("abc")], SIZE.cols)
    rows.change((0, 0, strip))
    rows.fit(SIZE)
    assert rows.change((0, 0, strip)) == b""
    rows.fit(Size(SIZE.cols, 2))
    assert b"abc" in rows.change((0, 0, strip))
