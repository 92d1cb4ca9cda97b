"""Starts a program on a terminal by posix_spawn(3), which copies no page tables: a fork of a large process takes 10 ms.

Only what `os.posix_spawn` has, and a directory, which it lacks; reports no reasons for failures.
"""

import ctypes
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Final

_SETSIGDEF: Final = 0x04
_SETSIGMASK: Final = 0x08
_SETSID: Final = 0x80
_OPAQUE: Final = 1024
"""Bytes of a buffer for any of the C library's structures, of which the largest has 336 (spawn.h)."""


@cache
def is_available() -> bool:
    """Whether the C library can start a program in another directory: glibc 2.29, musl 1.1.24."""
    return sys.platform == "linux" and hasattr(_library(), "posix_spawn_file_actions_addchdir_np")


def spawn(
    path: str, argv: Sequence[str], env: Mapping[str, str], directory: str, tty: str, kept: Collection[int] = ()
) -> int:
    """Start a program in a session of its own on the terminal `tty`, with default signals and, beside the terminal, no
    descriptors but those `kept`; its pid. Raises OSError or ValueError if it does not start."""
    words = [os.fsencode(word) for word in argv]
    variables = [os.fsencode(f"{name}={value}") for name, value in env.items()]
    if any(b"\0" in text for text in (*words, *variables)) or any("=" in name[1:] or not name for name in env):
        raise ValueError("an argument or a variable that no program can get")
    libc, actions, attributes = _library(), _buffer(), _buffer()
    pid = ctypes.c_int()
    _check(libc.posix_spawn_file_actions_init, actions)
    _check(libc.posix_spawnattr_init, attributes)
    try:
        _set_attributes(libc, attributes)
        _add_actions(libc, actions, directory, tty, kept)
        lists = (_list(words), _list(variables))
        _check(libc.posix_spawn, ctypes.byref(pid), os.fsencode(path), actions, attributes, *lists)
    finally:
        libc.posix_spawnattr_destroy(attributes)
        libc.posix_spawn_file_actions_destroy(actions)
    return pid.value


def _set_attributes(libc: ctypes.CDLL, attributes: ctypes.Array[ctypes.c_char]) -> None:
    every, none = _buffer(), _buffer()
    libc.sigfillset(every)
    libc.sigemptyset(none)
    _check(libc.posix_spawnattr_setsigdefault, attributes, every)
    _check(libc.posix_spawnattr_setsigmask, attributes, none)
    _check(libc.posix_spawnattr_setflags, attributes, ctypes.c_short(_SETSIGDEF | _SETSIGMASK | _SETSID))


def _add_actions(
    libc: ctypes.CDLL, actions: ctypes.Array[ctypes.c_char], directory: str, tty: str, kept: Collection[int]
) -> None:
    """What the child does before its exec: the first terminal that the leader of a session opens controls it."""
    _check(libc.posix_spawn_file_actions_addopen, actions, 0, os.fsencode(tty), os.O_RDWR, 0)
    for fd in (1, 2):
        _check(libc.posix_spawn_file_actions_adddup2, actions, 0, fd)
    for fd in _inheritable() - set(kept):
        _check(libc.posix_spawn_file_actions_addclose, actions, fd)
    for fd in kept:
        _check(libc.posix_spawn_file_actions_adddup2, actions, fd, fd)  # This clears close-on-exec.
    _check(libc.posix_spawn_file_actions_addchdir_np, actions, os.fsencode(directory))


def _inheritable() -> set[int]:
    """The descriptors that programs would inherit, without the first three."""
    found = set[int]()
    for fd in map(int, os.listdir("/proc/self/fd")):
        with suppress(OSError):  # That of the listing itself is closed by now.
            if fd > 2 and os.get_inheritable(fd):
                found.add(fd)
    return found


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(None)


def _buffer() -> ctypes.Array[ctypes.c_char]:
    return ctypes.create_string_buffer(_OPAQUE)


def _list(texts: Sequence[bytes]) -> ctypes.Array[ctypes.c_char_p]:
    return (ctypes.c_char_p * (len(texts) + 1))(*texts, None)


def _check(call: Callable[..., int], *arguments: object) -> None:
    if number := call(*arguments):
        raise OSError(number, os.strerror(number))
