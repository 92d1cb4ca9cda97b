"""Loads libghostty-vt, the native library that pyghostty ships, without importing pyghostty.

Importing pyghostty parses 3,500 lines of C declarations, which takes 150 ms and 10 MB. The same declarations, parsed
once and kept in the person's cache directory as compiled Python, load in a millisecond. The file is keyed by pyghostty,
cffi and Python; whatever is wrong with it, the slow way still works.
"""

# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

import importlib.util
import marshal
import os
import stat
import sys
import zlib
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from io import StringIO
from typing import Any, Final

_TWINS: Final = """
typedef struct { uint16_t x; uint32_t y; uint64_t _pad; } FuguePointValue;
typedef struct { GhosttyPointTag tag; FuguePointValue value; } FuguePoint;
typedef struct { int64_t delta; uint64_t _pad; } FugueScrollValue;
typedef struct { GhosttyTerminalScrollViewportTag tag; FugueScrollValue value; } FugueScroll;
"""
"""Structs laid out like the two tagged unions that are passed by value: cffi cannot pass a union."""


@dataclass(frozen=True, slots=True, eq=False)
class Binding:
    """The library: `ffi` makes C values, `lib` holds functions and constants, and three functions take twins."""

    ffi: Any
    lib: Any
    grid_ref: Any
    scroll_viewport: Any
    track: Any


@cache
def load() -> Binding:
    """The library, loaded once. Raises OSError or ImportError where there is none for this machine."""
    package = _package()
    library = _library(package)
    ffi = _declarations(os.path.join(package, "_cdef.py"))
    lib = ffi.dlopen(library)
    return Binding(
        ffi,
        lib,
        ffi.cast(
            "GhosttyResult(*)(GhosttyTerminal, FuguePoint, GhosttyGridRef *)",
            ffi.addressof(lib, "ghostty_terminal_grid_ref"),
        ),
        ffi.cast(
            "void(*)(GhosttyTerminal, FugueScroll)",
            ffi.addressof(lib, "ghostty_terminal_scroll_viewport"),
        ),
        ffi.cast(
            "GhosttyResult(*)(GhosttyTerminal, FuguePoint, GhosttyTrackedGridRef *)",
            ffi.addressof(lib, "ghostty_terminal_grid_ref_track"),
        ),
    )


def _package() -> str:
    spec = importlib.util.find_spec("pyghostty")
    if spec is None or not spec.submodule_search_locations:
        raise ImportError("pyghostty is not installed")
    return spec.submodule_search_locations[0]


def _library(package: str) -> str:
    if named := os.environ.get("PYGHOSTTY_LIB"):
        return named
    for suffix in (".dylib", ".so", ".dll"):
        if os.path.exists(path := os.path.join(package, "_lib", f"libghostty-vt{suffix}")):
            return path
    raise OSError(f"no libghostty-vt in {package}/_lib")


def _declarations(source: str) -> Any:
    kept = _cache_file(source)
    if kept is not None and (code := _read(kept)) is not None:
        return _run(code)
    code = marshal.dumps(compile(_parse(source), source, "exec"))
    if kept is not None:
        _keep(code, kept)
    return _run(code)


def _run(code: bytes) -> Any:
    names: dict[str, Any] = {}
    exec(marshal.loads(code), names)
    return names["ffi"]


def _parse(source: str) -> str:
    from cffi import FFI

    names: dict[str, Any] = {}
    with open(source, "rb") as file:
        exec(compile(file.read(), source, "exec"), names)
    ffi = FFI()
    ffi.cdef(names["CDEF"])
    ffi.cdef(_TWINS)
    for twin, real in (("FuguePoint", "GhosttyPoint"), ("FugueScroll", "GhosttyTerminalScrollViewport")):
        if (ffi.sizeof(twin), ffi.alignof(twin)) != (ffi.sizeof(real), ffi.alignof(real)):
            raise ImportError(f"{real} of this pyghostty has an unknown layout")
    ffi.set_source("fugue_ghostty", None, compiler_verbose=0)
    module = StringIO()
    ffi.emit_python_code(module)  # pyright: ignore[reportArgumentType]
    return module.getvalue()


def _cache_file(source: str) -> str | None:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    if not os.path.isabs(base):
        return None
    import _cffi_backend

    about = os.stat(source)
    key = f"{source} {about.st_size} {about.st_mtime_ns} {_cffi_backend.__version__} {_TWINS} {sys.version}"
    return os.path.join(base, "fugue-tui", f"ghostty-{zlib.crc32(key.encode()):08x}.bin")


def _read(path: str) -> bytes | None:
    """What `_keep` wrote, if nobody else can have written it and it is whole."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    with os.fdopen(fd, "rb") as file:
        if not (_ours(os.fstat(fd)) and _ours(os.lstat(os.path.dirname(path)))):
            return None
        data = file.read()
    code = data[4:]
    return code if code and data[:4] == zlib.crc32(code).to_bytes(4, "big") else None


def _ours(about: os.stat_result) -> bool:
    return about.st_uid == os.geteuid() and not stat.S_IMODE(about.st_mode) & 0o022 and not stat.S_ISLNK(about.st_mode)


def _keep(code: bytes, path: str) -> None:
    with suppress(OSError):
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        part = f"{path}.{os.getpid()}"
        fd = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(zlib.crc32(code).to_bytes(4, "big") + code)
            os.replace(part, path)
        except OSError:
            os.unlink(part)
