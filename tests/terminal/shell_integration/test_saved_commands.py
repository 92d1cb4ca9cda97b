"""The commands that a text was saved with come back with it, and what they printed can be read again."""

import json
import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest
from msgspec.structs import replace

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import save_format
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.shell_integration.command_log import PINNED, CommandLog, output
from fugue_tui.terminal.shell_integration.saved_commands import frozen, placeless, read, recall

SIZE = Size(40, 10)


class Life:
    """A terminal, and a shell in it that marks what it does."""

    def __init__(self, emulator: Emulator, before: tuple[CommandRecord, ...] = ()) -> None:
        self.emulator = emulator
        self.log = CommandLog(emulator, "nonce", lambda: "/here")
        emulator.connect_marks(nullcontext(), self.log.on_mark)
        self.log.restore(before)

    def mark(self, what: str) -> None:
        self.emulator.feed(f"\x1b]133;{what};fugue=nonce\x07".encode())

    def start(self, line: str, printed: str) -> None:
        self.mark("A")
        self.emulator.feed(b"$ ")
        self.mark("B")
        self.emulator.feed(f"{line}\r\n".encode())
        self.mark("C")
        self.emulator.feed(printed.replace("\n", "\r\n").encode())

    def run(self, line: str, printed: str, code: int = 0) -> None:
        self.start(line, printed)
        self.mark(f"D;{code}")

    def saved(self, sift: Callable[[str], str] = str) -> bytes:
        return self.emulator.freeze(frozen(self.emulator, self.log.records, sift))()

    def printed(self) -> list[str]:
        """What each command printed, as far as it is known."""
        return [output(self.emulator, record).text for record in self.log.records]

    @property
    def top(self) -> str:
        """The line at the top of the view."""
        self.emulator.refresh()
        return self.emulator.row(0).text.rstrip()


Next = Callable[..., Life]


@pytest.fixture(params=["ghostty", "pyte"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def life(engine: str) -> Life:
    return Life(make_emulator(engine, SIZE, 300))


def after(life: Life, size: Size = SIZE, data: bytes = b"", lines: int = 300) -> Life:
    """The next life of the same terminal."""
    emulator = make_emulator(life.emulator.engine, size, lines)
    commands = recall(emulator, data or life.saved())
    emulator.feed(b"-- restored --\r\n")
    return Life(emulator, commands)


def test_commands_are_restored_with_what_they_printed(life: Life) -> None:
    life.run("ls", "a b\n\n  c\n")
    life.run("false", "", 1)
    life.run("seq 30", "".join(f"{number}\n" for number in range(30)), 0)
    new = after(life)
    before = life.log.records
    for old, record in zip(before, new.log.records, strict=True):
        assert replace(record, started=0.0, ended=0.0) == replace(old, started=0.0, ended=0.0)
        assert abs((record.seconds or 0) - (old.seconds or 0)) < 0.01
        assert abs(record.started - old.started) < 0.5
    assert new.printed() == life.printed()
    assert new.printed()[0] == "a b\n\n  c"
    assert len(new.printed()[2].split()) == 30


def test_numbers_continue(life: Life) -> None:
    life.run("one", "1\n")
    life.run("two", "2\n")
    new = after(life)
    new.run("three", "3\n")
    assert [(record.number, record.line) for record in new.log.records] == [(1, "one"), (2, "two"), (3, "three")]
    assert new.printed() == ["1", "2", "3"]
    last = after(new)
    assert last.printed() == ["1", "2", "3"]


def test_only_what_the_newest_commands_printed_can_be_read(life: Life) -> None:
    for number in range(PINNED + 3):
        life.run(f"command {number}", f"output {number}\n")
    new = after(life)
    assert [record.line for record in new.log.records] == [f"command {number}" for number in range(PINNED + 3)]
    assert new.printed() == life.printed() == [""] * 3 + [f"output {number}" for number in range(3, PINNED + 3)]
    new.run("one more", "!\n")
    assert new.printed()[3:5] == ["", "output 4"]


def test_what_was_printed_is_found_where_lines_are_rewrapped() -> None:
    life = Life(make_emulator("ghostty", SIZE, 300))
    life.run("long", "x" * 100 + "\nend\n")
    life.run("next", "y" * 50 + "\n")
    for size in (Size(23, 6), Size(90, 20), Size(7, 3)):
        assert after(life, size).printed() == ["x" * 100 + "\nend", "y" * 50]


def test_an_engine_without_reflow_keeps_output_of_its_width_alone() -> None:
    life = Life(make_emulator("pyte", SIZE, 300))
    life.run("long", "x" * 100 + "\nend\n")
    assert after(life, Size(40, 5)).printed() == ["x" * 100 + "\nend"]
    assert after(life, Size(30, 5)).printed() == [""]
    assert [record.line for record in after(life, Size(30, 5)).log.records] == ["long"]


@pytest.mark.slow
def test_what_left_the_history_is_known_to_be_missing(life: Life) -> None:
    life.run("early", "early\n")
    life.run("seq", "".join(f"{number}\n" for number in range(3_000)))
    life.run("late", "late\n")
    assert after(life).printed()[2] == "late"
    assert after(life).printed()[0] == ""
    assert after(life, lines=20).printed()[2] == "late"


def test_what_ran_is_over_without_a_code(life: Life) -> None:
    life.run("ls", "a\n")
    life.start("make", "half of it\n")
    new = after(life)
    last = new.log.records[-1]
    assert (last.line, last.running, last.exit_code) == ("make", False, None)
    assert last.seconds is not None
    assert new.log.running is None
    assert new.printed() == ["a", "half of it"]


def test_a_full_screen_program_hides_nothing_of_what_was_before_it(life: Life) -> None:
    life.run("ls", "a b\n")
    life.start("vim", "\x1b[?1049h\x1b[Ha file")
    new = after(life)
    assert [(record.line, record.running) for record in new.log.records] == [("ls", False), ("vim", False)]
    assert new.printed()[0] == "a b"


def test_what_is_secret_in_a_line_is_filtered(life: Life) -> None:
    life.run("login --password=hunter2", "ok\n")
    data = life.saved(lambda line: line.replace("hunter2", "[withheld]"))
    assert after(life, data=data).log.records[0].line == "login --password=[withheld]"
    assert b"hunter2" not in save_format.unpack(data).past


def test_the_view_is_restored_to_where_it_was(life: Life) -> None:
    life.emulator.feed(b"".join(b"line %d\r\n" % number for number in range(100)))
    assert after(life).emulator.scrollback.offset == 0
    life.emulator.scroll(50)
    top = life.top
    new = after(life)
    assert new.top == top
    new.emulator.feed(b"more\r\n" * 5)
    assert new.top == top
    assert after(new).top == top


def test_the_view_is_restored_in_another_width() -> None:
    life = Life(make_emulator("ghostty", SIZE, 300))
    life.emulator.feed(b"".join(b"line %d%s\r\n" % (number, b"." * 30) for number in range(100)))
    life.emulator.scroll(50)
    top = life.top
    assert after(life, Size(90, 12)).top == top
    assert after(life, Size(20, 5)).top == top[:20]


def test_a_save_of_the_version_before_is_read(life: Life) -> None:
    life.run("ls", "a b\n")
    data = life.emulator.save()
    old = data[:8] + b"\x01\x00" + data[10:]
    assert after(life, data=old).log.records == ()


def test_what_was_cut_keeps_its_commands_without_places(life: Life) -> None:
    life.run("ls", "a b\n")
    past = read(placeless(save_format.unpack(life.saved()).past))
    assert [record.line for record in past.commands] == ["ls"]
    assert past.spans == (None,)


GOOD = {"number": 3, "line": "ls", "cwd": "/", "started": 5.0, "ended": 6.5, "exit": 0, "trusted": True, "span": None}


@pytest.mark.parametrize(
    "spoilt",
    [
        {"number": 0},
        {"number": -1},
        {"number": True},
        {"number": 1 << 60},
        {"line": 7},
        {"cwd": None},
        {"started": "now"},
        {"started": -1},
        {"started": 1e400},
        {"started": float("nan")},
    ],
)
def test_a_command_that_makes_no_sense_is_left_out(spoilt: dict[str, Any]) -> None:
    past = read(json.dumps({"commands": [GOOD | {"number": 2}, GOOD | spoilt, GOOD]}).encode())
    assert [record.number for record in past.commands] == [2, 3]


@pytest.mark.parametrize("span", [[1, 2, 3], [1, 2, 0, 0], [1, 2, 3, -4], "1234", [1.0, 2, 3, 4], [1 << 40] * 4])
def test_an_invalid_position_is_ignored(span: Any) -> None:
    past = read(json.dumps({"commands": [GOOD | {"span": span}], "view": span}).encode())
    assert (past.spans, past.view) == ((None,), None)


@pytest.mark.parametrize("data", [b"", b"[]", b"7", b"{", b'{"commands": 7}', b"\xff", b"[" * 100_000])
def test_invalid_saved_data_restores_no_commands(data: bytes) -> None:
    assert read(data).commands == ()


def test_positions_beyond_the_text_are_ignored(engine: str) -> None:
    emulator = make_emulator(engine, SIZE, 300)
    emulator.feed(b"text")
    entry = GOOD | {"span": [1 << 20, 0, 1 << 20, 5]}
    data = emulator.freeze(lambda: json.dumps({"commands": [entry], "view": 1 << 20}).encode())()
    new = make_emulator(engine, SIZE, 300)
    (command,) = recall(new, data)
    assert output(new, command).text == ""
    assert new.lines(0, 1) == ["text"]


def test_a_long_history_of_commands_is_bounded(life: Life) -> None:
    life.log.restore(
        tuple(
            CommandRecord(number, "x" * 4_000, "/", 0.0, time.time(), True, 1.0, time.time(), 0)
            for number in range(1, 400)
        )
    )
    past = save_format.unpack(life.saved()).past
    assert len(past) < 300_000
    assert read(past).commands[-1].number == 399
