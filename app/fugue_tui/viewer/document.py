"""What is shown of a file: its kind and its content, read with limits. Every text in it is untrusted."""

import csv
import io
import json
import os
import stat
from pathlib import PurePath
from typing import Any, Final, cast

from msgspec import Struct

from fugue_tui.errors import Unshowable
from fugue_tui.file_kind import FileKind, kind_of
from fugue_tui.sanitize import clean, clean_text

LIMIT: Final = 2_000_000
"""Bytes that are read of a text; of a longer one the beginning is shown."""
IMAGE_LIMIT: Final = 50_000_000
"""Bytes of an image file."""
ROWS: Final = 5_000
COLUMNS: Final = 100
CELL: Final = 200
"""Characters of a table's cell."""


class Document(Struct, frozen=True):
    """A file's content."""

    kind: FileKind
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    """Of a table, the first row being its header."""
    image: bytes = b""
    note: str = ""
    """What is not shown, and why."""


def stamp(path: str) -> tuple[int, int, int] | None:
    """Identifies a version of the file; None if there is none."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read(path: str, kind: FileKind = FileKind.AUTO) -> Document:
    """Read a file. Raises Unshowable. Blocks."""
    found = kind_of(path, kind)
    data, size = _bytes(path, IMAGE_LIMIT if found is FileKind.IMAGE else LIMIT)
    note = f"the first {len(data):,} of {size:,} bytes" if size > len(data) else ""
    if found is FileKind.IMAGE:
        if note:
            raise Unshowable(f"{clean(path)}: an image of {size:,} bytes is too large")
        return Document(found, image=data)
    text = data.decode("utf-8", "replace")
    if found is FileKind.TABLE:
        rows = _rows(path, text)
        more = len(rows) > ROWS
        note = f"the first {ROWS:,} of {len(rows):,} rows" if more else note
        return Document(found, rows=rows[:ROWS], note=note)
    return Document(found, clean_text(text.expandtabs(4)), note=note)


def _bytes(path: str, limit: int) -> tuple[bytes, int]:
    """The beginning of a regular file, and its size."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, ValueError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        raise Unshowable(f"{clean(path)}: {reason}") from None
    found = os.fstat(fd)
    if not stat.S_ISREG(found.st_mode):
        os.close(fd)
        raise Unshowable(f"{clean(path)}: it is no regular file")
    with os.fdopen(fd, "rb") as file:
        try:
            return file.read(limit), found.st_size
        except OSError as error:
            raise Unshowable(f"{clean(path)}: {error.strerror}") from None


def _rows(path: str, text: str) -> tuple[tuple[str, ...], ...]:
    if text.lstrip()[:1] in ("[", "{") and PurePath(path).suffix.lower() not in (".csv", ".tsv"):
        return _objects(path, text)
    delimiter = "\t" if PurePath(path).suffix.lower() == ".tsv" or "\t" in text.partition("\n")[0] else ","
    try:
        rows = [
            [clean(cell, CELL) for cell in row[:COLUMNS]] for row in csv.reader(io.StringIO(text), delimiter=delimiter)
        ]
    except csv.Error as error:
        raise Unshowable(f"{clean(path)}: it is no table: {error}") from None
    return _even([row for row in rows if row])


def _objects(path: str, text: str) -> tuple[tuple[str, ...], ...]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Unshowable(f"{clean(path)}: it is no table: {error}") from None
    items = cast("list[Any]", found) if isinstance(found, list) else [found]
    if not all(isinstance(item, dict) for item in items):
        raise Unshowable(f"{clean(path)}: a table in JSON is a list of objects")
    names = list(dict.fromkeys(str(name) for item in items for name in item))[:COLUMNS]
    rows = [[_cell(item.get(name)) for name in names] for item in items]
    return _even([[clean(name, CELL) for name in names], *rows])


def _cell(value: object) -> str:
    return clean("" if value is None else value if isinstance(value, str) else json.dumps(value), CELL)


def _even(rows: list[list[str]]) -> tuple[tuple[str, ...], ...]:
    """Rows of one length."""
    width = max((len(row) for row in rows), default=0)
    return tuple((*row, *("",) * (width - len(row))) for row in rows)
