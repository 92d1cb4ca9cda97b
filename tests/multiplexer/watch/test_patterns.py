"""Patterns: matches, rejected patterns, and bounded search time."""

import pytest

from fugue_tui.errors import InvalidArgument
from fugue_tui.multiplexer.watch.patterns import WIDEST, expression, first, literal


def test_text_is_found_as_it_is() -> None:
    assert literal("a.c").search(b"abc a.c", 0, 7) == (4, 7)
    assert literal("a.c").search(b"abc a.c", 5, 7) is None
    assert literal("ÄB", ignore_case=True).search("xäb".encode(), 0, 4) == (1, 4)
    assert literal("(a", ignore_case=True).search(b"(A", 0, 2) == (0, 2)


def test_lines_are_anchored_one_by_one_and_what_is_before_counts() -> None:
    assert expression("^b$").search(b"ab\nb\nc", 0, 6) == (3, 4)
    assert expression("^b").search(b"ab", 1, 2) is None
    assert expression("a.b").search(b"a\nb", 0, 3) is None
    assert expression("READY", ignore_case=True).search(b"ready", 0, 5) == (0, 5)


def test_the_first_in_the_text_wins_and_what_was_seen_does_not_count() -> None:
    patterns = (literal("late"), literal("early"))
    assert first(patterns, b"early late", 0, "") == (1, (0, 5))
    assert first(patterns, b"early late", 0, "was early here") == (0, (6, 10))
    assert first((expression("[0-9]+"),), b"1 2 3", 0, "1 2") == (0, (4, 5))
    assert first(patterns, b"nothing", 0, "") is None


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("(a", r"missing \) at 0"),
        (r"\(a(b", r"missing \) at 3"),
        ("a)", r"unexpected \) at 1"),
        ("x[z", r"missing \] at 1"),
        ("a**", r"bad repetition operator at 1: \*\*"),
        (r"a\1", "at 1: .*back-references are not known"),
        (r"\q", "invalid escape sequence at 0"),
        ("(?=a)", "at 0: .*look-around"),
        ("[b-a]", "at 1: b-a"),
        ("a{1001}", "at 1: .*at most 1000"),
        ("[^x]{900}", "too large"),
        (r"(?:\pL{0,30}\pN{0,30}){0,10}Q", "too large"),
        ("^", "would match at once"),
        ("a\ud800", "at 1: is half of a character"),
        ("", "empty"),
        ("x" * 1001, "1000 fit"),
    ],
)
def test_a_wrong_pattern_says_what_and_where(pattern: str, told: str) -> None:
    with pytest.raises(InvalidArgument, match=f"^here: {told}|^here: .*{told}"):
        expression(pattern, "here")


@pytest.mark.parametrize(
    "pattern", ["(a+)+$b", "(a|aa)+Q", "(.*a){20}Q", "(x+x+)+y", "(?:.?){100}a{100}Q", "[^x]{200}Q", "(?:.{0,9}){0,9}Q"]
)
def test_no_pattern_backtracks_on_the_most_that_is_searched(pattern: str) -> None:
    text = b"a" * WIDEST
    assert expression(pattern).search(text, 0, len(text)) is None
