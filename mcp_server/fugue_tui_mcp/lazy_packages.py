"""Imports modules of a package without its initializer, which may import far more than they need.

The initializers of the MCP SDK import its clients, its HTTP servers and OAuth: 12 MiB that no workspace uses.
"""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType


class LazyPackage(ModuleType):
    """A package whose initializer runs at the first access to a name that it lacks."""

    def __getattr__(self, name: str) -> object:
        spec = self.__spec__
        if name.startswith("__") or spec is None or spec.loader is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        object.__setattr__(self, "__class__", ModuleType)
        spec.loader.exec_module(self)
        return getattr(self, name)


def declare(*names: str) -> None:
    """Make packages lazy unless they are imported already; outer packages come first."""
    for name in names:
        if name in sys.modules or (spec := find_spec(name)) is None:
            continue
        package = sys.modules[name] = module_from_spec(spec)
        package.__class__ = LazyPackage
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, package)
