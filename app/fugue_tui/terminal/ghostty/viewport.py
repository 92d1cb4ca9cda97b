"""What is on the screen, row by row, as VT text and for decoding, kept up to date at the price of what changed.

What of a terminal is on show, and what of it changed since someone last looked.

A program that draws in synchronized updates is shown as it was before the one that it has not finished.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.pending_events import PendingEvents
from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.ghostty.cells import GAPS, LINKS, ODD_WIDTHS, STYLES, LinkReader, RowReader
from fugue_tui.terminal.ghostty.colors import ColorReader
from fugue_tui.terminal.ghostty.formatter import Formatter
from fugue_tui.terminal.ghostty.render_state import CLEAN, FULL, RenderState
from fugue_tui.terminal.ghostty.screen_images import ScreenImages
from fugue_tui.terminal.screen.cells import Cursor, Damage, Row
from fugue_tui.terminal.screen.damage import compare, spans
from fugue_tui.terminal.screen.dynamic_colors import HOST
from fugue_tui.terminal.screen.images import Placement
from fugue_tui.terminal.screen.placeholders import Part
from fugue_tui.terminal.screen.sgr import write_row

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import GhosttyTerminal

_INEXACT: Final = ODD_WIDTHS | GAPS | LINKS


class ScreenText(NamedTuple):
    """The rows of a screen at one time, which are shared with the screen while they stay the same."""

    size: Size
    rows: tuple[bytes, ...]
    """As VT text."""
    decoded: Mapping[int, Row]
    """Those whose text does not say all."""
    wrapped: frozenset[int]
    """Those whose text goes on in the next."""


class RenderedScreen:
    """A snapshot and its rows as text. Only `capture` touches the terminal."""

    def __init__(
        self,
        binding: Binding,
        terminal: "GhosttyTerminal",
        formatter: Formatter,
        colours: ColorReader,
        images: ScreenImages,
    ) -> None:
        self._binding, self._terminal = binding, terminal
        self._trusted = True
        self._formatter = formatter
        self._snapshot = RenderState(binding)
        self._reader = RowReader(binding, self._snapshot)
        self._colours = colours
        self._link_reader = LinkReader(binding, terminal)
        self._scheme = HOST
        self._links: dict[int, Mapping[int, str]] = {}
        self.rows: list[bytes] = []
        """The rows as VT text."""
        self._decoded: dict[int, Row] = {}
        self.relinked: set[int] = set()
        """The rows whose links changed since someone emptied this."""
        self.cursor = Cursor(0, 0)
        self._images = images
        self._parts: dict[int, list[tuple[int, Part]]] = {}
        self.placements: tuple[Placement, ...] = ()
        """Where images are, lowest first."""

    def capture(self, size: Size) -> None:
        """Take in what changed in the terminal, whose size this is."""
        if not self._trusted:
            self._snapshot, self._trusted = RenderState(self._binding), True
            self._reader = RowReader(self._binding, self._snapshot)
        change = self._snapshot.update(self._terminal)
        self.cursor = self._snapshot.cursor()
        scheme = self._colours.read(self._scheme, palette=change == FULL)
        if change == FULL or scheme is not self._scheme or len(self.rows) != size.rows:
            self._scheme = scheme
            self.rows, self._decoded, self._parts = [b""] * size.rows, {}, {}
            dirty = list(range(size.rows))
        else:
            dirty = self._snapshot.dirty_rows() if change != CLEAN else []
        if dirty:
            self._write(dirty, size.cols)
            self._snapshot.clean()
        self.placements = self._images.placements(self._parts)

    def invalidate(self) -> None:
        """Copy everything at the next `capture`: the terminal reports each change once, and another reader got it."""
        self._trusted = False

    def _write(self, dirty: list[int], cols: int) -> None:
        texts, surfaces = self._texts(dirty, cols)
        features_of = self._reader.features_of
        numbers = self._snapshot.numbers(dirty, cols)
        found = [features_of(number, cols, gaps=surfaces) for number in numbers]
        for y, text, flags in zip(dirty, texts, found, strict=True):
            if flags & LINKS or y in self._links:
                self._find_links(y, flags)
            if text is None or flags & (_INEXACT if text else STYLES | LINKS):
                self._decoded[y] = self.row(y)
                self.rows[y] = write_row(self._decoded[y])
            else:
                self._decoded.pop(y, None)
                self.rows[y] = text
            if self._images.has_placeholders:
                self._find_parts(y, exact=text is not None)

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

    def _find_parts(self, y: int, *, exact: bool) -> None:
        """Find placeholders of images in a row; there are none in one that the formatter wrote."""
        parts = [] if exact else self._reader.parts(y)
        if parts:
            self._parts[y] = parts
        else:
            self._parts.pop(y, None)

    def wraps(self, y: int) -> bool:
        """Whether the text of row `y` goes on in the next."""
        return self._snapshot.wraps(y)

    def text(self, size: Size) -> ScreenText:
        """The rows of this moment."""
        wrapped = frozenset(y for y in range(len(self.rows)) if self.wraps(y))
        return ScreenText(size, tuple(self.rows), self._decoded.copy(), wrapped)

    def decode(self) -> list[Row]:
        """Every row, decoded."""
        return [self.row(y) for y in range(len(self.rows))]

    def row(self, y: int) -> Row:
        """Row `y`, decoded; an empty one below the last: the terminal may have grown since."""
        if y >= len(self.rows):
            return Row(())
        return self._reader.row(y, self._scheme, self._links.get(y, {}))


HOLD_LIMIT: Final = 1.0
"""Seconds that a synchronized update may hold the old picture."""
_HOLD_STEP: Final = 0.008
"""Seconds between the pictures that are kept for programs that hold most of the time."""
_REFRESH_TIMEOUT: Final = 0.25
"""Seconds after a refresh for which a pane counts as looked at."""


class SynchronizedViewport:
    """The picture that is shown, and during a synchronized update the one that is next. Pictures come from `make`,
    their size from the inbox, which reports updates once `hold` is its `on_hold`."""

    def __init__(self, make: Callable[[], RenderedScreen], inbox: PendingEvents, clock: Callable[[], float]) -> None:
        self._make, self._inbox, self._clock = make, inbox, clock
        self._held_since: float | None = None
        self._captured = self._last_refresh = clock()
        self.front = make()
        """What is shown."""
        self.front.capture(inbox.size)
        self._other: RenderedScreen | None = None
        self._shown: list[bytes] = []

    def hold(self, held: bool) -> None:
        """Keep a picture of what the program wants to leave on the screen while it draws the next."""
        now = self._clock()
        self._held_since = now if held else None
        if not held or now - self._captured < _HOLD_STEP or now - self._last_refresh > _REFRESH_TIMEOUT:
            return
        self._captured = now
        if self._other is None:
            self._other = self._make()
        self._other.capture(self._inbox.size)

    def _is_held(self) -> bool:
        return self._held_since is not None and self._clock() - self._held_since < HOLD_LIMIT

    def refresh(self) -> Damage:
        """Bring the picture up to date, unless it is held, and say what changed."""
        self._last_refresh = self._clock()
        if self._other is not None:
            self.front, self._other = self._other, None
        if not self._is_held():
            self._captured = self._last_refresh
            self.front.capture(self._inbox.size)
        return self._damage()

    def _damage(self) -> Damage:
        rows, relinked = self.front.rows, self.front.relinked
        damage = compare(self._shown, rows)
        self._shown = rows.copy()
        if relinked:
            damage = Damage(damage.full, tuple(sorted(relinked.union(damage.rows))), damage.shift)
            relinked.clear()
        return damage

    def capture_now(self) -> RenderedScreen:
        """The viewport as it is now, whatever is on show; what `refresh` will say stays as it was."""
        picture = self._make()
        picture.capture(self._inbox.size)
        for rendered in (self.front, self._other):
            if rendered is not None:
                rendered.invalidate()
        return picture

    def text(self) -> ScreenText:
        """The viewport as it is now, whatever is on show, at the price of what changed; `refresh` still reports it."""
        size = self._inbox.size
        if self._other is not None or self._is_held():
            return self.capture_now().text(size)
        self.front.capture(size)
        return self.front.text(size)

    def close(self) -> None:
        """Let go of what is not on show."""
        self._other = None
