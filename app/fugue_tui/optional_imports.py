"""Keeps modules from being imported by those that do without them, or without most of them."""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
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


@contextmanager
def replaced(name: str, **attributes: object) -> Generator[None]:
    """Within this context a module that is not imported yet has these attributes at once, and is imported only if
    another of its attributes is used; threads take turns."""
    module = ModuleType(name)

    def load(attribute: str) -> object:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        if sys.modules.get(name) is module:
            del sys.modules[name]
        return getattr(import_module(name), attribute)

    vars(module).update(attributes, __getattr__=load)
    with _changing:
        sys.modules.setdefault(name, module)
        try:
            yield
        finally:
            if sys.modules[name] is module:
                del sys.modules[name]


def deferred(name: str, function: str) -> Callable[..., Any]:
    """A function of a module that is imported when it is called."""

    def call(*args: object, **options: object) -> object:
        return getattr(import_module(name), function)(*args, **options)

    return call
