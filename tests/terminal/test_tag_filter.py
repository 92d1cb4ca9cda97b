"""Sideband tags in a terminal's output: they are reported as events, and they alone leave the display."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.terminal.conftest import Witness

from fugue_tui.geometry import Size
from fugue_tui.sideband.tag import ParseError, Tag, TagForm
from fugue_tui.terminal.emulator.events import Event, EventsDropped
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.terminal import Terminal

RECORDINGS = Path(__file__).parents[1] / "recordings"
KEY = "k3y"
SIZE = Size(60, 30)
DRAWN = b"\x1b[?1049h\x1b[H"
LISTED = b'<fugue:list key="k3y" />'


class Screen:
    """A terminal that is fed by hand, on a screen of one engine."""

    def __init__(self, engine: str, pump: IOLoop, size: Size = SIZE) -> None:
        self.witness = Witness()
        self.terminal = Terminal.waiting(
            size, pump=pump, emulator=make_emulator(engine, size, 1_000), watcher=self.witness
        )
        self.terminal._tags._is_canonical = lambda: False  # pyright: ignore[reportPrivateUsage]

    def feed(self, data: bytes) -> None:
        self.terminal.receive(memoryview(data))

    def check(self) -> None:
        """Have the time pass after which a drawn screen is searched."""
        self.terminal._check_tags()  # pyright: ignore[reportPrivateUsage]

    @property
    def rows(self) -> list[str]:
        lines = self.terminal.scrollback.lines
        return [row.rstrip() for row in self.terminal.lines(lines, lines + self.terminal.size.rows)]

    @property
    def tags(self) -> list[Tag]:
        return [event for event in self.witness.events if isinstance(event, Tag)]


MakeScreen = Callable[..., Screen]


@pytest.fixture(params=["ghostty", "pyte"])
def screen(request: pytest.FixtureRequest, pump: IOLoop) -> Iterator[MakeScreen]:
    """Makes screens of one engine and then the other."""
    made = list[Screen]()

    def make(size: Size = SIZE) -> Screen:
        made.append(Screen(str(request.param), pump, size))
        return made[-1]

    yield make
    for each in made:
        each.terminal.close()


def test_tags_are_reported_in_order_with_other_events_and_leave_the_display(screen: MakeScreen) -> None:
    shown = screen()
    shown.terminal.parse_tags(KEY)
    shown.feed(b"\x1b]2;one\x07a\r\n\x1b[31m<fugue:list />b\r\n\x1b]2;two\x07- <fugue:focus target='%1' />\r\nc")
    assert shown.rows[:4] == ["a", "b", "-", "c"]
    kinds = [type(event).__name__ for event in shown.witness.events]
    assert kinds == ["TitleChanged", "Tag", "TitleChanged", "Tag"]


def test_the_display_is_that_of_the_same_output_without_tags_for_every_division(screen: MakeScreen) -> None:
    before, after = b"x" * 55 + b"\r\n\x1b[1;32m  ", b"wrapped at the edge of the pane, " * 3 + b"\r\n\x1b[0mend"
    stream = before + b"<fugue:spawn\r\n command='\x1b[31mls\x1b[1;32m' />" + after
    plain = screen()
    plain.feed(before + after)
    for at in range(0, len(stream), 3):
        shown = screen()
        shown.terminal.parse_tags(KEY)
        shown.feed(stream[:at])
        shown.feed(stream[at:])
        assert shown.rows == plain.rows
        assert len(shown.tags) == 1
        assert shown.terminal._screen.emulator.cursor == plain.terminal._screen.emulator.cursor  # pyright: ignore[reportPrivateUsage]


def test_without_trust_tags_are_text_and_the_osc_form_is_nothing(screen: MakeScreen) -> None:
    shown = screen()
    shown.feed(b"<fugue:list />\r\n\x1b]7770;fugue:list\x1b\\end")
    assert shown.rows[:2] == ["<fugue:list />", "end"]
    assert shown.witness.events == []
    shown.terminal.parse_tags(KEY)
    shown.feed(b"\r\n<fugue:li")
    shown.terminal.parse_tags(None)
    shown.feed(b"st />")
    assert shown.rows[2] == "<fugue:list />"
    assert shown.tags == []


def test_an_incomplete_tag_is_shown_after_a_while(screen: MakeScreen) -> None:
    shown = screen()
    shown.terminal.parse_tags(KEY)
    shown.feed(b"<fugue:list")
    assert shown.rows[0] == ""
    shown.witness.wait(lambda: shown.rows[0] == "<fugue:list")
    shown.feed(b" />")
    assert shown.rows[0] == "<fugue:list />"
    assert shown.tags == []


def test_an_incomplete_tag_is_shown_when_the_program_exits(pump: IOLoop) -> None:
    witness = Witness()
    program = Program(("sh", "-c", "read line; printf '<fugue:list'"))
    terminal = Terminal.spawn(program, SIZE, pump=pump, emulator=make_emulator("ghostty", SIZE), watcher=witness)
    terminal.parse_tags(KEY)
    terminal.write(b"\n")
    witness.wait(lambda: witness.exits)
    assert witness.exits == [Exit(0)]
    assert terminal.lines(1, 2) == ["<fugue:list"]
    terminal.close()


def test_what_is_no_tag_is_shown_and_reported(screen: MakeScreen) -> None:
    shown = screen()
    shown.terminal.parse_tags(KEY)
    shown.feed(b"<fugue:erase />\r\n")
    assert shown.rows[0] == "<fugue:erase />"
    [event] = shown.witness.events
    assert isinstance(event, ParseError)


def test_a_flood_of_tags_is_bounded(screen: MakeScreen, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = screen()
    shown.terminal.parse_tags(KEY)
    kept = list[Event]()

    def on_event(terminal: Terminal, event: Event) -> None:
        kept.append(event)

    monkeypatch.setattr(shown.witness, "on_event", on_event)
    for number in range(100):
        shown.feed(b"".join(b"<fugue:focus target='%%%d' />\r\n" % each for each in range(number, number + 100)))
    assert len(kept) == 10_000
    assert not any(isinstance(event, EventsDropped) for event in kept)
    assert not any("fugue" in row for row in shown.rows)


def test_drawn_tags_need_the_key_and_are_erased(screen: MakeScreen) -> None:
    shown = screen()
    shown.terminal.parse_tags(KEY)
    shown.feed(DRAWN + b"<fugue:list />\r\n\x1b[2B" + LISTED + b" text\r\n\r\nprose about\r\n" + LISTED)
    shown.feed(b"\x1b[10;1H\x1b[41m- <fugue:spawn\x1b[11;5Hcommand='a  b'\x1b[11;20Hkey='k3y' />\x1b[12;3Hx")
    cursor = shown.terminal._screen.emulator.caret  # pyright: ignore[reportPrivateUsage]
    shown.check()
    assert [(tag.name, tag.form) for tag in shown.tags] == [("list", TagForm.SCREEN), ("spawn", TagForm.SCREEN)]
    assert shown.tags[1].attributes == {"command": "a  b", "key": "k3y"}
    assert shown.rows[:12] == [
        "<fugue:list />", "", "", " " * 25 + "text", "", "prose about", LISTED.decode(), "", "", "-", "", "  x"
    ]  # fmt: skip
    assert shown.terminal._screen.emulator.caret == cursor  # pyright: ignore[reportPrivateUsage]


def test_what_is_on_the_screen_when_trust_begins_or_when_it_is_resized_is_no_tag(screen: MakeScreen) -> None:
    shown = screen()
    shown.feed(DRAWN + LISTED)
    shown.terminal.parse_tags(KEY)
    shown.feed(b"\x1b[5;1Hmore")
    shown.check()
    assert shown.tags == []
    shown.terminal.resize(Size(40, 20))
    shown.feed(b"\x1b[6;1Hmore")
    shown.check()
    assert shown.tags == []


def test_nothing_is_erased_within_an_escape_sequence_or_while_the_cursor_is_saved(screen: MakeScreen) -> None:
    shown = screen()
    shown.terminal.parse_tags(KEY)
    shown.feed(DRAWN + LISTED + b"\x1b[3")
    shown.check()
    assert len(shown.tags) == 1
    shown.feed(b";3Hx\x1b7")
    shown.check()
    assert shown.rows[:3] == [LISTED.decode(), "", "  x"]
    shown.feed(b"\x1b[9;9H\x1b8y")
    shown.check()
    assert shown.rows[:3] == ["", "", "  xy"]
    assert len(shown.tags) == 1


@pytest.mark.parametrize("cols", [80, 40])
@pytest.mark.parametrize("read", [37, 512, 100_000])
def test_the_tags_of_claude_code_run_once(screen: MakeScreen, cols: int, read: int) -> None:
    """Claude Code 2.1 printed them as they arrived from the model; then the window became ten columns narrower."""
    recording = (RECORDINGS / f"claude_tags_{cols}.vt").read_bytes()
    narrower = recording.index(b"\x1b[H\x1b[2K")
    shown = screen(Size(cols, 30))
    shown.terminal.parse_tags(KEY)
    for start, stop in ((0, narrower), (narrower, len(recording))):
        for at in range(start, stop, read):
            shown.feed(recording[at : min(at + read, stop)])
            shown.check()
        shown.terminal.resize(Size(cols - 10, 30))
    command = "cargo build --release --package some-long-name --features all"
    expected = [
        ("list", {"reply": "file", "key": KEY}, ""),
        ("spawn", {"direction": "vertical", "command": command, "key": KEY}, ""),
        ("notify", {"text": "built & done", "key": KEY}, ""),
        ("input", {"target": "%3", "key": KEY}, "echo hi"),
    ]
    found = [(tag.name, tag.attributes, tag.text) for tag in shown.tags]
    assert list({str(each): each for each in found}.values()) == expected
    assert not any(KEY in row and "inline" not in row and "is text" not in row for row in shown.rows)
    assert any('<fugue:spawn command="no" />' in row for row in shown.rows)
