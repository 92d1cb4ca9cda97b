"""The images that one client shows, beside its text: by the kitty graphics protocol, as sixels or as half blocks.

Its text knows nothing of them: what overwrites them, or is left of them, is put right here. Main thread only.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import count
from typing import Final, Protocol, TypeAlias

from fugue_tui.attach_server.client import AttachedClient
from fugue_tui.attach_server.output import kitty_images
from fugue_tui.attach_server.output.kitty_images import KittyPayload
from fugue_tui.geometry import Rect
from fugue_tui.terminal.screen.images import Area, Pixels, Placement
from fugue_tui.tui.render.image_canvas import cells_of, half_blocks, sixel

_SLICE: Final = 1 << 16
"""Bytes of an image that are sent at once; text comes in between."""
_HOST_MEMORY: Final = 64 << 20
"""Bytes of decoded images that a host keeps for us."""
_FIRST: Final = 0x46550000
"""Numbers of images on the host start here, to be no other program's."""
_SAVE, _RESTORE = b"\x1b7", b"\x1b8"

Encoded: TypeAlias = KittyPayload | bytes | list[bytes]
"""An image for a host: of the kitty graphics protocol, as sixels, or as rows of half blocks."""
Encoder: TypeAlias = Callable[[Pixels], Encoded]


class EncodedImages(Protocol):
    """Reads and encodes images in the pool, and keeps what was encoded."""

    def get(self, placement: Placement, key: object, encode: Encoder) -> Encoded | None:
        """An image as `encode` makes it, which `key` names; None if that is not done, or cannot be. Once it is done,
        the images of every client are drawn again."""
        ...


class ClientImages(Protocol):
    """The images on one client's host."""

    def retire(self, wanted: Sequence[Placement], cell: tuple[int, int]) -> set[int]:
        """From now on these are to be shown, lowest first, in pixels of cells of a size: the rows whose text must be
        written again, where others were."""
        ...

    def show(self, written: Collection[int] | None) -> None:
        """Show what is to be shown; text was `written` to some rows, or to all."""
        ...

    def resume(self) -> None:
        """The host may accept more output."""
        ...

    def forget(self) -> None:
        """What the host shows is unknown, and about to be overwritten."""
        ...

    @property
    def active(self) -> bool:
        """Whether the host shows any, or is about to."""
        ...


class KittyImages:
    """The images of a host with the kitty graphics protocol."""

    def __init__(self, client: AttachedClient, encoded: EncodedImages) -> None:
        self._client, self._encoded = client, encoded
        self._numbers, self._placements = count(_FIRST), count(1)
        self._sent: dict[int, tuple[int, int]] = {}
        """By generation: the number of the image on the host, and its bytes. Least recently shown first."""
        self._shown: dict[Placement, int] = {}
        self._wanted: Sequence[Placement] = ()
        self._cell = (1, 1)
        self._outbox = deque[bytes]()
        self._sending: tuple[int, int, int] | None = None
        self._lost = False

    @property
    def active(self) -> bool:
        """Whether the host shows any, or is about to."""
        return bool(self._shown or self._wanted or self._outbox)

    def forget(self) -> None:
        """What the host shows is unknown."""
        self._lost = self._lost or bool(self._sent or self._outbox)
        self._sent.clear()
        self._shown.clear()
        self._outbox.clear()
        self._sending = None

    def retire(self, wanted: Sequence[Placement], cell: tuple[int, int]) -> set[int]:
        """Show these from now on; nothing is left of others."""
        self._wanted, self._cell = wanted, cell
        return set()

    def show(self, written: Collection[int] | None) -> None:
        """Show what is to be shown; text does not overwrite it."""
        self.resume()

    def resume(self) -> None:
        """The host may accept more output."""
        if self._client.writer.busy:
            return
        if self._outbox:
            self._send()
        if not self._outbox and not self._client.writer.busy:
            self._update()

    def _update(self) -> None:
        """Move, show and remove placements, and begin to send what is missing."""
        out = bytearray()
        if self._lost:
            out += kitty_images.ABORT + kitty_images.DELETE_ALL
            self._lost = False
        wanted = dict.fromkeys(each for each in self._wanted if each.image.generation in self._sent)
        waiting = {each.target for each in self._wanted if each.image.generation not in self._sent}
        gone = [each for each in self._shown if each not in wanted and each.target not in waiting]
        for placement in wanted:
            if placement not in self._shown:
                out += self._put(placement, gone)
            generation = placement.image.generation
            self._sent[generation] = self._sent.pop(generation)
        for placement in gone:
            out += kitty_images.remove(self._number(placement), self._shown.pop(placement))
        out += b"".join(self._evicted())
        if out:
            self._client.writer.write(_SAVE + out + _RESTORE)
        self._begin()

    def _number(self, placement: Placement) -> int:
        return self._sent[placement.image.generation][0]

    def _put(self, placement: Placement, gone: list[Placement]) -> bytes:
        """Show a placement, as the same one on the host as one of its image that is gone."""
        before = next((each for each in gone if each.image == placement.image), None)
        if before is None:
            number = next(self._placements)
        else:
            gone.remove(before)
            number = self._shown.pop(before)
        self._shown[placement] = number
        host = self._client.capabilities.cell or self._cell
        return kitty_images.place(self._number(placement), number, scaled(placement, self._cell, host), host)

    def _evicted(self) -> Iterator[bytes]:
        """Delete images that were not shown for longest while there are too many."""
        kept = {each.image.generation for each in self._shown}
        total = sum(size for _, size in self._sent.values())
        for generation, (number, size) in list(self._sent.items()):
            if total <= _HOST_MEMORY:
                return
            if generation not in kept:
                del self._sent[generation]
                total -= size
                yield kitty_images.forget(number)

    def _begin(self) -> None:
        """Begin to send the first image that is ready."""
        for placement in self._wanted:
            generation = placement.image.generation
            if generation in self._sent:
                continue
            found = self._encoded.get(placement, ("kitty", generation), kitty_images.payload)
            if isinstance(found, KittyPayload):
                number = next(self._numbers)
                self._sending = (generation, number, found.width * found.height * 4)
                self._outbox.extend(kitty_images.transmission(number, found))
                self._later()
                return

    def _later(self) -> None:
        asyncio.get_running_loop().call_soon(self.resume)

    def _send(self) -> None:
        """Send a slice of the image that is being sent; the rest goes when nothing else is to be written."""
        data = bytearray()
        while self._outbox and len(data) < _SLICE:
            data += self._outbox.popleft()
        self._client.writer.write(data)
        if not self._outbox and self._sending is not None:
            generation, number, size = self._sending
            self._sent[generation], self._sending = (number, size), None
        elif not self._client.writer.busy:
            self._later()


class PaintedImages:
    """The images of a host that shows them in place of text, which overwrites them: as sixels or half blocks."""

    def __init__(self, client: AttachedClient, encoded: EncodedImages) -> None:
        self._client, self._encoded = client, encoded
        self._shown: dict[Placement, Rect] = {}
        self._wanted: Sequence[Placement] = ()
        self._ready: dict[Placement, Encoded] = {}
        self._cell = (1, 1)
        self._stale: set[int] | None = set()
        """Rows that text was written to; None for all."""

    @property
    def active(self) -> bool:
        """Whether the host shows any, or is about to."""
        return bool(self._shown or self._wanted)

    def forget(self) -> None:
        """What the host shows is unknown."""
        self._shown.clear()

    def retire(self, wanted: Sequence[Placement], cell: tuple[int, int]) -> set[int]:
        """Show these from now on; the rows of those that are gone. One whose place another is about to take stays."""
        self._wanted, self._cell = wanted, cell
        self._ready = {each: data for each in wanted if (data := self._data(each)) is not None}
        waiting = {each.target for each in wanted if each not in self._ready}
        gone = [each for each in self._shown if each not in self._ready and each.target not in waiting]
        return {y for each in gone for y in _rows(self._shown.pop(each))}

    def show(self, written: Collection[int] | None) -> None:
        """Show what is to be shown again where text was written, and elsewhere if it was not shown."""
        self._stale = None if written is None or self._stale is None else self._stale.union(written)
        self.resume()

    def resume(self) -> None:
        """The host may accept more output."""
        if self._client.writer.busy:
            return
        stale, self._stale = self._stale, set[int]()
        out = bytearray()
        for placement, data in self._ready.items():
            area = cells_of(placement, self._cell)
            if placement not in self._shown and stale is not None:
                stale |= set(_rows(area))  # What is above it must be drawn again.
            if stale is None or not stale.isdisjoint(_rows(area)):
                out += self._written(area, data)
            self._shown[placement] = area
        if out:
            self._client.writer.write(_SAVE + b"\x1b[m" + out + _RESTORE)

    def _written(self, area: Rect, data: Encoded) -> bytes:
        lines = [data] if isinstance(data, bytes) else data if isinstance(data, list) else []
        return b"".join(b"\x1b[%d;%dH%b" % (y + 1, area.x + 1, line) for y, line in enumerate(lines, area.y))

    def _data(self, placement: Placement) -> Encoded | None:
        """What draws a placement, from its first cell on; the same wherever it is in whole cells."""
        cell, capabilities = self._cell, self._client.capabilities
        x, y = placement.target.x % cell[0], placement.target.y % cell[1]
        shape = (placement.image.generation, placement.source, x, y, placement.target.width, placement.target.height)
        if capabilities.sixel:
            host, colours = capabilities.cell or cell, capabilities.sixel_colours
            last = cells_of(placement, cell).bottom >= self._client.size.rows
            return self._encoded.get(
                placement,
                ("sixel", shape, cell, host, colours, last),
                lambda pixels: sixel(pixels, placement, cell, host, colours, last=last),
            )
        depth = capabilities.depth
        return self._encoded.get(
            placement, ("blocks", shape, cell, depth), lambda pixels: half_blocks(pixels, placement, cell, depth)
        )


def _rows(area: Rect) -> range:
    return range(area.y, area.bottom)


def scaled(placement: Placement, cell: tuple[int, int], host: tuple[int, int]) -> Placement:
    """A placement in the host's pixels."""
    if cell == host:
        return placement
    area = placement.target
    x, y = area.x * host[0] // cell[0], area.y * host[1] // cell[1]
    right, bottom = -(-area.right * host[0] // cell[0]), -(-area.bottom * host[1] // cell[1])
    return Placement(placement.image, Area(x, y, right - x, bottom - y), placement.source, placement.z)


def size_of(encoded: Encoded | None) -> int:
    """About how many bytes an encoded image takes."""
    match encoded:
        case bytes():
            return len(encoded)
        case KittyPayload():
            return len(encoded.data)
        case None:
            return 0
        case _:
            return sum(map(len, encoded))
