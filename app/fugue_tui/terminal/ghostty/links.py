"""Reads the targets of OSC 8 links, which only the terminal itself knows."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from collections.abc import Sequence
from typing import Any, Final

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.screen.spans import spans

LINK_LIMIT: Final = 2_083
"""Bytes of a link's target; a longer one is no link."""


class LinkReader:
    """The links of one terminal's viewport."""

    def __init__(self, binding: Binding, terminal: Any) -> None:
        self._ffi, self._lib, self._grid_ref = binding.ffi, binding.lib, binding.grid_ref
        self._terminal = terminal
        self._point = self._ffi.new("FuguePoint *", {"tag": self._lib.GHOSTTY_POINT_TAG_VIEWPORT})
        self._ref = self._ffi.new("GhosttyGridRef *", {"size": self._ffi.sizeof("GhosttyGridRef")})
        self._length = self._ffi.new("size_t *")

    def read(self, y: int, columns: Sequence[int]) -> dict[int, str]:
        """The targets in row `y`, by column; `columns` are those that carry a link, ascending.

        Asking for every cell would take longer than drawing it: neighbours that begin and end in one link are one link.
        """
        buffer = self._ffi.new("uint8_t[]", LINK_LIMIT)
        found: dict[int, str] = {}
        for first, count in spans(columns):
            target, last = self._target(first, y, buffer), self._target(first + count - 1, y, buffer)
            for x in range(first, first + count):
                found[x] = target if target == last else self._target(x, y, buffer)
        return {x: target for x, target in found.items() if target}

    def _target(self, x: int, y: int, buffer: Any) -> str:
        self._point.value.x, self._point.value.y = x, y
        if self._grid_ref(self._terminal, self._point[0], self._ref):
            return ""
        if self._lib.ghostty_grid_ref_hyperlink_uri(self._ref, buffer, LINK_LIMIT, self._length):
            return ""
        return self._ffi.buffer(buffer, self._length[0])[:].decode("utf-8", "replace")
