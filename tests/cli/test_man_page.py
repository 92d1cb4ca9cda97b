"""The manual page: made of the definitions, up to date in the repository, and free of what groff complains about."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from tests.cli.command_line import Shell
from tests.cli.command_line import shell as shell

from fugue_tui.cli.audit_command import ORIGINS
from fugue_tui.cli.man_page import page
from fugue_tui.cli.subcommands import SUBCOMMANDS, help_of
from fugue_tui.control.core.command import registry

FILE = Path(__file__).parents[2] / "docs" / "fugue-tui.1"


@pytest.mark.slow
def test_the_page_in_the_repository_is_up_to_date(shell: Shell) -> None:
    assert FILE.read_text() == shell("man").stdout, "run: fugue-tui man > docs/fugue-tui.1"
    assert shell("man", "extra").returncode == 2


def test_it_has_every_subcommand_and_command() -> None:
    text = page().replace("\\-", "-")
    assert [verb for verb in registry() if f"\n.SS {verb}\n" not in text] == []
    assert [each.name for each in SUBCOMMANDS if not re.search(rf"fugue-tui (\\f.)*{each.name}", text)] == []


@pytest.mark.slow
@pytest.mark.parametrize("line", ["groff -ww -man -Tutf8 -z", "mandoc -T lint -W error"])
def test_formatters_do_not_complain(line: str) -> None:
    program, *options = line.split()
    if not shutil.which(program):
        pytest.skip(f"no {program} here")
    done = subprocess.run([program, *options, str(FILE)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_the_wheel_has_it() -> None:
    settings = tomllib.loads((FILE.parents[1] / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]
    assert settings["wheel"]["shared-data"] == {"docs/fugue-tui.1": "share/man/man1/fugue-tui.1"}


def test_no_line_of_a_description_is_a_request() -> None:
    assert [line for line in page().splitlines() if line.startswith(("'", "\\ "))] == []


def test_the_help_has_every_origin_of_audit_and_the_option_that_undoes_setup() -> None:
    assert f"--origin {'|'.join(ORIGINS)}" in help_of("audit")
    assert "--uninstall" in help_of("setup")
