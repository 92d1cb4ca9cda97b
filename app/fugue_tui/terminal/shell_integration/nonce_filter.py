"""Removes the nonce of a shell's prompt marks from copied output, where others could read and use it."""

import re
from typing import Final

_NONCE: Final = re.compile(rb";fugue=[0-9a-f]*")
_MARK: Final = re.compile(rb"(\x1b\]133;[^\x07\x1b]*)")
_UNFINISHED: Final = re.compile(rb"\x1b(?:\][^\x07\x1b]{0,256})?\Z")


class NonceFilter:
    """Filters one stream, whose sequences may be cut anywhere."""

    def __init__(self) -> None:
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        """What may be copied; the beginning of a sequence at the end is held until more comes."""
        data = self._held + data
        unfinished = _UNFINISHED.search(data)
        at = unfinished.start() if unfinished is not None else len(data)
        data, self._held = data[:at], data[at:]
        return _MARK.sub(lambda mark: _NONCE.sub(b"", mark[0]), data) if b"\x1b]133;" in data else data

    def flush(self) -> bytes:
        """What is held, at the end of the stream."""
        data, self._held = self._held, b""
        return _MARK.sub(lambda mark: _NONCE.sub(b"", mark[0]), data)

    def reset(self) -> None:
        """Forget what is held."""
        self._held = b""
