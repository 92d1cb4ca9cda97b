"""Writes of programs to the clipboard (OSC 52): refused, asked about or passed on, as `[terminal] clipboard` says."""

import time
import unicodedata
from collections.abc import Callable
from typing import Final

from fugue_tui.control.core.confirmation import count, owned_pane_words
from fugue_tui.control.core.deferred import spawn
from fugue_tui.errors import CommandError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.approvals import Question
from fugue_tui.multiplexer.access.grants import Grantee, Scope
from fugue_tui.multiplexer.clipboard import Copied, CopySource
from fugue_tui.sanitize import clean, quoted, visible
from fugue_tui.tui.app_context import ServerContext
from fugue_tui.tui.ui.messages import Messages

EFFECT: Final = "set-clipboard"
"""What the user grants, among the effects of commands."""
SHOWN: Final = 200
"""Characters of a text that the question shows."""


class ProgramClipboard:
    """Judges and passes on the writes. Main thread only."""

    def __init__(self, app: ServerContext, alerts: Callable[[], Messages], copy: Callable[[str], None]) -> None:
        """`alerts` gives the messages that are shown; `copy` sets the clipboard."""
        self._app, self._alerts, self._copy = app, alerts, copy
        self._asked = set[PaneId]()

    def write(self, pane: PaneId, text: str) -> None:
        """A program writes to the clipboard; only that of the focused pane may."""
        setting = self._app.settings.terminal.clipboard
        if setting == "off" or pane != self._app.mux.focused:
            return
        if any(unicodedata.category(char) == "Cc" and char not in "\t\n" for char in text):
            self._alerts().show_lasting(f"{pane} was refused to copy a text with control characters")
        elif setting == "on" or self._is_granted(pane):
            self._pass_on(pane, text, hidden=self._app.mux.terminal(pane).hides_input)
        elif pane not in self._asked:
            spawn(self._ask(pane, text, hidden=self._app.mux.terminal(pane).hides_input))

    async def _ask(self, pane: PaneId, text: str, *, hidden: bool) -> None:
        mux = self._app.mux
        terminal = mux.terminal(pane)
        more = f" [... {len(text) - SHOWN} more characters]" if len(text) > SHOWN else ""
        question = Question(
            grantee=self._grantee(pane),
            effects=frozenset((EFFECT,)),
            panes=(pane,),
            what=f"{count(len(text), 'character')}: {visible(text[:SHOWN])}{more}",
            where=owned_pane_words(mux, pane),
            scopes=(Scope.ONCE, Scope.PANE),
            title="a program asks",
        )
        self._asked.add(pane)
        try:
            await mux.approvals.ask(question, mux.permissions.ask_seconds, lambda: not self._is_granted(pane))
        except CommandError:
            return  # It was denied, or not answered.
        finally:
            self._asked.discard(pane)
        if mux.terminals.get(pane) is terminal:
            self._pass_on(pane, text, hidden=hidden)

    def _pass_on(self, pane: PaneId, text: str, *, hidden: bool) -> None:
        """Set the clipboard; the history leaves out what was copied while the terminal hid what is typed."""
        self._copy(text)
        if not hidden:
            self._app.mux.clipboard.add(Copied(text, CopySource.PROGRAM, pane, time.time()))
        self._alerts().show_lasting(f"{pane} copied {count(len(text), 'character')}: {clean(text, 60)}")

    def _is_granted(self, pane: PaneId) -> bool:
        return self._app.mux.grants.covering(self._grantee(pane), EFFECT, (pane,)) is not None

    def _grantee(self, pane: PaneId) -> Grantee:
        terminal = self._app.mux.terminals.get(pane)
        program = clean(terminal.foreground, 16) if terminal is not None else ""
        return Grantee(str(pane), "", f"{quoted(program) if program else 'a program'} in {pane}")
