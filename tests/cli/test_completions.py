"""`fugue-tui completions`, driven in the real shells."""

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.command_line import Shell
from tests.cli.command_line import in_process as in_process
from tests.mcp.conftest import Served
from tests.mcp.conftest import serve as serve
from tests.mcp.conftest import served as served

from fugue_tui.cli.completions.completions import SHELLS
from fugue_tui.cli.completions.words import words
from fugue_tui.cli.main import _SUBCOMMANDS  # pyright: ignore[reportPrivateUsage]
from fugue_tui.config.mcp_clients import CLIENTS
from fugue_tui.control.commands.panes import RenamePane
from fugue_tui.control.core.command import USER
from fugue_tui.control.schema.command_words import Source

pytestmark = pytest.mark.slow
Complete = Callable[..., list[set[str]]]

BASH = """
source "$1"
compopt() { :; }
shift
for line; do
    IFS=' ' read -ra COMP_WORDS <<< "${line//=/ = }x"
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_WORDS[COMP_CWORD]=${COMP_WORDS[COMP_CWORD]%x}
    _fugue_tui
    printf '%s\\n' "${COMPREPLY[@]}" ==
done
"""
FISH = """
source $argv[1]
for line in $argv[2..]
    complete -C $line
    echo ==
end
"""
STARTS = {
    "bash": ("bash", "--norc", "-c", BASH, "bash"),
    "zsh": ("zsh", "-f", str(Path(__file__).with_name("complete.zsh"))),
    "fish": ("fish", "--no-config", "-c", FISH),
}
MISSING = [shell for shell in SHELLS if not shutil.which(shell)]


@pytest.fixture
def complete(tmp_path: Path, in_process: Shell, request: pytest.FixtureRequest) -> Complete:
    """Completes a line in a shell, with `fugue-tui` on PATH; the words that it offers."""
    program = tmp_path / "bin" / "fugue-tui"
    program.parent.mkdir()
    line = shlex.join([sys.executable, "-m", "fugue_tui"])
    program.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/ran\nexec {line} "$@"\n')
    program.chmod(0o755)

    def complete(shell: str, *lines: str, **env: str) -> list[set[str]]:
        if shell in MISSING:
            pytest.skip(f"no {shell} here")
        script = tmp_path / f"script.{shell}"
        script.write_text(in_process("completions", shell).stdout)
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FUGUE")}
        path = f"{program.parent}{os.pathsep}{kept['PATH']}"
        env = {**kept, "PATH": path, "HOME": str(tmp_path), "ZDOTDIR": str(tmp_path), "LC_ALL": "C.UTF-8", **env}
        argv = (*STARTS[shell], str(script), *lines)
        done = subprocess.run(argv, env=env, capture_output=True, text=True, cwd=tmp_path)
        assert done.stderr == ""
        answers = done.stdout.split("==\n")[:-1]
        assert len(answers) == len(lines)
        return [{each.split("\t")[0] for each in answer.splitlines() if each} for answer in answers]

    return complete


@pytest.mark.parametrize("shell", SHELLS)
def test_first_words_flags_and_choices_are_offered(complete: Complete, shell: str) -> None:
    expected = {
        "split-p": {"split-pane"},
        "do": {"doctor"},
        "run-command --keep ": {"failed", "unseen", "always", "never"},
        "completions ": {*SHELLS},
        "setup ": {client.name for client in CLIENTS},
        "reflect --format m": {"markdown", "mcp"},
        "config ": {"path", "check", "show", "init"},
        "split-pane --name ": set[str](),
    }
    *found, flags = complete(shell, *(f"fugue-tui {line}" for line in expected), "fugue-tui split-pane --")
    assert dict(zip(expected, found, strict=True)) == expected
    assert {"--direction", "--ratio", "--no-focus", "--workspace", "--json"} <= flags


@pytest.mark.parametrize("shell", SHELLS)
def test_panes_are_offered_by_id_and_name_and_names_are_never_expanded(
    complete: Complete, shell: str, served: Served, tmp_path: Path
) -> None:
    name = "x$(touch y)`touch z`;*"
    served.on_main(lambda: RenamePane(pane="%1", name=name).run(served.mux, USER))
    found, again = complete(shell, "fugue-tui close-pane ", "fugue-tui split-pane --pane ", FUGUE_SOCKET=served.path)
    quoted = subprocess.run(["bash", "-c", 'printf %q "$1"', "bash", name], capture_output=True, text=True).stdout
    assert found == again == {"%1", quoted if shell == "bash" else name}  # The others quote what they insert.
    assert not {"y", "z"} & {*os.listdir(tmp_path)}


@pytest.mark.parametrize("shell", SHELLS)
def test_workspaces_are_offered(
    complete: Complete, shell: str, serve: Callable[..., Served], private_dir: Path
) -> None:
    (private_dir / "fugue-tui").mkdir(mode=0o700)
    serve(name="fugue-tui/shop")
    found, options = complete(shell, "fugue-tui attach ", "fugue-tui ls --j", XDG_RUNTIME_DIR=str(private_dir))
    assert (found, options) == ({"shop"}, {"--json"})


@pytest.mark.parametrize("shell", SHELLS)
def test_flags_and_choices_start_no_program(complete: Complete, shell: str, tmp_path: Path) -> None:
    lines = ("fugue-tui split-pane --dir", "fugue-tui split-pane --direction h", "fugue-tui config ch")
    assert complete(shell, *lines) == [{"--direction"}, {"horizontal"}, {"check"}]
    assert not (tmp_path / "ran").exists()


def test_every_word_of_the_command_line_is_declared() -> None:
    assert {word.name for word in words()} >= {*_SUBCOMMANDS} - {"help"}
    by_name = {word.name: word for word in words()}
    assert by_name["attach"].operands is Source.WORKSPACES
    assert by_name["close-pane"].operands is Source.PANES


@pytest.mark.parametrize("line", [["completions"], ["completions", "tcsh"], ["completions", "bash", "zsh"]])
def test_another_shell_is_a_usage_error(in_process: Shell, line: list[str]) -> None:
    done = in_process(*line)
    assert (done.returncode, done.stdout) == (2, "")
    assert "requires one of bash, zsh, fish" in done.stderr
