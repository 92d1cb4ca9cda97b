"""Send input to panes: literal text, or keys by name."""

import asyncio
import re
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Door, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import InvalidArgument, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.pane_input import ENTER, PaneInput
from fugue_tui.multiplexer.watch.new_output import here
from fugue_tui.shell_names import is_interactive
from fugue_tui.terminal.input.keys import KeyPress, parse_key
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.terminal import Terminal

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
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
    """Whether Enter was pressed after the text: at once or up to half a second later, in which other input waits."""
    cursor: str | None
    """For wait-for-output or read-pane: the pane's position before this input."""


class SendInput(Command[Sent], name="send-input", effect=Effect.INPUT, toolset=Toolset.DEFAULT):
    """Type text into a pane, or press one key.

    Text is sent literally, without control characters but tab and newline; several lines are sent as one paste.
    submit presses Enter afterwards, as a separate keystroke. A program that reads whole lines, such as cat, accepts at
    most 4095 bytes a line. While the user types in the pane, or has left a line there that is not entered, a call from
    elsewhere is refused, or waits. The result says what was sent, not its effect: pass its cursor to wait-for-output,
    which then misses no output, or to read-pane.
    """

    pane: str = target.ACTIVE
    """The pane to type into: an id, a name, or active for your own."""
    text: Annotated[str, Meta(max_length=1_000_000)] = ""
    """The text to type."""
    key: str = ""
    """One key to press instead of text, such as Enter, C-c, ctrl+c, Escape, Up, F5."""
    submit: bool = False
    """Whether to press Enter after the text."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types in the pane; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The text, if it is entered in a shell."""
        if not self.text or not (self.submit or "\n" in self.text):
            return ()
        pane = target.typed_pane(mux, self.pane, origin)
        group = mux.terminal(pane).foreground_group
        if not is_interactive(process.argv(group)):
            return ()
        return (StartedCommand(self.text, process.cwd(group) or mux.cwd(pane)),)

    def run(self, mux: Multiplexer, origin: Origin) -> Sent | Deferred[Sent]:
        """Send it, or raise InvalidArgument, NotFound, Refused, TerminalGone or InputFull and send nothing."""
        if self.text and self.key:
            raise InvalidArgument("key: give text or a key, not both; submit presses Enter after text")
        if not (self.text or self.key or self.submit):
            raise InvalidArgument("text: there is nothing to type; give text, a key, or submit")
        keys = (parse_key(self.key),) if self.key else ()
        return _start(mux, origin, self.pane, _Input(typeable(self.text), keys, self.submit), self.wait_for_user)


class SendKeys(Command[Sent], name="send-keys", effect=Effect.INPUT, toolset=Toolset.DEFAULT):
    """Press keys in a pane, in order, by name.

    A word that is not a key name is an error: use send-input for text, or literal. While the user types in the pane, or
    has left a line there that is not entered, the call is refused, or waits. Pass the result's cursor to
    wait-for-output, which then misses no output.
    """

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    keys: Annotated[tuple[str, ...], Meta(min_length=1, max_length=1000)]
    """The keys: tmux's names (C-c, M-x, S-Up, BSpace, F5, PPage) or words (ctrl+c, alt+x, backspace, pageup), or single
    characters."""
    literal: bool = False
    """Whether to type the words as text instead, without spaces between them (send-keys -l)."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types in the pane; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def run(self, mux: Multiplexer, origin: Origin) -> Sent | Deferred[Sent]:
        """Send them, or raise InvalidArgument, NotFound, Refused, TerminalGone or InputFull and send nothing."""
        text = typeable("".join(self.keys)) if self.literal else ""
        keys = () if self.literal else tuple(map(parse_key, self.keys))
        if "\n" in text:
            raise InvalidArgument(
                "keys: hold a newline; press Enter without literal, or use send-input for several lines"
            )
        return _start(mux, origin, self.pane, _Input(text, keys), self.wait_for_user)


def typeable(text: str, where: str = "text", instead: str = "press keys by name") -> str:
    """Text with \\n line ends. Raises InvalidArgument if it has a control character but tab and newline."""
    text = text.replace("\r\n", "\n")
    if found := _CONTROL.search(text):
        raise InvalidArgument(f"{where}: U+{ord(found[0]):04X} at {found.start()} is a control character; {instead}")
    return text


class _Input(Struct, frozen=True):
    """What is typed: a text or keys, and Enter."""

    text: str
    keys: tuple[KeyPress, ...]
    submit: bool = False

    def pause(self, terminal: Terminal) -> float:
        """Seconds between the text and Enter; 0 for a program that reads lines."""
        modes = terminal.modes
        if not (self.submit and self.text and (modes.bracketed_paste or modes.alternate_screen)):
            return 0.0
        return PASTED_PAUSE if "\n" in self.text else TYPED_PAUSE


def _start(mux: Multiplexer, origin: Origin, wanted: str, what: _Input, wait: float) -> Sent | Deferred[Sent]:
    """Type at once if nothing has to be waited for, else in a task."""
    pane = _running(mux, wanted, origin)
    if what.text and origin.door is Door.CLI and origin.pane != pane and not wait:
        target.yield_to_user(mux, pane)
    source = mux.input(pane, origin.author)
    if source.terminal.gate.closed or (wait and source.refusal() is not None):
        return run_task(_type_later(mux, pane, source, what, wait))
    pause = what.pause(source.terminal)
    sent = _type(mux, pane, source, what, pause)
    return run_task(_submitted(sent, source.submit(pause))) if pause else sent


async def _type_later(mux: Multiplexer, pane: PaneId, source: PaneInput, what: _Input, wait: float) -> Sent:
    """Type once the user has left the pane, and what was typed before has got its Enter."""
    await source.admitted(wait)
    pause = what.pause(source.terminal)
    sent = _type(mux, pane, source, what, pause)
    return await _submitted(sent, source.submit(pause)) if pause else sent


async def _submitted(sent: Sent, pressed: "asyncio.Future[bool]") -> Sent:
    """The result once Enter was pressed, which happens also if the call is cancelled meanwhile."""
    return replace(sent, submitted=await asyncio.shield(pressed))


def _type(mux: Multiplexer, pane: PaneId, source: PaneInput, what: _Input, pause: float) -> Sent:
    """Type; Enter only if it needs no pause."""
    terminal = source.terminal
    found, pasted, bracketed = here(terminal), "\n" in what.text, terminal.modes.bracketed_paste
    cursor = mux.bookmarks.keep(pane, terminal, found, brief=True) if found is not None else None
    enters = what.submit and not pause
    accepted = 0
    if what.text:
        accepted = source.paste(what.text) if pasted else source.write(what.text.encode())
    if what.keys:
        source.press(*what.keys)
    submitted = enters and (source.enter() if what.text else source.press(ENTER))
    return Sent(str(pane), accepted, len(what.keys), pasted, pasted and bracketed, submitted, cursor)


def _running(mux: Multiplexer, wanted: str, origin: Origin) -> PaneId:
    """The pane to type into."""
    pane = target.typed_pane(mux, wanted, origin)
    if exited := mux.exits.get(pane):
        raise TerminalGone(f"the program in {pane} has exited ({exited.words}); respawn-pane runs it again")
    if pane in mux.restored_panes:
        raise TerminalGone(f"the program in {pane} is not started yet; start-pane does that")
    return pane
