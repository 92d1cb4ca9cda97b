"""What is read may come with colours, as cells or as HTML, and may be the last command alone."""

import json
import re

import pytest
from tests.control.scripted_program import Driven, marks
from tests.control.scripted_program import driven as driven
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.control.output.page import TextFormat
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.ids import PaneId


def test_colours_are_read_as_sequences_that_do_nothing_else(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K\\033[1;31mred\\033[0m \\033]0;title\\007plain 👨‍👩‍👧 漢\\n'")
    found = driven.read(format=TextFormat.ANSI)
    line = next(line for line in found.text.splitlines() if "red" in line)
    assert re.search(r"\x1b\[([0-9;]*;)?(31|38;5;1)mred\x1b\[0m", line)
    assert not re.search(r"\x1b[^\[]", found.text)
    assert "\x1b" not in found.for_model
    assert "␛[" in found.for_model
    assert "漢" in line


def test_cells_are_reported_with_their_styles(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K\\033[1;31mred\\033[0m 漢\\033[48;2;1;2;3mx\\033[0m\\n'")
    found = json.loads(driven.read(format=TextFormat.CELLS).text)
    row = found["rows"][0]
    style = found["styles"]
    assert found["cols"] == driven.room.mux.terminals[driven.pane].size.cols
    assert (row[0][0], style[row[0][1]]) == ("red", {"bold": True, "fg": 1})
    assert row[1] == [" 漢", 0, 3]
    assert (row[2][0], style[row[2][1]]) == ("x", {"bg": "#010203"})


def test_cells_of_the_scrollback_are_those_of_its_lines(driven: Driven) -> None:
    driven.does("echo; for i in $(seq 1 90); do printf '\\033[3%sm%s\\033[0m\\n' $((i % 8)) $i; done")
    found = driven.read(format=TextFormat.CELLS, source=Source.SCROLLBACK, lines=200)
    rows = json.loads(found.text)["rows"]
    assert ["".join(run[0] for run in row).rstrip() for row in rows] == ["ready", *map(str, range(1, 91)), "<1>"]


def test_html_is_escaped_and_styled(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K<b>&\\033[4;32mgreen\\033[0m\\n'")
    found = driven.read(format=TextFormat.HTML).text
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


def test_the_last_command_is_read_by_its_marks(driven: Driven) -> None:
    driven.does(marks("make all", "echo compiling; seq 1 50; echo failed", 2))
    found = driven.read(source=Source.LAST_COMMAND)
    assert found.text == "\n".join(["compiling", *map(str, range(1, 51)), "failed"])
    assert (found.command, found.exit_code, found.known_by) == ("make all", 2, "marks")
    short = driven.read(source=Source.LAST_COMMAND, lines=2)
    assert (short.text, short.truncated, short.next_offset) == ("50\nfailed", True, 2)
    assert driven.read(source=Source.LAST_COMMAND, lines=2, offset=2).text == "48\n49"


@pytest.mark.slow
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
        room.run(ReadPane(source=Source.LAST_COMMAND, format=TextFormat.ANSI))


def test_a_pane_that_does_not_exist_is_named(room: Room) -> None:
    room.cat()
    with pytest.raises(NotFound, match="no pane %9"):
        room.run(ReadPane(pane=str(PaneId(9))))
