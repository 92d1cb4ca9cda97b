"""Layout files by name or path: the person's own, the project's, and those that come with the program.

A file that does not mean to be a layout is told so and nothing else: what is in it goes to nobody.
"""

import os
import re
from collections.abc import Iterator
from difflib import get_close_matches
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
"""The most files of one's own that are listed."""
ENDINGS: Final = (".toml", ".json")
"""What layout files end in; the first is written unless another is asked for."""

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_MEANT: Final = re.compile(r"""^\s*\[\[\s*["']?windows\b|^\s*["']?windows["']?\s*=|["']windows["']\s*:""", re.MULTILINE)


class LayoutSource(StrEnum):
    """Whose a layout is."""

    PROJECT = "project"
    """The project's around the caller."""
    OWN = "own"
    """The person's, in the layouts directory."""
    SHIPPED = "shipped"
    """The program's."""


class CatalogEntry(NamedTuple):
    """A layout that can be loaded."""

    name: str
    kind: LayoutSource
    path: Path


def own_dir() -> Path:
    """Where a person's own layouts are: beside the configuration."""
    return model.path().parent / "layouts"


def shipped_dir() -> Path:
    """Where the layouts are that come with the program."""
    return Path(__file__).parent / "workspaces"


def is_path(said: str) -> bool:
    """Whether a layout is called by its path and not by its name."""
    return "/" in said or said.startswith((".", "~")) or said.endswith(ENDINGS)


def path_of(said: str, here: str) -> Path:
    """The file that a path means, seen from a directory; the project file of a directory. Raises InvalidArgument."""
    if "\0" in said or not said.isprintable():
        raise InvalidArgument("name: a path with characters that cannot be shown")
    path = Path(os.path.normpath(os.path.join(here or os.getcwd(), os.path.expanduser(said))))
    path = path / project_file.FILE if said.endswith("/") or os.path.isdir(path) else path
    if path.suffix not in ENDINGS:
        raise InvalidArgument(f"name: {clean(said)} does not end in .toml or .json, as layout files do")
    return path


def own_path(name: str, ending: str = ENDINGS[0]) -> Path:
    """The file of one's own layout of that name. Raises InvalidArgument if it could not be a file's."""
    if not _NAME.fullmatch(name):
        raise InvalidArgument(f"name: {name[:64]!a} cannot name a layout; use letters, digits and . _ -")
    return own_dir() / f"{name}{ending}"


def find(said: str, here: str) -> CatalogEntry:
    """The layout that a name or a path means; one's own goes before the program's. Raises NotFound."""
    if is_path(said):
        path = path_of(said, here)
        return CatalogEntry(said, LayoutSource.PROJECT, path)
    own = [own_path(said, ending) for ending in ENDINGS]
    for kind, path in [
        *((LayoutSource.OWN, path) for path in own),
        (LayoutSource.SHIPPED, shipped_dir() / f"{said}.toml"),
    ]:
        if os.path.isfile(path):
            return CatalogEntry(said, kind, path)
    near = get_close_matches(said, [entry.name for entry in named()], n=1)
    hint = f"did you mean {near[0]}?" if near else "list-layouts shows what there is, and a path has a / in it"
    raise NotFound(f"no layout {clean(said)}; {hint}")


def named() -> Iterator[CatalogEntry]:
    """Every layout that has a name, one's own first; a name that stands twice is the first."""
    seen: set[str] = set()
    for kind, directory in ((LayoutSource.OWN, own_dir()), (LayoutSource.SHIPPED, shipped_dir())):
        for path in _files(directory):
            if path.stem not in seen:
                seen.add(path.stem)
                yield CatalogEntry(path.stem, kind, path)


def load(path: Path) -> Document:
    """What a layout file says. Raises NotFound, or InvalidArgument with the place of the fault."""
    return parse(content(path), path)


def content(path: Path) -> bytes:
    """What is in a layout file, for `parse`. Raises NotFound or InvalidArgument."""
    try:
        return trusted_files.content(path, SIZE_LIMIT)
    except FileNotFoundError:
        raise NotFound(f"{clean(str(path), 4096)}: no such file; save-layout writes one") from None
    except (OSError, trusted_files.UntrustedFile) as error:
        raise InvalidArgument(trusted_files.told(path, error)) from None


def parse(raw: bytes, path: Path) -> Document:
    """What the bytes of a layout file say. Raises InvalidArgument with the place of the fault."""
    try:
        text = trusted_files.decoded(raw)
        meant = _MEANT.search(text)
        value = trusted_files.json(text) if path.suffix == ".json" else trusted_files.toml(text)
    except trusted_files.UntrustedFile as error:
        if b"windows" not in raw or not _MEANT.search(raw.decode(errors="replace")):
            _strange(path)
        raise InvalidArgument(trusted_files.told(path, error)) from None
    if not meant or not document.is_document(value):
        _strange(path)
    try:
        return document.read(value)
    except InvalidArgument as error:
        raise InvalidArgument(f"{clean(str(path), 4096)}: {error}") from None


def is_layout(path: Path) -> bool:
    """Whether a file means to be a layout, right or wrong. Raises OSError, or Unfit for what is not read at all."""
    return _MEANT.search(trusted_files.content(path, SIZE_LIMIT).decode(errors="replace")) is not None


def _strange(path: Path) -> NoReturn:
    raise InvalidArgument(f"{clean(str(path), 4096)}: is not a layout file; it lists no [[windows]]") from None


def _files(directory: Path) -> list[Path]:
    try:
        names = sorted(os.listdir(directory))
    except OSError:
        return []
    wanted = [name for name in names if name.endswith(ENDINGS) and _NAME.fullmatch(name)]
    return [directory / name for name in wanted[:MAX_LISTED]]
