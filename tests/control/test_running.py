"""Commands that are run in shells: what they came to, in every shell and by either method."""

import os
import time
from pathlib import Path

import pytest
from tests.control.shells import ALL, INTEGRATED, MARKED, POSIX, Shell, start
from tests.control.shells import shell as shell
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.panes import CreatePane
from fugue_tui.control.ran import OnCancel
from fugue_tui.control.running import ExecuteCommand
from fugue_tui.control.shells import Dialect
from fugue_tui.errors import Cancelled, InvalidArgument, NotFound, Refused, TerminalGone, TimedOut
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId

every = pytest.mark.parametrize("shell", ALL, indirect=True)
posix = pytest.mark.parametrize("shell", POSIX, indirect=True)
integrated = pytest.mark.parametrize("shell", INTEGRATED, indirect=True)
marked = pytest.mark.parametrize("shell", MARKED, indirect=True)
one_each = pytest.mark.parametrize("shell", ["bash", "dash"], indirect=True)


@every
def test_a_command_tells_its_code_its_output_and_where_the_shell_is(shell: Shell) -> None:
    ran = shell.run("echo hi there; cd /; false")
    assert (ran.exit_code, ran.text, ran.cwd) == (1, "hi there", "/")
    assert (ran.method, ran.timed_out, ran.truncated, ran.ended, ran.note) == (shell.method, False, False, None, "")
    assert 0 <= ran.seconds < 10
    assert shell.run("true").exit_code == 0
    assert shell.run("true").text == ""


@every
def test_quotes_and_other_characters_are_taken_for_what_they_are(shell: Shell) -> None:
    assert shell.says("""echo "a  b" 'it'"'"'s' c\\ d""") == (0, "a  b it's c d")
    assert shell.says("echo é日本🙂") == (0, "é日本🙂")
    assert shell.says('echo "wow!x" !y') == (0, "wow!x !y")
    assert shell.says("echo 'a\tb' | tr '\t' _") == (0, "a_b")
    assert shell.says("# nothing") == (0, "")
    assert shell.says("echo a # not b") == (0, "a")
    assert shell.says("printf '%s|' '%s' '\\n' '$x' '`y`'") == (0, "%s|\\n|$x|`y`|")


@every
def test_several_lines_are_one_command(shell: Shell) -> None:
    assert shell.says("echo a\necho b\nfalse") == (1, "a\nb")
    assert shell.says("echo 'one\ntwo  three'") == (0, "one\ntwo  three")
    loop = "for i in 1 2\n  echo $i\nend" if shell.fish else "for i in 1 2; do\n  echo $i # yes\ndone"
    assert shell.says(loop) == (0, "1\n2")


@posix
def test_here_documents_and_functions(shell: Shell) -> None:
    assert shell.says("cat <<'E' | tr a-z A-Z\none $x\n  two\nE") == (0, "ONE $X\n  TWO")
    assert shell.says("f() { echo in; return 4; }; f") == (4, "in")
    assert shell.says("f") == (4, "in")


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
def test_a_command_in_the_background_does_not_hold_the_shell(shell: Shell) -> None:
    ran = shell.run("sleep 50 &")
    assert ran.exit_code == 0
    assert ran.seconds < 10
    assert shell.run("true").exit_code == 0
    shell.run("kill %1")


@every
def test_colours_are_left_out_or_kept(shell: Shell) -> None:
    assert shell.says("printf '\\033[31mred\\033[0m\\n'") == (0, "red")
    ran = shell.run("printf '\\033[31mred\\033[0m\\n'", ansi=True)
    assert "\x1b[" in ran.text
    assert "red" in ran.text
    assert "\x1b" not in ran.for_models


@every
def test_what_is_left_open_is_an_error_of_the_shell_and_no_second_prompt(shell: Shell) -> None:
    for command in ('echo "abc', "echo 'abc", "if true", "echo $(", "true &&", "true |"):
        if shell.kind in ("fish", "zsh") and command == "true &&":
            continue
        ran = shell.run(command)
        assert ran.exit_code not in (0, None), command
        assert ran.text, command
    assert shell.run("echo \\").exit_code in (0, 123)
    assert shell.says("echo still here") == (0, "still here")


@integrated
def test_a_line_that_the_shell_waits_to_go_on_with_is_given_up(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(command: str, dialect: Dialect) -> bool:
        return True

    monkeypatch.setattr("fugue_tui.control.shells.is_plain", plain)
    if shell.kind == "bash":
        with pytest.raises(InvalidArgument, match="waits for more"):
            shell.run("echo 'abc")
    else:
        with pytest.raises(TimedOut, match="waits for more"):
            shell.run("echo 'abc", timeout=1.5)
    assert shell.says("echo still here") == (0, "still here")


@every
def test_leaving_the_shell_is_told(shell: Shell) -> None:
    ran = shell.run("echo bye; exit 3")
    assert (ran.exit_code, ran.ended) == (3, "exit 3")
    assert ran.text.split("\n")[0] == "bye"
    with pytest.raises(TerminalGone, match="is over"):
        shell.run("true")


@posix
def test_a_shell_that_ends_on_errors_is_told(shell: Shell) -> None:
    assert shell.run("set -e; true").exit_code == 0
    assert shell.run("set +e; false").exit_code == 1
    ran = shell.run("set -e; false; echo no")
    assert (ran.exit_code, ran.ended, "no" in ran.text) == (1, "exit 1", False)


@every
def test_a_time_out_ends_the_waiting_and_not_the_command(shell: Shell) -> None:
    ran = shell.run("echo begun; sleep 2; echo ended", timeout=0.8)
    assert (ran.timed_out, ran.exit_code, ran.text) == (True, None, "begun")
    assert "wait-for-output" in ran.note
    with pytest.raises(Refused, match=r"sleep.* runs there for \d s; use send-input"):
        shell.run("echo next")
    found = shell.room.say(f"wait-for-output --any-of ended --cursor {ran.cursor} --timeout 10")
    assert found.outcome == "matched"
    assert shell.says("echo next") == (0, "next")


@every
def test_a_command_that_reads_keys_times_out_and_takes_them(shell: Shell) -> None:
    ran = shell.run("cat", timeout=1.0)
    assert (ran.timed_out, ran.text) == (True, "")
    shell.room.say(f"send-input --pane {shell.pane} --text typed --submit")
    shell.room.shows(shell.pane, "typed\ntyped")
    shell.room.say(f"send-keys {shell.pane} C-d")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == shell.kind)
    assert shell.says("echo after") == (0, "after")


@every
def test_another_program_in_front_is_named(shell: Shell) -> None:
    shell.run("cat", timeout=0.8)
    with pytest.raises(Refused, match=rf"no shell waits for a command in {shell.pane}: cat"):
        shell.run("ls")
    shell.room.say(f"send-keys {shell.pane} C-c")


@every
def test_a_directory_and_variables_for_one_command(shell: Shell) -> None:
    (shell.home / "a 'b").mkdir()
    before = shell.run("pwd").text
    show = 'pwd; echo "$FIRST" "$SECOND"; sh -c \'exit 6\''
    ran = shell.run(show, cwd=str(shell.home / "a 'b"), env={"FIRST": "it's\n$x `y` \\ é", "SECOND": "2"})
    assert (ran.exit_code, ran.text) == (6, f"{shell.home}/a 'b\nit's\n$x `y` \\ é 2")
    assert ran.cwd == before
    assert shell.says('pwd; echo "[$FIRST]"') == (0, f"{before}\n[]")
    assert shell.says("echo $FIRST; sh -c 'exit 2'", env={"FIRST": "only"}) == (2, "only")
    with pytest.raises(InvalidArgument, match="is no directory"):
        shell.run("pwd", cwd="/nowhere")
    with pytest.raises(InvalidArgument, match="no name of a variable"):
        shell.run("pwd", env={"A-B": "1"})


@every
def test_very_long_commands_go_by_a_private_file(shell: Shell) -> None:
    assert shell.says(f"echo {'x' * 6000} | wc -c") == (0, "6001")
    script = "\n".join(f"echo {number}" for number in range(300))
    assert shell.says(script + "\nsh -c 'exit 5'") == (5, "\n".join(map(str, range(300))))
    left = [
        name for name in os.listdir(os.environ["XDG_RUNTIME_DIR"]) if name.startswith("fugue-") and "run" not in name
    ]
    assert not [name for name in left if os.path.exists(f"{os.environ['XDG_RUNTIME_DIR']}/{name}/command")]


@posix
def test_a_shell_that_does_not_echo(shell: Shell) -> None:
    shell.run("stty -echo")
    assert shell.says("echo one; echo two") == (0, "one\ntwo")
    shell.run("stty echo")


@pytest.mark.parametrize("shell", ["bash", "zsh", "bash-", "zsh-"], indirect=True)
def test_shells_with_the_keys_of_vi(shell: Shell) -> None:
    shell.run("set -o vi" if shell.kind == "bash" else "bindkey -v")
    assert shell.says("echo one") == (0, "one")
    assert shell.says("echo dd\necho two") == (0, "dd\ntwo")


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_line_left_in_the_command_mode_of_vi_takes_text_again(shell: Shell) -> None:
    shell.run("set -o vi")
    shell.room.say(f"send-keys {shell.pane} Escape")
    assert shell.says("echo one") == (0, "one")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_what_a_person_left_at_the_prompt_is_let_alone(shell: Shell) -> None:
    shell.run("true")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).at_input)
    shell.room.say(f"send-input --pane {shell.pane} --text 'rm -r precious'")
    shell.room.shows(shell.pane, "precious")
    with pytest.raises(Refused, match="`rm -r precious`, which somebody typed"):
        shell.run("echo glued")
    shell.room.say(f"send-keys {shell.pane} C-c")
    shell.room.until(lambda: not shell.room.mux.terminal(shell.pane).typed, lambda: shell.text)
    assert shell.says("echo free") == (0, "free")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_what_a_person_types_at_the_same_time_is_not_run(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("true")
    terminal = shell.room.mux.terminal(shell.pane)
    shell.room.until(lambda: terminal.at_input)
    paste = terminal.paste

    def together(text: str) -> int:
        terminal.write(b"rm -r precious")
        return paste(text)

    monkeypatch.setattr(terminal, "paste", together)
    with pytest.raises(Refused, match="`rm -r precious`, which somebody typed"):
        shell.run("echo glued")
    shell.room.until(lambda: terminal.typed.strip() == "rm -r precious")


@one_each
def test_a_person_who_types_comes_first(shell: Shell) -> None:
    shell.run("true")
    shell.room.mux.human_input(shell.pane)
    with pytest.raises(Refused, match="a person is typing") as refused:
        shell.run("echo x")
    assert refused.value.data["retry_after_ms"]
    shell.room.until(lambda: shell.room.mux.lease(shell.pane) is None)
    assert shell.says("echo x") == (0, "x")


@every
def test_calls_to_one_pane_queue_and_calls_to_two_run_together(shell: Shell, tmp_path: Path) -> None:
    other = Shell(shell.room, shell.kind if shell.method == "integration" else f"{shell.kind}-", tmp_path)
    shell.run("true")
    other.run("true")
    os.mkfifo(gate := tmp_path / "gate")
    begun = [shell.begin(f"cat '{gate}'"), shell.begin("echo 2"), shell.begin("echo 3"), other.begin("echo 4")]
    began = time.monotonic()
    shell.room.until(lambda: begun[3].over)
    assert not begun[0].over
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "cat")
    waited = time.monotonic() - began
    gate.write_text("1\n")
    for later in begun:
        shell.room.awaited(later)
    assert [later.result().text for later in begun] == ["1", "2", "3", "4"]
    assert begun[2].result().queued_ms >= waited * 1000 - 1


@one_each
def test_the_line_for_a_pane_is_bounded(shell: Shell) -> None:
    begun = [shell.begin("sleep 0.1"), *(shell.begin("true") for _ in range(16))]
    with pytest.raises(Refused, match="16 commands wait for pane"):
        shell.begin("true")
    for later in begun[1:]:
        later.cancel()
    assert shell.room.mux.turns.waiting(shell.pane) == 1, "who has given up takes nobody's place in line"
    shell.room.awaited(begun[0])
    assert shell.run("true").exit_code == 0


@every
def test_giving_a_command_up_interrupts_it_and_the_next_goes_on(shell: Shell) -> None:
    shell.run("true")
    later = shell.begin("sleep 60")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    after = shell.begin("echo after")
    assert later.cancel()
    with pytest.raises(Cancelled):
        shell.room.awaited(later)
    assert shell.room.awaited(after).text == "after"


@one_each
def test_a_command_that_is_given_up_as_it_begins_is_interrupted_too(shell: Shell) -> None:
    shell.run("true")
    terminal = shell.room.mux.terminal(shell.pane)
    for _ in range(5):
        entered = terminal.sent.count + 2  # The text, and the Enter.
        later = shell.begin("sleep 61")
        shell.room.until(lambda entered=entered: terminal.sent.count >= entered)
        later.cancel()
        assert shell.says("echo on") == (0, "on")


@one_each
def test_giving_a_command_up_can_leave_it(shell: Shell) -> None:
    shell.run("true")
    later = shell.begin("sleep 1.5; echo done", on_cancel=OnCancel.LEAVE)
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    later.cancel()
    shell.room.shows(shell.pane, "\ndone")


@every
def test_a_command_that_a_person_interrupts_is_over(shell: Shell) -> None:
    shell.run("true")
    later = shell.begin("echo begun; sleep 60")
    shell.room.shows(shell.pane, "\nbegun")  # What is still on its way when Ctrl+C is pressed, the kernel drops.
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    shell.room.say(f"send-keys {shell.pane} C-c")
    ran = shell.room.awaited(later)
    assert ran.interrupted
    assert ran.exit_code in (130, None)
    assert ran.text.startswith("begun")
    assert shell.says("echo next") == (0, "next")


@every
def test_a_shell_inside_the_shell(shell: Shell) -> None:
    shell.run("true")
    shell.room.say(f"send-input --pane {shell.pane} --text dash --submit")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "dash")
    ran = shell.run("echo inner; false")
    assert (ran.exit_code, ran.text, ran.method) == (1, "inner", "marker")
    ran = shell.run("exit 4")
    assert ran.note == "the shell that ran it is over" or ran.exit_code is None
    assert shell.says("echo outer") == (0, "outer")


@one_each
def test_an_agent_does_not_type_into_itself(shell: Shell) -> None:
    with pytest.raises(Refused, match="your own pane"):
        shell.command("ls").run(shell.room.mux, agent(shell.pane))
    with pytest.raises(NotFound):
        ExecuteCommand(pane="%99", command="ls").run(shell.room.mux, agent())
    for nothing in ("", " \n "):
        with pytest.raises(InvalidArgument, match="nothing to run"):
            shell.run(nothing)
    with pytest.raises(InvalidArgument, match="control character"):
        shell.run("a\x03b")


@one_each
def test_a_pane_that_is_closed_meanwhile_is_told(shell: Shell) -> None:
    shell.room.cat()
    shell.run("true")
    later, second = shell.begin("sleep 60"), shell.begin("true")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    shell.room.say(f"close-pane {shell.pane}")
    for each in (later, second):
        with pytest.raises((TerminalGone, NotFound)):
            shell.room.awaited(each)


def test_a_command_waits_for_the_first_prompt_of_a_shell(room: Room, tmp_path: Path) -> None:
    slow = start(room, "zsh", tmp_path)
    (tmp_path / ".zshrc").write_text("sleep 1; PS1='> '\n")
    ran = slow.run("echo here")
    assert (ran.exit_code, ran.text, ran.method) == (0, "here", "integration")


@one_each
def test_the_line_keeps_out_of_the_history_of_who_wants_that(shell: Shell) -> None:
    if shell.kind == "bash":
        shell.run("echo secret")
        assert "secret" not in shell.run("history | grep secre[t]").text


def test_a_repl_is_no_shell(room: Room, tmp_path: Path) -> None:
    shell = start(room, "dash", tmp_path)
    room.run(CreatePane(command=("cat",)), agent())
    pane = PaneId(2)
    with pytest.raises(Refused, match="cat runs there"):
        room.run(ExecuteCommand(pane=str(pane), command="ls"), agent())
    assert shell.run("true").exit_code == 0
