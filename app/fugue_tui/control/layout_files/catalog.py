"""Layout files by name or path: the user's, the project's, and those that ship with the program.

For a file that is not a layout the error is only that, so that none of its content leaks.
"""

import os
import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

from fugue_tui import trusted_files
from fugue_tui.config import model
from fugue_tui.control.layout_files import project_file
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.layout import document
from fugue_tui.layout.document import Document
from fugue_tui.sanitize import clean

SIZE_LIMIT: Final = 1 << 18
"""Bytes; a larger layout file is refused unread."""
MAX_LISTED: Final = 200
"""The most files of the user that are listed."""
ENDINGS: Final = (".toml", ".json")
"""Suffixes of layout files; the first is the default."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MEANT: Final = re.compile(r"""^\s*\[\[\s*["']?windows\b|^\s*["']?windows["']?\s*=|["']windows["']\s*:""", re.MULTILINE)


class LayoutSource(StrEnum):
    """Where a layout comes from."""

    PROJECT = "project"
    """The project around the caller."""
    OWN = "own"
    """The user's layouts directory."""
    SHIPPED = "shipped"
    """Shipped with the program."""


class CatalogEntry(NamedTuple):
    """A layout that can be loaded."""

    name: str
    kind: LayoutSource
    path: Path


class LayoutFile(NamedTuple):
    """A parsed layout file."""

    entry: CatalogEntry
    document: Document
    raw: bytes
    """The bytes as read: the same content is shown, trusted and run."""


def own_dir() -> Path:
    """The directory of the user's layouts, beside the configuration."""
    return model.path().parent / "layouts"


def shipped_dir() -> Path:
    """The directory of the layouts that ship with the program."""
    return Path(__file__).parent / "workspaces"


def is_path(reference: str) -> bool:
    """Whether a layout is referred to by its path, not by its name."""
    return "/" in reference or reference.startswith((".", "~")) or reference.endswith(ENDINGS)


def path_of(path: str, here: str) -> Path:
    """The file at a path relative to `here`; for a directory its project file. Raises InvalidArgument."""
    if "\0" in path or not path.isprintable():
        raise InvalidArgument("name: a path with characters that cannot be shown")
    file = Path(os.path.normpath(os.path.join(here or os.getcwd(), os.path.expanduser(path))))
    file = file / project_file.FILE if path.endswith("/") or os.path.isdir(file) else file
    if file.suffix not in ENDINGS:
        raise InvalidArgument(f"name: {clean(path)} does not end in .toml or .json, as layout files do")
    return file


def own_path(name: str, ending: str = ENDINGS[0]) -> Path:
    """The file of the user's layout of that name. Raises InvalidArgument for an invalid name."""
    if not _NAME.fullmatch(name):
        raise InvalidArgument(f"name: {name[:64]!a} cannot name a layout; use letters, digits and . _ -")
    return own_dir() / f"{name}{ending}"


def find(reference: str, here: str) -> CatalogEntry:
    """The layout of a name or path; the user's take precedence over shipped ones. Raises NotFound."""
    if is_path(reference):
        return CatalogEntry(reference, LayoutSource.PROJECT, path_of(reference, here))
    own = [own_path(reference, ending) for ending in ENDINGS]
    for kind, path in [
        *((LayoutSource.OWN, path) for path in own),
        (LayoutSource.SHIPPED, shipped_dir() / f"{reference}.toml"),
    ]:
        if os.path.isfile(path):
            return CatalogEntry(reference, kind, path)
    from difflib import get_close_matches

    near = get_close_matches(reference, [entry.name for entry in named()], n=1)
    hint = f"did you mean {near[0]}?" if near else "list-layouts shows what there is, and a path has a / in it"
    raise NotFound(f"no layout {clean(reference)}; {hint}")


def named() -> Iterator[CatalogEntry]:
    """Every layout with a name, the user's first; of a duplicate name only the first."""
    seen: set[str] = set()
    for kind, directory in ((LayoutSource.OWN, own_dir()), (LayoutSource.SHIPPED, shipped_dir())):
        for path in _files(directory):
            if path.stem not in seen:
                seen.add(path.stem)
                yield CatalogEntry(path.stem, kind, path)


def load(path: Path) -> Document:
    """The layout in a file. Raises NotFound, or InvalidArgument with the position of the fault."""
    return parse(content(path), path)


def content(path: Path) -> bytes:
    """The bytes of a layout file, for `parse`. Raises NotFound or InvalidArgument."""
    try:
        return trusted_files.content(path, SIZE_LIMIT)
    except FileNotFoundError:
        raise NotFound(f"{clean(str(path), 4096)}: no such file; save-layout writes one") from None
    except (OSError, trusted_files.UntrustedFile) as error:
        raise InvalidArgument(trusted_files.describe(path, error)) from None


def parse(raw: bytes, path: Path) -> Document:
    """The layout in the bytes of a file. Raises InvalidArgument with the position of the fault."""
    try:
        text = trusted_files.decoded(raw)
        meant = _MEANT.search(text)
        value = trusted_files.json(text) if path.suffix == ".json" else trusted_files.toml(text)
    except trusted_files.UntrustedFile as error:
        if b"windows" not in raw or not _MEANT.search(raw.decode(errors="replace")):
            _refuse(path)
        raise InvalidArgument(trusted_files.describe(path, error)) from None
    if not meant or not document.is_document(value):
        _refuse(path)
    try:
        return document.read(value)
    except InvalidArgument as error:
        raise InvalidArgument(f"{clean(str(path), 4096)}: {error}") from None


def is_layout(path: Path) -> bool:
    """Whether a file is a layout, valid or not. Raises OSError, or UntrustedFile for a file that is not read."""
    return _MEANT.search(trusted_files.content(path, SIZE_LIMIT).decode(errors="replace")) is not None


def _refuse(path: Path) -> NoReturn:
    raise InvalidArgument(f"{clean(str(path), 4096)}: is not a layout file; it lists no [[windows]]") from None


def _files(directory: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    layouts = [name for name in names if name.endswith(ENDINGS) and _NAME.fullmatch(name)]
    return [directory / name for name in layouts[:MAX_LISTED]]
