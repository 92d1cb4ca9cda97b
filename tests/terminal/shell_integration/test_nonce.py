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
    folder = f"/proc/{shell.terminal.pid}/fd"
    assert not [name for name in os.listdir(folder) if _is_held_by_server(os.readlink(f"{folder}/{name}"))]


def _is_held_by_server(link: str) -> bool:
    """Whether this process has the same pipe open."""
    return link.startswith("pipe:") and link in {_link(name) for name in os.listdir("/proc/self/fd")}


def _link(name: str) -> str:
    try:
        return os.readlink(f"/proc/self/fd/{name}")
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
