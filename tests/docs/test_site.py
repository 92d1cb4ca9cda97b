"""The documentation builds as a site, without the network and without a dead link, and its examples are valid."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fugue_tui.control.agents.team_file import filled, load
from fugue_tui.control.core.command import registry

ROOT = Path(__file__).parents[2]


def build(docs: Path, site: Path) -> "subprocess.CompletedProcess[str]":
    """Build the site, with every warning as an error."""
    line = [
        sys.executable,
        "-m",
        "sphinx",
        "-q",
        "-W",
        "--keep-going",
        "-n",
        "-d",
        str(site / "trees"),
        str(docs),
        str(site),
    ]
    return subprocess.run(line, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_the_site_builds_and_has_every_command(tmp_path: Path) -> None:
    done = build(ROOT / "docs", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    commands = (tmp_path / "reference" / "commands.html").read_text()
    ours = [verb for verb, cls in registry().items() if cls.__module__.startswith("fugue_tui.")]
    assert [verb for verb in ours if f'<section id="{verb}">' not in commands] == []
    pages = [page.read_text() for page in tmp_path.rglob("*.html")]
    assert not [
        found for page in pages for found in re.findall(r'<(?:script|link|img)[^>]* (?:src|href)="(http[^"]+)', page)
    ]


@pytest.mark.slow
def test_a_dead_link_fails_the_build(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "conf.py").write_text('extensions = ["myst_parser"]\nmyst_heading_anchors = 4\n')
    (docs / "index.md").write_text("# Title\n\n[here](#title) [there](missing.md) [nowhere](#missing)\n")
    done = build(docs, tmp_path / "site")
    assert done.returncode != 0
    assert "missing.md" in done.stderr
    assert "#missing" in done.stderr.replace("'missing'", "'#missing'")
    assert "#title" not in done.stderr


@pytest.mark.parametrize("page", ["agents.md", "guides/for-teams.md"])
def test_the_team_files_of_the_documentation_are_valid(page: str, tmp_path: Path) -> None:
    shutil.copy(ROOT / "README.md", tmp_path / "navigator.md")
    blocks = re.findall(r"```toml\n(version = 1\n.*?)```", (ROOT / "docs" / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        file = tmp_path / "team.toml"
        file.write_text(block)
        team, _ = load(str(file), str(tmp_path))
        assert filled(team, dict.fromkeys(team.variables, "a value")).members
