"""What is known of commands in real shells."""

from pathlib import Path

import pytest
from tests.terminal.shell_integration.conftest import SHELLS, Shell, Start

pytestmark = pytest.mark.slow


CODES = {
    "true": 0,
    "sleep 60 &": 0,
    "false": 1,
    "no-such-command-at-all": 127,
    "sh -c 'exit 9'": 9,
    "true | false": 1,
}


@pytest.fixture(params=SHELLS)
def shell(request: pytest.FixtureRequest, start: Start) -> Shell:
    return start(request.param)


def test_commands_are_known_with_line_code_and_output(shell: Shell) -> None:
    for line, code in CODES.items():
        record = shell.run(line)
        assert (record.line, record.exit_code, record.trusted) == (line, code, True)
        assert record.cwd == str(shell.home)
    assert shell.said("echo one; echo; echo '  two'") == "one\n\n  two"
    assert shell.said("true") == ""
    assert shell.terminal.shell.integrated


def test_output_without_a_last_newline_is_exact(shell: Shell) -> None:
    assert shell.said("printf foo") == "foo"
    assert shell.said("printf 'a\\n100%%'") == "a\n100%"
    assert shell.said("printf '%s' " + "x" * 100) == "x" * 100
    assert shell.said("echo 100%") == "100%"


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_a_subshell_pipefail_and_errors_tell_their_codes(kind: str, start: Start) -> None:
    shell = start(kind)
    assert shell.run("(exit 3)").exit_code == 3
    shell.run("set -o pipefail")
    assert shell.run("sh -c 'exit 4' | cat").exit_code == 4
    refused = shell.run("if ((  ; then )")
    assert refused.line == "if ((  ; then )"
    assert refused.exit_code in (1, 2)
    assert "syntax error" in shell.output(refused) or "parse error" in shell.output(refused)


def test_a_line_that_fish_refuses_is_a_command_that_failed(start: Start) -> None:
    shell = start("fish")
    record = shell.run("if (")
    assert (record.line, record.exit_code) == ("if (", 127)
    assert shell.output(record).startswith("fish: Expected")
    shell.type("\x15")
    assert shell.said("echo on") == "on"


def test_ctrl_c_ends_a_command_with_130(shell: Shell) -> None:
    shell.type("sleep 60\r")
    shell.until(lambda: shell.terminal.foreground == "sleep" and shell.terminal.shell.at_prompt is False)
    shell.interrupt()
    assert (shell.ended[0].line, shell.ended[0].exit_code) == ("sleep 60", 130)


def test_an_empty_line_is_no_command(shell: Shell) -> None:
    shell.run("false")
    for _ in range(3):
        prompts = shell.marks("A")
        shell.type("\r")
        shell.wait_for_prompt(prompts)
    assert [record.line for record in shell.terminal.shell.commands] == ["false"]


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_a_line_cancelled_is_no_command(kind: str, start: Start) -> None:
    shell = start(kind)
    shell.type("half of a line")
    shell.wait(lambda: shell.terminal.shell.typed == "half of a line")
    shell.interrupt()
    assert shell.terminal.shell.commands == ()


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_heredocs_and_commands_of_many_lines_are_one_command(kind: str, start: Start) -> None:
    shell = start(kind)
    record = shell.run("cat <<END\rone\r  two\rEND")
    assert record.line == "cat <<END\none\n  two\nEND"
    assert shell.output(record) == "one\n  two"
    record = shell.run("for x in 1 2; do\recho $x\rdone")
    assert record.line == "for x in 1 2; do\necho $x\ndone"
    assert shell.output(record) == "1\n2"


def test_fish_tells_commands_of_many_lines(start: Start) -> None:
    shell = start("fish")
    record = shell.run("for x in 1 2\recho $x\rend")
    assert [line.strip() for line in record.line.split("\n")] == ["for x in 1 2", "echo $x", "end"]
    assert shell.output(record) == "1\n2"


def test_lines_with_anything_in_them_are_reported(shell: Shell) -> None:
    for line in ("echo 'a;b%20\\c' \"d\"", "echo '✓ ü 日本'", "echo " + "long" * 50):
        assert shell.run(line).line == line


def test_a_file_full_of_marks_ends_nothing(shell: Shell) -> None:
    fakes = b"".join(
        b"\x1b]133;%s%s\x07fake\r\n" % (kind, nonce)
        for kind in (b"D;0", b"A", b"B", b"C;cmdline_url=rm", b"D;1")
        for nonce in (b"", b";fugue=", b";fugue=000000")
    )
    (shell.home / "fakes").write_bytes(fakes)
    record = shell.run("cat fakes; sh -c 'exit 5'")
    assert (record.line, record.exit_code) == ("cat fakes; sh -c 'exit 5'", 5)
    assert shell.output(record) == "\n".join(["fake"] * 15)
    assert [known.line for known in shell.terminal.shell.commands] == [record.line]


def test_a_shell_inside_is_one_command(shell: Shell) -> None:
    shell.type("bash --norc\r")
    shell.wait(lambda: shell.marks("C"))
    shell.type("PS1='inner''> '\r")
    shell.wait(lambda: "inner>" in shell.text)
    shell.type("false\r")
    shell.type("exit 7\r")
    shell.wait(lambda: shell.ended and shell.terminal.shell.at_prompt)
    assert [(record.line, record.exit_code) for record in shell.ended] == [("bash --norc", 7)]


def test_a_shell_that_takes_the_place_of_this_one_has_no_marks(start: Start) -> None:
    shell = start("bash")
    shell.type("exec bash --norc\r")
    shell.wait(lambda: shell.marks("C"))
    shell.type("PS1='inner''> '; env | grep -c FUGUE_SHELL\r")
    shell.wait(lambda: "\n0\n" in shell.text)
    assert [record.line for record in shell.terminal.shell.commands] == ["exec bash --norc"]


def test_the_directory_is_reported(shell: Shell) -> None:
    odd = shell.home / "a b%20ü;c"
    odd.mkdir()
    shell.run("cd 'a b%20ü;c'")
    record = shell.run("true")
    assert record.cwd == str(odd)
    assert shell.terminal.cwd == str(odd)


def test_a_directory_with_control_characters_in_its_name_is_not_reported_as_the_one_before(shell: Shell) -> None:
    odd = shell.home / "odd\x01name"
    odd.mkdir()
    shell.run("cd odd*")
    record = shell.run("true")
    assert (shell.terminal.cwd, record.cwd) == (str(odd), str(odd))


def test_a_screen_that_is_cleared_confuses_nothing(shell: Shell) -> None:
    shell.run("echo before")
    assert shell.said("clear; echo after") == "after"
    shell.type("echo ty")
    shell.type("\x0c")
    shell.type("ped\r")
    shell.wait(lambda: len(shell.ended) == 3 and shell.terminal.shell.at_prompt)
    assert (shell.ended[-1].line, shell.output(shell.ended[-1])) == ("echo typed", "typed")


def test_the_end_of_a_shell_is_the_end_of_its_last_command(shell: Shell) -> None:
    shell.type("exit 3\r")
    shell.wait(lambda: shell.witness.exits)
    assert shell.witness.exits[0].code == 3
    last = shell.terminal.shell.commands[-1]
    assert (last.line, last.exit_code, last.running) == ("exit 3", 3, False)


def test_the_fallback_engine_records_commands_too(start: Start) -> None:
    shell = start("bash", engine="pyte")
    record = shell.run("printf 'one\\ntwo'; false")
    assert (record.line, record.exit_code, shell.output(record)) == ("printf 'one\\ntwo'; false", 1, "one\ntwo")


def test_without_marks_nothing_is_known(start: Start, home: Path) -> None:
    shell = start("bash", "--norc", marks=False, env={"PS1": "plain> "})
    shell.wait(lambda: "plain>" in shell.text)
    assert shell.terminal.shell.at_prompt is None
    assert shell.terminal.shell.commands == ()
