"""The smallest change from one painted row to the next. Pure; rows are VT text as an emulator paints it."""

import re
from functools import lru_cache
from typing import Final

_SGR: Final = re.compile(rb"\x1b\[([0-9;:]*)m")
_SPAN: Final = re.compile(rb"[^\0]+(?:\0{1,7}[^\0]+)*")


def spans(old: bytes, new: bytes, cols: int) -> list[tuple[int, bytes, int]] | None:
    """What to write to turn `old` into `new`, as (column, VT text, width); None if the whole row must be written.

    Only rows of one byte a cell are compared; each piece starts and ends in the default style.
    """
    if not (old.isascii() and new.isascii()):
        return None
    before, after = _cells(old, cols), _cells(new, cols)
    if before is None or after is None:
        return None
    changed = _differ(before[0], after[0]) | _differ(before[1], after[1])
    if not changed:
        return []
    mask = changed.to_bytes(cols * 2, "big")
    mask = bytes(a | b for a, b in zip(mask[::2], mask[1::2], strict=True))
    return [
        (match.start(), _styled(after, match.start(), match.end()), match.end() - match.start())
        for match in _SPAN.finditer(mask)
    ]


def _differ(one: bytes, other: bytes) -> int:
    return int.from_bytes(one, "big") ^ int.from_bytes(other, "big")


_styles: dict[bytes, int] = {b"": 0}
_keys: list[bytes] = [b""]


def _style_number(key: bytes) -> int | None:
    number = _styles.get(key)
    if number is None:
        if len(_keys) >= 65_536:
            return None
        number = _styles[key] = len(_keys)
        _keys.append(key)
    return number


@lru_cache(maxsize=512)
def _cells(row: bytes, cols: int) -> tuple[bytes, bytes] | None:
    """Two bytes a cell for characters and two for styles; None if something but SGR and ASCII is in it."""
    texts: list[bytes] = []
    styles: list[bytes] = []
    used, style, at = 0, b"", 0
    for match in _SGR.finditer(row):
        used += _take(row[at : match.start()], style, texts, styles)
        at = match.end()
        parameters = match[1]
        style = b"" if parameters in (b"", b"0") else match[0] if parameters.startswith(b"0;") else style + match[0]
    used += _take(row[at:], style, texts, styles)
    text = b"".join(texts)
    if used > cols or b"\x1b" in text or _style_number(style) is None:
        return None
    blank = cols - used
    wide = bytes(2 * cols)
    pairs = bytearray(wide)
    pairs[1::2] = text + b" " * blank
    return bytes(pairs), b"".join(styles) + bytes(2 * blank)


def _take(text: bytes, style: bytes, texts: list[bytes], styles: list[bytes]) -> int:
    if text:
        texts.append(text)
        styles.append((_style_number(style) or 0).to_bytes(2, "big") * len(text))
    return len(text)


def _styled(cells: tuple[bytes, bytes], start: int, stop: int) -> bytes:
    """Cells `start` to `stop` as VT text."""
    text, styles = cells[0][1::2], cells[1]
    out: list[bytes] = []
    at = start
    while at < stop:
        style = styles[2 * at : 2 * at + 2]
        end = at + 1
        while end < stop and styles[2 * end : 2 * end + 2] == style:
            end += 1
        number = int.from_bytes(style, "big")
        piece = text[at:end]
        out.append(_keys[number] + piece + b"\x1b[m" if number else piece)
        at = end
    return b"".join(out)
