"""Text that a program hides from the user is marked where a model reads it."""

from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.own_position import birth_cursor
from fugue_tui.control.output.hidden_text import text_between, unstyled, with_marks
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.geometry import Size
from fugue_tui.imaging.palette import Theme
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.screen.pins import Point

THEME = Theme(background=(0, 0, 0))
HIDDEN = {
    "concealed": "\x1b[8mignore this\x1b[28m",
    "concealed among other attributes": "\x1b[0;1;4:3;8mignore this\x1b[0m",
    "black on black": "\x1b[30;40mignore this\x1b[39m",
    "the background's own colour": "\x1b[38;2;0;0;0mignore this\x1b[m",
    "nearly the background's colour": "\x1b[38;2;3;3;3mignore this\x1b[m",
    "one of the 256 colours": "\x1b[38;5;196;48;5;196mignore this\x1b[m",
    "bright on bright": "\x1b[94;104mignore this\x1b[m",
    "reversed": "\x1b[7;31;41mignore this\x1b[m",
}
SHOWN = (
    "plain",
    "\x1b[31mred\x1b[0m",
    "\x1b[8m\x1b[28mshown",
    "\x1b[30;40m  \x1b[0m blank",
    "\x1b[7mreversed\x1b[0m",
    "\x1b[44;34m\ue0b0\x1b[0m a prompt's arrow",
    "\x1b[30;47mdark on light\x1b[0m",
    "\x1b[58;5;0munderline\x1b[0m",
)


@pytest.mark.parametrize("hidden", HIDDEN.values(), ids=HIDDEN.keys())
def test_hidden_text_is_marked(hidden: str) -> None:
    assert with_marks(f"before {hidden} after", THEME) == "before [hidden: ignore this] after"
    emulator = make_emulator("ghostty", Size(60, 5), 100)
    emulator.set_colours(0xD0D0D0, 0)
    emulator.feed(f"before {hidden} after\r\nbelow".encode())
    assert text_between(emulator, Point(0), Point(5)) == "before [hidden: ignore this] after\nbelow"


@pytest.mark.parametrize("shown", SHOWN)
def test_what_the_user_sees_is_not_marked(shown: str) -> None:
    assert with_marks(shown, THEME) is None
    assert "\x1b" not in unstyled(shown, THEME)


def test_every_line_of_hidden_text_is_marked() -> None:
    assert with_marks("\x1b[8mone\n\n two\x1b[0m\nthree", THEME) == "[hidden: one]\n\n[hidden: two]\nthree"


def test_hidden_text_is_marked_for_readers_of_a_pane(room: Room) -> None:
    pane = room.opened("""create-pane -- sh -c "printf 'all is \\033[8mnot \\033[0mwell'; cat" """)
    room.shows(pane, "well")
    for source in (Source.SCREEN, Source.SCROLLBACK):
        assert room.run(ReadPane(pane=str(pane), source=source)).text == "all is [hidden: not]well"


def test_the_output_of_a_command_tells_what_the_user_cannot_see(room: Room) -> None:
    ran = room.say(r"""run-command --command "printf 'all is \\033[8mnot \\033[0mwell'" """)
    assert ran.text == "all is [hidden: not]well"


SCRIPT = "printf 'all is \\033[8mnot \\033[0mwell'; read x; printf 'and \\033[8mnever \\033[0mwas'; cat"
HIDES = f'create-pane -- sh -c "{SCRIPT}"'
SEEN = "all is [hidden: not]well"


def test_searches_and_text_screenshots_mark_what_the_user_cannot_see(room: Room) -> None:
    pane = room.opened(HIDES)
    room.shows(pane, "well")
    (match,) = room.say("search-panes --pattern not").matches
    assert (match.text, match.match) == (SEEN, "not")
    room.say(f"send-input {pane} --text x --submit")
    room.shows(pane, "was")
    (match,) = room.say("search-panes --pattern never --context 1").matches
    assert (match.text, match.before) == ("and [hidden: never]was", (f"{SEEN}x",))
    assert room.say(f"screenshot-pane {pane} --format text").text == f"{SEEN}x\nand [hidden: never]was"


def test_a_difference_marks_what_the_user_cannot_see(room: Room) -> None:
    pane = room.opened(HIDES)
    room.shows(pane, "well")
    cursor = room.say(f"read-pane {pane}").cursor
    room.say(f"send-input {pane} --text x --submit")
    room.shows(pane, "was")
    found = room.say(f"diff-pane --cursor {cursor}")
    assert [(row.before, row.after) for row in found.rows] == [(SEEN, f"{SEEN}x"), ("", "and [hidden: never]was")]
    assert "hidden: never" in found.summary
    assert found.new_text.endswith("and [hidden: never]was")


def test_waits_and_streams_mark_what_the_user_cannot_see(room: Room) -> None:
    pane = room.opened(HIDES)
    cursor = birth_cursor(room.mux, pane)
    found = room.say(f"wait-for-output --any-of not --cursor {cursor}")
    assert found.matched == "not"
    room.shows(pane, "well")
    assert room.say(f"wait-for-output --panes {pane} --any-of never --timeout 0").screen == SEEN
    streamed: Any = parse(f"stream-output --panes {pane} --timeout 600").run(room.mux, USER)
    room.say(f"send-input {pane} --text x --submit")
    room.shows(pane, "was")
    room.skip(600)
    (printed,) = room.awaited(streamed).panes
    assert printed.text.endswith("and [hidden: never]was")
    found = room.say(f"wait-for-output --any-of never --cursor {cursor} --timeout 1")
    assert "and [hidden: never]was" in str(found.excerpt)
