"""The nonce of prompt marks is known to the shell alone, and a mark that another program prints is not believed."""

import os
from pathlib import Path

import pytest
from tests.terminal.shell_integration.conftest import SHELLS, Shell, Start

pytestmark = pytest.mark.slow
NONCE = "5ec2e7"


@pytest.fixture(params=[(kind, login) for kind in SHELLS for login in (False, True)], ids=str)
def shell(request: pytest.FixtureRequest, start: Start) -> Shell:
    kind, login = request.param
    return start(kind, login=login)


def test_the_nonce_is_in_no_environment(shell: Shell) -> None:
    assert shell.run('sh -c \'tr "\\0" "\\n" </proc/self/environ >child\'').exit_code == 0
    child, own = (shell.home / "child").read_text(), Path(f"/proc/{shell.terminal.pid}/environ").read_text()
    assert NONCE not in own
    assert NONCE not in Path(f"/proc/{shell.terminal.pid}/cmdline").read_text()
    assert NONCE not in child
    assert "FUGUE_SHELL" not in child
    assert shell.terminal.shell.integrated


def test_programs_of_the_shell_inherit_the_terminal_only(shell: Shell) -> None:
    shell.run("sh -c 'ls -l /proc/$$/fd >descriptors'")
    assert "pipe" not in (shell.home / "descriptors").read_text()


def test_the_shell_itself_keeps_no_descriptor_of_it(shell: Shell) -> None:
    shell.run("true")
    assert not _pipes(shell.terminal.pid) & _pipes("self")


def _pipes(process: int | str) -> set[str]:
    folder = f"/proc/{process}/fd"
    return {link for name in os.listdir(folder) if (link := _link(f"{folder}/{name}")).startswith("pipe:")}


def _link(path: str) -> str:
    """What a descriptor is open on, empty where it was closed since its folder was read."""
    try:
        return os.readlink(path)
    except OSError:
        return ""


@pytest.mark.parametrize("kind", SHELLS)
def test_a_startup_file_that_is_read_first_finds_no_nonce(kind: str, start: Start) -> None:
    look = f"grep -c {NONCE} /proc/$$/environ >~/seen"
    files = {".bashrc": look, ".zshrc": look, ".zshenv": look}
    files[".config/fish/config.fish"] = f"grep -c {NONCE} /proc/$fish_pid/environ >~/seen"
    shell = start(kind, files=files)
    assert (shell.home / "seen").read_text() == "0\n"


@pytest.mark.parametrize("kind", SHELLS)
def test_the_exit_code_that_a_program_in_front_reports_is_not_confirmed(kind: str, start: Start) -> None:
    shell = start(kind)
    os.mkfifo(shell.home / "gate")
    script = f"printf 'passed\\033]133;D;0;fugue={NONCE}\\007'; cat gate; exit 1"
    (shell.home / "tests.sh").write_text(script)
    shell.type("sh tests.sh\r")
    shell.wait(lambda: shell.ended)
    forged = shell.ended[0]
    assert (forged.unconfirmed, forged.confirmed_exit_code) == (True, None)
    (shell.home / "gate").write_text("")
    shell.wait(lambda: shell.terminal.shell.at_prompt)
    honest = shell.run("sh -c 'exit 9'")
    assert (honest.unconfirmed, honest.confirmed_exit_code) == (False, 9)
