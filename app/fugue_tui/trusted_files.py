"""Reads and writes hand-written files that decide which programs run.

A file is trusted if no other user could have written it. Reading never blocks on a pipe or a device and never reads
more than a limit; writing is atomic and never follows a link.
"""

import codecs
import os
import re
import stat
from pathlib import Path
from typing import Any, Final

from fugue_tui.sanitize import clean

SIZE_LIMIT: Final = 1 << 20
"""Bytes; a larger file is not read."""

_EXISTS: Final = "is there already and stays as it is"
_LONG_KEY: Final = re.compile(
    r"""(?:^|[\[{,])[ \t]*(?:(?:[\w-]{1,64}|"[^"\n]{0,64}"|'[^'\n]{0,64}')[ \t]*\.[ \t]*){32}""", re.M
)
"""A dotted key of 32 or more parts, for which the standard library needs quadratic time."""


class UntrustedFile(ValueError):
    """A file that is refused, and why; `place` is `:line` or `:line:column`, or empty for the whole file."""

    def __init__(self, reason: str, place: str = "") -> None:
        super().__init__(reason)
        self.place = place


def content(file: Path, limit: int = SIZE_LIMIT) -> bytes:
    """The bytes of a file. Raises OSError, or UntrustedFile for one that is too large, not regular, or writable by
    others."""
    handle = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if fault := _fault(os.fstat(handle), limit):
            raise UntrustedFile(fault)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(limit)
    finally:
        os.close(handle)


def text(file: Path, limit: int = SIZE_LIMIT) -> str:
    """The text of a file. Raises OSError, or UntrustedFile."""
    return decoded(content(file, limit))


def decoded(raw: bytes) -> str:
    """Decode UTF-8 without a byte order mark. Raises UntrustedFile with the line that is not UTF-8."""
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UntrustedFile("not UTF-8", f":{line}") from None


def describe(name: str | Path, error: OSError | ValueError) -> str:
    """The error message for a file: `layout.toml:3:5: Invalid value`."""
    place = error.place if isinstance(error, UntrustedFile) else ""
    return f"{clean(str(name), 4096)}{place}: {getattr(error, 'strerror', None) or clean(str(error))}"


def toml(written: str) -> dict[str, Any]:
    """Parse TOML text. Raises UntrustedFile."""
    import tomllib

    if found := _LONG_KEY.search(written):
        raise UntrustedFile("a key of more than 32 parts", f":{written.count(chr(10), 0, found.end()) + 1}")
    try:
        return tomllib.loads(written)
    except RecursionError:
        raise UntrustedFile("nested too deeply") from None
    except ValueError as error:
        raise _placed(written, str(error)) from None


def json(written: str) -> Any:
    """Parse JSON text. Raises UntrustedFile."""
    from json import JSONDecodeError, loads

    try:
        return loads(written)
    except JSONDecodeError as error:
        raise UntrustedFile(error.msg, f":{error.lineno}:{error.colno}") from None
    except (ValueError, RecursionError):
        raise UntrustedFile("nested too deeply, or a number too long") from None


def write(file: Path, written: str, *, overwrite: bool = False, mode: int = 0o666) -> None:
    """Write a file atomically; `mode` is reduced by the umask. Raises OSError, or UntrustedFile if a file exists
    that must not be replaced, or a link made by another user is in the path."""
    if fault := _place_fault(file, overwrite):
        raise UntrustedFile(fault)
    draft = file.with_name(f".{file.name[:100]}.{os.urandom(6).hex()}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(draft, flags, mode)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(written.encode())
            stream.flush()
            os.fsync(stream.fileno())
        if overwrite:
            os.replace(draft, file)
        else:
            os.link(draft, file)
    except FileExistsError:
        raise UntrustedFile(_EXISTS) from None
    finally:
        draft.unlink(missing_ok=True)


def _fault(found: os.stat_result, limit: int) -> str:
    if not stat.S_ISREG(found.st_mode):
        return "not a regular file"
    if found.st_uid not in (os.geteuid(), 0):
        return "belongs to another user, who could run programs as you; take it over with chown"
    if found.st_mode & stat.S_IWOTH:
        return "anyone can write to it; chmod o-w mends that"
    if found.st_mode & stat.S_IWGRP and not _is_own_group(found.st_uid, found.st_gid):
        return "a group with others in it can write to it; chmod g-w mends that"
    return f"larger than {limit} bytes" if found.st_size > limit else ""


def _is_own_group(user: int, group: int) -> bool:
    """Whether a group has no member but the user, as the private group that most systems create."""
    import grp
    import pwd

    try:
        owner, found = pwd.getpwuid(user), grp.getgrgid(group)
    except KeyError:
        return False
    return owner.pw_gid == group and found.gr_name == owner.pw_name and set(found.gr_mem) <= {owner.pw_name}


def _place_fault(file: Path, overwrite: bool) -> str:
    for place in file.parents:
        if place.is_symlink() and place.lstat().st_uid not in (os.geteuid(), 0):
            return f"{clean(str(place))} is a link that another user made"
    if file.is_symlink():
        return "is a symbolic link; name the file itself"
    if not os.path.lexists(file):
        return ""
    if not file.is_file():
        return "is no file"
    return "" if overwrite else _EXISTS


def _placed(written: str, message: str) -> UntrustedFile:
    """The parser's message (`... (at line 3, column 5)`), split into reason and position."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message, re.DOTALL)
    if not found:
        return UntrustedFile(message)
    lines = written.split("\n")
    line, column = (found[2], found[3]) if found[2] else (len(lines), len(lines[-1]) + 1)
    return UntrustedFile(found[1], f":{line}:{column}")
