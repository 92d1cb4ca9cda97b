"""Each import contract holds, and detects the violation that it is there for."""

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
USER_INTERFACE = {"__main__", "cli", "server_start", "tui", "viewer"}


IMPORTS_A_COMMAND = "import fugue_tui.control.core.command"
VIOLATIONS = {
    "app/fugue_tui/layout/planted.py": "import fugue_tui.terminal.screen.cells",
    "app/fugue_tui/workspace/planted.py": IMPORTS_A_COMMAND,
    "app/fugue_tui/unlisted.py": "",
    "app/fugue_tui/terminal/screen/planted.py": "import rich.text",
    "app/fugue_tui/terminal/screen/planted_layer.py": "import fugue_tui.terminal.emulator.protocol",
    "app/fugue_tui/control/output/planted.py": "import fugue_tui.control.commands.panes",
    "app/fugue_tui/multiplexer/watch/planted.py": "import fugue_tui.multiplexer.autosave.saver",
    "app/fugue_tui/tui/render/planted.py": "import fugue_tui.tui.ui.actions",
    "app/fugue_tui/attach_server/output/planted.py": "import fugue_tui.attach_server.client",
    "app/fugue_tui/attach_server/output/planted_textual.py": "import textual.events",
    "app/fugue_tui/attach_server/output/planted_widget.py": "import fugue_tui_widgets.pane_grid",
    "app/fugue_tui/attach_server/output/planted_app.py": "import fugue_tui.tui.app_context",
    "app/fugue_tui/output_analysis/tables/planted.py": "import fugue_tui.output_analysis.parse.parse",
    "mcp_server/fugue_tui_mcp/bridge/planted.py": "import fugue_tui_mcp.protocol.tools",
    "widgets/fugue_tui_widgets/planted_mcp.py": "import mcp.server",
    "app/fugue_tui/cli/planted_web.py": "import uvicorn",
    "app/fugue_tui/web/planted_mcp.py": "import mcp.server",
    "widgets/fugue_tui_widgets/planted.py": IMPORTS_A_COMMAND,
    "app/fugue_tui/workspace/typed.py": f"import typing\n\nif typing.TYPE_CHECKING:\n    {IMPORTS_A_COMMAND}",
}
"""Imports by the module to which they are added; the last is no violation."""


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    """The linter's report on the packages of one source tree."""
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(str(root / source) for source in SOURCES),
        "COLUMNS": "300",
    }
    return subprocess.run(
        [sys.executable, "-c", LINT, "--no-cache", "--no-logo"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The linter's report on a copy of the sources with every violation added."""
    root = tmp_path_factory.mktemp("sources")
    for source in SOURCES:
        shutil.copytree(ROOT / source, root / source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    for module, line in VIOLATIONS.items():
        (root / module).write_text(f'"""Violation."""\n\n{line}\n')
    result = lint(root)
    assert result.returncode == 1
    return result.stdout


def broken(report: str) -> dict[str, str]:
    """The report on each broken contract, by its name."""
    _, *parts = re.split(r"^(.+)\n-+\n", report.partition("\nBroken contracts\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_the_contracts_hold() -> None:
    report = lint(ROOT)
    assert report.returncode == 0, report.stdout


@pytest.mark.parametrize(
    ("contract", "named"),
    [
        ("Packages import only lower layers", "fugue_tui.layout.planted -> fugue_tui.terminal.screen.cells"),
        ("Packages import only lower layers", "fugue_tui.workspace.planted -> fugue_tui.control.core.command"),
        ("Every package belongs to a layer", "fugue_tui.unlisted\n"),
        ("No Textual below the user interface", "fugue_tui.terminal.screen.planted -> rich"),
        (
            "Layers of the terminal package",
            "fugue_tui.terminal.screen.planted_layer -> fugue_tui.terminal.emulator.protocol",
        ),
        (
            "Layers of the control package",
            "fugue_tui.control.output.planted -> fugue_tui.control.commands.panes",
        ),
        (
            "Layers of the multiplexer package",
            "fugue_tui.multiplexer.watch.planted -> fugue_tui.multiplexer.autosave.saver",
        ),
        (
            "Packages import only lower layers",
            "fugue_tui.attach_server.output.planted_widget -> fugue_tui_widgets.pane_grid",
        ),
        (
            "Packages import only lower layers",
            "fugue_tui.attach_server.output.planted_app -> fugue_tui.tui.app_context",
        ),
        ("No Textual below the user interface", "fugue_tui.attach_server.output.planted_textual -> textual"),
        (
            "Layers of the attach_server package",
            "fugue_tui.attach_server.output.planted -> fugue_tui.attach_server.client",
        ),
        ("Layers of the tui package", "fugue_tui.tui.render.planted -> fugue_tui.tui.ui.actions"),
        (
            "Layers of the output_analysis package",
            "fugue_tui.output_analysis.tables.planted -> fugue_tui.output_analysis.parse.parse",
        ),
        ("Layers of the MCP server package", "fugue_tui_mcp.bridge.planted -> fugue_tui_mcp.protocol.tools"),
        ("Only fugue_tui_mcp imports the MCP SDK", "fugue_tui_widgets.planted_mcp -> mcp"),
        ("Only fugue_tui_mcp imports the MCP SDK", "fugue_tui.cli.planted_web -> uvicorn"),
        ("Only fugue_tui_mcp imports the MCP SDK", "fugue_tui.web.planted_mcp -> mcp"),
        ("Widgets import no commands", "fugue_tui_widgets.planted -> fugue_tui.control.core.command"),
    ],
)
def test_a_violation_breaks_its_contract(report: str, contract: str, named: str) -> None:
    assert named in broken(report)[contract]


def test_every_contract_has_a_violation(report: str) -> None:
    assert set(broken(report)) == {contract["name"] for contract in contracts()}


def test_an_import_for_the_type_checker_alone_is_no_violation(report: str) -> None:
    assert "fugue_tui.workspace.typed" not in report


def contracts() -> list[dict[str, Any]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]


def test_every_package_below_the_user_interface_may_not_import_textual() -> None:
    (textual,) = (contract for contract in contracts() if contract["id"] == "textual")
    packages = {path.stem for path in (ROOT / "app/fugue_tui").iterdir() if path.suffix == ".py"}
    packages |= {path.parent.name for path in (ROOT / "app/fugue_tui").glob("*/__init__.py")}
    packages -= {"__init__"} | USER_INTERFACE
    assert set(textual["source_modules"]) == {f"fugue_tui.{package}" for package in packages} | {"fugue_tui_mcp"}


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
def test_importing_an_entry_point_loads_nothing_heavy(module: str) -> None:
    heavy = ["asyncio", "cffi", "mcp", "pydantic", "pyghostty", "pyte", "rich", "textual"]
    code = f"import sys, {module}; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"
