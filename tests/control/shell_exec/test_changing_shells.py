"""Shells whose prompt, screen, size, locale or settings change between commands and within them."""

import time
from itertools import count
from pathlib import Path

import pytest
from tests.control.every_shell import every
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.control.shell_exec.shell_profiles import dressed, terminal_of
from tests.multiplexer.conftest import Room

from fugue_tui.control.shell_exec.command_state import QUIET
from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


@every
def test_small_panes(shell: Shell) -> None:
    twelve = "one two three four five six seven eight nine ten eleven twelve"
    for cols, rows in ((10, 5), (20, 4), (40, 10)):
        shell.room.mux.terminal(shell.pane).resize(Size(cols, rows))
        shell.run("true")
        assert shell.says("echo a\necho bb\nfalse") == (1, "a\nbb")
        assert shell.says(f"echo {twelve}") == (0, twelve)


@every
def test_a_pane_that_is_resized_while_a_command_runs_and_while_it_is_typed(shell: Shell) -> None:
    loop = "for i in {}; {} echo line $i; sleep 0.02; {}"
    later = shell.begin(loop.format("(seq 30)", "", "end") if shell.fish else loop.format("$(seq 30)", "do", "done"))
    terminal, sizes = shell.room.mux.terminal(shell.pane), count(1)
    while not later.done:
        number, printed = next(sizes), terminal.newlines
        terminal.resize(Size(12 + number * 7 % 90, 5 + number % 20))
        shell.room.until(lambda printed=printed: later.done or terminal.newlines > printed)
    assert later.result().text == "\n".join(f"line {number}" for number in range(1, 31))
    for number in range(8):
        later = shell.begin(f"echo number {number} is a rather long line that wraps in small panes")
        terminal.resize(Size(20 + number * 7 % 90, 5 + number % 20))
        assert shell.room.awaited(later).text == f"number {number} is a rather long line that wraps in small panes"


@every
def test_a_command_that_changes_the_prompt(shell: Shell) -> None:
    new = "function fish_prompt; echo -n 'new> '; end" if shell.fish else "PS1='new\n> '"
    assert shell.says(f"{new}; echo hi") == (0, "hi")
    assert shell.says("echo hi; false") == (1, "hi")
    none = "function fish_prompt; end" if shell.fish else "PS1="
    assert shell.says(f"{none}; echo hi") == (0, "hi")
    assert shell.says("echo hi; false") == (1, "hi")


@every
def test_the_other_screen_and_resets_within_a_command(shell: Shell) -> None:
    other = r"printf '\033[?1049hxx\033[2J\033[Hyyy\033[?1049l'"
    assert shell.says(f"echo a; {other}; echo out") == (0, "a\nout")
    ran = shell.run(r"printf '\033[?1049h'; echo in; sh -c 'exit 2'")
    assert (ran.exit_code, "full-screen" in ran.note) == (2, True)
    assert shell.run(r"printf '\033[?1049l'").exit_code == 0
    for clear in (r"\033c", r"\033[2J\033[3J\033[H", r"\033[H\033[J", r"\033[3J"):
        shell.run("seq 1 40")
        ran = shell.run(f"echo before; printf '{clear}'; echo after")
        assert (ran.exit_code, ran.text.split("\n")[-1]) == (0, "after")


@pytest.mark.parametrize("kind", ["bash", "zsh", "fish"])
def test_other_locales(room: Room, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    shell = dressed(room, kind, tmp_path, {"bash": "PS1='$ '", "zsh": "PROMPT='$ '", "fish": ""}[kind])
    assert shell.says("echo a; false") == (1, "a")
    assert shell.says("echo é日本🙂; false") == (1, "é日本🙂")
    assert shell.says("echo a\necho é; false") == (1, "a\né")


def test_zsh_reads_text_that_is_not_ascii_without_bracketed_paste_in_any_locale(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    shell = dressed(room, "zsh", tmp_path, "PROMPT='$ '; unset zle_bracketed_paste")
    assert shell.says("echo é日本🙂; false") == (1, "é日本🙂")
    assert shell.says("echo a\necho é; false") == (1, "a\né")


@pytest.mark.parametrize(
    ("shell", "settings"),
    [
        ("bash", "PS1='> '; PROMPT_COMMAND='history -a'"),
        ("bash", "PS1='> '; PS0=; unset PROMPT_COMMAND"),
        ("zsh", "PS1='> '; precmd_functions=()"),
        ("zsh", "PS1='> '; precmd_functions=() preexec_functions=()"),
    ],
    indirect=["shell"],
)
def test_settings_that_are_read_again_do_not_cost_a_command_its_end(shell: Shell, settings: str) -> None:
    (shell.home / "settings").write_text(settings)
    assert shell.says("echo first") == (0, "first")
    ran = shell.run("source ./settings")
    assert (ran.timed_out, ran.interrupted) == (False, False)
    assert "no exit code" in ran.note
    assert shell.says("echo one; (exit 3)") == (3, "one")
    assert shell.says("cd /; pwd") == (0, "/")
    assert shell.run("(exit 4)").method == "integration"
    assert [(each.line, each.running) for each in terminal_of(shell).shell.commands[-2:]] == [
        ("cd /; pwd", False),
        ("(exit 4)", False),
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_changed_prompt_hooks_are_detected_by_the_next_command(shell: Shell) -> None:
    assert shell.says("echo first") == (0, "first")
    terminal_of(shell).write(b"PS1='> '; PROMPT_COMMAND=; precmd_functions=()\r")
    shell.room.shows(shell.pane, "\n>")
    assert shell.says("echo one; (exit 3)") == (3, "one")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_a_prompt_without_marks_may_be_printed_while_a_command_waits_for_it(shell: Shell) -> None:
    assert shell.says("echo first") == (0, "first")
    terminal_of(shell).write(b"PS1='> '; PROMPT_COMMAND=; precmd_functions=()\r")
    shell.room.shows(shell.pane, "\n>")
    later = shell.begin("echo one; (exit 3)")
    terminal_of(shell)._printed_at = time.monotonic() + 0.8 * QUIET  # pyright: ignore[reportPrivateUsage]
    ran = shell.room.awaited(later)
    assert (ran.exit_code, ran.text) == (3, "one")


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_prompt_command_that_takes_the_place_of_others_leaves_the_codes(shell: Shell) -> None:
    assert shell.says("PROMPT_COMMAND=true") == (0, "")
    assert shell.says("(exit 3)") == (3, "")
    assert shell.says("echo $?") == (0, "3")


@pytest.mark.parametrize("shell", ["bash", "bash-"], indirect=True)
def test_a_shell_inside_is_left_to_read_its_start_up_file(shell: Shell) -> None:
    (shell.home / "slow").write_text("sleep 1\nread -t 0.01 eaten\nPS1='inner $ '\n")
    front = shell.room.mux.terminal(shell.pane)
    assert shell.overdue(
        "bash --rcfile slow", lambda: front.foreground_group not in (0, front.pid) and shell.runs("bash")
    ).timed_out
    assert shell.says('echo "[$eaten]"; (exit 3)') == (3, "[]")


@pytest.mark.parametrize(
    ("shell", "prompt"), [("bash-", r"PS1='\# $ '"), ("zsh-", r"PS1='%h $ '"), ("bash-", "PS1=")], indirect=["shell"]
)
def test_a_command_that_is_interrupted_is_over_whatever_the_next_prompt_says(shell: Shell, prompt: str) -> None:
    assert shell.says(prompt) == (0, "")
    later = shell.begin("sleep 30")
    shell.room.until(lambda: terminal_of(shell).foreground == "sleep")
    terminal_of(shell).write(b"\x03")
    assert shell.room.awaited(later).interrupted
    assert shell.says("echo next; (exit 3)") == (3, "next")


@pytest.mark.parametrize("shell", ["dash"], indirect=True)
def test_a_terminal_left_in_raw_mode_still_runs_commands(shell: Shell) -> None:
    later = shell.begin("python3 -c 'import os, tty; tty.setraw(0); print(1); os.kill(0, 2)'")
    assert shell.room.awaited(later).interrupted
    assert shell.says("echo next; (exit 3)") == (3, "next")
    assert shell.says("stty sane") == (0, "")
    assert shell.says("echo last") == (0, "last")
