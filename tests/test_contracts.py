"""Each import contract holds, and turns red for the fault it is there to find."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow


ROOT = Path(__file__).parents[1]
SOURCES = ("app", "widgets", "mcp_server")
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"
UPSTAIRS = {"__main__", "cli", "server_start", "tui"}


IMPORTS_A_COMMAND = "import fugue_tui.control.core.command"
PLANTED = {
    "app/fugue_tui/layout/planted.py": "import fugue_tui.terminal.screen.cells",
    "app/fugue_tui/workspace/planted.py": IMPORTS_A_COMMAND,
    "app/fugue_tui/attic.py": "",
    "app/fugue_tui/terminal/screen/planted.py": "import rich.text",
    "app/fugue_tui/terminal/screen/planted_layer.py": "import fugue_tui.terminal.emulator.protocol",
    "app/fugue_tui/control/output/planted.py": "import fugue_tui.control.commands.panes",
    "app/fugue_tui/multiplexer/watch/planted.py": "import fugue_tui.multiplexer.autosave.saver",
    "app/fugue_tui/tui/vt_output/planted.py": "import fugue_tui.tui.clients.client",
    "app/fugue_tui/output_analysis/tables/planted.py": "import fugue_tui.output_analysis.parse.parse",
    "mcp_server/fugue_tui_mcp/bridge/planted.py": "import fugue_tui_mcp.protocol.tools",
    "widgets/fugue_tui_widgets/planted_mcp.py": "import mcp.server",
    "widgets/fugue_tui_widgets/planted.py": IMPORTS_A_COMMAND,
    "app/fugue_tui/workspace/typed.py": f"import typing\n\nif typing.TYPE_CHECKING:\n    {IMPORTS_A_COMMAND}",
}
"""Faults by the module in which they are planted; the last is none."""


def lint(house: Path) -> subprocess.CompletedProcess[str]:
    """The linter's verdict on the packages of one house."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(house / source) for source in SOURCES),
        "COLUMNS": "300",
    }
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo"],
        cwd=house,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says of a copy of the sources in which every fault is planted."""
    house = tmp_path_factory.mktemp("house")
    for source in SOURCES:
        shutil.copytree(ROOT / source, house / source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", house)
    for place, line in PLANTED.items():
        (house / place).write_text(f'"""Planted."""\n\n{line}\n')
    found = lint(house)
    assert found.returncode == 1
    return found.stdout


def broken(verdict: str) -> dict[str, str]:
    """The report on each broken contract, by the contract's name."""
    _, *parts = re.split(r"^(.+)\n-+\n", verdict.partition("\nBroken contracts\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_contracts_hold() -> None:
    verdict = lint(ROOT)
    assert verdict.returncode == 0, verdict.stdout


@pytest.mark.parametrize(
    ("contract", "named"),
    [
        ("The house has floors", "fugue_tui.layout.planted -> fugue_tui.terminal.screen.cells"),
        ("The house has floors", "fugue_tui.workspace.planted -> fugue_tui.control.core.command"),
        ("Every room is on a floor", "fugue_tui.attic\n"),
        ("Textual stays upstairs", "fugue_tui.terminal.screen.planted -> rich"),
        (
            "A terminal stands on its engines, and they on plain values",
            "fugue_tui.terminal.screen.planted_layer -> fugue_tui.terminal.emulator.protocol",
        ),
        (
            "Commands stand on what they are built from",
            "fugue_tui.control.output.planted -> fugue_tui.control.commands.panes",
        ),
        (
            "The multiplexer stands on events and watches",
            "fugue_tui.multiplexer.watch.planted -> fugue_tui.multiplexer.autosave.saver",
        ),
        ("The app stands on the attach server", "fugue_tui.tui.vt_output.planted -> fugue_tui.tui.clients.client"),
        (
            "Parsing and classification stand on text lines",
            "fugue_tui.output_analysis.tables.planted -> fugue_tui.output_analysis.parse.parse",
        ),
        ("The MCP protocol stands on sockets", "fugue_tui_mcp.bridge.planted -> fugue_tui_mcp.protocol.tools"),
        ("Only fugue_tui_mcp speaks MCP", "fugue_tui_widgets.planted_mcp -> mcp"),
        ("Widgets do not command", "fugue_tui_widgets.planted -> fugue_tui.control.core.command"),
    ],
)
def test_a_planted_fault_turns_its_contract_red(verdict: str, contract: str, named: str) -> None:
    assert named in broken(verdict)[contract]


def test_every_contract_has_a_planted_fault(verdict: str) -> None:
    assert set(broken(verdict)) == {contract["name"] for contract in contracts()}


def test_an_import_for_the_type_checker_alone_is_no_fault(verdict: str) -> None:
    assert "fugue_tui.workspace.typed" not in verdict


def contracts() -> list[dict[str, Any]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def test_everything_under_the_faces_is_kept_from_textual() -> None:
    (textual,) = (contract for contract in contracts() if contract["id"] == "textual")
    rooms = {path.stem for path in (ROOT / "app/fugue_tui").iterdir() if path.suffix == ".py"}
    rooms |= {path.parent.name for path in (ROOT / "app/fugue_tui").glob("*/__init__.py")}
    rooms -= {"__init__"} | UPSTAIRS
    assert set(textual["source_modules"]) == {f"fugue_tui.{room}" for room in rooms} | {"fugue_tui_mcp"}


LIGHT = [
    *(
        "fugue_tui",
        "fugue_tui.__main__",
        "fugue_tui.cli",
        "fugue_tui.client.command_request",
        "fugue_tui.config.model",
        "fugue_tui.server_start",
    ),
    *("fugue_tui_mcp", "fugue_tui_mcp.bridge.stdio_bridge", "fugue_tui_widgets"),
]


@pytest.mark.parametrize("module", LIGHT)
def test_importing_the_way_in_loads_nothing_heavy(module: str) -> None:
    heavy = ["asyncio", "cffi", "mcp", "pydantic", "pyghostty", "pyte", "rich", "textual"]
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
