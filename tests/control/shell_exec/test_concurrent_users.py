"""Commands in shells that others use too: a person who types, other calls, calls that are given up."""

import asyncio
import os
import time
from pathlib import Path
from typing import NoReturn

import pytest
from tests.control.every_shell import every, one_each
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import agent

from fugue_tui.control.commands.execute_command import ExecuteCommand
from fugue_tui.control.commands.run_command import RunCommand
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.result import OnCancel
from fugue_tui.errors import Cancelled, InvalidArgument, NotFound, Refused, TerminalGone, TimedOut
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.input.pane_input import INTERRUPT
from fugue_tui.multiplexer.input.pane_queue import PaneQueue, Turn

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_text_that_the_user_left_at_the_prompt_is_kept(shell: Shell) -> None:
    shell.run("true")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).shell.at_input)
    shell.room.say(f"send-input --pane {shell.pane} --text 'rm -r precious'")
    shell.room.shows(shell.pane, "precious")
    with pytest.raises(Refused, match="`rm -r precious`, which was typed") as refused:
        shell.run("echo glued")
    assert refused.value.data["retry_after_ms"]
    shell.room.say(f"send-keys {shell.pane} C-u")  # Ctrl+C is a signal, which a busy shell may lose; this is a key.
    shell.room.until(lambda: "precious" not in shell.text, lambda: shell.text)
    assert shell.says("echo free") == (0, "free")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_what_a_user_types_at_the_same_time_is_not_run(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("true")
    terminal = shell.room.mux.terminal(shell.pane)
    shell.room.until(lambda: terminal.shell.at_input)
    paste = terminal.paste

    def together(text: str) -> int:
        terminal.write(b"rm -r precious")
        return paste(text)

    monkeypatch.setattr(terminal, "paste", together)
    with pytest.raises(Refused, match="`rm -r precious`, which was typed"):
        shell.run("echo glued")
    shell.room.until(lambda: terminal.shell.typed.strip() == "rm -r precious")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_text_that_the_user_types_after_an_unechoed_command_is_kept(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell.run("true")
    terminal = shell.room.mux.terminal(shell.pane)
    shell.room.until(lambda: terminal.shell.at_input)
    paste = terminal.paste

    def garble(text: str) -> int:
        return paste("garbled")

    monkeypatch.setattr(terminal, "paste", garble)

    is_echoed = Execution._is_echoed  # pyright: ignore[reportPrivateUsage]

    async def typing(execution: Execution) -> bool:
        terminal.write(b" precious")
        return await is_echoed(execution)

    monkeypatch.setattr(Execution, "_is_echoed", typing)
    with pytest.raises(Refused, match="`garbled precious`, which was typed"):
        shell.run("echo one")
    assert terminal.shell.typed.strip() == "garbled precious"


@one_each
def test_input_of_the_user_takes_precedence_over_a_command(shell: Shell) -> None:
    shell.run("true")
    shell.room.mux.human_input(shell.pane)
    with pytest.raises(Refused, match="the user is typing") as refused:
        shell.run("echo x")
    assert refused.value.data["retry_after_ms"]
    shell.room.until(lambda: shell.room.mux.lease.reserved_ms(shell.pane) is None)
    assert shell.says("echo x") == (0, "x")


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
def test_a_command_waits_for_the_enter_of_a_text_that_a_script_has_typed(shell: Shell) -> None:
    shell.run("true")
    terminal = shell.room.mux.terminal(shell.pane)
    shell.room.until(
        lambda: terminal.shell.at_input and terminal.modes.bracketed_paste
    )  # Zsh sets this after its prompt.
    typed = SendInput(pane=str(shell.pane), text="echo first", submit=True).run(shell.room.mux, Origin(Interface.CLI))
    assert is_deferred(typed)
    shell.room.until(lambda: "echo first" in shell.text)
    assert shell.says("echo second") == (0, "second")
    assert typed.result().submitted
    assert [record.line.strip() for record in shell.room.mux.terminal(shell.pane).shell.commands[-2:]] == [
        "echo first",
        "echo second",
    ]


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_ctrl_c_before_the_enter_of_a_command_cancels_it(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("true")
    terminal = shell.room.mux.terminal(shell.pane)
    shell.room.until(lambda: terminal.shell.at_input)
    is_echoed = Execution._is_echoed  # pyright: ignore[reportPrivateUsage]

    async def interrupted(execution: Execution) -> bool:
        echoed = await is_echoed(execution)  # A shell that is busy may lose the signal.
        terminal.press(INTERRUPT)
        await asyncio.sleep(0)
        return echoed

    monkeypatch.setattr(Execution, "_is_echoed", interrupted)
    with pytest.raises(Refused, match=r"Ctrl\+C was pressed .* nothing was run"):
        shell.run("touch made")
    monkeypatch.setattr(Execution, "_is_echoed", is_echoed)
    assert shell.says("echo next") == (0, "next")
    assert not (shell.home / "made").exists()


@every
def test_calls_to_one_pane_queue_and_calls_to_two_run_together(shell: Shell, tmp_path: Path) -> None:
    other = Shell(shell.room, shell.kind if shell.method == "integration" else f"{shell.kind}-", tmp_path)
    shell.run("true")
    other.run("true")
    os.mkfifo(gate := tmp_path / "gate")
    begun = [shell.begin(f"cat '{gate}'"), shell.begin("echo 2"), shell.begin("echo 3"), other.begin("echo 4")]
    began = time.monotonic()
    shell.room.until(lambda: begun[3].done)
    assert not begun[0].done
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "cat")
    waited = time.monotonic() - began
    gate.write_text("1\n")
    for later in begun:
        shell.room.awaited(later)
    assert [later.result().text for later in begun] == ["1", "2", "3", "4"]
    assert begun[2].result().queued_ms >= waited * 1000 - 1


@one_each
def test_the_queue_of_a_pane_is_bounded(shell: Shell) -> None:
    begun = [shell.begin("sleep 0.1"), *(shell.begin("true") for _ in range(16))]
    with pytest.raises(Refused, match="16 commands wait for pane"):
        shell.begin("true")
    for later in begun[1:]:
        later.cancel()
    # Who has given up takes nobody's place in line.
    shell.room.until(lambda: shell.room.mux.pane_queue.waiting(shell.pane) == 1)
    shell.room.awaited(begun[0])
    assert shell.run("true").exit_code == 0


@every
def test_cancelling_a_command_interrupts_it_and_starts_the_next(shell: Shell) -> None:
    shell.run("true")
    later = shell.begin("sleep 60")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    after = shell.begin("echo after")
    assert later.cancel()
    with pytest.raises(Cancelled):
        shell.room.awaited(later)
    assert shell.room.awaited(after).text == "after"


@one_each
def test_a_command_that_is_cancelled_as_it_begins_is_interrupted_too(shell: Shell) -> None:
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
def test_a_command_that_a_user_interrupts_is_over(shell: Shell) -> None:
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
def test_a_pane_that_is_closed_meanwhile_is_reported(shell: Shell) -> None:
    shell.room.cat()
    shell.run("true")
    later, second = shell.begin("sleep 60"), shell.begin("true")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    shell.room.say(f"close-pane {shell.pane}")
    for each in (later, second):
        with pytest.raises((TerminalGone, NotFound)):
            shell.room.awaited(each)


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_fault_while_a_command_is_typed_frees_the_pane(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    shell.run("true")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).shell.at_input)
    with monkeypatch.context() as broken:
        broken.setattr("fugue_tui.control.shell_exec.execution.typed", failing)
        with pytest.raises(OSError, match="no room"):
            shell.run("echo one")
    assert shell.says("echo two") == (0, "two")


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_fault_while_an_answer_is_made_frees_the_pane(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as broken:
        broken.setattr("fugue_tui.control.commands.execute_command.clip_so_far", failing)
        with pytest.raises(OSError, match="no room"):
            shell.run("echo one")
    assert shell.says("echo two") == (0, "two")


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_command_that_has_ended_leaves_no_time_out_behind(shell: Shell) -> None:
    shell.run("true", timeout=110)
    shell.room.say("run-command true --timeout 110")
    shell.room.until(lambda: not shell.room.mux.wait_service.awake and not asyncio.all_tasks())


def failing(*_: object, **__: object) -> NoReturn:
    raise OSError("no room")


def fail_in(turn: Turn) -> None:
    try:
        failing()
    finally:
        turn.leave()


def test_a_job_that_cannot_start_lets_the_next_one_start() -> None:
    turns = PaneQueue()
    first, second = turns.join(PaneId(1)), turns.join(PaneId(1))
    assert first.started.is_set()
    assert not second.started.is_set()
    with pytest.raises(OSError, match="no room"):
        fail_in(first)
    assert (second.started.is_set(), turns.waiting(PaneId(1))) == (True, 1)


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_leaving_the_workspace_waits_for_no_command(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fugue_tui.control.shell_exec.execution.GRACE", 3600.0)
    shell.run("true")
    laters = [shell.begin("trap '' INT; sleep 60"), shell.begin("true")]
    laters.append(RunCommand(command=("sleep", "60")).run(shell.room.mux, agent()))
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    for task in asyncio.all_tasks():
        task.cancel()
    shell.room.until(lambda: not asyncio.all_tasks())
    assert all(isinstance(later.error, TimedOut) for later in laters)
