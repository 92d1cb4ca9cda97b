"""What is shown of MCP servers in panes: results, resources, logs. Main thread only."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.mcp_servers.model import Call, Content

RESULT: Final = "MCP result"
RESOURCE: Final = "MCP resource"
LOG: Final = "MCP log"
TOOLS: Final = "MCP tools"
"""What the user sees over the panes: the palette of tools."""
MOST: Final = 50
"""Results that are kept."""
HEAVIEST: Final = 32_000_000
"""Characters of all results that are kept."""


class Shown(Struct, frozen=True):
    """Something that a server returned, and for what."""

    server: str
    call: Call
    content: Content
    error: str = ""
    """Why it could not be read anew; empty if it could."""


class ShownContents:
    """Results by number, and what panes show by the content of the pane."""

    def __init__(self) -> None:
        self._results: dict[int, Shown] = {}
        self._last = 0
        self.panes: dict[str, Shown] = {}
        """By the content of the pane."""
        self.ends: dict[str, Callable[[], None]] = {}
        """What ends keeping a pane's content up to date, by that content."""
        self.on_change = CallbackList[[str]]()
        """What panes with this content show has changed."""

    def keep(self, server: str, call: Call, content: Content) -> int:
        """Keep a result; its number."""
        self._last += 1
        self._results[self._last] = Shown(server, call, content)
        while len(self._results) > MOST or (len(self._results) > 1 and self._weight() > HEAVIEST):
            del self._results[next(iter(self._results))]
        return self._last

    def result(self, number: int) -> Shown | None:
        """A result; None if it is not kept any more."""
        return self._results.get(number)

    def put(self, pane: str, shown: Shown) -> None:
        """Show something in the panes with this content."""
        if self.panes.get(pane) != shown:
            self.panes[pane] = shown
            self.on_change(pane)

    def end(self, pane: str) -> None:
        """No pane shows this any more."""
        self.panes.pop(pane, None)
        if (end := self.ends.pop(pane, None)) is not None:
            end()

    def _weight(self) -> int:
        return sum(
            len(block.text) + len(block.data) for each in self._results.values() for block in each.content.blocks
        )
