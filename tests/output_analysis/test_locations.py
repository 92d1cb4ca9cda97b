"""The likeliest location is reported first, with alternatives."""

import pytest
from tests.output_analysis.classifying import classified
from tests.output_analysis.samples import SAMPLES

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.results import Location, Meaning

PLACES: list[tuple[str, Location]] = [
    ("cargo-test-failed", Location("tests/panes.rs", 3, 5, "assertion `left == right` failed")),
    ("cargo-build-error", Location("src/lib.rs", 1, 5, "unresolved import `serde`")),
    ("pytest-failed", Location("tests/test_shop.py", 11, None, "AssertionError")),
    ("gcc-error", Location("bad.c", 5, 20, "‘y’ undeclared (first use in this function)")),
    (
        "go-build-error",
        Location("./mux.go", 3, 25, 'cannot use "x" (untyped string constant) as int value in return statement'),
    ),
    ("tsc-error", Location("ts/a.ts", 1, 7, "Type 'string' is not assignable to type 'number'.")),
    ("ruff-error", Location("lint/a.py", 1, 8, "F401 [*] `os` imported but unused")),
    ("ruff-concise-error", Location("lint/a.py", 1, 8, "F401 [*] `os` imported but unused")),
    (
        "mypy-error",
        Location(
            "lint/a.py",
            4,
            None,
            'Incompatible types in assignment (expression has type "str", variable has type "int") [assignment]',
        ),
    ),
    (
        "eslint-error",
        Location("/home/user/node/esl/a.js", 1, 7, "'a' is assigned a value but never used no-unused-vars"),
    ),
    ("python-traceback", Location("/home/user/project/boom.py", 2, None, "")),
    ("jest-failed", Location("sum.test.js", 4, 47, "")),
    ("vitest-failed", Location("a.test.ts", 4, 54, "")),
]


@pytest.mark.parametrize(("name", "place"), PLACES, ids=[name for name, _ in PLACES])
def test_the_likeliest_location_is_the_first(name: str, place: Location) -> None:
    assert classified(name).context.locations[0] == place


def test_alternatives_to_the_likeliest_meaning_are_reported() -> None:
    found = classified("python-module-missing")
    assert (found.intent, found.context.details["module"]) == (Meaning.DEPENDENCY_MISSING, "requests_nope")
    assert [other.intent for other in found.also] == [Meaning.CRASH]
    collected = classified("pytest-collection-error")
    assert (collected.intent, collected.also[0].intent) == (Meaning.DEPENDENCY_MISSING, Meaning.TEST_FAILURE)


def test_a_syntax_error_of_node_has_its_location() -> None:
    output = next(text for rule, _, _, text in SAMPLES if rule == "Node syntax")
    found = detect("node x.js", output, 1)
    assert (found.intent, found.context.locations) == (
        Meaning.SYNTAX_ERROR,
        (Location("/home/me/x.js", 1, None, ""),),
    )
