"""Results, their targets, and their table."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Row:
    """A result; less is better. `most` limits Fugue's value, `most_ratio` its ratio to tmux's."""

    topic: str
    what: str
    unit: str
    ours: float | None
    tmux: float | None = None
    most: float | None = None
    most_ratio: float | None = None
    note: str = ""
    samples: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    @property
    def ratio(self) -> float | None:
        """Fugue's value to tmux's; None if either is missing, or tmux's is nearly zero."""
        return self.ours / self.tmux if self.ours is not None and self.tmux and self.tmux > 0.01 else None

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if there is none or nothing could be measured."""
        if self.most is not None:
            return None if self.ours is None else self.ours <= self.most
        if self.most_ratio is not None:
            return None if self.ratio is None else self.ratio <= self.most_ratio
        return None

    @property
    def target(self) -> str:
        """The target as text."""
        if self.most is not None:
            return f"≤ {_figure(self.most)} {self.unit}"
        return f"≤ {_figure(self.most_ratio)} × tmux" if self.most_ratio is not None else ""

    def as_json(self) -> dict[str, Any]:
        """The row for `--json`."""
        return {
            "topic": self.topic,
            "what": self.what,
            "unit": self.unit,
            "fugue": self.ours,
            "tmux": self.tmux,
            "ratio": self.ratio,
            "target": self.target,
            "met": self.met,
            "note": self.note,
            "samples": self.samples,
        }


HEAD = ("what", "unit", "fugue", "tmux", "ratio", "target", "met", "note")


def render(rows: Sequence[Row]) -> str:
    """The rows as an aligned Markdown table."""
    cells = [HEAD, *(_cells(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEAD))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([lines[0], rule, *lines[1:]])


def _cells(row: Row) -> tuple[str, ...]:
    met = {True: "yes", False: "NO", None: ""}[row.met]
    what = f"{row.topic}: {row.what}"
    return what, row.unit, _figure(row.ours), _figure(row.tmux), _figure(row.ratio), row.target, met, row.note


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2
    return f"{value:.{digits}f}".removesuffix(".00").removesuffix(".0")
