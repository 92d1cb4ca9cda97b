"""The comparison with tmux and zellij: each row says what there is, and names the tests that do it."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TABLE = (ROOT / "docs" / "tmux-comparison.md").read_text()
ROWS = [
    [cell.strip() for cell in line.split("|")[1:-1]] for line in TABLE.splitlines() if re.match(r"\| (?!what |-)", line)
]
NAMED = sorted({name for row in ROWS for name in re.findall(r"`([^`]+)`", row[-1])})


def functions_of(file: Path) -> set[str]:
    """The test functions of a module, which is parsed and not imported."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return {each.name for each in ast.parse(file.read_text()).body if isinstance(each, functions)}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_row_says_what_there_is_and_names_a_test(row: list[str]) -> None:
    what, here, _, tests = row
    assert what
    assert here
    assert re.fullmatch(r"`tests/[^`]+::test_\w+`( `tests/[^`]+::test_\w+`)*", tests)


def test_no_row_is_there_twice_or_lost() -> None:
    assert len({row[0] for row in ROWS}) == len(ROWS)
    assert len(ROWS) >= 74


def test_every_test_that_is_named_exists() -> None:
    files = {name.partition("::")[0] for name in NAMED}
    known = {f"{file}::{test}" for file in files for test in functions_of(ROOT / file)}
    assert [name for name in NAMED if name not in known] == []
