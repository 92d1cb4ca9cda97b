"""Compares two screens: the changed cells, an image that highlights them, and a summary by rows."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.row_moves import Move, moves
from fugue_tui.imaging.screen import Screen, cells
from fugue_tui.terminal.screen.cells import Row

if TYPE_CHECKING:
    from PIL import Image

_LONGEST: Final = 120
_MARK: Final = (255, 64, 96)


class RowChange(Struct, frozen=True):
    """One changed row. `before` is empty if the row is new, `after` if it was removed."""

    row: int
    """Counted from 0 on the later screen; on the earlier one if it was removed."""
    before: str
    after: str
    columns: tuple[tuple[int, int], ...]
    """The columns that differ, as half-open ranges."""
    gone: bool = False
    """Whether the row was removed, and another row moved to its position."""

    @property
    def restyled(self) -> bool:
        """Whether only colours or attributes differ."""
        return self.before == self.after


class Difference(Struct, frozen=True):
    """The difference of two screens."""

    rows: tuple[RowChange, ...]
    scrolled: int
    """The number of rows that the text scrolled up; rows that only moved are not among the changes."""
    moves: tuple[Move, ...]
    """The blocks of rows that moved."""
    cells: int
    """The number of cells that differ in character or style at the same position, scrolled or not."""

    @property
    def summary(self) -> str:
        """The changes as sentences."""
        if not self.cells:
            return "nothing changed"
        return "\n".join(_sentences(self))


def compare(before: Screen, after: Screen, scrolled: int | None = None) -> Difference:
    """Compare two screens. Screens of different sizes are aligned at their first cell.

    `scrolled` is the number of rows that the text moved up; None to detect it.
    """
    if scrolled is not None:
        return _compared(before, after, scrolled)
    guess = _scrolled(before.rows, after.rows)
    apart = _compared(before, after, 0)
    whole = _compared(before, after, guess) if guess else apart
    return whole if len(whole.rows) + bool(guess) < len(apart.rows) + len(apart.moves) else apart


def _compared(before: Screen, after: Screen, scrolled: int) -> Difference:
    cols = max(before.cols, after.cols)
    changed = sum(
        end - start
        for old, new in zip_longest(before.rows, after.rows)
        for start, end in _stretches(old, new, before.cols if old else cols, after.cols if new else cols)
    )
    moved = before.rows[scrolled:]
    blocks = moves(moved, after.rows) if changed and before.cols == after.cols else ()
    gone, come = {y for move in blocks for y in move.old}, {y for move in blocks for y in move.new}
    pairs = [
        (None if y in gone else old, None if y in come else new)
        for y, (old, new) in enumerate(zip_longest(moved, after.rows))
    ]
    rows = [
        RowChange(y + scrolled * (y in come), _text(old), _text(new), stretches, gone=y in come)
        for y, (old, new) in enumerate(pairs)
        if (stretches := tuple(_stretches(old, new, before.cols, after.cols)))
    ]
    return Difference(tuple(rows), scrolled if changed else 0, blocks, changed)


def marked(before: Screen, after: Screen, theme: Theme | None = None) -> "Image.Image":
    """An image of the later screen, dimmed where it is unchanged and outlined where it changed."""
    from PIL import Image, ImageDraw

    from fugue_tui.imaging.png import SIZE, draw, metrics

    theme = theme or Theme()
    picture, cell = draw(after, theme), metrics(SIZE)
    dimmed = Image.blend(Image.new("RGB", picture.size, theme.background), picture, 0.35)
    drawing = ImageDraw.Draw(dimmed)
    for y, (old, new) in enumerate(zip_longest(before.rows, after.rows)):
        if y >= len(after.rows):
            break
        for start, end in _stretches(old, new, before.cols, after.cols):
            area = (start * cell.width, y * cell.height, min(end, after.cols) * cell.width, (y + 1) * cell.height)
            if area[2] > area[0]:
                dimmed.paste(picture.crop(area), area[:2])
                drawing.rectangle((area[0], area[1], area[2] - 1, area[3] - 1), outline=_MARK)
    return dimmed


def _scrolled(before: Sequence[Row], after: Sequence[Row]) -> int:
    """The number of rows that the text moved up; 0 unless most non-blank rows recur there."""
    if tuple(before) == tuple(after):
        return 0
    still = _agreement(before, after)
    best = max(range(1, max(len(before), 1)), key=lambda shift: _agreement(before[shift:], after), default=0)
    found = _agreement(before[best:], after) if best else 0
    kept = sum(bool(row.text) for row in before[best:])
    return best if best and found > still and found * 2 > kept else 0


def _agreement(before: Sequence[Row], after: Sequence[Row]) -> int:
    return sum(bool(old.text) and old.runs == new.runs for old, new in zip(before, after, strict=False))


def _stretches(old: Row | None, new: Row | None, old_cols: int, new_cols: int) -> Iterator[tuple[int, int]]:
    """The ranges of columns in which two rows differ."""
    if old is not None and new is not None and old.runs == new.runs:
        return
    one, other = _columns(old, old_cols), _columns(new, new_cols)
    start: int | None = None
    width = max(len(one), len(other))
    for x in range(width + 1):
        differs = x < width and (one[x] if x < len(one) else _BLANK) != (other[x] if x < len(other) else _BLANK)
        if differs and start is None:
            start = x
        elif not differs and start is not None:
            yield start, x
            start = None


_BLANK: Final = (" ", None)


def _columns(row: Row | None, cols: int) -> list[object]:
    found: list[object] = []
    for cell in cells(row, cols) if row is not None else ():
        plain = cell.text == " " and not (cell.style.inverse or cell.style.underline or cell.style.strikethrough)
        look = (" ", cell.style.bg if cell.style.bg >= 0 else None) if plain else (cell.text, cell.style)
        found += [look] * cell.cols
    return found


def _text(row: Row | None) -> str:
    return row.text if row is not None else ""


def _sentences(difference: Difference) -> Iterator[str]:
    if difference.scrolled:
        yield f"the text moved up by {difference.scrolled} row{'s' * (difference.scrolled > 1)}"
    yield from (move.words for move in difference.moves)
    for change in difference.rows:
        yield f"row {change.row + 1}: {_sentence(change)}"


def _sentence(change: RowChange) -> str:
    before, after = change.before[:_LONGEST].strip(), change.after[:_LONGEST].strip()
    if change.restyled:
        return f"other colours or attributes on “{after}”" if after else "another background"
    if not before:
        return f"new: “{after}”"
    if change.gone:
        return f"gone: “{before}”"
    if not after:
        return f"emptied, was “{before}”"
    parts = _words(before, after)
    return parts or f"“{before}” became “{after}”"


def _words(before: str, after: str) -> str:
    """The replaced words, if most of the row is unchanged."""
    old, new = before.split(), after.split()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    if matcher.ratio() < 0.6:
        return ""
    changes = [
        f"“{' '.join(old[a:b])}” became “{' '.join(new[c:d])}”"
        if b > a and d > c
        else f"without “{' '.join(old[a:b])}”"
        if b > a
        else f"with “{' '.join(new[c:d])}”"
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]
    return f"{', '.join(changes)} in “{after}”" if changes and len(changes) <= 3 else ""
