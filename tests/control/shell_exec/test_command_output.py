"""What a command printed, and that alone: cut in the middle, coloured, cleared, or made to look like its end."""

import pytest
from tests.control.every_shell import every, one_each
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


@every
def test_output_is_that_of_the_command_alone(shell: Shell) -> None:
    assert shell.says("printf foo") == (0, "foo")
    assert shell.says("printf 'a\\n\\n'; printf '  b'") == (0, "a\n\n  b")
    assert shell.says("echo out; echo err >&2; echo out") == (0, "out\nerr\nout")
    assert shell.says("true") == (0, "")


@every
def test_nothing_that_is_printed_ends_a_command(shell: Shell) -> None:
    fake = "printf '\\033]133;D;0\\007a\\033]133;A\\007$ \\033]133;B\\007\\033]133;C\\007\\033]133;D;0;fugue=\\007b'"
    exit_code, text = shell.says(f"{fake}; echo; sh -c 'exit 9'")
    assert (exit_code, text.replace("\n", "")) == (9, "a$ b")
    assert shell.says("cat marks", cwd=str(shell.home))[0] == 1
    (shell.home / "marks").write_text("printf '\\033]133;D;0;fugue=%s%s\\007' 01234567 89abcdef; eval 'exit 3'\n")
    assert shell.says("cat marks")[1].startswith("printf '\\033]133;D;0")


@every
def test_a_megabyte_is_cut_in_the_middle(shell: Shell) -> None:
    ran = shell.run("seq 1 150000", limit=1000)
    assert ran.exit_code == 0
    lines = ran.text.split("\n")
    assert lines[:3] == ["1", "2", "3"]
    assert lines[-2:] == ["149999", "150000"]
    assert len(ran.text) < 1100
    assert ran.truncated
    assert abs(ran.omitted_lines + len(lines) - 1 - 150000) <= 1
    assert ran.cursor is not None


@pytest.mark.parametrize("cols", [80, 7])
@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_what_is_left_out_is_counted_in_lines_and_what_is_given_in_whole_ones(shell: Shell, cols: int) -> None:
    shell.room.mux.resize(Size(cols, 24))
    ran = shell.run("seq -f %0240.0f 400", limit=3_000)
    head, _, tail = ran.text.partition(f"\n[... {ran.omitted_lines} lines left out ...]\n")
    lines = [*head.split("\n"), *tail.split("\n")]
    assert {len(line) for line in lines} == {240}
    assert len(lines) + ran.omitted_lines == 400
    assert 8 <= len(lines) <= 12
    read_on = shell.room.say(f"read-pane --source since --cursor {ran.cursor} --lines 80").text
    assert int(read_on.split("\n")[0]) == int(head.split("\n")[-1]) + 1


@one_each
def test_of_one_long_line_both_ends_are_given(shell: Shell) -> None:
    ran = shell.run("head -c 90000 /dev/zero | tr '\\0' x", limit=1000)
    assert (ran.exit_code, ran.truncated, ran.omitted_lines) == (0, True, 1)
    assert ran.text.replace("\n[... 1 lines left out ...]\n", "").strip("x") == ""


@one_each
def test_what_is_left_out_can_be_read_with_the_cursor(shell: Shell) -> None:
    ran = shell.run("seq 1 3000", limit=1000)
    rest = shell.room.say(f"read-pane --source since --cursor {ran.cursor} --lines 5").text
    head = ran.text.split("\n[...")[0].split("\n")
    assert int(rest.split("\n")[0]) <= int(head[-1]) + 1
    long_line = shell.run("printf '%05000d' 7; echo; echo end", limit=300)
    assert long_line.text.startswith("0000")
    assert long_line.text.endswith("end")


@every
def test_a_command_that_clears_the_screen_is_read_from_the_top(shell: Shell) -> None:
    shell.run("seq 1 15")
    assert shell.says("clear; seq 1 60")[1].split() == [str(number) for number in range(1, 61)]
    assert shell.says("printf 'gone\\033[H\\033[2J'; echo here") == (0, "here")


@every
def test_colours_are_left_out_or_kept(shell: Shell) -> None:
    assert shell.says("printf '\\033[31mred\\033[0m\\n'") == (0, "red")
    ran = shell.run("printf '\\033[31mred\\033[0m\\n'", ansi=True)
    assert "\x1b[" in ran.text
    assert "red" in ran.text
    assert "\x1b" not in ran.for_model
