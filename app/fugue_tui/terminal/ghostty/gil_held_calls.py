"""Calls of the engine that are too short to let go of the interpreter's lock.

cffi lets it go around every call, in every mode. Beside a busy thread each call may then wait for a switch interval to
get it back, and a frame makes dozens: reading one was measured to take 1.8 ms in the mean and 57 ms in the 99th
percentile; with the lock held 0.4 and 11. These are the same functions through ctypes. None may block or run long.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Final, TypeAlias

from fugue_tui.terminal.ghostty.binding import Binding

_POINTER: Final = ctypes.c_void_p
_INT: Final = ctypes.c_int
_SIZE: Final = ctypes.c_size_t
_BOOL: Final = ctypes.c_bool
Call: TypeAlias = Callable[..., int]
"""Takes numbers, and addresses as numbers."""
Kind: TypeAlias = type[ctypes.c_void_p | ctypes.c_int | ctypes.c_size_t | ctypes.c_uint64 | ctypes.c_bool]


class GilHeldCalls:
    """The functions; pointers go in as the integers that `at` gives."""

    def __init__(self, binding: Binding) -> None:
        self._binding = binding
        self.terminal_get = self._call("ghostty_terminal_get", _INT, _POINTER, _INT, _POINTER)
        state, row = "ghostty_render_state", "ghostty_render_state_row"
        self.begin_update = self._call(f"{state}_begin_update", _INT, _POINTER, _POINTER)
        self.end_update = self._call(f"{state}_end_update", _INT, _POINTER)
        self.clean = self._call(f"{state}_clean", _INT, _POINTER)
        self.state_get = self._call(f"{state}_get", _INT, _POINTER, _INT, _POINTER)
        self.row_next = self._call(f"{row}_iterator_next", _BOOL, _POINTER)
        self.row_next_dirty = self._call(f"{row}_iterator_next_dirty", _BOOL, _POINTER, _POINTER)
        self.row_get = self._call(f"{row}_get", _INT, _POINTER, _INT, _POINTER)
        self.format = self._call("ghostty_formatter_format_buf", _INT, _POINTER, _POINTER, _SIZE, _POINTER)
        self.formatter_free = self._call("ghostty_formatter_free", None, _POINTER)
        self.grid_ref_cell = self._call("ghostty_grid_ref_cell", _INT, _POINTER, _POINTER)
        self.grid_ref_row = self._call("ghostty_grid_ref_row", _INT, _POINTER, _POINTER)
        self.grid_row_get = self._call("ghostty_row_get", _INT, ctypes.c_uint64, _INT, _POINTER)
        self.cell_get = self._call("ghostty_cell_get", _INT, ctypes.c_uint64, _INT, _POINTER)
        self.encoder_follow = self._call("ghostty_key_encoder_setopt_from_terminal", None, _POINTER, _POINTER)
        self.encode = self._call("ghostty_key_encoder_encode", _INT, _POINTER, _POINTER, _POINTER, _SIZE, _POINTER)

    def formatter_new(self, options: ctypes.Structure) -> Call:
        """`ghostty_formatter_terminal_new` for options that are passed by value; `options` is their buffer."""
        return self._call("ghostty_formatter_terminal_new", _INT, _POINTER, _POINTER, _POINTER, type(options))

    def grid_ref(self, point: ctypes.Structure) -> Call:
        """`ghostty_terminal_grid_ref` for a point that is passed by value; `point` is its buffer."""
        return self._call("ghostty_terminal_grid_ref", _INT, _POINTER, type(point), _POINTER)

    def _call(self, name: str, result: Kind | None, *kinds: Kind | type[ctypes.Structure]) -> Call:
        ffi, lib = self._binding.ffi, self._binding.lib
        return _prototype(result, *kinds)(int(ffi.cast("uintptr_t", ffi.addressof(lib, name))))

    def at(self, pointer: object) -> int:
        """The address that a cffi pointer holds; the caller keeps the pointer alive."""
        return int(self._binding.ffi.cast("uintptr_t", pointer))

    def by_value(self, pointer: object) -> ctypes.Structure:
        """A struct of more than 16 bytes that cffi owns, shared with ctypes so that it can be passed by value."""
        buffer = self._binding.ffi.buffer(pointer)
        return _opaque(len(buffer)).from_buffer(buffer)


@cache
def _prototype(result: Kind | None, *kinds: Kind | type[ctypes.Structure]) -> Callable[[int], Call]:
    """A kind of function, made once: making one takes over half a millisecond, which every new pane would pay twice."""
    return ctypes.PYFUNCTYPE(result, *kinds)


@cache
def _opaque(size: int) -> type[ctypes.Structure]:
    """A struct of that many bytes with the alignment of a pointer."""
    if size <= 16 or size % 8:
        raise ImportError(f"a struct of {size} bytes cannot be passed as a block")
    return type("Opaque", (ctypes.Structure,), {"_fields_": [("words", ctypes.c_uint64 * (size // 8))]})


@cache
def quick(binding: Binding) -> GilHeldCalls:
    """The calls of a library, made once."""
    return GilHeldCalls(binding)
