"""Where paginated reading continues after a cursor: at the text written since, anywhere on the screen."""

from msgspec import Struct

from fugue_tui.multiplexer.watch.bookmarks import Bookmark, BookmarkPosition
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.screen.pins import Point


class ReadContinuation(Struct, frozen=True):
    """The start of the next page."""

    start: Point
    redrawn: bool = False
    """Whether text that was read before may be repeated."""
    missed: int = 0
    """The least number of lines that were pruned unread."""


def continuation(screen: LockedScreen, found: BookmarkPosition) -> ReadContinuation:
    """Where the next page starts. The caller holds the terminal's lock."""
    old, emulator = found.bookmark, screen.emulator
    top, end = Point(emulator.scrollback.lines), screen.end
    if not found.back and old.changes == screen.changes:
        return ReadContinuation(end)
    if emulator.modes.alternate_screen:
        return _on_alternate(emulator, old, top, found.back)
    if old.pin.alternate:
        return _after(screen, old.behind, top, end) if old.behind is not None else ReadContinuation(top, redrawn=True)
    return _after(screen, old, top, end, found.back)


def _on_alternate(emulator: Emulator, old: Bookmark, top: Point, back: int) -> ReadContinuation:
    """On the alternate screen: after the part that was read, else the whole screen."""
    place = old.pin.found() if old.pin.alternate and old.behind_is_unread else None
    if place is None or (not back and _changed(emulator, old, place) is not None):
        return ReadContinuation(top, redrawn=True)
    return ReadContinuation(Point(max(top.line, place.line - back)))


def _after(screen: LockedScreen, old: Bookmark, top: Point, end: Point, back: int = 0) -> ReadContinuation:
    """On the primary screen: `back` rows before the bookmark."""
    place = old.pin.found()
    if place is None or (place == Point(0) and old.erased != screen.erased):
        return ReadContinuation(Point(0), missed=max(1, screen.newlines - old.newlines - end.line))
    if back:
        return ReadContinuation(Point(max(0, place.line - back)), missed=max(0, back - place.line))
    if screen.size.cols != old.size.cols:
        return _reflowed(screen.emulator, old, place, top, end)
    changed = _changed(screen.emulator, old, place)
    if changed is None or (changed > place and not screen.emulator.between(place, changed).strip()):
        return ReadContinuation(place, redrawn=_has_text_below(old))
    grown = screen.size.rows > old.size.rows and changed < place
    return ReadContinuation(min(top, changed) if grown else changed, redrawn=changed < place)


def _changed(emulator: Emulator, old: Bookmark, place: Point) -> Point | None:
    """The first position where the screen differs from the bookmark's snapshot; None if that is at the cursor of that
    time, where the program continued to write."""
    first = place.line - old.y
    begin = max(0, first)
    now = emulator.lines(begin, first + len(old.texts))
    was = old.texts[begin - first :]
    for y, (before, after) in enumerate(zip(was, now, strict=False), begin):
        if y == place.line and before != after:
            return None if _head(emulator, place) == old.head else Point(y)
        if before != after:
            return Point(y)
    if old.behind_is_unread:
        return None if _head(emulator, place) == old.head else Point(place.line)
    return Point(first + len(old.texts))


def _head(emulator: Emulator, place: Point) -> str:
    return emulator.between(Point(place.line), place)


def _reflowed(emulator: Emulator, old: Bookmark, place: Point, top: Point, end: Point) -> ReadContinuation:
    """After a change of width: rows have wrapped anew, so characters are compared instead."""
    above = sum(1 + 2 * len(text) // emulator.size.cols for text in old.texts[: old.y])
    was = _bare("".join(old.texts[: old.y]) + old.head)
    now = _bare(emulator.between(Point(max(0, place.line - (above + 1 if was else old.y))), place))
    if not now.endswith(was) or (now and not was):
        return ReadContinuation(min(top, Point(max(0, place.line - above))), redrawn=True)
    behind = "" if old.behind_is_unread else _bare("".join(old.texts[old.y :])[len(old.head) :])
    if behind and behind == _bare(emulator.between(place, end)):
        return ReadContinuation(end)
    return ReadContinuation(place, redrawn=_has_text_below(old))


def _has_text_below(old: Bookmark) -> bool:
    """Whether there was text below the cursor's row, which is repeated with the text written before it."""
    return any(old.texts[max(0, old.y + 1) :])


def _bare(text: str) -> str:
    return "".join(text.split())
