"""What the lines around a proof say: tests, places, numbers, details."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from fugue_tui.output_analysis.outcome.output_index import Output
from fugue_tui.output_analysis.outcome.rules.rule import Clue, Rule, Side
from fugue_tui.output_analysis.results import Context, Evidence, Location, Meaning
from fugue_tui.sanitize import clean

MOST_TESTS: Final = 100
MOST_PLACES: Final = 50
MOST_EVIDENCE: Final = 5
MOST_WORDS: Final = 300
"""Characters of a message or a detail."""
_PLACE: Final = frozenset(("file", "line", "column", "message", "test", "method", "total", "why", "program"))
_LOADER: Final = "unittest.loader._FailedTest."
"""What unittest puts before the name of a module that it could not import."""
_COUNTED: Final = {
    "error": "errors",
    "fail": "failed",
    "failing": "failed",
    "failures": "failed",
    "ok": "passed",
    "pass": "passed",
    "passing": "passed",
    "skip": "skipped",
    "warning": "warnings",
}


@dataclass(slots=True)
class Facts:
    """What was gathered for one rule."""

    rule: Rule
    proof: int
    tests: dict[str, None] = field(default_factory=dict[str, None])
    places: dict[tuple[str, int, int | None], str] = field(default_factory=dict[tuple[str, int, int | None], str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    details: dict[str, str] = field(default_factory=dict[str, str])
    message: str = ""
    lines: list[int] = field(default_factory=list[int])
    """The lines that said something, the proof first."""

    def take(self, at: int, groups: Mapping[str, str | None]) -> None:
        """Add what a line's groups say."""
        known = {name: _said(value) for name, value in groups.items() if value}
        if test := known.get("test"):
            method = known.get("method", "")
            self._add_test(test if test.endswith(method) else f"{test}.{method}")
        if "file" in known and len(self.places) < MOST_PLACES:
            column = int(known["column"]) if "column" in known else None
            self.places.setdefault((known["file"], int(known["line"]), column), known.get("message", ""))
        self.message = self.message or known.get("message", "")
        if "total" in known:
            self.counts["total"] = int(known["total"])
        for name in known.keys() - _PLACE:
            self.details.setdefault(name, known[name])
        if at not in self.lines:
            self.lines.append(at)

    def _add_test(self, test: str) -> None:
        test = test.removeprefix(_LOADER)
        if len(self.tests) < MOST_TESTS:
            self.tests.setdefault(test)

    def tally(self, found: re.Match[str]) -> None:
        """Add up one number."""
        what = found["what"].lower()
        what = _COUNTED.get(what, what)
        self.counts[what] = self.counts.get(what, 0) + int(found["count"] or 1)


def gather(output: Output, rule: Rule, proof: int) -> Facts:
    """Everything that the rule's clues find around its proof."""
    facts = Facts(rule, proof, details=dict(rule.details), lines=[proof])
    for clue in rule.clues:
        for at, groups in _clues(output, clue, proof):
            facts.take(at, groups)
    if found := rule.line.fullmatch(output.lines[proof]):
        groups = found.groupdict()
        facts.take(proof, {name: groups[name] for name in groups if not (facts.places and name == "file")})
    if rule.tally:
        hint, pattern = rule.tally
        for at in reversed([*output.holding(hint)]) if hint else (proof,):
            for number in pattern.finditer(output.lines[at]):
                facts.tally(number)
    return facts


def _clues(output: Output, clue: Clue, proof: int) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The lines that match a clue and what their groups hold, in the order in which they are worth most."""
    lines = [*output.holding(clue.hint)]
    for at in lines if clue.deepest else reversed(lines):
        if (clue.side is Side.BEFORE and at >= proof) or (clue.side is Side.AFTER and at <= proof):
            continue
        found = clue.line.fullmatch(output.lines[at])
        above = _above(output, clue, at) if found else None
        if found is None or above is None:
            continue
        below = clue.below.fullmatch(output.lines[at + 1]) if clue.below and at + 1 < len(output.lines) else None
        yield at, {**above, **found.groupdict(), **(below.groupdict() if below else {})}


def _above(output: Output, clue: Clue, at: int) -> dict[str, str | None] | None:
    """The groups of the line above that a clue wants; None if there is no such line."""
    if clue.above is None:
        return {}
    for other in range(at - 1, max(-1, at - 1 - clue.reach), -1):
        if found := clue.above.fullmatch(output.lines[other]):
            return found.groupdict()
    return None


def context(facts: Facts, output: Output) -> Context:
    """The facts as they are told."""
    tests = [test for test in facts.tests if not any(other.startswith(f"{test}/") for other in facts.tests)]
    counts = _counts(facts, len(tests))
    return Context(
        failed_tests=tuple(tests),
        error_summary=_summary(facts, counts, output),
        locations=tuple(Location(*place, message) for place, message in facts.places.items()),
        counts=counts,
        details=facts.details,
    )


def evidence(facts: Facts, output: Output) -> tuple[Evidence, ...]:
    """The lines that the conclusion rests on, the proof first."""
    return tuple(
        Evidence(facts.rule.name, output.offset + at + 1, clean(output.lines[at])) for at in facts.lines[:MOST_EVIDENCE]
    )


def _counts(facts: Facts, tests: int) -> dict[str, int]:
    counts = dict(facts.counts)
    if facts.rule.meaning is Meaning.TEST_FAILURE and tests and not counts.get("failed") and not counts.get("errors"):
        counts["failed"] = tests
    if facts.rule.meaning in (Meaning.BUILD_ERROR, Meaning.LINT_ERROR) and facts.places:
        counts.setdefault("errors", len(facts.places))
    if "total" in counts and "passed" not in counts:
        counts["passed"] = max(
            0, counts["total"] - sum(counts.get(name, 0) for name in ("failed", "errors", "skipped"))
        )
    return counts


def _summary(facts: Facts, counts: Mapping[str, int], output: Output) -> str:
    match facts.rule.meaning:
        case Meaning.TEST_SUCCESS | Meaning.SERVER_READY:
            return ""
        case Meaning.TEST_FAILURE if counts:
            said = [_count(counts, "failed", " test", " failed"), _count(counts, "errors", " error", "")]
            return ", ".join(filter(None, [*said, f"{counts['passed']} passed" if "passed" in counts else ""]))
        case Meaning.BUILD_ERROR | Meaning.LINT_ERROR if counts.get("errors"):
            said = [_count(counts, "errors", " error", ""), _count(counts, "warnings", " warning", "")]
            first = next((message for message in facts.places.values() if message), facts.message)
            return clean(", ".join(filter(None, said)) + (f": {first}" if first else ""))
        case _:
            return facts.message or _said(output.lines[facts.proof])


def _said(text: str) -> str:
    """Words on one line, one blank apart."""
    return " ".join(clean(text, MOST_WORDS).split())


def _count(counts: Mapping[str, int], name: str, noun: str, verb: str) -> str:
    count = counts.get(name, 0)
    return f"{count}{noun}{'' if count == 1 else 's'}{verb}" if count else ""
