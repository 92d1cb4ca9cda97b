"""Programs at a prompt are reported as waiting, while they run."""

import pytest

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.results import Meaning


def test_a_prompt_is_reported_only_while_the_program_runs() -> None:
    assert detect("sudo true", "[sudo] password for anna: ", None).intent is Meaning.PROMPT_WAITING
    assert detect("sudo true", "[sudo] password for anna: ", 1).intent is Meaning.UNKNOWN
    assert detect("", "Password: \nuser@host:~$ ", None).intent is Meaning.UNKNOWN
    assert detect("sudo true", "[sudo] password for anna: ", None, ended=True).intent is Meaning.UNKNOWN


def test_a_prompt_in_the_middle_of_an_output_is_not_reported() -> None:
    assert detect("./setup", "Password: \nThank you.\n", None).intent is Meaning.UNKNOWN


WAITING = [
    ("ssh-keygen", "Enter file in which to save the key (/home/someone/.ssh/id_rsa): ", "text"),
    ("ssh-keygen", "Enter same passphrase again: ", "password"),
    ("gpg -d x", "Enter passphrase: ", "password"),
    ("npm init", "package name: (shop) ", "text"),
    ("npm init", "package name: (shop) \nversion: (1.0.0) \ndescription: ", "text"),
    ("npm init", "About to write to /x/package.json:\n\n{}\n\n\nIs this OK? (yes) ", "confirm"),
    ("rm -i x", "rm: remove regular file 'x'? ", "confirm"),
    ("cp -i a b", "cp: overwrite 'b'? ", "confirm"),
    ("terraform apply", "  Only 'yes' will be accepted to approve.\n\n  Enter a value: ", "text"),
    ("fdisk /dev/x", "Command (m for help): ", "repl"),
    ("python", ">>> def f():\n... ", "repl"),
    ("man ls", " Manual page ls(1) line 1 (press h for help or q to quit)", "pager"),
    ("systemctl status", "lines 1-23/80 (END)", "pager"),
    ("systemctl status", "lines 1-23", "pager"),
    ("npm create x", "? Select a framework: › - Use arrow-keys. Return to submit.\n❯   Vanilla\n    Vue", "choice"),
    ("gh auth login", "? What account?  [Use arrows to move, type to filter]\n> GitHub.com\n  Other", "choice"),
    ("npm create x", "◇  Name?\n│  a\n│\n◆  Which one?\n│  ● one\n│  ○ two\n└", "choice"),
    ("claude", "Do you want to proceed?\n❯ 1. Yes\n  2. No", "choice"),
]


@pytest.mark.parametrize(("command", "output", "kind"), WAITING, ids=[output[-30:].strip() for _, output, _ in WAITING])
def test_a_program_at_a_prompt_waits_until_it_has_ended(command: str, output: str, kind: str) -> None:
    found = detect(command, output, None)
    assert (found.intent, found.context.details["prompt"]) == (Meaning.PROMPT_WAITING, kind)
    assert detect(command, output, 0).intent is Meaning.SUCCESS
    assert found.suggested_actions == ()


def test_the_question_of_an_agent_is_a_prompt() -> None:
    found = detect("claude", "Tests failed: 1 failed in 0.1s\n\nDo you want to proceed?\n❯ 1. Yes\n  2. No\n", None)
    assert (found.intent, found.context.details["prompt"]) == (Meaning.PROMPT_WAITING, "choice")
