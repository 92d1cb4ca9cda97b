"""The smallest change from one painted row to the next. Rows are VT text as painted by an emulator."""

import re
from codecs import utf_16_be_decode, utf_16_be_encode
from functools import lru_cache
from typing import Final, TypeAlias

_SGR: Final = re.compile(rb"\x1b\[([0-9;:]*)m")
_PLAIN: Final = re.compile(r"[ -~\u00a1-\u00ac\u00ae-\u017f\u2010-\u2027\u2190-\u2193\u2500-\u25cf]*")
"""Letters, punctuation, lines and blocks that every terminal shows in one cell each."""
_STYLES: Final = 4_096
"""Number of styles after which the cache is cleared, as a program may show ever new ones."""
_SPAN: Final = re.compile(rb"[^\0]+(?:\0{1,7}[^\0]+)*")
Cells: TypeAlias = tuple[bytes, bytes]
"""Two bytes a cell for characters, and two for styles, which one Delta has numbered."""
Span: TypeAlias = tuple[int, bytes, int]
"""A column, VT text that starts and ends in the default style, and its width."""


class Delta:
    """Compares rows, and caches their parsed form. Used by one thread."""

    def __init__(self) -> None:
        self._forget()

    def spans(self, old: bytes, new: bytes, cols: int) -> list[Span] | None:
        """What to write to turn `old` into `new`; None if the whole row must be written, as rows are compared that have
        one character a cell."""
        if self.crowded:
            self._forget()
        before, after = self.cells(old, cols), self.cells(new, cols)
        return None if before is None or after is None else self.between(before, after)

    @property
    def crowded(self) -> bool:
        """Whether so many styles were seen that it is time for a new object."""
        return len(self._keys) > _STYLES

    def between(self, before: Cells, after: Cells) -> list[Span]:
        """What to write to turn some cells into as many others."""
        changed = _differ(before[0], after[0]) | _differ(before[1], after[1])
        if not changed:
            return []
        mask = (changed | changed >> 8).to_bytes(len(after[0]), "big")[1::2]
        return [
            (match.start(), self._styled(after, match.start(), match.end()), match.end() - match.start())
            for match in _SPAN.finditer(mask)
        ]

    def _forget(self) -> None:
        self._styles: dict[bytes, int] = {b"": 0}
        self._keys: list[bytes] = [b""]
        self.cells = lru_cache(maxsize=512)(self._read)
        """The cells of a row of VT text, filled up with blanks; None if they cannot be compared."""

    def _number(self, style: bytes) -> int:
        number = self._styles.get(style)
        if number is None:
            number = self._styles[style] = len(self._keys)
            self._keys.append(style)
        return number

    def _read(self, row: bytes, cols: int) -> Cells | None:
        """Two bytes a cell for characters and two for styles; None if something but SGR and plain characters is in it,
        or more styles than two bytes can distinguish."""
        if len(self._keys) + row.count(b"\x1b") >= 1 << 16:
            return None
        texts: list[str] = []
        styles: list[bytes] = []
        used, style, at = 0, b"", 0
        for match in _SGR.finditer(row):
            used += self._append(row[at : match.start()].decode("utf-8", "replace"), style, texts, styles)
            at = match.end()
            parameters = match[1]
            style = b"" if parameters in (b"", b"0") else match[0] if parameters.startswith(b"0;") else style + match[0]
        used += self._append(row[at:].decode("utf-8", "replace"), style, texts, styles)
        text = "".join(texts)
        if used > cols or not _PLAIN.fullmatch(text):
            return None
        return utf_16_be_encode(text.ljust(cols))[0], b"".join(styles) + bytes(2 * (cols - used))

    def _append(self, text: str, style: bytes, texts: list[str], styles: list[bytes]) -> int:
        if text:
            texts.append(text)
            styles.append(self._number(style).to_bytes(2, "big") * len(text))
        return len(text)

    def _styled(self, cells: Cells, start: int, stop: int) -> bytes:
        """Cells `start` to `stop` as VT text."""
        text, styles = utf_16_be_decode(cells[0][2 * start : 2 * stop])[0], cells[1][2 * start : 2 * stop]
        out: list[bytes] = []
        at, stop = 0, stop - start
        while at < stop:
            style = styles[2 * at : 2 * at + 2]
            end = at + 1
            while end < stop and styles[2 * end : 2 * end + 2] == style:
                end += 1
            number = int.from_bytes(style, "big")
            piece = text[at:end].encode()
            out.append(self._keys[number] + piece + b"\x1b[m" if number else piece)
            at = end
        return b"".join(out)


def _differ(one: bytes, other: bytes) -> int:
    return int.from_bytes(one, "big") ^ int.from_bytes(other, "big")
