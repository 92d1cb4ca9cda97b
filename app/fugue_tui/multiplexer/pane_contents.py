"""The panes that run no program: Fugue itself shows something in them, such as a table, which also reads as text.

The text is written when somebody is about to read it: a pane that nobody reads costs nothing.
"""

from collections.abc import Callable, Mapping
from typing import Final, Protocol
from weakref import WeakKeyDictionary

from fugue_tui.errors import Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace.model import Workspace

_CLEAR: Final = b"\x1b[?25l\x1b[?7l\x1b[m\x1b[2J\x1b[3J\x1b[H"
_HOME: Final = b"\x1b[H"


class OpenPanes(Protocol):
    """The panes that are open: the multiplexer."""

    @property
    def terminals(self) -> Mapping[PaneId, Terminal]:
        """The terminal of every pane."""
        ...

    @property
    def workspace(self) -> Workspace:
        """The present state."""
        ...


class PaneContents:
    """What is shown in panes that run no program. Main thread only."""

    def __init__(self, mux: OpenPanes) -> None:
        self._mux = mux
        self.texts: dict[str, Callable[[Size], str]] = {}
        """For each content its text for a size: clean lines with a line feed between them, none wider than that."""
        self._written: WeakKeyDictionary[Terminal, tuple[Size, str]] = WeakKeyDictionary()

    def refresh(self, pane: PaneId) -> None:
        """Bring the text of such a pane up to date, before it is read; other panes stay as they are."""
        record, terminal = self._mux.workspace.panes.get(pane), self._mux.terminals.get(pane)
        if record is None or terminal is None or (text_for := self.texts.get(record.content)) is None:
            return
        size = terminal.size
        text = text_for(size)
        if self._written.get(terminal) != (size, text):
            self._written[terminal] = size, text
            with terminal.locked() as screen:
                if not screen.closed:
                    screen.emulator.feed(_CLEAR + text.replace("\n", "\r\n").encode() + _HOME)

    def check_program(self, pane: PaneId) -> None:
        """Raise Refused for a pane that runs no program."""
        record = self._mux.workspace.panes.get(pane)
        if record is not None and record.content:
            raise Refused(f"{pane} shows {record.content} and runs no program; split-pane opens another pane")
