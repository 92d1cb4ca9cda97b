"""The programs of a command line are found behind their wrappers."""

import pytest

from fugue_tui.output_analysis.command_line import output_stage, stages


@pytest.mark.parametrize(
    ("command", "programs"),
    [
        ("cargo test 2>&1 | tail -5", ["cargo", "tail"]),
        ("cd x && FOO=1 sudo -E timeout 5 python3 -m pytest -q 'a b' > log; echo done", ["cd", "pytest", "echo"]),
        ("/usr/bin/docker ps", ["docker"]),
        ("uv run pytest -x", ["pytest"]),
        ("npx -y jest", ["jest"]),
        ("poetry run python -m unittest", ["unittest"]),
        ("'unterminated", ["'unterminated"]),
        ("", []),
        (";;|", []),
    ],
)
def test_programs_are_named_without_their_wrappers(command: str, programs: list[str]) -> None:
    assert [stage.program for stage in stages(command)] == programs


def test_redirections_are_no_arguments() -> None:
    assert stages("make all 2>&1 > log < in")[0].words == ("make", "all")


def test_a_list_of_words_is_one_command() -> None:
    (stage,) = stages(["grep", "a|b", "x;y"])
    assert stage.words == ("grep", "a|b", "x;y")


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("docker ps | grep nginx | head", "docker"),
        ("cat log | grep x", "cat"),
        ("grep x log", "grep"),
        ("echo hi; ps aux", "ps"),
        ("ps aux | awk '{print $2}'", "awk"),
    ],
)
def test_the_program_that_produced_the_output_is_found(command: str, program: str) -> None:
    stage = output_stage(command)
    assert stage is not None
    assert stage.program == program


def test_a_subcommand_is_found_after_options_and_their_values() -> None:
    assert stages("git -C /src --no-pager log --oneline")[0].subcommand == "log"
    assert stages("kubectl -n prod get pods")[0].subcommand == "get"
    assert stages("git")[0].subcommand == ""
