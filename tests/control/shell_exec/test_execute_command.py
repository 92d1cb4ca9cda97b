"""Commands that are run in shells: what they came to, in every shell and by either method."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.control.every_shell import every, integrated, one_each, posix
from tests.control.real_shells import Shell, start
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.execute_command import ExecuteCommand
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.shell_exec.dialects import Dialect
from fugue_tui.errors import InvalidArgument, Refused, TerminalGone, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.terminal.emulator.locked_screen import passage

pytestmark = pytest.mark.slow


@every
def test_a_command_tells_its_code_its_output_and_where_the_shell_is(shell: Shell) -> None:
    ran = shell.run("echo hi there; cd /; false")
    assert (ran.exit_code, ran.text, ran.cwd) == (1, "hi there", "/")
    assert (ran.method, ran.timed_out, ran.truncated, ran.ended, ran.note) == (shell.method, False, False, None, "")
    assert ran.seconds >= 0
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
def test_a_command_in_the_background_does_not_hold_the_shell(shell: Shell) -> None:
    ran = shell.run("sleep 500 &")
    assert ran.exit_code == 0
    assert shell.run("true").exit_code == 0
    shell.run("kill %1")


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
def test_an_incomplete_line_is_abandoned(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def plain(command: str, dialect: Dialect) -> bool:
        return True

    monkeypatch.setattr("fugue_tui.control.shell_exec.dialects.is_plain", plain)

    def last_row() -> int:
        return max(row for row, line in enumerate(shell.text.split("\n")) if "abc" in line)

    if shell.kind == "bash":
        with pytest.raises(InvalidArgument, match="waits for more"):
            shell.run("echo 'abc")
    else:
        with pytest.raises(TimedOut, match="waits for more"):
            shell.overdue("echo 'abc", lambda: "abc" in shell.text and shell.room.caret(shell.pane)[1] > last_row())
    assert shell.says("echo still here") == (0, "still here")


@every
def test_leaving_the_shell_is_reported(shell: Shell) -> None:
    ran = shell.run("echo bye; exit 3")
    assert (ran.exit_code, ran.ended) == (3, "exit 3")
    assert ran.text.split("\n")[0] == "bye"
    with pytest.raises(TerminalGone, match="has ended"):
        shell.run("true")


@posix
def test_a_shell_that_ends_on_errors_is_reported(shell: Shell) -> None:
    assert shell.run("set -e; true").exit_code == 0
    assert shell.run("set +e; false").exit_code == 1
    ran = shell.run("set -e; false; echo no")
    assert (ran.exit_code, ran.ended, "no" in ran.text) == (1, "exit 1", False)


@every
def test_a_time_out_ends_the_waiting_and_not_the_command(shell: Shell) -> None:
    os.mkfifo(gate := shell.home / "gate")
    ran = shell.overdue(f"echo begun; cat '{gate}'; echo ended", lambda: shell.runs("cat"))
    assert (ran.timed_out, ran.exit_code, ran.text) == (True, None, "begun")
    assert "wait-for-output" in ran.note
    with pytest.raises(Refused, match=r"cat.* runs there for \d+ s; use send-input"):
        shell.run("echo next")
    gate.write_text("")
    found = shell.room.say(f"wait-for-output --any-of ended --cursor {ran.cursor} --timeout 10")
    assert found.outcome == "matched"
    assert shell.says("echo next") == (0, "next")


@every
def test_a_command_that_reads_keys_times_out_and_takes_them(shell: Shell) -> None:
    ran = shell.overdue("cat", lambda: shell.runs("cat"))
    assert (ran.timed_out, ran.text) == (True, "")
    shell.room.say(f"send-input --pane {shell.pane} --text typed --submit")
    shell.room.shows(shell.pane, "typed\ntyped")
    shell.room.say(f"send-keys {shell.pane} C-d")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == shell.kind)
    assert shell.says("echo after") == (0, "after")


@every
def test_another_program_in_front_is_named(shell: Shell) -> None:
    shell.overdue("cat", lambda: shell.runs("cat"))
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
    with pytest.raises(InvalidArgument, match="is not a directory"):
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


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_very_long_commands_run_without_a_directory_for_run_time_files(
    shell: Shell, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "gone"))
    assert shell.says(f"echo {'x' * 6000} | wc -c") == (0, "6001")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "gone too"))
    with pytest.raises(Refused, match=r"too long to be typed, and no file can be made for it; .*gone: No such file"):
        shell.run(f"echo {'x' * 6000} | wc -c")
    assert shell.says("echo short") == (0, "short")


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
    shell.run("set -o vi; bind 'set show-mode-in-prompt on'")
    shell.room.shows(shell.pane, "(ins)")
    shell.room.say(f"send-keys {shell.pane} Escape")
    shell.room.shows(shell.pane, "(cmd)")
    assert shell.says("echo one") == (0, "one")


@every
def test_a_shell_inside_the_shell(shell: Shell) -> None:
    shell.run("true")
    shell.room.say(f"send-input --pane {shell.pane} --text dash --submit")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "dash")
    ran = shell.run("echo inner; false")
    assert (ran.exit_code, ran.text, ran.method) == (1, "inner", "marker")
    ran = shell.run("exit 4")
    assert ran.note == "the shell that ran it has exited" or ran.exit_code is None
    assert shell.says("echo outer") == (0, "outer")


def test_a_command_waits_for_the_first_prompt_of_a_shell(room: Room, tmp_path: Path) -> None:
    slow = start(room, "zsh", tmp_path)
    (tmp_path / ".zshrc").write_text("sleep 1; PS1='> '\n")
    ran = slow.run("echo here")
    assert (ran.exit_code, ran.text, ran.method) == (0, "here", "integration")


@one_each
def test_the_typed_line_stays_out_of_the_history_if_the_shell_ignores_blanks(shell: Shell) -> None:
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


@integrated
def test_the_end_that_a_program_in_front_reports_gives_no_exit_code(shell: Shell) -> None:
    """Even with the true nonce, as a debugger could read it."""
    shell.run("true")
    nonce = shell.room.mux.terminal(shell.pane).shell._log._nonce  # pyright: ignore[reportPrivateUsage]
    os.mkfifo(shell.home / "gate")
    script = f"echo all passed; printf '\\033]133;D;0;fugue={nonce}\\007'; cat gate; exit 1"
    (shell.home / "tests.sh").write_text(script)
    ran = shell.run("sh tests.sh")
    assert (ran.exit_code, ran.text) == (None, "all passed")
    assert "in the foreground" in ran.note
    (shell.home / "gate").write_text("")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).shell.at_prompt)
    assert shell.says("echo after") == (0, "after")


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_the_end_that_a_program_reports_with_the_nonce_of_a_typed_mark_gives_no_exit_code(shell: Shell) -> None:
    for name in ("nonce", "gate"):
        os.mkfifo(shell.home / name)
    (shell.home / "tests.sh").write_text('read -r nonce <nonce; printf "\\033]133;D;0;fugue=$nonce\\007"; cat gate')
    begun = shell.begin("sh tests.sh")
    shell.room.until(lambda: shell.runs("sh"))
    nonce = next(iter(shell.room.mux.terminal(shell.pane).shell._log._expected))  # pyright: ignore[reportPrivateUsage]
    (shell.home / "nonce").write_text(nonce + "\n")
    ran = shell.room.awaited(begun)
    assert ran.exit_code is None
    assert "in the foreground" in ran.note
    (shell.home / "gate").write_text("")


@every
def test_variables_for_one_command_are_neither_shown_nor_remembered(shell: Shell) -> None:
    shell.run("true")
    look = f'test "$TOKEN" = s3kr1t; and echo given; ls {os.environ["XDG_RUNTIME_DIR"]}' if shell.fish else (
        f'test "$TOKEN" = s3kr1t && echo given; ls {os.environ["XDG_RUNTIME_DIR"]}'
    )  # fmt: skip
    ran = shell.run(look, env={"TOKEN": "s3kr1t", "OTHER": "it's\n2"})
    assert ran.text.split("\n")[0] == "given"
    assert f"fugue-{os.getpid()}-" not in ran.text
    terminal = shell.room.mux.terminal(shell.pane)
    with terminal.locked() as screen:
        assert "s3kr1t" not in passage(screen.emulator, 0).text
    assert not [record for record in terminal.shell.commands if "TOKEN=" in record.line]
    if shell.kind == "bash":
        assert "TOKEN=" not in shell.run("history").text


@one_each
def test_the_files_of_a_server_that_was_killed_are_removed_with_the_next_command(shell: Shell) -> None:
    ended = subprocess.Popen(["true"])
    ended.wait()
    folder = Path(os.environ["XDG_RUNTIME_DIR"]) / f"fugue-{ended.pid}-abc"
    folder.mkdir()
    (folder / "command").write_text("export TOKEN=s3kr1t")
    assert shell.says("echo $A", env={"A": "1"}) == (0, "1")
    assert not folder.exists()


@pytest.mark.skipif(os.getuid() != 0, reason="only root may become another user")
@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_the_shell_of_another_user_is_named_by_its_uid(shell: Shell) -> None:
    assert shell.run("true").uid is None
    # The other user may not read Python's own modules: nothing is imported from there on.
    become = f"import os; os.setuid(65534); os.execv({shutil.which('dash')!r}, ['dash'])"
    (shell.home / "become.py").write_text(become)
    shell.room.say(f"send-input --pane {shell.pane} --text 'exec python3 become.py' --submit")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "dash")
    ran = shell.run("id -u")
    assert (ran.text, ran.uid) == ("65534", 65534)
    assert "as uid 65534" in ran.aside
