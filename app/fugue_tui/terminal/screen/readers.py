"""What each of several readers of a screen has not seen of its changes: a refresh tells only one of them."""

from typing import Final
from weakref import WeakKeyDictionary

from fugue_tui.terminal.screen.cells import Damage

_NOTHING: Final = Damage()


class Readers:
    """The readers of one screen. Each is known from its first reading, when it sees everything."""

    def __init__(self) -> None:
        self._unseen: WeakKeyDictionary[object, Damage] = WeakKeyDictionary()

    def take(self, reader: object | None, damage: Damage, rows: int) -> Damage:
        """What changed for a reader since it read last: `damage` for the refresh of now, of a screen with so many rows.
        None is a reader that only ever sees the refresh of now."""
        if reader is not None and len(self._unseen) == 1 and self._unseen.get(reader) is _NOTHING:
            return damage
        for other, unseen in self._unseen.items():
            if other is not reader:
                self._unseen[other] = merged(unseen, damage, rows)
        if reader is None:
            return damage
        unseen = self._unseen.get(reader)
        self._unseen[reader] = _NOTHING
        return everything(rows) if unseen is None else merged(unseen, damage, rows)


def merged(before: Damage, after: Damage, rows: int) -> Damage:
    """Two changes as one, of a screen with so many rows."""
    if before == _NOTHING:
        return after
    if after == _NOTHING:
        return before
    if before.full or after.full or before.shift or after.shift:
        return everything(rows)
    return Damage(rows=tuple(sorted({*before.rows, *after.rows})))


def everything(rows: int) -> Damage:
    """Damage of every row."""
    return Damage(full=True, rows=tuple(range(rows)))
