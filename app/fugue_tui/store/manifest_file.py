"""The file of a manifest: three lines, of which the first vouches for the others.

    fugue-tui saved FORMAT DIGEST
    {"version": 1, "generation": 7, "head": {...}, "texts": ["...", ...]}
    {... the rest of the manifest ...}

The digest (BLAKE2b, 20 bytes) is of FORMAT, a newline, and all that follows the first line. Every later format keeps
this first line, which distinguishes a newer file from a damaged one.
"""

import json
import re
from collections.abc import Mapping
from hashlib import blake2b
from types import MappingProxyType
from typing import Annotated, Any, Final, cast

from msgspec import Struct

from fugue_tui.errors import InvalidArgument, SaveError
from fugue_tui.store.private_dir import Damaged
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import TEXT, ListOf, Refined, Table, Unchecked

FORMAT: Final = 1
LARGEST: Final = 1 << 24
"""Bytes of a manifest's file."""
DIGEST: Final = re.compile(r"[0-9a-f]{40}")

_FIRST: Final = re.compile(rb"fugue-tui saved ([0-9]{1,9}) ([0-9a-f]{40})\n")
_KEYS: Final = ("version", "head", "texts")
_DIGEST: Final = Refined(TEXT, lambda text: "" if DIGEST.fullmatch(text) else "is no digest")


class NewerVersion(SaveError):
    """A newer fugue-tui wrote this; it is not modified."""


class Manifest(Struct, frozen=True):
    """The content of a manifest file; the body is parsed on demand."""

    version: int
    """The manifest's own version."""
    generation: int
    """Increases with every file written to an area; clocks may jump."""
    head: Annotated[Mapping[str, Any], Refined(Table(Unchecked()), make=MappingProxyType)]
    texts: Annotated[tuple[str, ...], ListOf(_DIGEST)]
    path: Annotated[str, Unchecked()]
    body: Annotated[bytes, Unchecked()]

    def manifest(self) -> dict[str, Any]:
        """The manifest as it was saved. Raises Damaged if the body is invalid."""
        rest = _object(self.body, self.path)
        return {**rest, "version": self.version, "head": dict(self.head), "texts": list(self.texts)}


def pack(manifest: Mapping[str, Any], generation: int) -> bytes:
    """Serialize a manifest. Raises SaveError if it has no version, is no JSON, or is too large."""
    version, texts = manifest.get("version"), manifest.get("texts", [])
    if type(version) is not int or not isinstance(manifest.get("head", {}), Mapping):
        raise SaveError("what is to be saved has no version or no head")
    first = {"version": version, "generation": generation, "head": manifest.get("head", {}), "texts": list(texts)}
    rest = {key: value for key, value in manifest.items() if key not in _KEYS}
    try:
        lines = b"%b\n%b\n" % (_line(first), _line(rest))
    except (TypeError, ValueError, RecursionError) as error:
        raise SaveError(f"what is to be saved is no JSON: {error}") from None
    data = b"fugue-tui saved %d %b\n%b" % (FORMAT, _digest(FORMAT, lines), lines)
    if len(data) > LARGEST:
        raise SaveError(f"what is to be saved has {len(data)} bytes, {LARGEST} fit; close some panes")
    return data


def unpack(data: bytes, path: str) -> Manifest:
    """Parse a file. Raises Damaged, or NewerVersion if a later fugue-tui wrote it."""
    first = _FIRST.match(data)
    if first is None:
        raise Damaged(path, "is no saved workspace")
    rest = data[first.end() :]
    if _digest(int(first[1]), rest) != first[2]:
        raise Damaged(path, "is not what was written there (its checksum is wrong)")
    if int(first[1]) > FORMAT:
        raise NewerVersion(f"{path}: a newer fugue-tui saved it (format {int(first[1])}); upgrade, or delete it")
    head, _, body = rest.partition(b"\n")
    try:
        return Record(Manifest, closed=False).check({**_object(head, path), "path": path, "body": body}, "")
    except InvalidArgument as error:
        raise Damaged(path, f"is damaged: {error}") from None


def _object(line: bytes, path: str) -> dict[str, Any]:
    try:
        found: object = json.loads(line)
    except (ValueError, RecursionError):
        raise Damaged(path, "holds no JSON") from None
    if not isinstance(found, dict):
        raise Damaged(path, "holds no JSON object")
    return cast(dict[str, Any], found)


def _line(value: Mapping[str, Any]) -> bytes:
    return json.dumps(value, allow_nan=False, separators=(",", ":")).encode()


def _digest(format: int, rest: bytes) -> bytes:
    return blake2b(b"%d\n%b" % (format, rest), digest_size=20).hexdigest().encode()
