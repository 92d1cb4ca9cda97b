"""Send input to panes: literal text, or keys by name."""

import re
from typing import Annotated, Final

from msgspec import Meta, Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Door, Effect, Origin, Toolset
from fugue_tui.errors import InvalidArgument, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.watch.new_output import here
from fugue_tui.terminal.input.keys import KeyPress, parse_key
from fugue_tui.terminal.terminal import Terminal

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ENTER: Final = KeyPress("enter")
TYPED_PAUSE: Final = 0.2
"""Seconds before the Enter after text, for programs that treat fast typing as a paste and drop its Enter."""
PASTED_PAUSE: Final = 0.5
"""Seconds before the Enter after a paste."""


class Sent(Struct, frozen=True):
    """The input that was sent; read-pane shows its effect."""

    pane: str
    """The pane's id."""
    bytes: int
    """How many bytes of text were sent; a program that is slow to read gets them later, in order."""
    keys: int
    """How many keys were sent besides the text."""
    pasted: bool
    """Whether the text was sent as one paste, because it has several lines."""
    bracketed: bool
    """Whether the paste was bracketed; if not, the program read every newline as Enter."""
    submitted: bool
    """Whether Enter follows the text, at once or up to half a second later, and before any other input."""
    cursor: str | None
    """For wait-for-output or read-pane: the pane's position before this input."""


class SendInput(Command[Sent], name="send-input", effect=Effect.INPUT, toolset=Toolset.DEFAULT):
    """Type text into a pane, or press one key.

    Text is sent literally, without control characters but tab and newline; several lines are sent as one paste.
    submit presses Enter afterwards, as a separate keystroke. A program that reads whole lines, such as cat, accepts at
    most 4095 bytes a line. While the user types in the pane, a call from elsewhere is refused. The result says what
    was sent, not its effect: pass its cursor to wait-for-output, which then misses no output, or to read-pane.
    """

    pane: str = target.ACTIVE
    """The pane to type into: an id, a name, or active for your own."""
    text: Annotated[str, Meta(max_length=1_000_000)] = ""
    """The text to type."""
    key: str = ""
    """One key to press instead of text, such as Enter, C-c, ctrl+c, Escape, Up, F5."""
    submit: bool = False
    """Whether to press Enter after the text."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> Sent:
        """Send it, or raise InvalidArgument, NotFound, Refused, TerminalGone or InputFull and send nothing."""
        if self.text and self.key:
            raise InvalidArgument("key: give text or a key, not both; submit presses Enter after text")
        if not (self.text or self.key or self.submit):
            raise InvalidArgument("text: there is nothing to type; give text, a key, or submit")
        text, key = typeable(self.text), parse_key(self.key) if self.key else None
        pane, terminal = _running(mux, self.pane, origin)
        if text and origin.door is Door.CLI and origin.pane != pane:
            target.yield_to_user(mux, pane)
        cursor = _cursor(mux, pane, terminal)
        if key is not None:
            terminal.press(key)
        pasted, bracketed = "\n" in text, terminal.modes.bracketed_paste
        accepted = type_text(terminal, text) if text else 0
        if self.submit:
            _submit(mux, pane, terminal, pasted=pasted, typed=bool(text))
        return Sent(str(pane), accepted, int(key is not None), pasted, pasted and bracketed, self.submit, cursor)


class SendKeys(Command[Sent], name="send-keys", effect=Effect.INPUT, toolset=Toolset.DEFAULT):
    """Press keys in a pane, in order, by name.

    A word that is not a key name is an error: use send-input for text, or literal. Pass the result's cursor to
    wait-for-output, which then misses no output.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    keys: Annotated[tuple[str, ...], Meta(min_length=1, max_length=1000)]
    """The keys: tmux's names (C-c, M-x, S-Up, BSpace, F5, PPage) or words (ctrl+c, alt+x, backspace, pageup), or single
    characters."""
    literal: bool = False
    """Whether to type the words as text instead, without spaces between them (send-keys -l)."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> Sent:
        """Send them, or raise InvalidArgument, NotFound, TerminalGone or InputFull and send nothing."""
        text = typeable("".join(self.keys)) if self.literal else ""
        presses = [] if self.literal else [parse_key(word) for word in self.keys]
        if "\n" in text:
            raise InvalidArgument(
                "keys: hold a newline; press Enter without literal, or use send-input for several lines"
            )
        pane, terminal = _running(mux, self.pane, origin)
        cursor = _cursor(mux, pane, terminal)
        accepted = type_text(terminal, text) if text else 0
        for press in presses:
            terminal.press(press)
        return Sent(str(pane), accepted, len(presses), pasted=False, bracketed=False, submitted=False, cursor=cursor)


def typeable(text: str, where: str = "text", instead: str = "press keys by name") -> str:
    """Text with \\n line ends. Raises InvalidArgument if it has a control character but tab and newline."""
    text = text.replace("\r\n", "\n")
    if found := _CONTROL.search(text):
        raise InvalidArgument(f"{where}: U+{ord(found[0]):04X} at {found.start()} is a control character; {instead}")
    return text


def type_text(terminal: Terminal, text: str) -> int:
    """Send text as typed, or as one paste if it has several lines; returns the number of bytes."""
    return terminal.paste(text) if "\n" in text else terminal.write(text.encode())


def _running(mux: Multiplexer, wanted: str, origin: Origin) -> tuple[PaneId, Terminal]:
    """The pane to type into, after any pending Enter was sent to it."""
    pane = target.typed_pane(mux, wanted, origin)
    if exited := mux.exits.get(pane):
        raise TerminalGone(f"the program in {pane} has exited ({exited.words}); respawn-pane runs it again")
    if pane in mux.restored_panes:
        raise TerminalGone(f"the program in {pane} is not started yet; start-pane does that")
    mux.delayed_keys.flush(pane)
    return pane, mux.terminal(pane)


def _cursor(mux: Multiplexer, pane: PaneId, terminal: Terminal) -> str | None:
    """The output position before anything is sent."""
    found = here(terminal)
    return mux.bookmarks.keep(pane, terminal, found, brief=True) if found is not None else None


def _submit(mux: Multiplexer, pane: PaneId, terminal: Terminal, *, pasted: bool, typed: bool) -> None:
    """Press Enter: at once for a program that reads lines, else after a pause that separates it from the text."""
    delayed = typed and (terminal.modes.bracketed_paste or terminal.modes.alternate_screen)
    if not delayed:
        terminal.press(_ENTER)
        return

    def enter() -> None:
        if mux.terminals.get(pane) is terminal and pane not in mux.exits:
            terminal.press(_ENTER)

    mux.delayed_keys.schedule(pane, PASTED_PAUSE if pasted else TYPED_PAUSE, enter)
