"""Keeps optional modules from being imported by those that do without them."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any


@contextmanager
def without(name: str) -> Generator[None]:
    """Within this context an optional module cannot be imported, unless it is imported already."""
    modules: dict[str, Any] = sys.modules
    absent = modules.setdefault(name, None) is None
    try:
        yield
    finally:
        if absent:
            del modules[name]
