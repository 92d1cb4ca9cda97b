"""Programs that save again and again until something happens to them, for the tests of the store."""

import os
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.store.store_contents import put

from fugue_tui.store.store import Store

TAIL = """
import os, signal, sys
from fugue_tui.errors import SaveError
from fugue_tui.store.store import Store
store, text = Store(sys.argv[1]), b"hello " * 2_000
def put(number, name="main"):
    with store.saving() as saving:
        digest = saving.keep(text + b"%d" % number)
        saving.put("auto", name, {"version": 1, "head": {"n": number}, "texts": [digest], "n": number})
"""


def run(code: str, root: str, *more: str, before: Callable[[], None] | None = None) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", TAIL + code, root, *more]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=before)


CALLS = ("open", "mkdir", "write", "fsync", "rename", "link", "unlink", "fchmod", "listdir")


@contextmanager
def at_call(number: int, act: Callable[[], None], calls: list[str]) -> Generator[None, None, None]:
    """Do something before the system call of that number, counted from 1, of those that can change anything."""
    real = {name: getattr(os, name) for name in CALLS}

    def wrapped(name: str) -> Callable[..., Any]:
        def call(*args: Any, **options: Any) -> Any:
            calls.append(name)
            if len(calls) == number:
                act()
            return real[name](*args, **options)

        return call

    with pytest.MonkeyPatch.context() as patch:
        for name in CALLS:
            patch.setattr(os, name, wrapped(name))
        yield


def calls_of_a_put(root: Path) -> list[str]:
    store, calls = Store(root), list[str]()
    for number in (1, 2, 3):
        put(store, number)
    with at_call(0, lambda: None, calls):
        put(store, 4)
    return calls
