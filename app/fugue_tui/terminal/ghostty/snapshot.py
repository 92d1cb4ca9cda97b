"""Saves a terminal of libghostty-vt whole, and brings one back."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Callable
from typing import Any, Final

from fugue_tui.errors import SaveError
from fugue_tui.terminal.ghostty.binding import Binding

UNFINISHED: Final = 65_536
"""Bytes of a sequence that has begun and not ended, which a snapshot can hold; beyond that it has to wait."""
_PAGE: Final = 4_096
"""Bytes of memory that are touched together, or less."""


class Freezer:
    """Takes snapshots of one terminal.

    Most of the time goes to memory that is touched for the first time: with room that was made before, a large history
    takes half as long."""

    def __init__(self, binding: Binding, terminal: Any) -> None:
        self._ffi, self._lib, self._terminal = binding.ffi, binding.lib, terminal
        self._last = 0
        self._room: bytearray | None = None

    def prepare(self) -> None:
        """Make room for a snapshot that is as large as the last one, or a little larger. Needs no terminal."""
        room = bytearray(self._last + self._last // 16)
        room[::_PAGE] = bytes(len(range(0, len(room), _PAGE)))
        self._room = room

    def take(self) -> Callable[[], bytes] | None:
        """What gives the snapshot of now, without the terminal; None if the engine cannot take one."""
        room, self._room = self._room, None
        return (self._into(room) if room else None) or self._anywhere()

    def _into(self, room: bytearray) -> Callable[[], bytes] | None:
        written = self._ffi.new("size_t *")
        with self._ffi.from_buffer("uint8_t[]", room) as buffer:
            if self._lib.ghostty_snapshot_encode_buf(self._terminal, buffer, len(room), written):
                return None
        size = self._last = int(written[0])
        return lambda: bytes(memoryview(room)[:size])

    def _anywhere(self) -> Callable[[], bytes] | None:
        ffi, lib = self._ffi, self._lib
        data, length = ffi.new("uint8_t **"), ffi.new("size_t *")
        if lib.ghostty_snapshot_encode_alloc(self._terminal, ffi.NULL, data, length):
            return None
        start, size = data[0], length[0]
        self._last = int(size)

        def free(start: Any) -> None:
            lib.ghostty_free(ffi.NULL, start, size)

        held = ffi.gc(start, free, size)
        return lambda: ffi.buffer(held, size)[:]


def snapshot(binding: Binding, terminal: Any) -> bytes:
    """The snapshot of now; empty if the engine cannot take one."""
    native = Freezer(binding, terminal).take()
    return native() if native else b""


def decode(binding: Binding, data: bytes) -> Any:
    """The terminal of a snapshot, which is freed with its last reference. Raises SaveError."""
    ffi, lib = binding.ffi, binding.lib
    decoder, terminal = ffi.new("GhosttySnapshotDecoder *"), ffi.new("GhosttyTerminal *")
    with ffi.from_buffer("uint8_t[]", data) as source:
        if lib.ghostty_snapshot_decoder_new_buf(ffi.NULL, decoder, source, len(data)):
            raise SaveError("no memory for the saved text of a pane")
        try:
            failed = lib.ghostty_snapshot_decoder_decode(decoder[0], terminal)
        finally:
            lib.ghostty_snapshot_decoder_free(decoder[0])
    if failed:
        raise SaveError("the saved text of a pane is damaged")
    return ffi.gc(terminal[0], lib.ghostty_terminal_free)
