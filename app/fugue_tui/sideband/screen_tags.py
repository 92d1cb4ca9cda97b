"""Finds sideband tags on a screen that its program draws by moving the cursor, as Claude Code, Codex and Gemini do.

Such a program draws a tag in pieces, in any order, and wraps it by itself; its code blocks are not marked. So a tag
there needs the pane's key, which no file and no web page contains. It may begin a row behind at most three blanks and
a list mark; without a mark the row above is blank or ends another tag, so that a sentence that mentions a tag does not
begin it by being wrapped. It goes on over the rows below until it is closed; a blank row ends it. Rows are joined by a
blank, or by nothing where a row is filled to the last column.
"""

import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from fugue_tui.sideband.grammar import element, tag_of
from fugue_tui.sideband.tag import ParseError, Tag, TagForm

_FIRST: Final = re.compile(r" {0,3}((?:[-*]|[0-9]{1,3}[.)]|[•●⏺]) {1,3})?(?=<fugue:)")


class Span(Struct, frozen=True):
    """A part of one row."""

    row: int
    start: int
    """The offset of its first character in the row's text."""
    stop: int


class DrawnTag(Struct, frozen=True):
    """A tag on the screen."""

    tag: Tag
    spans: tuple[Span, ...]


def drawn_tags(rows: Sequence[str], cols: int, key: str) -> list[DrawnTag]:
    """The tags with this key on rows of text, `cols` cells wide; without a key there are none."""
    found = ((row, _FIRST.match(text)) for row, text in enumerate(rows)) if key else ()
    tags = (_drawn_tag(rows, row, at.end(), cols) for row, at in found if at and (at[1] or _is_apart(rows, row)))
    return [tag for tag in tags if tag is not None and tag.tag.attributes.get("key") == key]


def _is_apart(rows: Sequence[str], row: int) -> bool:
    """Whether a row continues no sentence."""
    above = rows[row - 1].strip() if row else ""
    return not above or above.endswith(">")


def _drawn_tag(rows: Sequence[str], row: int, start: int, cols: int) -> DrawnTag | None:
    source = ""
    spans = list[Span]()
    for below in range(row, len(rows)):
        text = rows[below].rstrip()
        first = start if below == row else len(text) - len(text.lstrip())
        if first == len(text):
            return None
        joint = _joint(rows, below, source, text[first:], cols)
        if joint is None:
            return None
        before = len(source) + len(joint)
        source += joint + text[first:]
        found = element(source.encode("utf-8", "replace"), 0)
        if isinstance(found.found, ParseError):
            return None
        if found.found is None:
            spans.append(Span(below, first, len(text)))
            continue
        whole = source.encode("utf-8", "replace")[: found.end].decode("utf-8", "replace")
        tag = tag_of(whole, TagForm.SCREEN)
        spans.append(Span(below, first, first + len(whole) - before))
        return DrawnTag(tag, tuple(spans)) if isinstance(tag, Tag) else None
    return None


def _joint(rows: Sequence[str], below: int, source: str, text: str, cols: int) -> str | None:
    """What joins a row to the text before it; None if the row may have been broken inside a word."""
    if not source:
        return ""
    above = rows[below - 1].rstrip()
    if len(above) >= cols:
        return ""
    widest = max(len(row.rstrip()) for row in rows)
    word = len(source.split()[-1]) + len(text.split()[0])
    return None if len(above) == widest and word > len(above.strip()) else " "
