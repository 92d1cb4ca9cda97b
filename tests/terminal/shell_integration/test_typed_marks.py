"""Commands that were typed with marks of their own, in both engines."""

from contextlib import nullcontext

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted, PromptMark
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.shell_integration.command_log import PINNED, CommandLog, output


class Shell:
    """A terminal whose shell marks nothing by itself."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.log = CommandLog(emulator, "known", lambda: "/here")
        emulator.connect_marks(nullcontext(), self.log.on_mark)

    def mark(self, what: str) -> None:
        self.feed(f"\x1b]133;{what}\x07".encode())

    def feed(self, data: bytes) -> None:
        for part in self.log.split(data, 0):
            self.emulator.feed(part)

    def run(self, nonce: str, printed: bytes, code: int = 0) -> int:
        number = self.log.expect(nonce, "the line")
        self.mark(f"C;fugue={nonce}")
        self.feed(printed)
        self.mark(f"D;{code};fugue={nonce}")
        return number


@pytest.fixture(params=["ghostty", "pyte"])
def shell(request: pytest.FixtureRequest) -> Shell:
    return Shell(make_emulator(request.param, Size(40, 10), 200))


def test_what_was_asked_for_is_a_command_like_any(shell: Shell) -> None:
    shell.emulator.feed(b"$ typed\r\n")
    number = shell.run("one", b"a\r\nb", 3)
    record = shell.log.records[-1]
    assert (record.number, record.line, record.exit_code, record.cwd) == (number, "the line", 3, "/here")
    assert output(shell.emulator, record).text == "a\nb"
    assert [type(event) for event in shell.log.take_events()] == [CommandStarted, CommandFinished]
    assert shell.log.at_prompt is None


def test_nothing_that_it_prints_ends_it(shell: Shell) -> None:
    shell.log.expect("one", "")
    shell.mark("C;fugue=one")
    for fake in ("D;0", "A", "B", "C", "D;0;fugue=two", "C;fugue=one"):
        shell.mark(fake)
    assert shell.log.running
    assert not shell.log.accepts(PromptMark("A"))
    shell.mark("D;7;fugue=one")
    shell.mark("D;8;fugue=one")
    assert [record.exit_code for record in shell.log.records] == [7]
    assert shell.log.accepts(PromptMark("A"))


def test_a_command_inside_a_known_one_is_no_command_of_that_shell(shell: Shell) -> None:
    for mark in ("A;fugue=known", "B;fugue=known", "C;fugue=known;cmdline=sh"):
        shell.mark(mark)
    number = shell.run("one", b"inner\r\n", 1)
    started, inner, finished = shell.log.take_events()
    assert isinstance(inner, CommandStarted)
    assert isinstance(finished, CommandFinished)
    assert inner.command.number == finished.command.number == number
    assert output(shell.emulator, finished.command).text == "inner"
    shell.mark("D;0;fugue=known")
    assert isinstance(started, CommandStarted)
    assert [(record.line, record.exit_code) for record in shell.log.records] == [("sh", 0)]


def test_the_end_of_the_shell_ends_it(shell: Shell) -> None:
    shell.log.expect("one", "")
    shell.mark("C;fugue=one")
    shell.log.on_exit(5)
    assert shell.log.records[-1].exit_code == 5


def test_only_the_newest_keep_their_places(shell: Shell) -> None:
    for number in range(PINNED + 3):
        shell.run(f"n{number}", b"x\r\n")
    assert [record.start is None for record in shell.log.records] == [True] * 3 + [False] * PINNED


def test_a_command_that_clears_the_screen_has_printed_what_is_left(shell: Shell) -> None:
    shell.feed(b"old\r\n" * 6)
    number = shell.log.expect("one", "")
    shell.mark("C;fugue=one")
    shell.feed(b"gone\r\n\x1b[H\x1b[2J\x1b[3J" + b"".join(b"%d\r\n" % line for line in range(30)))
    shell.mark("D;0;fugue=one")
    record = shell.log.find(number)
    assert record is not None
    assert output(shell.emulator, record).text.split() == [str(line) for line in range(30)]


def test_only_what_clears_the_primary_screen_counts(shell: Shell) -> None:
    number = shell.log.expect("one", "")
    shell.mark("C;fugue=one")
    shell.feed(b"first\r\n\x1b[?1049h\x1b[2Jframe\x1b[H\x1b[2Jframe\x1b[?25;1049lsecond\r\n")
    assert _so_far(shell, number) == "first\nsecond"
    shell.feed(b"\x1b[?1049h\x1b[2Jframe")
    shell.feed(b"\x1b[2Jframe\x1b[?1049lthird\r\n\x1b[H\x1b[2Jfourth\r\n")
    assert _so_far(shell, number) == "fourth"


def test_frames_of_a_full_screen_program_are_fed_in_one_piece(shell: Shell) -> None:
    frames = b"\x1b[?1049h" + b"\x1b[H\x1b[2Jframe" * 9 + b"\x1b[?1049l" + b"\x1b[2J$ "
    pieces = list(shell.log.split(frames, 0))
    assert pieces == [bytes(frames)[:-2], b"$ "]


def _so_far(shell: Shell, number: int) -> str:
    record = shell.log.find(number)
    assert record is not None
    return output(shell.emulator, record).text


def test_the_beginning_of_a_long_output_is_kept(shell: Shell) -> None:
    number = shell.log.expect("one", "")
    shell.mark("C;fugue=one")
    for line in range(1000):
        shell.feed(b"\x1b[31mline %d\x1b[0m\r\n" % line)
    shell.mark("D;0;fugue=one")
    record = shell.log.find(number)
    assert record is not None
    kept = shell.log.first_rows(record)
    assert "line 0" in kept
    assert "line 99" in kept
    assert "line 101" not in kept
    assert "\x1b[" in kept


def test_all_that_a_program_prints_can_be_one_command(shell: Shell) -> None:
    number = shell.log.record_program("make")
    shell.feed(b"a\r\nb\r\n")
    shell.log.on_exit(2)
    record = shell.log.find(number)
    assert record is not None
    assert (record.line, record.exit_code, output(shell.emulator, record).text) == ("make", 2, "a\nb")
