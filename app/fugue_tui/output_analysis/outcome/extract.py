"""Extracts failed tests, locations, counts and details from an output, with the clues of the rule that matched."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct, field

from fugue_tui.output_analysis.outcome.output_index import Output
from fugue_tui.output_analysis.outcome.rules.rule import Clue, Rule, Side
from fugue_tui.output_analysis.results import Context, Evidence, Location, Meaning
from fugue_tui.sanitize import clean

MOST_TESTS: Final = 100
MOST_LOCATIONS: Final = 50
MOST_EVIDENCE: Final = 5
MOST_WORDS: Final = 300
"""Characters of a message or a detail."""
_NO_DETAILS: Final = frozenset(("file", "line", "column", "message", "test", "method", "total", "why", "program"))
"""Names of groups that are no details."""
_LOADER: Final = "unittest.loader._FailedTest."
"""Unittest's prefix of the name of a module that cannot be imported."""
_COUNT_NAMES: Final = {
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


class Findings(Struct):
    """Everything that was extracted for one rule."""

    rule: Rule
    line: int
    """The line that matched the rule, counted from 0."""
    tests: dict[str, None] = field(default_factory=dict[str, None])
    locations: dict[tuple[str, int, int | None], str] = field(default_factory=dict[tuple[str, int, int | None], str])
    counts: dict[str, int] = field(default_factory=dict[str, int])
    details: dict[str, str] = field(default_factory=dict[str, str])
    message: str = ""
    lines: list[int] = field(default_factory=list[int])
    """The lines that something was extracted from, the matching line first."""

    def add(self, at: int, groups: Mapping[str, str | None]) -> None:
        """Add the values of a line's groups."""
        values = {name: _one_line(value) for name, value in groups.items() if value}
        if test := values.get("test"):
            method = values.get("method", "")
            self._add_test(test if test.endswith(method) else f"{test}.{method}")
        if "file" in values and len(self.locations) < MOST_LOCATIONS:
            column = int(values["column"]) if "column" in values else None
            self.locations.setdefault((values["file"], int(values["line"]), column), values.get("message", ""))
        self.message = self.message or values.get("message", "")
        if "total" in values:
            self.counts["total"] = int(values["total"])
        for name, value in values.items():
            if name not in _NO_DETAILS:
                self.details.setdefault(name, value)
        if at not in self.lines:
            self.lines.append(at)

    @property
    def innermost_tests(self) -> tuple[str, ...]:
        """The tests without those that contain others (`TestA` and `TestA/case`)."""
        return tuple(test for test in self.tests if not any(each.startswith(f"{test}/") for each in self.tests))

    def _add_test(self, test: str) -> None:
        test = test.removeprefix(_LOADER)
        if len(self.tests) < MOST_TESTS:
            self.tests.setdefault(test)

    def add_count(self, found: re.Match[str]) -> None:
        """Add a number to its sum."""
        what = found["what"].lower()
        what = _COUNT_NAMES.get(what, what)
        self.counts[what] = self.counts.get(what, 0) + int(found["count"] or 1)


def extract(output: Output, rule: Rule, line: int) -> Findings:
    """Everything that a rule's patterns find in an output; `line` is the one that matched the rule."""
    findings = Findings(rule, line, details=dict(rule.details), lines=[line])
    for clue in rule.clues:
        for at, groups in _clues(output, clue, line):
            findings.add(at, groups)
    if found := rule.line.fullmatch(output.lines[line]):
        groups = found.groupdict()
        findings.add(line, {name: groups[name] for name in groups if not (findings.locations and name == "file")})
    if rule.tally:
        hint, pattern = rule.tally
        for at in reversed([*output.lines_with(hint)]) if hint else (line,):
            for number in pattern.finditer(output.lines[at]):
                findings.add_count(number)
    return findings


def _clues(output: Output, clue: Clue, line: int) -> Iterator[tuple[int, dict[str, str | None]]]:
    """The lines that match a clue, with the values of their groups, the most important first."""
    lines = [*output.lines_with(clue.hint)]
    for at in lines if clue.deepest else reversed(lines):
        if (clue.side is Side.BEFORE and at >= line) or (clue.side is Side.AFTER and at <= line):
            continue
        found = clue.line.fullmatch(output.lines[at])
        above = _above(output, clue, at) if found else None
        if found is None or above is None:
            continue
        below = clue.below.fullmatch(output.lines[at + 1]) if clue.below and at + 1 < len(output.lines) else None
        yield at, {**above, **found.groupdict(), **(below.groupdict() if below else {})}


def _above(output: Output, clue: Clue, at: int) -> dict[str, str | None] | None:
    """The groups of the line above that a clue requires; None if there is no such line."""
    if clue.above is None:
        return {}
    for other in range(at - 1, max(-1, at - 1 - clue.reach), -1):
        if found := clue.above.fullmatch(output.lines[other]):
            return found.groupdict()
    return None


def context(findings: Findings, output: Output) -> Context:
    """The findings as a result."""
    tests = findings.innermost_tests
    counts = _counts(findings, len(tests))
    return Context(
        failed_tests=tests,
        error_summary=_summary(findings, counts, output),
        locations=tuple(Location(*position, message) for position, message in findings.locations.items()),
        counts=counts,
        details=findings.details,
    )


def evidence(findings: Findings, output: Output) -> tuple[Evidence, ...]:
    """The first lines that something was extracted from, the matching line first."""
    name, lines = findings.rule.name, findings.lines[:MOST_EVIDENCE]
    return tuple(Evidence(name, output.offset + at + 1, clean(output.lines[at])) for at in lines)


def _counts(findings: Findings, tests: int) -> dict[str, int]:
    counts, meaning = dict(findings.counts), findings.rule.meaning
    if meaning is Meaning.TEST_FAILURE and tests and not counts.get("failed") and not counts.get("errors"):
        counts["failed"] = tests
    if meaning in (Meaning.BUILD_ERROR, Meaning.LINT_ERROR) and findings.locations:
        counts.setdefault("errors", len(findings.locations))
    if "total" in counts and "passed" not in counts:
        others = sum(counts.get(name, 0) for name in ("failed", "errors", "skipped"))
        counts["passed"] = max(0, counts["total"] - others)
    return counts


def _summary(findings: Findings, counts: Mapping[str, int], output: Output) -> str:
    match findings.rule.meaning:
        case Meaning.TEST_SUCCESS | Meaning.SERVER_READY:
            return ""
        case Meaning.TEST_FAILURE if counts:
            counted = [_count(counts, "failed", " test", " failed"), _count(counts, "errors", " error", "")]
            return ", ".join(filter(None, [*counted, f"{counts['passed']} passed" if "passed" in counts else ""]))
        case Meaning.BUILD_ERROR | Meaning.LINT_ERROR if counts.get("errors"):
            counted = [_count(counts, "errors", " error", ""), _count(counts, "warnings", " warning", "")]
            first = next((message for message in findings.locations.values() if message), findings.message)
            return clean(", ".join(filter(None, counted)) + (f": {first}" if first else ""))
        case _:
            return findings.message or _one_line(output.lines[findings.line])


def _one_line(text: str) -> str:
    """A text on one line, its words one blank apart."""
    return " ".join(clean(text, MOST_WORDS).split())


def _count(counts: Mapping[str, int], name: str, noun: str, verb: str) -> str:
    count = counts.get(name, 0)
    return f"{count}{noun}{'' if count == 1 else 's'}{verb}" if count else ""
