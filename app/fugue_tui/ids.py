"""Pane and window ids.

A pane is written `%3` and a window `@2` in every interface. An id is never reused in the life of a workspace.
"""


class PaneId(int):
    """A pane's number; `str()` gives the written form, such as `%3`."""

    def __str__(self) -> str:
        return f"%{int(self)}"

    def __repr__(self) -> str:
        return f"PaneId({int(self)})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


class WindowId(int):
    """A window's number; `str()` gives the written form, such as `@2`."""

    def __str__(self) -> str:
        return f"@{int(self)}"

    def __repr__(self) -> str:
        return f"WindowId({int(self)})"

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)
