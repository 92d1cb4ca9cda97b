"""What a pane's last command printed is known from its shell's marks, however far it scrolled, or else guessed."""

import re
from pathlib import Path

import pytest
from tests.control.real_shells import Shell, start
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import Room, agent
from tests.output_analysis.conftest import recorded

from fugue_tui.control.commands.analyze import DetectIntent, ParseOutput
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.read_pane import ReadPane, Source
from fugue_tui.control.output.analysis import Structure, Verdict
from fugue_tui.control.output.last_command import CommandSource, printed
from fugue_tui.ids import PaneId
from fugue_tui.output_analysis.results import Meaning

pytestmark = pytest.mark.slow


EACH = pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"], indirect=True)


def intent(shell: Shell) -> Verdict:
    return shell.room.run(DetectIntent(pane=str(shell.pane)), agent())


def structure(shell: Shell) -> Structure:
    return shell.room.run(ParseOutput(pane=str(shell.pane)), agent())


def keyed(shell: Shell, text: str) -> None:
    """Type as a person does."""
    shell.room.mux.terminals[shell.pane].write(text.encode())


def program(shell: Shell, name: str, output: str, code: int = 0) -> str:
    """A program of that name that prints a text; what to type to run it."""
    (shell.home / "output").write_text(output)
    (shell.home / name).write_text(f"#!/bin/sh\ncat '{shell.home}/output'\nexit {code}\n")
    (shell.home / name).chmod(0o755)
    return f"./{name}"


@EACH
def test_a_failed_test_run_is_understood_though_it_scrolled_away(shell: Shell) -> None:
    found = recorded("intent/cargo-test-failed-full")
    cargo = program(shell, "cargo", "   Compiling panes v0.1.0\n" * 200 + found.output, 101)
    shell.run(f"{cargo} test --test panes")
    told = intent(shell)
    assert (told.intent, told.exit_code, told.known_by) == (Meaning.TEST_FAILURE, 101, CommandSource.TRUSTED_MARKS)
    assert told.context.failed_tests == ("test_pane_creation", "test_resize")
    assert told.context.error_summary == "2 tests failed, 15 passed"
    assert told.command == "./cargo test --test panes"


@EACH
def test_a_table_is_whole_though_its_header_scrolled_away(shell: Shell) -> None:
    rows = "".join(f"{at:06x}         nginx:latest   Up {at} hours   80/tcp\n" for at in range(60))
    docker = program(shell, "docker", f"CONTAINER ID   IMAGE          STATUS       PORTS\n{rows}")
    shell.run(f"{docker} ps")
    told = structure(shell)
    assert told.headers == ("CONTAINER ID", "IMAGE", "STATUS", "PORTS")
    assert (len(told.rows), told.rows[0][0], told.rows[-1][0]) == (60, "000000", "00003b")
    assert (told.command, told.known_by, told.truncated) == ("./docker ps", CommandSource.TRUSTED_MARKS, False)


def test_what_is_not_kept_any_more_is_said_to_be_missing(room: Room, tmp_path: Path) -> None:
    room.launcher.scrollback = 100
    shell = start(room, "bash", tmp_path)
    with room.mux.terminals[shell.pane].locked() as screen:
        screen.emulator.resize(screen.size)
    many = "".join(f"row-{at:<6} {at}m\n" for at in range(30_000))
    shell.run(f"{program(shell, 'list', f'NAME       AGE{chr(10)}{many}')}; true")
    told = structure(shell)
    assert told.truncated
    assert any("beginning of the output" in note for note in told.notes)
    assert "NAME" not in told.headers


@pytest.mark.parametrize("shell", ["dash", "bash-"], indirect=True)
def test_a_command_that_was_typed_by_hand_is_newer_than_one_that_was_run(shell: Shell) -> None:
    shell.run("echo first")
    assert intent(shell).command == "echo first"
    keyed(shell, "echo second\n")
    shell.room.until(lambda: re.search(r"\nsecond\n[$#]", shell.text), lambda: shell.text)
    told = structure(shell)
    assert (told.command, told.known_by) == ("echo second", CommandSource.GUESS)
    read = shell.room.run(ReadPane(pane=str(shell.pane), source=Source.LAST_COMMAND))
    assert (read.command, read.text, read.known_by) == ("echo second", "second", "guess")


@EACH
def test_what_stands_at_the_prompt_and_was_not_entered_is_no_command(shell: Shell) -> None:
    shell.run("echo done")
    keyed(shell, "rm -rf")
    shell.room.until(lambda: re.search(r"[$#] rm -rf", shell.text), lambda: shell.text)
    found = printed(shell.room.mux, shell.pane)()
    assert (found.command, found.output.strip("\n")) == ("echo done", "done")


def test_what_stands_at_a_guessed_prompt_and_was_not_entered_is_no_command(room: Room) -> None:
    pane = PaneId(room.run(CreatePane(command=("/bin/sh", "-i"), env={"PS1": "$ "})).id[1:])
    room.shows(pane, "$")
    terminal = room.mux.terminals[pane]
    terminal.write(b"echo done\n")
    room.shows(pane, "\ndone\n$")
    terminal.write(b"rm -rf")
    room.shows(pane, "$ rm -rf")
    found = printed(room.mux, pane)()
    assert (found.command, found.output, found.over) == ("echo done", "done", True)


def test_a_guess_goes_back_to_a_prompt_that_scrolled_away(room: Room, tmp_path: Path) -> None:
    pane = PaneId(room.run(CreatePane(command=("/bin/sh", "-i"), cwd=str(tmp_path), env={"PS1": "$ "})).id[1:])
    room.launcher.scrollback = 1_000
    room.shows(pane, "$")
    room.mux.terminals[pane].write(b"echo NAME AGE; seq 1 100\n")
    room.shows(pane, "\n100\n$")
    found = printed(room.mux, pane)()
    assert (found.command, found.output.splitlines()[0], found.known_by) == (
        "echo NAME AGE; seq 1 100",
        "NAME AGE",
        CommandSource.GUESS,
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
def test_a_command_in_a_shell_within_the_shell_is_found_by_its_prompt(shell: Shell) -> None:
    keyed(shell, "env PS1='within $ ' HISTFILE= sh -i\n")
    shell.room.shows(shell.pane, "\nwithin $")
    keyed(shell, "echo inside; frobnicate\n")
    shell.room.until(lambda: "not found\nwithin $" in shell.text, lambda: shell.text)
    told = intent(shell)
    assert (told.intent, told.command, told.known_by) == (
        Meaning.DEPENDENCY_MISSING,
        "echo inside; frobnicate",
        CommandSource.GUESS,
    )


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
def test_a_command_that_was_run_in_a_shell_within_the_shell_is_known(shell: Shell) -> None:
    keyed(shell, "env PS1='within $ ' HISTFILE= sh -i\n")
    shell.room.shows(shell.pane, "\nwithin $")
    shell.run("echo inside; exit_code() { return 3; }; exit_code")
    told = intent(shell)
    assert (told.command, told.exit_code) == ("echo inside; exit_code() { return 3; }; exit_code", 3)
    assert printed(shell.room.mux, shell.pane)().output.strip() == "inside"
    keyed(shell, "\x04")
    shell.room.until(lambda: shell.room.mux.terminals[shell.pane].shell.at_prompt)
    assert printed(shell.room.mux, shell.pane)().command == "env PS1='within $ ' HISTFILE= sh -i"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"], indirect=True)
def test_a_full_screen_program_is_what_its_screen_shows(shell: Shell) -> None:
    dialog = program(shell, "dialog", "\033[?1049h\033[2J\033[HOverwrite a.txt? [y/N] ")
    (shell.home / "dialog").write_text(f"{(shell.home / 'dialog').read_text().replace('exit 0', 'exec cat')}")
    later = shell.begin(dialog)
    shell.room.shows(shell.pane, "[y/N]")
    told = intent(shell)
    assert (told.intent, told.command, told.exit_code) == (Meaning.PROMPT_WAITING, dialog, None)
    keyed(shell, "\x03")
    shell.room.awaited(later)


def test_a_pane_of_its_own_tells_all_that_its_command_printed(room: Room, tmp_path: Path) -> None:
    room.cat()
    (tmp_path / "list").write_text(
        "#!/bin/sh\nprintf 'NAME   AGE\\n'; for i in $(seq 100); do echo \"row$i   ${i}m\"; done\n"
    )
    (tmp_path / "list").chmod(0o755)
    pane = room.opened(f"create-pane --on-exit keep --command {tmp_path}/list")
    room.ended(pane)
    told = room.run(ParseOutput(pane=str(pane)))
    assert (told.known_by, len(told.rows), told.headers[:1]) == (CommandSource.PROGRAM, 100, ("NAME",))


@EACH
def test_a_table_that_is_wider_than_the_pane_has_its_columns_still(shell: Shell) -> None:
    found = recorded("documented/docker-ps")
    assert max(map(len, found.output.splitlines())) > shell.room.mux.terminals[shell.pane].size.cols
    shell.run(f"{program(shell, 'docker', found.output)} ps")
    told = structure(shell)
    assert told.headers == ("CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES")
    assert told.rows[-1] == ("e3a1f2b4c5d6", "busybox", '"top"', "2 hours ago", "Up 2 hours", "", "idle_one")
