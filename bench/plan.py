"""The subjects, the working folder and the number of samples, for every topic."""

import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

from bench.subjects import Fugue, Subject, Tmux

Samples = dict[str, list[float]]
"""Measurements by the name of a subject."""


@dataclass(frozen=True)
class Plan:
    """How to measure. `folder` is empty at the start and removed at the end."""

    folder: Path
    quick: bool = False
    seconds: float | None = None
    """How long each flood and the soak last; None for one minute and three."""
    against: Path | None = None
    """A checkout of another version, which `permissions` compares with."""
    tmux: Subject = field(default_factory=Tmux)
    fugue: Subject = field(default_factory=Fugue)

    @property
    def pair(self) -> tuple[Subject, Subject]:
        """The two subjects of every comparison."""
        return self.tmux, self.fugue

    def often(self, full: int, quick: int) -> int:
        """The number of repetitions."""
        return quick if self.quick else full

    def turns(self, rounds: int) -> Iterator[Subject]:
        """The subjects in the order A B B A, so that drift of the machine affects both."""
        for turn in range(rounds):
            yield from self.pair if turn % 2 == 0 else self.pair[::-1]

    def sample(self, rounds: int, measure: Callable[[Subject], Iterable[float]]) -> Samples:
        """The measurements of each subject over `rounds` rounds."""
        found: Samples = {subject.name: [] for subject in self.pair}
        for subject in self.turns(rounds):
            found[subject.name] += measure(subject)
        return found


def middle(figures: list[float]) -> float | None:
    """The median; None if there are no measurements."""
    return median(figures) if figures else None


def late(figures: list[float]) -> float | None:
    """The 95th percentile; None for fewer than two measurements."""
    return quantiles(figures, n=20, method="inclusive")[-1] if len(figures) > 1 else None


def pauses(seed: str) -> Iterator[float]:
    """Seconds between key presses: irregular, to avoid aliasing with timers, and the same in each run."""
    rng = random.Random(seed)
    while True:
        yield rng.uniform(0.02, 0.06)
