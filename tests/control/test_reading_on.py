"""Reading goes on where it ended: after more output, a clear, a reset, another screen, another size, lost lines."""

import json
import re
from dataclasses import replace

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.excerpt import Format
from fugue_tui.control.panes import CreatePane
from fugue_tui.control.reading import Reading, ReadPane, Source
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.cursors import KEPT

LOOP = "stty -echo; printf ready; while read -r line; do eval \\\"$line\\\"; printf '<%s>' $((n=n+1)); done"


class Driven:
    """A pane whose program does what the test says, and says when it is done."""

    def __init__(self, room: Room, engine: str = "ghostty") -> None:
        self.room = room
        room.launcher.engine = engine
        self.pane = room.opened(f'create-pane --command "{LOOP}"')
        self.count = 0
        room.shows(self.pane, "ready")

    def does(self, script: str) -> None:
        """Run a line of shell script to its end."""
        self.count += 1
        self.room.mux.terminals[self.pane].write(f"{script}\n".encode())
        self.room.until(lambda: f"<{self.count}>" in self.whole(), self.whole)

    def whole(self) -> str:
        """All of the pane's text."""
        return "\n".join(self.room.mux.terminals[self.pane].lines(0, 1 << 20))

    def read(self, cursor: str = "", **fields: object) -> Reading:
        """Read the pane."""
        return self.room.run(ReadPane(pane=str(self.pane), cursor=cursor, **fields))  # type: ignore[arg-type]


@pytest.fixture(params=["ghostty", "pyte"])
def driven(room: Room, request: pytest.FixtureRequest) -> Driven:
    return Driven(room, request.param)


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


def test_a_line_that_was_not_ended_is_told_from_one_that_goes_on(driven: Driven) -> None:
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


def test_a_long_text_is_read_on_in_pages(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("echo; seq 1 100")
    pages: list[str] = []
    more = True
    while more:
        page = driven.read(cursor, lines=30)
        pages.append(page.text)
        cursor, more = page.cursor, page.truncated
    assert len(pages) == 4
    assert [line for page in pages for line in page.splitlines() if line] == [*map(str, range(1, 101)), "<1>"]


def test_no_page_ends_in_the_middle_of_a_wrapped_line(driven: Driven) -> None:
    driven.room.mux.resize(Size(40, 24))
    cursor = driven.read().cursor
    driven.does("echo; for i in $(seq 1001 1030); do printf '%s %090d|\\n' $i 0; done")
    expected = [f"{number} {'0' * 90}|" for number in range(1001, 1031)]
    back: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = driven.read(source=Source.SCROLLBACK, lines=10, offset=offset)
        back, offset = [*page.text.splitlines(), *back], page.next_offset
    assert back == ["ready", *expected, "<1>"]
    on: list[str] = []
    more = True
    while more:
        page = driven.read(cursor, lines=10)
        on, cursor, more = [*on, *page.text.split("\n")], page.cursor, page.truncated
    assert [line for line in on if line] == [*expected, "<1>"]
    assert driven.read(lines=1, offset=1).text == "0" * 15 + "|"


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


def test_a_full_screen_program_is_read_in_pages_that_come_to_an_end(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("printf '\\033[?1049h\\033[H'; seq 1 20")
    pages: list[str] = []
    more = True
    while more and len(pages) < 9:
        page = driven.read(cursor, lines=8)
        pages.append(page.text)
        cursor, more = page.cursor, page.truncated
    assert "\n".join(pages).split() == [*map(str, range(1, 21)), "<1>"]
    first = driven.read(lines=8, offset=0, source=Source.SCREEN).cursor
    driven.does("printf '\\033[H'; seq 101 120")
    assert driven.read(first, lines=8).text.split()[0] == "101"


def test_a_page_of_a_screen_that_is_painted_anew_is_followed_by_all_of_it(driven: Driven) -> None:
    cursor = driven.read().cursor
    driven.does("printf '\\033[?1049h\\033[H'; seq 1 20")
    page = driven.read(cursor, lines=8)
    driven.does("printf '\\033[H'; seq 101 120")
    found = driven.read(page.cursor)
    assert (found.text.split()[0], found.redrawn) == ("101", True)


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
    with pytest.raises(InvalidArgument, match=f"is one of pane {driven.pane}"):
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


def test_the_scrollback_tells_how_to_page_back(driven: Driven) -> None:
    driven.does("echo; seq 1 300")
    lines: list[str] = []
    offset: int | None = 0
    while offset is not None:
        page = driven.read(source=Source.SCROLLBACK, lines=70, offset=offset)
        assert page.first_line + page.rows + offset == page.total_lines
        lines = [*page.text.splitlines(), *lines]
        assert page.truncated == (page.next_offset is not None)
        offset = page.next_offset
    assert lines == ["ready", *map(str, range(1, 301)), "<1>"]


def paged(room: Room, driven: Driven, takes: int) -> tuple[list[str], int]:
    """The scrollback as an agent gets it that takes so many characters: its lines, and in how many pages."""
    lines, pages, offset = list[str](), 0, 0
    while offset is not None:
        reading = ReadPane(pane=str(driven.pane), source=Source.SCROLLBACK, lines=10_000, offset=offset)
        page = room.run(reading, replace(agent(), takes=takes))
        assert len(page.text) <= takes
        lines, pages, offset = [*page.text.splitlines(), *lines], pages + 1, page.next_offset
    return lines, pages


@pytest.mark.parametrize(("takes", "most"), [(262_144, 1), (20_000, 3), (2_000, 25)])
def test_an_agent_gets_as_many_short_rows_at_once_as_a_model_takes(room: Room, takes: int, most: int) -> None:
    room.launcher.scrollback = 10_000
    driven = Driven(room)
    driven.does("echo; seq 1 8000")
    lines, pages = paged(room, driven, takes)
    assert lines == ["ready", *map(str, range(1, 8001)), "<1>"]
    assert pages <= most


def test_rows_of_every_length_are_paged_without_a_gap(room: Room) -> None:
    room.launcher.scrollback = 10_000
    driven = Driven(room)
    driven.does("echo; seq 1 2000; for i in $(seq 2001 2300); do printf '%s%070d\\n' $i 0; done; seq 2301 4300")
    expected = [str(number) + "0" * 70 * (2000 < number <= 2300) for number in range(1, 4301)]
    lines, pages = paged(room, driven, 20_000)
    assert lines == ["ready", *expected, "<1>"]
    assert pages <= 6


@pytest.mark.parametrize("format", [Format.ANSI, Format.CELLS, Format.HTML])
def test_what_its_styles_make_too_long_for_a_model_is_refused_and_never_cut(room: Room, format: Format) -> None:
    room.mux.resize(Size(400, 150))
    driven = Driven(room)
    driven.does("for i in $(seq 1 9000); do printf '\\033[38;5;%dmx\\033[48;5;%dmy' $((i % 256)) $((i % 255)); done")
    reading = ReadPane(pane=str(driven.pane), source=Source.SCROLLBACK, lines=200, format=format)
    with pytest.raises(InvalidArgument, match="ask for fewer lines, or for plain"):
        room.run(reading, agent())
    assert room.run(reading).rows > 40


def test_colours_are_read_as_sequences_that_do_nothing_else(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K\\033[1;31mred\\033[0m \\033]0;title\\007plain 👨‍👩‍👧 漢\\n'")
    found = driven.read(format=Format.ANSI)
    line = next(line for line in found.text.splitlines() if "red" in line)
    assert re.search(r"\x1b\[([0-9;]*;)?(31|38;5;1)mred\x1b\[0m", line)
    assert not re.search(r"\x1b[^\[]", found.text)
    assert "\x1b" not in found.for_models
    assert "␛[" in found.for_models
    assert "漢" in line


def test_cells_are_told_with_their_styles(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K\\033[1;31mred\\033[0m 漢\\033[48;2;1;2;3mx\\033[0m\\n'")
    found = json.loads(driven.read(format=Format.CELLS).text)
    row = found["rows"][0]
    style = found["styles"]
    assert found["cols"] == driven.room.mux.terminals[driven.pane].size.cols
    assert (row[0][0], style[row[0][1]]) == ("red", {"bold": True, "fg": 1})
    assert row[1] == [" 漢", 0, 3]
    assert (row[2][0], style[row[2][1]]) == ("x", {"bg": "#010203"})


def test_cells_of_the_scrollback_are_those_of_its_lines(driven: Driven) -> None:
    driven.does("echo; for i in $(seq 1 90); do printf '\\033[3%sm%s\\033[0m\\n' $((i % 8)) $i; done")
    found = driven.read(format=Format.CELLS, source=Source.SCROLLBACK, lines=200)
    rows = json.loads(found.text)["rows"]
    assert ["".join(run[0] for run in row).rstrip() for row in rows] == ["ready", *map(str, range(1, 91)), "<1>"]


def test_html_is_escaped_and_styled(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K<b>&\\033[4;32mgreen\\033[0m\\n'")
    found = driven.read(format=Format.HTML).text
    assert found.startswith("<pre style=")
    assert "&lt;b&gt;&amp;" in found
    assert re.search(r'<span style="color:#[0-9a-f]{6};text-decoration:underline">green</span>', found)


def test_emoji_survive_and_tricks_do_not(room: Room) -> None:
    driven = Driven(room)
    driven.does("printf '\\r\\033[K👩🏽‍🚀👨‍👩‍👧 ❤️ 漢字 a\\342\\200\\256b\\342\\200\\213c\\n'")
    line = driven.read().text.splitlines()[0]
    assert "👩🏽‍🚀👨‍👩‍👧" in line
    assert "漢字" in line
    assert not {"\u202e", "\u200b"} & set(line)


def marks(line: str, output: str, code: int) -> str:
    """A prompt, a command that is typed, its output and its end, as a shell with integration prints them."""
    return (
        f"printf '\\033]133;A\\007$ \\033]133;B\\007{line}\\n\\033]133;C\\007'; {output}; "
        f"printf '\\033]133;D;{code}\\007\\033]133;A\\007$ \\033]133;B\\007'"
    )


def test_the_last_command_is_read_by_its_marks(driven: Driven) -> None:
    driven.does(marks("make all", "echo compiling; seq 1 50; echo failed", 2))
    found = driven.read(source=Source.LAST_COMMAND)
    assert found.text == "\n".join(["compiling", *map(str, range(1, 51)), "failed"])
    assert (found.command, found.exit_code, found.known_by) == ("make all", 2, "marks")
    short = driven.read(source=Source.LAST_COMMAND, lines=2)
    assert (short.text, short.truncated, short.next_offset) == ("50\nfailed", True, 2)
    assert driven.read(source=Source.LAST_COMMAND, lines=2, offset=2).text == "48\n49"


def test_the_lines_of_the_last_command_that_were_pruned_are_counted(driven: Driven) -> None:
    driven.does(marks("seq", "seq 1 20000", 0))
    found = driven.read(source=Source.LAST_COMMAND, lines=10_000)
    first = int(found.text.splitlines()[0])
    assert first > 5_000
    assert first - 30 <= found.lines_missed < first


def test_what_a_full_screen_program_covers_is_not_told_as_nothing(driven: Driven) -> None:
    start = "printf '\\033]133;A\\007$ \\033]133;B\\007edit\\n\\033]133;C\\007'; echo opening"
    driven.does(f"{start}; printf '\\033[?1049hfull screen'")
    with pytest.raises(NotFound, match=r"a full-screen program covers .*; read its screen"):
        driven.read(source=Source.LAST_COMMAND)
    driven.does("printf '\\033[?1049l'")
    assert driven.read(source=Source.LAST_COMMAND).text.splitlines()[0] == "opening"


def test_the_last_command_is_guessed_from_the_screen_where_there_are_no_marks(room: Room) -> None:
    pane = PaneId(room.run(CreatePane(command=("/bin/sh", "-i"), env={"PS1": "user@host:~$ "})).id[1:])
    room.shows(pane, "user@host:~$")
    room.mux.terminals[pane].write(b"echo one; echo two\n")
    room.until(lambda: room.text(pane).count("user@host:~$") == 2)
    found = room.run(ReadPane(source=Source.LAST_COMMAND))
    assert (found.command, found.text, found.known_by) == ("echo one; echo two", "one\ntwo", "guess")
    assert (found.exit_code, found.truncated) == (None, False)
    assert room.run(ReadPane(source=Source.LAST_COMMAND, lines=1)).text == "two"
    with pytest.raises(InvalidArgument, match="does not mark its prompts"):
        room.run(ReadPane(source=Source.LAST_COMMAND, format=Format.ANSI))


def test_a_pane_that_is_not_there_is_named(room: Room) -> None:
    room.cat()
    with pytest.raises(NotFound, match="no pane %9"):
        room.run(ReadPane(pane=str(PaneId(9))))


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
