"""Runs checks, each within its deadline, and formats what they found."""

import threading
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from fugue_tui.errors import FugueError
from fugue_tui.sanitize import clean

_LONGEST: Final = 1000
_WIDTH: Final = 7


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    """Something works less well than it could."""
    FAULT = "fault"
    """Something does not work."""


_COLOURS: Final = {Level.OK: "32", Level.WARNING: "33", Level.FAULT: "31;1"}


class Finding(NamedTuple):
    """One line of the report."""

    level: Level
    text: str
    advice: str = ""
    """What to do about it; empty if nothing."""


class Check(NamedTuple):
    """One thing that is examined."""

    name: str
    examine: Callable[[], Iterable[Finding]]
    seconds: float = 10.0
    """Its deadline, which its own timeouts undercut."""


def ok(text: str) -> Finding:
    """A finding that needs nothing."""
    return Finding(Level.OK, text)


def warning(text: str, advice: str) -> Finding:
    """A finding that can be improved."""
    return Finding(Level.WARNING, text, advice)


def fault(text: str, advice: str) -> Finding:
    """A finding that must be mended."""
    return Finding(Level.FAULT, text, advice)


class _Examination(threading.Thread):
    """One check on a thread of its own, which is abandoned at the deadline."""

    def __init__(self, check: Check) -> None:
        super().__init__(name=f"doctor {check.name}", daemon=True)
        self.check = check
        self._found: list[Finding] | None = None

    def run(self) -> None:
        try:
            self._found = list(self.check.examine())
        except FugueError as error:
            self._found = [fault(str(error), "")]
        except Exception as error:  # noqa: BLE001  A check that fails must not hide what the others find.
            self._found = [fault(f"internal: {type(error).__name__}: {error}", "it is a bug; please report it")]

    def result(self) -> list[Finding]:
        """What it found by its deadline."""
        self.join(self.check.seconds)
        if self._found is None:
            return [fault(f"no result within {self.check.seconds:g} s", "something that it waits for hangs")]
        return self._found


def examine(checks: Sequence[Check]) -> Iterable[tuple[str, Finding]]:
    """The findings of all checks, which run at the same time, in the order of the checks."""
    running = [_Examination(check) for check in checks]
    for each in running:
        each.start()
    for each in running:
        for level, text, advice in each.result():
            yield each.check.name, Finding(level, clean(text, _LONGEST), clean(advice, _LONGEST))


def line(name: str, finding: Finding, *, colour: bool) -> str:
    """A finding as one line."""
    level = f"{finding.level:<{_WIDTH}}"
    shown = f"\x1b[{_COLOURS[finding.level]}m{level}\x1b[m" if colour else level
    return f"{shown}  {name}: {finding.text}" + (f"; {finding.advice}" if finding.advice else "")
