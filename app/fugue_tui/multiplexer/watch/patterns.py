"""Patterns that callers search panes' text for: literal text, or regular expressions in RE2's syntax.

A search takes time linear in what is searched and gives the interpreter lock back meanwhile; `Pattern.reach` bounds it
for patterns that are costly all the same. Text is UTF-8. Lines are anchored one by one: `^` and `$` match at the
beginning and the end of every line, and `.` matches no newline.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from typing import Any, Final, TypeAlias

from fugue_tui.errors import InvalidArgument
from fugue_tui.sanitize import clean

LONGEST: Final = 1_000
"""Characters of a pattern."""
MOST_STEPS: Final = 2_000
"""RE2's instructions of a compiled pattern; a common one has a few dozen."""
MEMORY: Final = 1 << 20
"""Bytes that RE2 may use for one pattern."""
WIDEST: Final = 1 << 16
"""Bytes that are searched at most at a time."""
_WORK: Final = 25_000_000
"""Steps times bytes of one search at most; at their worst that took a third of a second."""
_MOST_REPEATS: Final = 50
"""Matches of text that was there before that are passed over in one search."""
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
        """What the caller wrote."""
        self.reach = reach
        """Bytes that one search looks at: the newest."""
        self._search = search

    def search(self, data: bytes, start: int, stop: int) -> Span | None:
        """The first match that starts between two offsets, as offsets; what is before still counts for `^`."""
        return self._search(data, max(start, stop - self.reach), stop)


def literal(text: str, where: str = "pattern", *, ignore_case: bool = False) -> Pattern:
    """A pattern that is text to be found as it is. Raises InvalidArgument if it is empty or too long."""
    _bounded(text, where)
    if ignore_case:
        return Pattern(text, _searcher(_compile(text, where, literal=True, ignore_case=True)))
    wanted = _encoded(text, where)

    def find(data: bytes, start: int, stop: int) -> Span | None:
        found = data.find(wanted, start, stop)
        return None if found < 0 else (found, found + len(wanted))

    return Pattern(text, find)


def expression(text: str, where: str = "pattern", *, ignore_case: bool = False) -> Pattern:
    """A regular expression. Raises InvalidArgument with the place of the fault, or for one that matches nothing at all,
    or is too large to be searched for in good time."""
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
    said = _encoded(text, where)
    try:
        return re2.compile(said if literal else b"(?m)" + said, options)
    except re2.error as error:
        raise InvalidArgument(f"{where}: {_fault(text, error.args[0])}") from None
    finally:
        re2.purge()  # What callers wrote is not to be kept for ever.


def _fault(text: str, said: bytes | str) -> str:
    """RE2's reason with the place that it means; it names the fragment only."""
    words = said.decode(errors="replace") if isinstance(said, bytes) else said
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
    """Where the bracket is that has no other; RE2 only says that there is one."""
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
    """RE2, loaded when the first regular expression comes."""
    return import_module("re2")


def first(patterns: tuple[Pattern, ...], text: bytes, begin: int, seen: str) -> tuple[int, Span] | None:
    """Which of several patterns matches first from an offset on, and where; what can be found in `seen` is no match."""
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
