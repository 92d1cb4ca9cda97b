"""Reading goes on where it ended: after more output, a clear, a reset, another screen, another size, lost lines."""

import pytest
from tests.control.scripted_program import Driven
from tests.control.scripted_program import driven as driven
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.watch.bookmarks import KEPT


def test_only_what_is_new_is_read_after_a_cursor(driven: Driven) -> None:
    driven.does("echo; seq 1 3")
    first = driven.read()
    assert first.text == "ready\n1\n2\n3\n<1>"
    assert driven.read(first.cursor).text == ""
    driven.does("echo more; echo and more")
    second = driven.read(first.cursor)
    assert second.text == "more\nand more\n<2>"
    assert (second.source, second.lines_missed, second.redrawn, second.truncated) == (Source.SINCE, 0, False, False)
    assert (second.rows, second.first_line) == (3, 4)
    assert driven.read(first.cursor).text == second.text
    nothing = driven.read(second.cursor)
    assert (nothing.text, nothing.rows) == ("", 0)


def test_a_complete_line_is_distinguished_from_a_continued_one(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("printf '\\n\\nnext'")
    assert driven.read(cursor).text == "\n\nnext<1>"
    driven.does("printf '\\n'")
    cursor = driven.read().cursor
    driven.does("printf '\\n\\nafter two blank lines'")
    found = driven.read(cursor)
    assert (found.text, found.redrawn) == ("\n\nafter two blank lines<3>", False)


def test_a_reading_of_what_has_not_changed_gives_the_same_cursor(driven: Driven) -> None:
    cursor = driven.read().cursor
    assert driven.read().cursor == cursor == driven.read(cursor).cursor
    driven.does("echo")
    assert driven.read(cursor).cursor != cursor


def test_a_cursor_follows_its_text_into_the_scrollback(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("echo; seq 1 200")
    found = driven.read(cursor)
    assert found.text.split() == [*map(str, range(1, 201)), "<1>"]
    assert found.lines_missed == 0


@pytest.mark.slow
def test_lines_that_were_pruned_are_counted(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("echo; seq 1 9000")
    found = driven.read(cursor)
    first = int(found.text.splitlines()[0])
    assert first > 1
    assert 0 < found.lines_missed <= first
    assert found.lines_missed >= first - 30
    assert found.text.endswith("9000\n<1>")
    assert driven.read(found.cursor).lines_missed == 0


def test_after_a_clear_the_screen_is_read_from_its_top(driven: Driven) -> None:
    driven.does("echo; seq 1 10")
    cursor = driven.read().cursor
    driven.does("printf '\\033[H\\033[2J'; echo new; seq 30 32")
    assert driven.read(cursor).text.splitlines()[-5:] == ["new", "30", "31", "32", "<2>"]


def test_after_a_reset_the_screen_is_read_from_its_top(driven: Driven) -> None:
    driven.does("echo; seq 1 10")
    cursor = driven.read().cursor
    driven.does("printf '\\033c'; echo fresh")
    assert driven.read(cursor).text.splitlines()[-2:] == ["fresh", "<2>"]


def test_a_line_that_is_painted_over_is_read_again(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K progress 10%%'")
    cursor = driven.read().cursor
    driven.does("printf '\\r\\033[K progress 55%%'")
    found = driven.read(cursor)
    assert "progress 55%" in found.text
    assert found.redrawn


def test_a_full_screen_program_is_read_as_its_whole_screen_and_what_came_before_is_not_lost(driven: Driven) -> None:
    driven.does("echo; echo before")
    cursor = driven.read().cursor
    driven.does("echo; echo unread; printf '\\033[?1049h\\033[Hfull screen'")
    inside = driven.read(cursor)
    assert inside.text == "full screen<2>"
    assert (inside.screen, inside.redrawn) == ("alternate", True)
    driven.does("printf '\\033[?1049l'; echo after")
    outside = driven.read(inside.cursor)
    assert outside.text.splitlines() == ["", "unread", "after", "<3>"]
    assert outside.screen == "primary"


def test_a_cursor_follows_its_text_when_the_pane_becomes_narrower(room: Room) -> None:
    driven = Driven(room)
    driven.does("echo; printf '%0100d\\n' 1; echo short")
    cursor = driven.read().cursor
    driven.does("echo; echo new")
    room.mux.resize(Size(50, 24))
    assert driven.read(cursor).text.strip().splitlines() == ["new", "<2>"]
    room.mux.resize(Size(120, 10))
    assert driven.read(cursor).text.strip().splitlines() == ["new", "<2>"]


@pytest.mark.parametrize("after", [Size(50, 24), Size(200, 24), Size(80, 40), Size(50, 40)])
def test_what_is_written_after_a_clear_is_read_whatever_size_the_pane_has_then(room: Room, after: Size) -> None:
    driven = Driven(room)
    driven.does("echo; seq 1 60")
    cursor = driven.read().cursor
    room.mux.resize(after)
    driven.does("printf '\\033[H\\033[2J'; seq 301 305")
    found = driven.read(cursor)
    assert found.text.split()[-6:] == ["301", "302", "303", "304", "305", "<2>"]
    assert found.redrawn


def test_what_has_not_changed_is_not_read_again_when_the_pane_becomes_narrower(room: Room) -> None:
    driven = Driven(room)
    driven.does("echo; printf '%0100d\\n漢字 and more text than fits in it\\n' 1; seq 1 5")
    cursor = driven.read().cursor
    room.mux.resize(Size(30, 24))
    found = driven.read(cursor)
    assert (found.text, found.redrawn) == ("", False)
    driven.does("echo; echo new")
    found = driven.read(cursor)
    assert (found.text.strip(), found.redrawn) == ("new\n<2>", False)


def test_what_is_written_after_a_full_screen_program_and_a_clear_is_read(driven: Driven) -> None:
    driven.does("echo; seq 1 15")
    before = driven.read().cursor
    driven.does("printf '\\033[?1049h\\033[Hfull screen'")
    inside = driven.read(before).cursor
    driven.does("printf '\\033[?1049l\\033[H\\033[2J'; echo back")
    found = driven.read(inside)
    assert (found.text.split(), found.redrawn) == (["back", "<3>"], True)


def test_what_is_written_over_a_page_that_was_read_is_read(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("echo; seq 1 15")
    page = driven.read(cursor, lines=10)
    assert page.truncated
    driven.does("printf '\\033[H\\033[2J'; echo new")
    found = driven.read(page.cursor)
    assert (found.text.split(), found.redrawn) == (["new", "<2>"], True)


def test_wrapped_lines_are_joined_unless_that_is_not_wanted(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("echo; printf '%0200d\\n' 7")
    assert "7".zfill(200) in driven.read(cursor).text
    apart = driven.read(cursor, joined=False)
    assert "7".zfill(200) not in apart.text
    assert apart.text.replace("\n", "").startswith("7".zfill(200))


def test_a_pane_keeps_its_newest_cursors(driven: Driven) -> None:
    cursors = [driven.read().cursor]
    for _ in range(KEPT):
        driven.does("echo")
        cursors.append(driven.read().cursor)
    assert len(set(cursors)) == KEPT + 1
    with pytest.raises(InvalidArgument, match=r"is not known .*read-pane without a cursor"):
        driven.read(cursors[0])
    assert f"<{KEPT}>" in driven.read(cursors[1]).text


def test_a_cursor_that_is_used_is_kept(driven: Driven) -> None:
    first = driven.read().cursor
    for _ in range(KEPT + 3):
        driven.does("echo")
        assert driven.read(first).text
        driven.read()


def test_a_cursor_goes_with_its_program_and_with_its_pane(room: Room) -> None:
    driven = Driven(room)
    other = room.cat()
    cursor = driven.read().cursor
    room.say(f"respawn-pane {driven.pane}")
    with pytest.raises(InvalidArgument, match="not known"):
        driven.read(cursor)
    cursor = driven.read().cursor
    room.say(f"close-pane {driven.pane}")
    with pytest.raises(InvalidArgument, match="not known"):
        room.run(ReadPane(cursor=cursor))
    assert room.run(ReadPane(pane=str(other))).text == ""


@pytest.mark.parametrize(
    "cursor", ["c", "nonsense", "c1.1.1", "c0000.99.1", "c1.2.3.4.5", "c.%1.2", "\x1b[31m", "c٣.١.١"]
)
def test_a_cursor_that_was_never_given_is_refused(room: Room, cursor: str) -> None:
    room.cat()
    with pytest.raises(InvalidArgument, match="cursor: ") as refused:
        room.run(ReadPane(cursor=cursor))
    assert str(refused.value).isprintable()


def test_a_cursor_belongs_to_one_pane(driven: Driven) -> None:
    room, other = driven.room, driven.room.cat()
    cursor = driven.read().cursor
    driven.does("echo; echo new")
    with pytest.raises(InvalidArgument, match=f"belongs to pane {driven.pane}"):
        room.run(ReadPane(pane=str(other), cursor=cursor))
    assert "new" in room.run(ReadPane(cursor=cursor), agent(other)).text


def test_a_cursor_goes_with_no_other_source(driven: Driven) -> None:
    cursor = driven.read().cursor
    for fields in ({"source": Source.SCREEN}, {"source": Source.SCROLLBACK}):
        with pytest.raises(InvalidArgument, match="goes with source since"):
            driven.read(cursor, **fields)
    with pytest.raises(InvalidArgument, match="goes with source since"):
        driven.read(source=Source.SINCE)
    with pytest.raises(InvalidArgument, match="offset"):
        driven.read(cursor, offset=3)


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
@pytest.mark.parametrize("lines", [2, 100])
def test_a_cursor_into_a_history_that_was_erased_tells_that_lines_are_missed(
    room: Room, engine: str, lines: int
) -> None:
    room.launcher.engine = engine
    steps = f"read x; seq {lines}; echo mid; read x; printf '\\033[H\\033[2J\\033[3J'; echo new; exec cat"
    pane = room.opened(f'create-pane -- sh -c "stty -echo; echo old; {steps}"')
    room.shows(pane, "old")
    cursor = room.say(f"read-pane {pane}").cursor
    for shown in ("mid", "new"):
        room.mux.terminals[pane].write(b"\n")
        room.shows(pane, shown)
    found = room.say(f"read-pane --cursor {cursor}")
    assert found.text == "new"
    assert found.lines_missed or found.redrawn
    if lines > 24:
        assert found.lines_missed >= lines // 2
