"""The user's priority over agents: which panes, layouts and focus agents must leave alone, and for how long.

The user holds a pane for two seconds after the last key, as long as a line is typed but not entered, while the prefix
is pressed, and, once it was taken over, until it is handed over. Agents may always read. Main thread only.
"""

from collections.abc import Callable
from typing import Final, Protocol

from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.author import Author, Kind
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.events.pane_events import PaneReports
from fugue_tui.sanitize import clean
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.workspace import edit, find
from fugue_tui.workspace.model import Workspace

RESERVED_SECONDS: Final = 2.0
"""How long after the user's input a pane is reserved for the user."""
LAYOUT_SECONDS: Final = 5.0
"""How long after a change of a window's layout by hand it is reserved for the user."""
_RETRY: Final = 2_000
"""Milliseconds after which the user may have entered a line, or handed a pane over."""
_PREFIX_RETRY: Final = 500
"""Milliseconds after which the user may have pressed the key after the prefix."""


class LeasedPanes(Protocol):
    """The panes: the multiplexer."""

    terminals: dict[PaneId, Terminal]
    pane_reports: dict[PaneId, PaneReports]

    @property
    def focused(self) -> PaneId | None:
        """The pane that receives the user's keys."""
        ...


class Lease:
    """What the user holds."""

    def __init__(self, mux: LeasedPanes, clock: Callable[[], float]) -> None:
        self._mux, self._clock = mux, clock
        self.on_change = CallbackList[[]]()
        """A pane was taken over or handed over, agents were frozen or released, or another author types."""
        self.on_focus_kept = CallbackList[[PaneId, Author]]()
        """An author wanted the focus for a pane while the user was typing, and did not get it."""
        self._frozen = False
        self._taken: set[PaneId] = set()
        self._key_at = float("-inf")
        self._prefixes: set[int] = set()
        self._layouts: dict[WindowId, float] = {}

    # What the user does

    def key_pressed(self) -> None:
        """The user has pressed a key, for whatever it was."""
        self._key_at = self._clock()

    def typed(self, pane: PaneId) -> None:
        """The user is about to type, paste or click in a pane."""
        reports = self._mux.pane_reports.get(pane)
        if reports is None:
            return
        self._key_at = now = self._clock()
        log = reports.input
        first, log.typed_at = log.is_last_other(), now
        if first:
            self.on_change()

    def prefix(self, client: int, *, pressed: bool) -> None:
        """A client has pressed the prefix, or the key after it."""
        (self._prefixes.add if pressed else self._prefixes.discard)(client)

    def take(self, pane: PaneId) -> None:
        """Refuse agents' input to a pane until it is handed over."""
        self._taken.add(pane)
        self.on_change()

    def hand_over(self, pane: PaneId) -> None:
        """Let agents type into a pane, even after what the user has typed there."""
        self._taken.discard(pane)
        reports, terminal = self._mux.pane_reports.get(pane), self._mux.terminals.get(pane)
        if reports is not None and terminal is not None:
            reports.input.hand_over(terminal.sent.count)
        self.on_change()

    def settle(self, pane: PaneId) -> None:
        """What the user has typed in a pane was read: the program has answered it, so it is no line that is left."""
        reports, terminal = self._mux.pane_reports.get(pane), self._mux.terminals.get(pane)
        if reports is not None and terminal is not None:
            reports.input.own_count = terminal.sent.count

    def is_taken(self, pane: PaneId) -> bool:
        """Whether the user has taken a pane over."""
        return pane in self._taken

    @property
    def frozen(self) -> bool:
        """Whether all input of agents is refused."""
        return self._frozen

    @frozen.setter
    def frozen(self, frozen: bool) -> None:
        self._frozen = frozen
        self.on_change()

    def drop(self, pane: PaneId) -> None:
        """Forget a pane that was closed."""
        self._taken.discard(pane)

    # Input, and the end of programs

    @property
    def idle_seconds(self) -> float:
        """How long the user has pressed no key; infinite if never."""
        return self._clock() - self._key_at

    def reserved_ms(self, pane: PaneId) -> int | None:
        """Milliseconds for which a pane is still reserved after the user's last key; None if it is not."""
        typed_at = self._mux.pane_reports[pane].typed_at if pane in self._mux.pane_reports else None
        left = 0.0 if typed_at is None else typed_at + RESERVED_SECONDS - self._clock()
        return max(1, round(left * 1000)) if left > 0 else None

    def typing(self, pane: PaneId) -> Refused | None:
        """The refusal while the user is typing in a pane; None otherwise."""
        if wait := self.reserved_ms(pane):
            return Refused(f"the user is typing in {pane}; try again in {wait} ms", retry_after_ms=wait)
        return None

    def refusal(self, pane: PaneId, author: Author) -> Refused | None:
        """Why an author may not type into a pane now, or end what runs there; None if it may."""
        if not author.yields:
            return None
        if stopped := self.stopped(pane, author):
            return stopped
        if author.kind is Kind.PROGRAM and author.pane == pane:
            return None
        if self._prefixes:
            return Refused("the user is pressing a key command; try again in 500 ms", retry_after_ms=_PREFIX_RETRY)
        return self.typing(pane) or self._unentered(pane)

    def stopped(self, pane: PaneId, author: Author) -> Refused | None:
        """Why an author may not even press the Enter of a text that was typed; None if it may."""
        if not author.yields:
            return None
        if self._frozen:
            return Refused(
                "the user has frozen the input of all agents; wait until it is released", retry_after_ms=_RETRY
            )
        if pane in self._taken:
            return Refused(
                f"the user has taken {pane} over; wait until it is handed over, or use another pane",
                retry_after_ms=_RETRY,
            )
        return None

    def _unentered(self, pane: PaneId) -> Refused | None:
        """The refusal for a line that the user has typed but not entered."""
        terminal, reports = self._mux.terminals.get(pane), self._mux.pane_reports.get(pane)
        if terminal is None or reports is None or terminal.sent.count == reports.input.own_count:
            return None
        text = _unentered_line(terminal)
        return None if text is None else occupied(pane, text)

    # Layout and focus

    def admit(self, old: Workspace, new: Workspace) -> Workspace:
        """The change that the current call's author may make: without taking the focus while the user types.

        Raises Refused if it ends what the user is using, or changes a layout that the user is changing."""
        author = current_call.get().author
        if author is None or old is new:
            return new
        changed = _rearranged(old, new)
        if author.kind is Kind.USER:
            self._layouts = dict.fromkeys(changed, self._clock()) | {
                window: at for window, at in self._layouts.items() if window not in changed
            }
        if not author.yields:
            return new
        for pane in old.panes.keys() - new.panes.keys():
            self.check_end(pane)
        if self._is_command_of_user(author):
            return new
        for window in changed:
            self._check_layout(window)
        return self._with_focus_kept(author, old, new)

    def keeps_focus(self, author: Author) -> bool:
        """Whether the focus stays where it is, whatever this author does, for the user is typing."""
        return author.yields and not self._is_command_of_user(author) and self._is_typing()

    def check_end(self, pane: PaneId) -> None:
        """Raise Refused if the current call's author may not end what runs in a pane."""
        author, terminal = current_call.get().author, self._mux.terminals.get(pane)
        if author is None or terminal is None or terminal.exit is not None:
            return
        if error := self.refusal(pane, author):
            raise error

    def _check_layout(self, window: WindowId) -> None:
        left = self._layouts.get(window, float("-inf")) + LAYOUT_SECONDS - self._clock()
        if left > 0:
            wait = max(1, round(left * 1000))
            raise Refused(f"the user is arranging window {window}; try again in {wait} ms", retry_after_ms=wait)

    def _is_typing(self) -> bool:
        return self._clock() < self._key_at + RESERVED_SECONDS or bool(self._prefixes) or self._frozen

    def _is_command_of_user(self, author: Author) -> bool:
        """Whether a program in the focused pane was started by the line that the user has entered there."""
        pane = self._mux.focused
        if author.kind is not Kind.PROGRAM or pane is None or author.pane != pane:
            return False
        sent = self._mux.terminals[pane].sent
        return sent.entered and sent.count != self._mux.pane_reports[pane].input.own_count

    def _with_focus_kept(self, author: Author, old: Workspace, new: Workspace) -> Workspace:
        """The same change, with the focus where it is if the user is typing."""
        if not self._is_typing() or not old.windows or not new.windows:
            return new
        front, wanted = find.active_window(old), find.active_window(new).active
        if wanted == front.active or front.active not in new.panes:
            return new
        self.on_focus_kept(wanted, author)
        kept = edit.focus_pane(new, front.active)
        return edit.zoom(kept, kept.active, zoomed=front.zoomed)


def occupied(pane: PaneId, text: str) -> Refused:
    """The error for text that was typed but not entered; empty if it cannot be read."""
    if text:
        what = f"the prompt of {pane} holds `{clean(text, 60)}`, which was typed but not entered"
    else:
        what = f"something seems to be typed at the prompt of {pane} and not entered"
    return Refused(f"{what}; wait until it is, or use another pane", retry_after_ms=_RETRY)


def _unentered_line(terminal: Terminal) -> str | None:
    """The line that was typed but not entered, empty if it cannot be read; None if there is none.

    Full-screen programs have no such line."""
    shell, sent = terminal.shell, terminal.sent
    if shell.at_input:
        text = shell.typed.strip()
        return None if sent.nothing_since or not text or sent.is_clearing() else text
    group = terminal.foreground_group
    marks = bool(shell.marks and shell.at_prompt and group == terminal.pid)
    if not sent.is_left_at(group, marks=marks) or terminal.modes.alternate_screen:
        return None
    return ""


def _rearranged(old: Workspace, new: Workspace) -> list[WindowId]:
    """The windows that stay, and whose layout or zoom changes."""
    before = {window.id: window for window in old.windows}
    return [
        window.id
        for window in new.windows
        if (was := before.get(window.id)) and (was.layout != window.layout or was.zoomed != window.zoomed)
    ]
