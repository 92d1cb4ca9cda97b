"""Each import contract holds, and turns red for the fault it is there to find."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = ("app", "widgets", "mcp_server")
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
UPSTAIRS = {"__main__", "cli", "start", "tui"}


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the sources, to plant faults in."""
    for source in SOURCES:
        shutil.copytree(ROOT / source, tmp_path / source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def lint(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The linter's verdict on the packages of one house."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(house / source) for source in SOURCES),
        "COLUMNS": "300",
    }
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo", *arguments],
        cwd=house,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_contracts_hold() -> None:
    verdict = lint(ROOT)
    assert verdict.returncode == 0, verdict.stdout


@pytest.mark.parametrize(
    ("contract", "planted", "line", "named"),
    [
        ("floors", "app/fugue_tui/layout/planted.py", "import fugue_tui.terminal.frame", "fugue_tui.layout.planted"),
        (
            "floors",
            "app/fugue_tui/workspace/planted.py",
            "import fugue_tui.control.command",
            "fugue_tui.workspace.planted",
        ),
        ("rooms", "app/fugue_tui/attic.py", "", "attic"),
        ("textual", "app/fugue_tui/terminal/planted.py", "import rich.text", "fugue_tui.terminal.planted"),
        ("mcp", "widgets/fugue_tui_widgets/planted.py", "import mcp.server", "fugue_tui_widgets.planted"),
        (
            "widgets",
            "widgets/fugue_tui_widgets/planted.py",
            "import fugue_tui.control.command",
            "fugue_tui_widgets.planted",
        ),
    ],
)
def test_a_planted_fault_turns_its_contract_red(
    house: Path, contract: str, planted: str, line: str, named: str
) -> None:
    (house / planted).write_text(f'"""Planted."""\n\n{line}\n')
    verdict = lint(house, "--contract", contract)
    assert verdict.returncode == 1
    assert "1 broken" in verdict.stdout
    assert named in verdict.stdout


def test_an_import_for_the_type_checker_alone_is_no_fault(house: Path) -> None:
    planted = house / "app/fugue_tui/workspace/planted.py"
    planted.write_text("from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import fugue_tui.control.command\n")
    assert lint(house, "--contract", "floors").returncode == 0


def test_everything_under_the_faces_is_kept_from_textual() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (textual,) = (contract for contract in contracts if contract["id"] == "textual")
    rooms = {path.stem for path in (ROOT / "app/fugue_tui").iterdir() if path.suffix == ".py" or path.is_dir()}
    rooms -= {"__init__", "__pycache__"} | UPSTAIRS
    assert set(textual["source_modules"]) == {f"fugue_tui.{room}" for room in rooms} | {"fugue_tui_mcp"}


LIGHT = [
    *("fugue_tui", "fugue_tui.__main__", "fugue_tui.cli", "fugue_tui.client", "fugue_tui.config", "fugue_tui.start"),
    *("fugue_tui_mcp", "fugue_tui_mcp.bridge", "fugue_tui_widgets"),
]


@pytest.mark.parametrize("module", LIGHT)
def test_importing_the_way_in_loads_nothing_heavy(module: str) -> None:
    heavy = ["asyncio", "cffi", "mcp", "pydantic", "pyghostty", "pyte", "rich", "textual"]
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
