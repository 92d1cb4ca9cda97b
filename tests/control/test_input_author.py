"""Commands type only through `PaneInput`, which knows who types and whether they may."""

import ast
from pathlib import Path

import pytest

from fugue_tui import control

METHODS = {"write", "press", "paste", "mouse", "interrupt"}
FILES = sorted(Path(control.__file__ or "").parent.rglob("*.py"))


def direct(source: str) -> list[str]:
    """The calls in a module that type into a terminal, or signal a process, by themselves."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Attribute)]
    return [
        ast.unparse(node)
        for node in calls
        if (node.attr in METHODS and ast.unparse(node.value).rpartition(".")[2].lstrip("_") in ("terminal", "live"))
        or (node.attr in METHODS and ast.unparse(node.value).endswith(("terminal(pane)", "terminals[pane]")))
        or ast.unparse(node) in ("os.kill", "os.killpg")
    ]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_commands_type_only_through_pane_input(file: Path) -> None:
    assert not direct(file.read_text())


@pytest.mark.parametrize(
    "line",
    [
        "self.terminal.press(ENTER)",
        "terminal.write(b'x')",
        "self._terminal.interrupt(15)",
        "mux.terminal(pane).paste('x')",
        "mux.terminals[pane].mouse(action)",
        "steps.append(terminal.press)",
        "os.killpg(group, 15)",
    ],
)
def test_a_direct_call_is_found(line: str) -> None:
    assert direct(line)
