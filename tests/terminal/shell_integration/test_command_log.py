"""What prompt marks tell about commands, in both engines."""

from contextlib import nullcontext

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandFinished, CommandStarted
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.shell_integration.command_log import KEPT, PINNED, CommandLog, output

SIZE = Size(40, 10)


class Shell:
    """A terminal, and a shell that marks what it does with a nonce."""

    def __init__(self, emulator: Emulator) -> None:
        self.emulator = emulator
        self.log = CommandLog(emulator, "nonce", lambda: "/here")
        emulator.connect_marks(nullcontext(), self.log.on_mark)

    def mark(self, what: str, nonce: str = ";fugue=nonce") -> None:
        self.emulator.feed(f"\x1b]133;{what}{nonce}\x07".encode())

    def prompt(self, nonce: str = ";fugue=nonce") -> None:
        self.mark("A", nonce)
        self.emulator.feed(b"$ ")
        self.mark("B", nonce)

    def run(self, line: bytes, printed: bytes, code: int = 0, nonce: str = ";fugue=nonce") -> None:
        self.emulator.feed(line + b"\r\n")
        self.mark("C", nonce)
        self.emulator.feed(printed)
        self.mark(f"D;{code}", nonce)
        self.prompt(nonce)

    @property
    def last(self) -> CommandRecord:
        return self.log.records[-1]

    def output(self, record: CommandRecord | None = None) -> str:
        return output(self.emulator, record or self.last).text


@pytest.fixture(params=["ghostty", "pyte"])
def shell(request: pytest.FixtureRequest) -> Shell:
    made = Shell(make_emulator(request.param, SIZE, 200))
    made.prompt()
    return made


def test_a_command_is_remembered_with_its_line_its_code_and_its_output(shell: Shell) -> None:
    shell.run(b"ls -la", b"a b\r\n\r\n  c\r\n", 3)
    record = shell.last
    assert (record.number, record.line, record.exit_code, record.trusted) == (1, "ls -la", 3, True)
    assert (record.cwd, record.running) == ("/here", False)
    assert record.seconds is not None
    assert shell.output() == "a b\n\n  c"
    assert shell.log.at_prompt


def test_output_without_a_last_newline_is_whole(shell: Shell) -> None:
    shell.run(b"printf foo", b"foo")
    assert shell.output() == "foo"
    shell.run(b"true", b"")
    assert shell.output() == ""


def test_a_running_command_tells_what_it_printed_so_far(shell: Shell) -> None:
    shell.emulator.feed(b"make\r\n")
    shell.mark("C")
    shell.emulator.feed(b"one\r\ntwo")
    assert shell.last.running
    assert shell.log.running == shell.last
    assert shell.output() == "one\ntwo"
    assert shell.log.at_prompt is False


def test_what_the_shell_reports_has_priority_over_the_screen(shell: Shell) -> None:
    shell.emulator.feed(b"!!\r\n")
    shell.mark("C;cmdline_url=echo%20a%0Aecho b")
    assert shell.last.line == "echo a\necho b"
    shell.mark("D;0")
    shell.prompt()
    shell.mark("E;nothing")
    shell.run(b"seen", b"")
    assert shell.last.line == "seen"


def test_a_line_that_wraps_is_one_line(shell: Shell) -> None:
    line = b"echo " + b"word" * 20
    shell.run(line, b"")
    assert shell.last.line == line.decode()


def test_further_prompts_of_one_command_are_not_part_of_it(shell: Shell) -> None:
    shell.emulator.feed(b"cat <<E\r\n")
    for line in (b"one", b"E"):
        shell.mark("A;k=s")
        shell.emulator.feed(b"> ")
        shell.mark("B")
        shell.emulator.feed(line + b"\r\n")
    shell.mark("C")
    assert shell.last.line == "cat <<E\none\nE"


def test_forged_marks_end_nothing_once_a_shell_is_known(shell: Shell) -> None:
    shell.emulator.feed(b"cat fakes\r\n")
    shell.mark("C")
    for fake in ("D;0", "A", "B", "C;cmdline_url=rm", "D;0;fugue=guess", "A;fugue="):
        shell.mark(fake, "")
    assert [record.line for record in shell.log.records] == ["cat fakes"]
    assert shell.last.running
    assert shell.log.at_prompt is False
    shell.mark("D;7")
    assert shell.last.exit_code == 7


def test_without_a_nonce_no_mark_is_trusted_and_all_count() -> None:
    shell = Shell(make_emulator("ghostty", SIZE, 100))
    shell.log = CommandLog(shell.emulator)
    shell.emulator.connect_marks(nullcontext(), shell.log.on_mark)
    shell.prompt(";fugue=")
    shell.run(b"ls", b"out\r\n", 1, nonce="")
    assert (shell.last.line, shell.last.exit_code, shell.last.trusted) == ("ls", 1, False)
    assert not shell.log.trusted


def test_trust_begins_with_the_first_mark_that_carries_the_nonce() -> None:
    shell = Shell(make_emulator("ghostty", SIZE, 100))
    shell.prompt("")
    shell.emulator.feed(b"fake\r\n")
    shell.mark("C", "")
    assert shell.log.running
    shell.prompt()
    assert not shell.log.running
    shell.run(b"real", b"")
    assert [(record.line, record.trusted) for record in shell.log.records] == [("fake", False), ("real", True)]


def test_a_new_prompt_ends_a_command_whose_end_was_not_reported(shell: Shell) -> None:
    shell.emulator.feed(b"sleep\r\n")
    shell.mark("C")
    shell.prompt()
    assert (shell.last.running, shell.last.exit_code) == (False, None)


def test_an_empty_line_and_a_line_cancelled_are_no_commands(shell: Shell) -> None:
    shell.emulator.feed(b"\r\n")
    shell.mark("D;1")
    shell.prompt()
    shell.emulator.feed(b"half^C\r\n")
    shell.mark("D;130")
    shell.prompt()
    shell.emulator.feed(b"# a remark\r\n")
    shell.mark("D;1")
    shell.prompt()
    assert shell.log.records == ()


def test_a_line_that_the_shell_refuses_is_a_command_that_failed(shell: Shell) -> None:
    shell.emulator.feed(b"if (( " + b"x" * 60 + b"\r\nbash: syntax error\r\n")
    shell.mark("D;2")
    shell.prompt()
    assert (shell.last.line, shell.last.exit_code) == ("if (( " + "x" * 60, 2)
    assert shell.output() == "bash: syntax error"


def test_a_screen_that_was_cleared_hides_nothing_that_came_after(shell: Shell) -> None:
    shell.emulator.feed(b"\r\n" * 5)
    shell.prompt()
    shell.run(b"clear; echo hi", b"\x1b[H\x1b[2Jhi\r\n")
    assert shell.output() == "hi"
    shell.run(b"clear", b"\x1b[H\x1b[2J")
    assert shell.output() == ""
    shell.run(b"clear", b"\x1b[H\x1b[2J\x1b[3J")
    assert shell.output() == ""
    shell.run(b"echo on", b"on\r\n")
    assert shell.output() == "on"


def test_a_prompt_that_is_drawn_again_is_one_prompt(shell: Shell) -> None:
    shell.emulator.feed(b"ec\x1b[H\x1b[2J")
    shell.prompt()
    shell.emulator.feed(b"ec")
    assert shell.log.typed() == "ec"
    shell.run(b"ho", b"out\r\n")
    assert (shell.last.line, shell.output()) == ("echo", "out")


def test_a_full_screen_program_leaves_the_text_around_it(shell: Shell) -> None:
    shell.emulator.feed(b"vim\r\n")
    shell.mark("C")
    shell.emulator.feed(b"before\r\n\x1b[?1049h\x1b[Hinside")
    found = output(shell.emulator, shell.last)
    assert (found.text, found.hidden) == ("", True)
    shell.emulator.feed(b"\x1b[?1049lafter\r\n")
    shell.mark("D;0")
    assert shell.output() == "before\nafter"


def test_what_zsh_prints_for_a_missing_newline_is_not_output(shell: Shell) -> None:
    shell.emulator.feed(b"printf 100%\r\n")
    shell.mark("C")
    shell.emulator.feed(b"100%" + b"%" + b" " * (SIZE.cols - 1) + b"\r")
    shell.mark("D;0;eol=%")
    shell.prompt()
    assert shell.output() == "100%"
    shell.emulator.feed(b"echo 100%\r\n")
    shell.mark("C")
    shell.emulator.feed(b"100%\r\n%" + b" " * (SIZE.cols - 1) + b"\r")
    shell.mark("D;0;eol=%")
    assert shell.output() == "100%"


@pytest.mark.parametrize("printed", [b"done\r\n", b"done"])
@pytest.mark.parametrize("cols", [SIZE.cols * 2, SIZE.cols * 3 + 7])
def test_what_zsh_prints_for_a_missing_newline_is_not_output_of_a_pane_made_narrower(
    shell: Shell, printed: bytes, cols: int
) -> None:
    shell.emulator.feed(b"./run\r\n")
    shell.mark("C")
    shell.emulator.feed(printed + b"%" + b" " * (cols - 1) + b"\r")
    shell.mark("D;0;eol=%")
    assert shell.output() == "done"


def test_marks_of_a_shell_inside_another_end_nothing_of_the_outer_one() -> None:
    shell = Shell(make_emulator("ghostty", SIZE, 100))
    shell.prompt(";aid=1")
    shell.emulator.feed(b"ssh host\r\n")
    shell.mark("C;aid=1", "")
    shell.prompt(";aid=2")
    shell.mark("D;0;aid=2", "")
    assert shell.last.running
    shell.mark("D;9;aid=1", "")
    assert shell.last.exit_code == 9


def test_the_end_of_the_shell_ends_its_command(shell: Shell) -> None:
    shell.emulator.feed(b"exit 3\r\n")
    shell.mark("C")
    shell.log.on_exit(3)
    assert (shell.last.running, shell.last.exit_code, shell.log.at_prompt) == (False, 3, False)


def test_beginnings_and_ends_are_reported_in_order(shell: Shell) -> None:
    shell.run(b"one", b"")
    shell.run(b"two", b"")
    told = [(type(event), event.command.line) for event in shell.log.take_events()]
    assert told == [
        (CommandStarted, "one"),
        (CommandFinished, "one"),
        (CommandStarted, "two"),
        (CommandFinished, "two"),
    ]
    assert shell.log.take_events() == []


@pytest.mark.slow
def test_only_the_newest_commands_keep_their_output_and_only_so_many_are_kept(shell: Shell) -> None:
    for number in range(KEPT + 5):
        shell.run(b"cmd %d" % number, b"out %d\r\n" % number)
    records = shell.log.records
    assert len(records) == KEPT
    assert [record.number for record in records[:2]] == [6, 7]
    assert [record.start is not None for record in records[-PINNED - 2 :]] == [False] * 2 + [True] * PINNED
    assert shell.output(records[-PINNED]) == f"out {KEPT + 5 - PINNED}"
    old = output(shell.emulator, records[0])
    assert (old.text, old.missed) == ("", True)
