"""Callers' search patterns: literal text, or regular expressions in RE2's syntax.

A search takes linear time and releases the interpreter lock; `Pattern.reach` bounds it for costly patterns. Text is
UTF-8. `^` and `$` match at the beginning and end of every line, and `.` matches no newline.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeAlias

from fugue_tui.errors import InvalidArgument
from fugue_tui.sanitize import clean

LONGEST: Final = 1_000
"""Characters of a pattern at most."""
MOST_STEPS: Final = 2_000
"""RE2 instructions of a compiled pattern at most; a common one has a few dozen."""
MEMORY: Final = 1 << 20
"""Bytes that RE2 may use for one pattern."""
WIDEST: Final = 1 << 16
"""Bytes of one search at most."""
_WORK: Final = 25_000_000
"""Instructions times bytes of one search at most; the worst case measured took a third of a second."""
_MOST_REPEATS: Final = 50
"""Matches of old text that are skipped in one search."""
_HINTS: Final = {
    "invalid perl operator": "look-around and conditions are not known",
    "invalid escape sequence": "back-references are not known",
    "invalid repetition size": "at most 1000 repetitions",
}

Span: TypeAlias = tuple[int, int]
_Search: TypeAlias = Callable[[bytes, int, int], Span | None]


class Pattern:
    """One pattern. Any thread."""

    __slots__ = ("_search", "reach", "text")

    def __init__(self, text: str, search: _Search, reach: int = WIDEST) -> None:
        self.text = text
        """The caller's pattern."""
        self.reach = reach
        """Bytes that one search reads: the newest."""
        self._search = search

    def search(self, data: bytes, start: int, stop: int) -> Span | None:
        """The offsets of the first match between two offsets; the text before still counts for `^`."""
        return self._search(data, max(start, stop - self.reach), stop)


def literal(text: str, where: str = "pattern", *, ignore_case: bool = False) -> Pattern:
    """A pattern of literal text. Raises InvalidArgument if it is empty or too long."""
    _bounded(text, where)
    if ignore_case:
        return Pattern(text, _searcher(_compile(text, where, literal=True, ignore_case=True)))
    wanted = _encoded(text, where)

    def find(data: bytes, start: int, stop: int) -> Span | None:
        found = data.find(wanted, start, stop)
        return None if found < 0 else (found, found + len(wanted))

    return Pattern(text, find)


def expression(text: str, where: str = "pattern", *, ignore_case: bool = False) -> Pattern:
    """A regular expression. Raises InvalidArgument with the position of a syntax error, or if it matches the empty text
    or is too large."""
    _bounded(text, where)
    compiled = _compile(text, where, literal=False, ignore_case=ignore_case)
    steps = max(compiled.programsize, compiled.reverseprogramsize)
    if steps > MOST_STEPS:
        raise InvalidArgument(f"{where}: is too large ({steps} steps, {MOST_STEPS} fit); use smaller repetitions")
    if compiled.search(b"") is not None:
        raise InvalidArgument(f"{where}: matches where there is nothing, so it would match at once")
    return Pattern(text, _searcher(compiled), min(WIDEST, _WORK // steps))


def _searcher(compiled: Any) -> _Search:
    def search(data: bytes, start: int, stop: int) -> Span | None:
        found = compiled.search(data, start, stop)
        return None if found is None else found.span()

    return search


def _bounded(text: str, where: str) -> None:
    if not text:
        raise InvalidArgument(f"{where}: is empty, which any text contains")
    if len(text) > LONGEST:
        raise InvalidArgument(f"{where}: has {len(text)} characters; {LONGEST} fit")


def _encoded(text: str, where: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgument(f"{where}: at {error.start}: is half of a character") from None


def _compile(text: str, where: str, *, literal: bool, ignore_case: bool) -> Any:
    re2 = _re2()
    options = re2.Options()
    options.log_errors = False
    options.max_mem = MEMORY
    options.literal = literal
    options.case_sensitive = not ignore_case
    encoded = _encoded(text, where)
    try:
        return re2.compile(encoded if literal else b"(?m)" + encoded, options)
    except re2.error as error:
        raise InvalidArgument(f"{where}: {_fault(text, error.args[0])}") from None
    finally:
        re2.purge()  # Callers' patterns must not stay in RE2's cache.


def _fault(text: str, message: bytes | str) -> str:
    """RE2's error with its position; RE2 reports the fragment only."""
    words = message.decode(errors="replace") if isinstance(message, bytes) else message
    reason, _, fragment = words.partition(": ")
    fragment = fragment.removeprefix("(?m)")
    at = text.find(fragment) if fragment else -1
    if fragment == text and reason.endswith((")", "]")):
        at = _unclosed(text)
    place = f" at {at}" if at >= 0 else ""
    hint = next((f"; {hint}" for start, hint in _HINTS.items() if reason.startswith(start)), "")
    shown = f": {clean(fragment, 40)}" if fragment and fragment != text else ""
    return f"{reason}{place}{shown}{hint}"


def _unclosed(text: str) -> int:
    """The position of the unbalanced bracket, which RE2 does not report."""
    open_at: list[int] = []
    skip = False
    for at, char in enumerate(text):
        if skip or char == "\\":
            skip = not skip
        elif char in "([":
            open_at.append(at)
        elif char == ")" and not open_at:
            return at
        elif char in ")]" and open_at:
            open_at.pop()
    return open_at[-1] if open_at else -1


@cache
def _re2() -> Any:
    """RE2, loaded on first use."""
    return import_module("re2")


def first(patterns: tuple[Pattern, ...], text: bytes, begin: int, seen: str) -> tuple[int, Span] | None:
    """The index and span of the earliest match after an offset; matches that `seen` contains are skipped."""
    best: tuple[int, Span] | None = None
    for index, pattern in enumerate(patterns):
        span = _unseen(pattern, text, begin, seen)
        if span is not None and (best is None or span[0] < best[1][0]):
            best = index, span
    return best


def _unseen(pattern: Pattern, text: bytes, begin: int, seen: str) -> Span | None:
    for _ in range(_MOST_REPEATS):
        span = pattern.search(text, begin, len(text))
        if span is None or not seen or text[slice(*span)].decode(errors="replace").strip() not in seen:
            return span
        begin = max(span[1], begin + 1)
    return None
