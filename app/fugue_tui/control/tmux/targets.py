"""Resolves tmux's targets: `%3`, `@2`, `$0`, `session:window.pane`, indexes, names and a few words.

Windows and panes are numbered from 0 or another base, a session by its place among the sessions. Source: tmux(1).
"""

from collections.abc import Sequence
from typing import TypeVar

from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.target import window_in
from fugue_tui.control.tmux.arguments import whole
from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.workspace.model import Window

T = TypeVar("T")


class Targets:
    """The targets of one caller."""

    def __init__(self, mux: Multiplexer, origin: Origin, base: int = 0) -> None:
        self._mux, self._origin = mux, origin
        self.base = base
        """The index of the first window of a session, and of the first pane of a window."""

    @property
    def sessions(self) -> tuple[str, ...]:
        """The names of the sessions, in the order of their numbers."""
        return tuple(dict.fromkeys(window.session for window in self._mux.workspace.windows))

    def windows(self, session: str) -> list[Window]:
        """The windows of a session, in the order of their indexes."""
        return [window for window in self._mux.workspace.windows if window.session == session]

    def session_id(self, session: str) -> str:
        """A session's number, such as $0."""
        return f"${self.sessions.index(session)}"

    def pane(self, word: str = "") -> PaneId:
        """The pane of a target; empty for the caller's. Raises NotFound."""
        word = word.removeprefix("=")
        if word.startswith("%"):
            return self._by_id(word)
        if word in ("", "."):
            return self._own()
        if word in ("!", "{last}"):
            return self._known(self._mux.last_pane, word)
        session, colon, rest = word.rpartition(":")
        window, dot, pane = rest.rpartition(".")
        if colon or dot:
            place = f"{session}{colon}{window}" if dot else word
            return self._in(self.window(place), pane if dot else "", word)
        inside = list(panes(self._mux.window_of(self._own()).layout))
        if (found := self._nth(inside, word)) is not None:
            return found
        try:
            return self.window(word).active
        except NotFound:
            raise NotFound(f"can't find pane: {clean(word, 60)}") from None

    def window(self, word: str = "") -> Window:
        """The window of a target; empty for the caller's. Raises NotFound."""
        word = word.removeprefix("=")
        if word.startswith("%"):
            return self._mux.window_of(self.pane(word))
        session, colon, rest = word.rpartition(":")
        here = self.session(session) if session else self._mux.window_of(self._own()).session
        found = self.windows(here)
        if rest.startswith("@"):
            found = [window for window in self._mux.workspace.windows if str(window.id) == rest]
            return self._one(found, word)
        if rest.removeprefix("=") == "":
            return window_in(self._mux.workspace, here)
        if rest.isdecimal():
            nth = self._nth(found, rest)
            return self._one([nth] if nth else [], word)
        named = [window for window in found if self._mux.window_name(window) == rest.removeprefix("=")]
        if not named and not colon and (rest in self.sessions or rest.startswith("$")):
            return window_in(self._mux.workspace, self.session(rest))
        return self._one(named, word)

    def session(self, word: str = "") -> str:
        """The name of a target's session; empty for the caller's. Raises NotFound."""
        name = word.removesuffix(":").removeprefix("=")
        if not name:
            return self._mux.window_of(self._own()).session
        if name.startswith("$") and (number := whole(name[1:])) is not None and number < len(self.sessions):
            return self.sessions[number]
        if name.startswith(("%", "@")):
            return self.window(name).session
        if name in self.sessions:
            return name
        raise NotFound(f"can't find session: {clean(name, 60)}")

    def _own(self) -> PaneId:
        pane = self._origin.pane if self._origin.pane in self._mux.workspace.panes else self._mux.focused
        if pane is None:
            raise NotFound("no current target")
        return pane

    def _by_id(self, word: str) -> PaneId:
        pane = PaneId(word[1:]) if whole(word[1:]) is not None else None
        return self._known(pane, word)

    def _known(self, pane: PaneId | None, word: str) -> PaneId:
        if pane is None or pane not in self._mux.workspace.panes:
            raise NotFound(f"can't find pane: {clean(word, 60)}")
        return pane

    def _in(self, window: Window, pane: str, word: str) -> PaneId:
        if not pane:
            return window.active
        if pane.startswith("%"):
            return self._by_id(pane)
        inside = list(panes(window.layout))
        return self._known(self._nth(inside, pane), word)

    def _nth(self, found: Sequence[T], index: str) -> T | None:
        """The one with that index; None if it is none."""
        number = whole(index)
        at = -1 if number is None else number - self.base
        return found[at] if 0 <= at < len(found) else None

    def _one(self, found: list[Window], word: str) -> Window:
        if not found:
            raise NotFound(f"can't find window: {clean(word, 60)}")
        return found[0]
