"""What is on the screen, row by row, as VT text and for decoding, kept up to date at the price of what changed."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Mapping
from typing import Any, Final

from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.cells import GAPS, LINKS, ODD_WIDTHS, STYLES, RowReader
from fugue_tui.terminal.ghostty.colors import ColourReader
from fugue_tui.terminal.ghostty.formatter import Formatter
from fugue_tui.terminal.ghostty.links import LinkReader
from fugue_tui.terminal.ghostty.render_state import CLEAN, FULL, Snapshot
from fugue_tui.terminal.screen.cells import Cursor, Row
from fugue_tui.terminal.screen.dynamic_colors import HOST
from fugue_tui.terminal.screen.spans import spans
from fugue_tui.terminal.screen.vt_text import write_row

_INEXACT: Final = ODD_WIDTHS | GAPS | LINKS


class Picture:
    """A snapshot and its rows as text. Only `capture` touches the terminal."""

    def __init__(self, binding: Binding, terminal: Any, formatter: Formatter, colours: ColourReader) -> None:
        self._binding, self._terminal = binding, terminal
        self._trusted = True
        self._formatter = formatter
        self._snapshot = Snapshot(binding)
        self._reader = RowReader(binding, self._snapshot)
        self._colours = colours
        self._link_reader = LinkReader(binding, terminal)
        self._scheme = HOST
        self._links: dict[int, Mapping[int, str]] = {}
        self.rows: list[bytes] = []
        """The rows as VT text."""
        self.relinked: set[int] = set()
        """The rows whose links changed since someone emptied this."""
        self.cursor = Cursor(0, 0)

    def capture(self, size: Size) -> None:
        """Take in what changed in the terminal, whose size this is."""
        if not self._trusted:
            self._snapshot, self._trusted = Snapshot(self._binding), True
            self._reader = RowReader(self._binding, self._snapshot)
        change = self._snapshot.update(self._terminal)
        self.cursor = self._snapshot.cursor()
        scheme = self._colours.read(self._scheme, palette=change == FULL)
        if change == FULL or scheme is not self._scheme or len(self.rows) != size.rows:
            self._scheme = scheme
            self.rows = [b""] * size.rows
            dirty = list(range(size.rows))
        elif change == CLEAN:
            return
        else:
            dirty = self._snapshot.dirty_rows()
        self._write(dirty, size.cols)
        self._snapshot.clean()

    def mistrust(self) -> None:
        """Copy everything at the next `capture`: the terminal tells each change once, and told another picture."""
        self._trusted = False

    def _write(self, dirty: list[int], cols: int) -> None:
        texts, surfaces = self._texts(dirty, cols)
        survey = self._reader.survey
        numbers = self._snapshot.numbers(dirty, cols)
        found = [survey(number, cols, gaps=surfaces) for number in numbers]
        for y, text, flags in zip(dirty, texts, found, strict=True):
            if flags & LINKS or y in self._links:
                self._find_links(y, flags)
            if text is None or flags & (_INEXACT if text else STYLES | LINKS):
                self.rows[y] = write_row(self.row(y))
            else:
                self.rows[y] = text

    def _texts(self, dirty: list[int], cols: int) -> tuple[list[bytes | None], bool]:
        """The formatter's rows, and whether any has a style that shows on blanks."""
        if not self._scheme.is_plain:
            return [None] * len(dirty), False
        texts: list[bytes | None] = []
        surfaces = False
        for first, count in spans(dirty):
            rows, has_surfaces = self._formatter.vt(first, count, cols)
            texts += rows
            surfaces = surfaces or has_surfaces
        return texts, surfaces

    def _find_links(self, y: int, flags: int) -> None:
        links = self._link_reader.read(y, self._reader.linked(y)) if flags & LINKS else {}
        if links != self._links.get(y, {}):
            self._links = {**self._links, y: links}
            self.relinked.add(y)

    def wraps(self, y: int) -> bool:
        """Whether the text of row `y` goes on in the next."""
        return self._snapshot.wraps(y)

    def decode(self) -> list[Row]:
        """Every row, decoded."""
        return [self.row(y) for y in range(len(self.rows))]

    def row(self, y: int) -> Row:
        """Row `y`, decoded."""
        return self._reader.row(y, self._scheme, self._links.get(y, {}))
