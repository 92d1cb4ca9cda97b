"""Loads libghostty-vt, the native library that pyghostty ships, without importing pyghostty.

Importing pyghostty parses 3,500 lines of C declarations, which takes 150 ms and 10 MB. `declarations` holds them as
cffi writes them after parsing, which needs no compiler and loads in half a millisecond. It is valid for the pyghostty
from which it was made; those of any other are parsed.
"""

import importlib.util
import os
import zlib
from contextlib import suppress
from functools import cache
from io import StringIO
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Callable

    from fugue_tui.terminal.ghostty.declarations import (
        FFI,
        FuguePoint,
        FugueScroll,
        GhosttyGridRef,
        GhosttyTerminal,
        GhosttyTrackedGridRef,
        Lib,
        Pointer,
    )

_DECLARATIONS: Final = """
typedef struct { uint16_t x; uint32_t y; uint64_t _pad; } FuguePointValue;
typedef struct { GhosttyPointTag tag; FuguePointValue value; } FuguePoint;
typedef struct { int64_t delta; uint64_t _pad; } FugueScrollValue;
typedef struct { GhosttyTerminalScrollViewportTag tag; FugueScrollValue value; } FugueScroll;
"""
"""Structs laid out like the two tagged unions that are passed by value: cffi cannot pass a union."""


class Binding(Struct, frozen=True, eq=False):
    """The library: `ffi` makes C values, `lib` holds functions and constants, and three functions take twins."""

    ffi: "FFI"
    lib: "Lib"
    grid_ref: "Callable[[GhosttyTerminal, FuguePoint, GhosttyGridRef], int]"
    scroll_viewport: "Callable[[GhosttyTerminal, FugueScroll], None]"
    track: "Callable[[GhosttyTerminal, FuguePoint, Pointer[GhosttyTrackedGridRef]], int]"


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


def _declarations(source: str) -> "FFI":
    with open(source, "rb") as file:
        text = file.read()
    with suppress(ImportError):  # Also raised by a cffi that reads another form.
        from fugue_tui.terminal.ghostty import declarations

        if zlib.crc32(text) == declarations.SOURCE:
            return declarations.ffi
    names: dict[str, FFI] = {}
    exec(emit(text), names)
    return names["ffi"]


def emit(text: bytes) -> str:
    """The Python module that cffi makes of pyghostty's declarations and the twins. Raises ImportError for others."""
    from cffi import FFI

    names: dict[str, str] = {}
    exec(text, names)
    ffi = FFI()
    ffi.cdef(names["CDEF"])
    ffi.cdef(_DECLARATIONS)
    for twin, real in (("FuguePoint", "GhosttyPoint"), ("FugueScroll", "GhosttyTerminalScrollViewport")):
        if (ffi.sizeof(twin), ffi.alignof(twin)) != (ffi.sizeof(real), ffi.alignof(real)):
            raise ImportError(f"{real} of this pyghostty has an unknown layout")
    ffi.set_source("fugue_ghostty", None, compiler_verbose=0)
    module = StringIO()
    ffi.emit_python_code(module)  # pyright: ignore[reportArgumentType]
    return module.getvalue()
