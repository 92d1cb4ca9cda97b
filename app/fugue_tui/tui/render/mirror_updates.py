"""Sends the mirrors what Textual's compositor draws, but only the cells that they do not show already.

Textual draws all of the screen whenever a dialog opens, closes or lays itself out.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from rich.console import Console
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.strip import Strip

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.output.row_diff import Cells, Delta
from fugue_tui.geometry import Rect, Size
from fugue_tui.tui.render.client_view import move_to, vt_text

Piece: TypeAlias = tuple[int, int, Strip]
"""A column and a row of the screen, and what is drawn from there."""


class MirrorRows:
    """The rows that every mirror shows, where they are known."""

    def __init__(self) -> None:
        self._delta = Delta()
        self._rows: dict[int, tuple[bytes, Cells | None]] = {}
        self._direct: dict[int, tuple[Rect, Sequence[bytes | None]]] = {}
        self._size = Size(0, 0)

    def fit(self, size: Size) -> None:
        """The screen has this size. After another one the rows are unknown: terminals move and cut theirs."""
        if size != self._size:
            self._size = size
            self.forget()

    def drawn(self, rect: Rect, rows: Sequence[bytes | None]) -> None:
        """A pane shows these rows from now on, which may still change until the next update; None is as before."""
        self._direct[id(rows)] = rect, rows

    def forget(self, rows: Collection[int] | None = None) -> None:
        """Something else was drawn in these rows, or in all."""
        if rows is None:
            self._rows.clear()
            self._direct.clear()
        else:
            for y in rows:
                self._rows.pop(y, None)

    def _read_panes(self) -> None:
        """Note what panes have drawn."""
        direct, self._direct = self._direct, {}
        for rect, rows in direct.values():
            for y, row in enumerate(rows, rect.y):
                if row is not None and (known := self._rows.pop(y, None)) is not None and known[1] is not None:
                    cells = self._delta.cells(row, rect.cols)
                    if cells is not None:
                        self._rows[y] = b"", _replaced(known[1], rect.x, cells)

    def change(self, piece: Piece) -> bytes:
        """What draws a piece; empty if it is there."""
        (x, y, strip), text = piece, vt_text(piece[2], Depth.TRUE)
        if not (width := strip.cell_length):
            return b""
        if self._direct:
            self._read_panes()
        if self._delta.crowded:
            self.forget()
            self._delta = Delta()
        known, whole = self._rows.pop(y, None), x == 0 and width == self._size.cols
        if whole and known is not None and known[0] == text:
            self._rows[y] = known
            return b""
        before = known[1] if known is not None else None
        cells = self._delta.cells(text, width) if whole or before is not None else None
        if whole:
            self._rows[y] = text, cells
        if before is None or cells is None:
            return move_to(x, y) + text
        if not whole:
            self._rows[y] = b"", _replaced(before, x, cells)
        spans = self._delta.between(_part(before, x, x + width), cells)
        return b"".join(move_to(x + column, y) + part for column, part, _ in spans)


class MirrorUpdate(CompositorUpdate):
    """What the compositor draws, as a change of what the mirrors show."""

    def __init__(self, rows: MirrorRows, pieces: Iterator[Piece]) -> None:
        self._rows, self._pieces = rows, pieces

    def render_segments(self, console: Console) -> str:
        """The change as VT text. It is called once, when the text is sent for certain."""
        return b"".join(self._rows.change(piece) for piece in self._pieces).decode("utf-8", "replace")


def pieces_of(update: object) -> Iterator[Piece] | None:
    """What an update of the compositor draws; None if it is of another kind."""
    if isinstance(update, LayoutUpdate):
        return ((update.region.x, y, Strip.join(line)) for y, line in enumerate(update.strips, update.region.y))
    return _pieces(update) if isinstance(update, ChopsUpdate) else None


def _pieces(update: ChopsUpdate) -> Iterator[Piece]:
    """The parts of rows that Textual would write, so that no widget is drawn a second time."""
    for y, left, right in update.spans:
        for end, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is not None and x <= right and end > left:
                yield x, y, strip if left <= x < right and end <= right else strip.crop(0, min(end, right) - x)


def _part(cells: Cells, start: int, stop: int) -> Cells:
    return cells[0][2 * start : 2 * stop], cells[1][2 * start : 2 * stop]


def _replaced(cells: Cells, start: int, part: Cells) -> Cells:
    stop = 2 * start + len(part[0])
    text, styles = (old[: 2 * start] + new + old[stop:] for old, new in zip(cells, part, strict=True))
    return text, styles
