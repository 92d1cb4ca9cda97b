"""A line of Fugue's own at the foot of a terminal's view, over the right end of its last row; no part of its text."""

from collections.abc import Callable

from msgspec.structs import replace

from fugue_tui.geometry import Size
from fugue_tui.terminal.screen.cells import PLAIN, Damage, Row, Run
from fugue_tui.terminal.screen.highlight import part
from fugue_tui.terminal.screen.sgr import write_row

_STYLE = replace(PLAIN, inverse=True)


class Footer:
    """The footer of one terminal: the longest of some ASCII texts that fits."""

    def __init__(self) -> None:
        self._texts: tuple[str, ...] = ()
        self._is_drawn = False

    def show(self, *texts: str) -> None:
        """Show the first of these texts that fits, from the next frame on; none hides it."""
        self._texts, self._is_drawn = texts, False

    @property
    def is_shown(self) -> bool:
        """Whether there are texts to show."""
        return bool(self._texts)

    def over(self, y: int, row: Row, size: Size) -> Row:
        """Row `y` of the view, with the footer if it is the last one."""
        cols = size.cols
        text = next((f" {text} " for text in self._texts if len(text) + 2 <= cols), "")
        if not text or y != size.rows - 1:
            return row
        left = part(row, 0, cols - len(text)).runs
        gap = cols - len(text) - sum(run.cols for run in left)
        return Row((*left, *([Run(" " * gap, PLAIN, gap)] if gap else []), Run(text, _STYLE, len(text))), False)

    def paint(self, size: Size, rows: tuple[int, ...], painted: list[bytes], last: Callable[[], Row]) -> None:
        """Replace the last row among the painted ones; `last` returns what it shows without the footer."""
        bottom = size.rows - 1
        if self._texts and bottom in rows:
            painted[rows.index(bottom)] = write_row(self.over(bottom, last(), size))

    def refresh(self, size: Size, damage: Damage) -> Damage:
        """The damage of a new snapshot with the rows where the footer is and was."""
        drawn, self._is_drawn = self._is_drawn, bool(self._texts)
        bottom = size.rows - 1
        if damage.full or not self._texts or (drawn and not damage.rows and not damage.shift):
            return damage
        rows = {bottom, bottom - damage.shift if drawn else bottom}
        return Damage(False, tuple(sorted(row for row in rows.union(damage.rows) if row >= 0)), damage.shift)
