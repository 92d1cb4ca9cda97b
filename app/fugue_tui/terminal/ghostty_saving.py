"""Saves a terminal of libghostty-vt whole, and brings one back."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Callable
from typing import Any, Final

from fugue_tui.errors import SaveError
from fugue_tui.terminal.ghostty_binding import Binding

UNFINISHED: Final = 65_536
"""Bytes of a sequence that has begun and not ended, which a snapshot can hold; beyond that it has to wait."""


def encode(binding: Binding, terminal: Any) -> Callable[[], bytes] | None:
    """What gives the snapshot that was taken now, once; None if the engine cannot take one at this moment.

    Only the taking needs the terminal."""
    ffi, lib = binding.ffi, binding.lib
    data, length = ffi.new("uint8_t **"), ffi.new("size_t *")
    if lib.ghostty_snapshot_encode_alloc(terminal, ffi.NULL, data, length):
        return None
    start, size = data[0], length[0]

    def free(start: Any) -> None:
        lib.ghostty_free(ffi.NULL, start, size)

    held = ffi.gc(start, free, size)
    return lambda: ffi.buffer(held, size)[:]


def snapshot(binding: Binding, terminal: Any) -> bytes:
    """The snapshot of now; empty if the engine cannot take one."""
    native = encode(binding, terminal)
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
