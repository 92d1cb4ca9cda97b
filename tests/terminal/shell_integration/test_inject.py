"""Which shells are started with marks, and how."""

import os
from pathlib import Path

import pytest

from fugue_tui.terminal.shell_integration import inject
from fugue_tui.terminal.shell_integration.inject import FOLDER, ShellLaunch, integrated

pytestmark = pytest.mark.slow


BASH = str(FOLDER / "fugue.bash")
FISH = ("--init-command", f"source '{FOLDER / 'fugue.fish'}'")


def _start(argv: tuple[str, ...], env: dict[str, str] | None = None, login: bool = False) -> ShellLaunch | None:
    return integrated(argv, env or {}, login=login)


@pytest.mark.parametrize(
    ("argv", "login", "rewritten", "reads"),
    [
        (("bash",), False, ("bash", "--init-file", BASH), "rc"),
        (("/usr/bin/bash", "-i"), False, ("/usr/bin/bash", "--init-file", BASH, "-i"), "rc"),
        (("bash", "--rcfile", "/x", "-i"), False, ("bash", "--init-file", BASH, "-i"), "rc=/x"),
        (("bash", "--init-file", "/x"), False, ("bash", "--init-file", BASH), "rc=/x"),
        (("bash", "--norc"), False, ("bash", "--posix", "--norc"), "none"),
        (("/opt/bash",), True, ("/opt/bash", "--posix"), "profile"),
        (("bash", "-l"), False, ("bash", "--posix", "-l"), "profile"),
        (("bash", "-il"), False, ("bash", "--posix", "-il"), "profile"),
        (("bash", "--login", "--noprofile"), False, ("bash", "--posix", "--login", "--noprofile"), "none"),
        (("zsh",), False, ("zsh",), "yes"),
        (("/bin/zsh", "-l", "-i"), False, ("/bin/zsh", "-l", "-i"), "yes"),
        (("fish",), False, ("fish", *FISH), "yes"),
        (("/usr/bin/fish", "--login"), False, ("/usr/bin/fish", *FISH, "--login"), "yes"),
    ],
)
def test_interactive_shells_are_started_with_marks(
    argv: tuple[str, ...], login: bool, rewritten: tuple[str, ...], reads: str
) -> None:
    start = _start(argv, login=login)
    assert start is not None
    assert start.argv == rewritten
    assert start.env["FUGUE_SHELL_MARKS"] == reads


@pytest.mark.parametrize(
    "argv",
    [
        (),
        ("sh",),
        ("/bin/dash",),
        ("vim",),
        ("bash", "-c", "ls"),
        ("bash", "-ic", "ls"),
        ("bash", "script.sh"),
        ("bash", "-s"),
        ("bash", "-r"),
        ("bash", "--posix"),
        ("bash", "--version"),
        ("bash", "-O", "extglob"),
        ("bash", "-"),
        ("zsh", "-f"),
        ("zsh", "-c", "ls"),
        ("zsh", "script"),
        ("fish", "-c", "ls"),
        ("fish", "-C", "ls"),
        ("fish", "--no-config"),
        ("env", "bash"),
    ],
)
def test_everything_else_is_started_as_it_is(argv: tuple[str, ...]) -> None:
    assert _start(argv) is None


def test_what_the_environment_said_is_handed_on() -> None:
    start = _start(("bash", "-l"), {"ENV": "/old"})
    assert start is not None
    assert start.env == {"FUGUE_SHELL_MARKS": "profile", "ENV": BASH, "FUGUE_SHELL_ENV": "/old"}
    start = _start(("zsh",), {"ZDOTDIR": "/old"})
    assert start is not None
    assert start.env == {
        "FUGUE_SHELL_MARKS": "yes", "ZDOTDIR": str(FOLDER / "zsh"), "FUGUE_SHELL_ZDOTDIR": "/old"
    }  # fmt: skip


def test_a_shell_starts_without_marks_where_the_scripts_are_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inject, "FOLDER", tmp_path)
    assert [_start((kind,)) for kind in ("bash", "zsh", "fish")] == [None] * 3


def test_a_path_that_bash_would_expand_is_not_given_to_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "$HOME"
    folder.mkdir()
    (folder / "fugue.bash").write_text("")
    monkeypatch.setattr(inject, "FOLDER", folder)
    assert _start(("bash", "-l")) is None


def test_posix_shells_stay_so() -> None:
    assert _start(("bash",), {"POSIXLY_CORRECT": "y"}) is None


def test_the_scripts_are_where_they_are_looked_for() -> None:
    for script in ("fugue.bash", "fugue.fish", "zsh/.zshenv"):
        assert os.access(FOLDER / script, os.R_OK)
