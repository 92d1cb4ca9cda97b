"""Shell prompts are recognised around output."""

import pytest

from fugue_tui.output_analysis.prompts import command_at_prompt, last_command, last_prompt, without_prompts


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("$ docker ps", "docker ps"),
        ("user@host:~/src$ make", "make"),
        ("[user@host src]$ make", "make"),
        ("(venv) user@host:~$ pip list", "pip list"),
        ("~/src ❯ git status", "git status"),
        ("➜ ls", "ls"),
        ("root@host:/# ls", "ls"),
        ("user@host:~$", ""),
        ("# a heading", None),
        ("> a quotation", None),
        ("total 12", None),
        ("costs $ 5", None),
        (">>> 1 + 1", None),
    ],
)
def test_the_command_at_a_prompt_is_found(line: str, said: str | None) -> None:
    assert command_at_prompt(line) == said


@pytest.mark.parametrize(
    ("last", "prompt"), [("# ", "#"), ("[12:00] me %", "[12:00] me %"), ("shop=#", ""), (">>>", "")]
)
def test_the_prompt_on_the_last_line_is_found(last: str, prompt: str) -> None:
    assert last_prompt(["out", last, ""]) == prompt


def test_the_prompt_on_the_last_line_finds_the_last_command() -> None:
    assert last_command("# ls\na\n# make x\nmake: *** no\n# \n") == ("make x", "make: *** no", True)
    assert last_command("[12:00] me % ls\na\n[12:00] me %") == ("ls", "a", True)
    assert last_command("# a heading\n\ntext\n") == ("", "# a heading\n\ntext\n", False)


def test_a_command_that_still_runs_has_no_prompt_below_it() -> None:
    assert last_command("$ ls\na\n$ make\ncompiling\n") == ("make", "compiling", False)


def test_a_prompt_alone_is_no_output() -> None:
    assert without_prompts(["user@host:~$ ls", "a", "user@host:~$"]) == (1, 2, "ls")
    assert without_prompts(["100%"]) == (0, 1, "")
