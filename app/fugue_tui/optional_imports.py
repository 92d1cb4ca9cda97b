"""Keeps optional modules from being imported by those that do without them."""

import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

_changing: Final = threading.RLock()
"""Held within a context: another thread must not take its end for its own."""


@contextmanager
def without(name: str) -> Generator[None]:
    """Within this context an optional module cannot be imported, unless it is imported already; threads take turns."""
    modules: dict[str, Any] = sys.modules
    with _changing:
        known = name in modules
        modules.setdefault(name, None)
        try:
            yield
        finally:
            if not known:
                del modules[name]
