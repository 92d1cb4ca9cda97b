"""Files of texts: named by the digest of their content, compressed, and verified when they are read.

A header (magic, digest of the text, its length, the length of the payload), then a zlib stream.
"""

import struct
import zlib
from hashlib import blake2b
from typing import Final

from fugue_tui.errors import SaveError
from fugue_tui.store.private_dir import Damaged

LARGEST: Final = 1 << 28
"""Most bytes of a text."""
LARGEST_FILE: Final = LARGEST + (LARGEST >> 10) + 1024
"""Most bytes of its file: incompressible data grows slightly."""

_HEAD: Final = struct.Struct(">8s20sQQ")
_MAGIC: Final = b"FugueTx1"
_LEVEL: Final = 1


def digest_of(data: bytes) -> str:
    """The digest that names a text."""
    return blake2b(data, digest_size=20).hexdigest()


def pack(digest: str, data: bytes) -> tuple[bytes, bytes]:
    """The header and the payload of a text's file."""
    packed = zlib.compress(data, _LEVEL)
    return _HEAD.pack(_MAGIC, bytes.fromhex(digest), len(data), len(packed)), packed


def unpack(digest: str, file: bytes, path: str, limit: int = LARGEST) -> bytes:
    """The text of a file. Raises Damaged, or SaveError if it has more bytes than allowed; never inflates past that."""
    if len(file) < _HEAD.size:
        raise Damaged(path, "is cut short")
    magic, inner, length, packed = _HEAD.unpack_from(file)
    if magic != _MAGIC or len(file) != _HEAD.size + packed:
        raise Damaged(path, "is no whole text")
    if inner.hex() != digest:
        raise Damaged(path, "holds another text than its name declares")
    if length > limit:
        raise SaveError(f"{path}: the text has {length} bytes, {limit} are allowed; raise session.history_kib")
    data = _decompressed(memoryview(file)[_HEAD.size :], length, path)
    if digest_of(data) != digest:
        raise Damaged(path, "is not what was written there (its checksum is wrong)")
    return data


def _decompressed(packed: memoryview, length: int, path: str) -> bytes:
    stream = zlib.decompressobj()
    try:
        data = stream.decompress(packed, length + 1)
    except zlib.error:
        raise Damaged(path, "cannot be decompressed") from None
    if len(data) != length or not stream.eof or stream.unused_data:
        raise Damaged(path, "has another length than declared")
    return data
