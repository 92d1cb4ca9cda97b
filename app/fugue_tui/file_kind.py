"""The kinds of files that can be shown, and which a file is by its name."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from types import MappingProxyType
from typing import Final


class FileKind(StrEnum):
    """How a file is shown."""

    AUTO = "auto"
    """By its name."""
    FILE = "file"
    """As text with line numbers."""
    DIFF = "diff"
    MARKDOWN = "markdown"
    IMAGE = "image"
    TABLE = "table"
    """CSV, TSV, or a JSON list of objects."""


_BY_SUFFIX: Final[Mapping[str, FileKind]] = MappingProxyType(
    {
        **dict.fromkeys((".md", ".markdown"), FileKind.MARKDOWN),
        **dict.fromkeys((".diff", ".patch"), FileKind.DIFF),
        **dict.fromkeys((".csv", ".tsv"), FileKind.TABLE),
        **dict.fromkeys((".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp"), FileKind.IMAGE),
    }
)


def kind_of(path: str, kind: FileKind = FileKind.AUTO) -> FileKind:
    """How a file is shown: as `kind` says, or by its name."""
    return _BY_SUFFIX.get(PurePath(path).suffix.lower(), FileKind.FILE) if kind is FileKind.AUTO else kind
