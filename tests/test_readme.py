"""The README, the keys and the settings are true: what they name exists, and CI runs the command that it names."""

import re
from pathlib import Path

import pytest

import fugue_tui.control.command_table  # noqa: F401  # pyright: ignore[reportUnusedImport]
from fugue_tui.config.model import parse
from fugue_tui.control.keymap import DEFAULTS, DIRECT, keymap
from fugue_tui.control.schema.command_line import lookup

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
KEYS = (ROOT / "docs/keys.md").read_text()
CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
ARROWS = {"←": ["left"], "→": ["right"], "↑": ["up"], "↓": ["down"]}
SIDES = ["left", "right", "up", "down"]


def indented(text: str) -> list[str]:
    """The README's command lines."""
    return [line.strip() for line in text.splitlines() if line.startswith("    ")]


def keys(cell: str) -> list[str]:
    """The keys that a table cell names, as bindings spell them."""
    found: list[str] = []
    for word in re.findall(r"`(\S+?)`", cell):
        modifiers, _, name = word.rpartition("+")
        spelled = [f"{modifiers}+{side}".lower() for side in SIDES] if name == "arrows" else [word]
        found += ARROWS.get(word, [key.lower() if len(key) > 1 else key for key in spelled])
    return found


def test_every_key_in_the_table_is_bound() -> None:
    table = [line.split("|")[1] for line in (README + KEYS).splitlines() if re.match(r"\| `", line)]
    named = [key for cell in table for key in keys(cell)]
    assert len(named) > 60
    assert [key for key in named if key not in DEFAULTS] == []


def test_alt_and_arrows_need_no_prefix() -> None:
    assert keys("`Alt+arrows`") == list(DIRECT)


def test_every_command_it_names_exists() -> None:
    named = set(re.findall(r"fugue-tui ([a-z]+-[a-z]+)", README))
    assert len(named) >= 3
    assert [verb for verb in named if lookup(verb).verb != verb] == []


@pytest.mark.parametrize(
    "section", [README[README.index("## Configuration") : README.index("## Speed")], CONFIGURATION]
)
def test_its_settings_are_settings(section: str) -> None:
    reading = parse("\n".join(indented(section)))
    assert reading.faults == ()
    assert keymap(reading.config.keys)[1] == ()


@pytest.mark.parametrize("document", ["README.md", "CONTRIBUTING.md"])
def test_ci_runs_the_command_that_it_names(document: str) -> None:
    (command,) = [line for line in indented((ROOT / document).read_text()) if line.endswith("tests/check.py")]
    assert command in (ROOT / ".ci/run").read_text().splitlines()


def test_the_files_it_points_to_exist() -> None:
    targets = re.findall(r"\]\((?!https?:)([^)]+)\)", README)
    assert [target for target in targets if not (ROOT / target).exists()] == []
