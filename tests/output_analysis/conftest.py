"""Recorded outputs of real programs."""

import re
from dataclasses import dataclass
from pathlib import Path

FIXTURES = Path(__file__).parent / "fixtures"
_RECORD = re.compile(r"\$ (.*)\n(.*)\[exit (-?\d+)\]\n", re.DOTALL)


@dataclass(frozen=True)
class Recorded:
    """A command, what it printed, and how it ended."""

    command: str
    output: str
    exit_code: int


def recorded(name: str) -> Recorded:
    """One of the files in fixtures/."""
    found = _RECORD.fullmatch((FIXTURES / f"{name}.txt").read_text())
    assert found, f"{name} is no recording"
    command, _, _ = found[1].partition("\n")
    output = (FIXTURES / f"{name}.txt").read_text().split("\n", 1)[1].rpartition("[exit ")[0]
    return Recorded(command, output, int(found[3]))


def names(folder: str) -> list[str]:
    """The recordings in a folder."""
    return sorted(f"{folder}/{path.stem}" for path in (FIXTURES / folder).glob("*.txt"))
