"""Unwraps what programs wrap for tmux to pass on (`ESC P tmux; ... ESC \\`, with every ESC doubled), wherever the
stream is cut: programs that take the terminal for tmux wrap titles, notifications and copied text. Source: tmux(1),
allow-passthrough.
"""

from typing import Final

OPENING: Final = b"\x1bPtmux;"
LONGEST: Final = 1 << 20
"""Bytes of an unfinished sequence; of a longer one the rest is printed."""
_ESC: Final = 0x1B
_BACKSLASH: Final = ord("\\")


class TmuxPassthrough:
    """Remembers what a chunk left unfinished."""

    __slots__ = ("_at", "_rest")

    def __init__(self) -> None:
        self._rest = bytearray()
        self._at = 0
        """Up to where the rest was searched for its end."""

    def unwrap(self, data: bytes) -> bytes:
        """The output with what is wrapped in it, without the wrapping."""
        if not self._rest and OPENING not in data and not _opening(data):
            return data
        self._rest += data
        found: list[bytes] = []
        while self._step(found):
            pass
        return b"".join(found)

    def _step(self, found: list[bytes]) -> bool:
        """Move what is complete from the rest to `found`; whether there may be more."""
        rest = self._rest
        if not rest.startswith(OPENING):
            start = rest.find(OPENING)
            end = start if start >= 0 else len(rest) - _opening(rest)
            found.append(bytes(rest[:end]))
            del rest[:end]
            self._at = len(OPENING)
            return start >= 0
        while (escape := rest.find(b"\x1b", self._at)) >= 0 and escape + 1 < len(rest):
            follows = rest[escape + 1]
            if follows != _ESC:
                return self._close(found, escape, escape + 2 if follows == _BACKSLASH else escape)
            self._at = escape + 2
        if len(rest) > LONGEST:
            return self._close(found, len(rest), len(rest))
        self._at = escape if escape >= 0 else len(rest)
        return False

    def _close(self, found: list[bytes], end: int, after: int) -> bool:
        """Take the sequence that ends there out of the rest."""
        found.append(bytes(self._rest[len(OPENING) : end]).replace(b"\x1b\x1b", b"\x1b"))
        del self._rest[:after]
        self._at = len(OPENING)
        return bool(self._rest)


def _opening(data: bytes | bytearray) -> int:
    """The length of the end of `data` that may be the beginning of an opening."""
    at = data.rfind(b"\x1b", max(0, len(data) - len(OPENING) + 1))
    return len(data) - at if at >= 0 and OPENING.startswith(bytes(data[at:])) else 0
