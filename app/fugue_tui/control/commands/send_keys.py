"""Send input to panes: text and keys, keys by name, or what an input method composes."""

import os
from functools import partial
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.wait import MAX_PATTERNS, WaitForOutput
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, finished, is_deferred, run_task
from fugue_tui.control.core.send_input import Input, Sent, inputs, send, typeable
from fugue_tui.errors import FugueError, InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.shell_names import is_interactive
from fugue_tui.terminal.input.ime import Kana, hangul, kana
from fugue_tui.terminal.input.keys import KeyPress, parse_key
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.pty.spawn import login_shell
from fugue_tui.validation.annotations import UNLISTED

MAX_TEXT: Final = 1_000_000
"""Characters of one text."""
MAX_OUTPUT: Final = 20_000
"""Characters of output in one answer."""


class InputStep(Struct, frozen=True):
    """A text to type, or a key to press."""

    text: str = ""
    key: str = ""


class SendInput(Command[Sent], name="send-input", effect=Effect.INPUT, also=Effect.READ, toolset=Toolset.DEFAULT):
    """Type text and press keys in a pane; with wait_for or idle_ms, also wait and return what was printed since.

    Text is sent literally, several lines as one paste; submit presses Enter last. The echo of the text counts as
    output. Without a wait the result has what was sent, not its effect: pass its cursor to wait-for-output, which then
    misses nothing. While the user types in the pane, or has left a line there, calls from elsewhere are refused.
    """

    pane: str = target.ACTIVE
    """The pane to type into: an id or a name; agents must name it."""
    text: Annotated[str, Meta(max_length=MAX_TEXT)] = ""
    """The text to type."""
    keys: Annotated[tuple[str, ...], Meta(max_length=1000)] = ()
    """Keys to press after the text, such as Enter, C-c, Escape, Up, M-x, F5."""
    key: Annotated[str, UNLISTED] = ""
    """One key to press."""
    submit: bool = False
    """Whether to press Enter at the end."""
    steps: Annotated[tuple[InputStep, ...], Meta(max_length=100)] = ()
    """Instead of text and keys: texts and keys in any order, [{"text": "i"}, {"key": "Escape"}]."""
    wait_for: Annotated[tuple[str, ...], Meta(max_length=MAX_PATTERNS)] = ()
    """Texts of which one ends the wait."""
    regex: bool = False
    """Whether they are regular expressions (RE2)."""
    idle_ms: Annotated[int, Meta(ge=1, le=110_000)] | None = None
    """End the wait after so many milliseconds without output."""
    timeout: Annotated[float, Meta(ge=0)] = 10.0
    """Seconds to wait at most; capped at 110."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

    @property
    def effects(self) -> frozenset[Effect]:
        """READ only with a wait, which returns output."""
        return frozenset((Effect.INPUT, *((Effect.READ,) if self._waits else ())))

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The text, if it is entered in a shell: any key may do that."""
        line = "".join(each if isinstance(each, str) else "\n" for each in self._steps()) + "\n" * self.submit
        if "\n" not in line or not line.strip("\n"):
            return ()
        pane = target.typed_pane(mux, self.pane, origin)
        group = mux.terminal(pane).foreground_group
        if not _may_be_shell(mux, pane, group):
            return ()
        return (StartedCommand(line.strip("\n"), process.cwd(group) or mux.cwd(pane)),)

    def run(self, mux: Multiplexer, origin: Origin) -> Sent | Deferred[Sent]:
        """Send it, or raise InvalidArgument, NotFound, Refused, TerminalGone or InputFull and send nothing."""
        typed = inputs(self._steps(), submit=self.submit)
        if not typed:
            raise InvalidArgument("text: there is nothing to type; give text, keys, steps, or submit")
        self._wait(None).condition()
        complete = partial(self._answered, mux, origin) if self._waits else None
        return send(mux, origin, self.pane, typed, self.wait_for_user, complete)

    @property
    def _waits(self) -> bool:
        return bool(self.wait_for or self.idle_ms)

    def _steps(self) -> tuple[str | KeyPress, ...]:
        """The texts and keys in order."""
        if not self.steps:
            keys = (*self.keys, self.key) if self.key else self.keys
            return (*((typeable(self.text),) if self.text else ()), *map(parse_key, keys))
        if self.text or self.keys or self.key:
            raise InvalidArgument("steps: give steps alone, or text and keys without them")
        return tuple(_step(each, f"steps[{index}]") for index, each in enumerate(self.steps))

    def _wait(self, cursor: str | None) -> WaitForOutput:
        return WaitForOutput(
            any_of=self.wait_for, regex=self.regex, idle_ms=self.idle_ms, timeout=self.timeout, cursor=cursor
        )

    async def _answered(self, mux: Multiplexer, origin: Origin, sent: Sent) -> Sent:
        """The result with what the program printed until the wait ended."""
        cursor = sent.cursor
        if cursor is None:
            return sent
        found = await finished(self._wait(cursor).run(mux, origin))
        sent = replace(sent, outcome=found.outcome, matched=found.matched)
        try:
            reading = ReadPane(cursor=cursor).run(mux, replace(origin, takes=min(origin.takes, MAX_OUTPUT)))
            page = await finished(reading) if is_deferred(reading) else reading
        except FugueError:  # The pane was closed meanwhile.
            return replace(sent, output=found.screen, cursor=found.cursor)
        return replace(sent, output=page.text, more=page.truncated, cursor=page.cursor)


def _may_be_shell(mux: Multiplexer, pane: PaneId, group: int) -> bool:
    """Whether a process group is a shell at its prompt, or may become one: a pane's program that has just been forked
    still has the arguments of its parent."""
    argv = process.argv(group)
    if not argv or is_interactive(argv):
        return True
    return group == mux.terminal(pane).pid and is_interactive(
        mux.workspace.panes[pane].argv or (login_shell(os.environ),)
    )


def _step(step: InputStep, where: str) -> str | KeyPress:
    if bool(step.text) == bool(step.key):
        raise InvalidArgument(f"{where}: give either text or key")
    return typeable(step.text, where) if step.text else parse_key(step.key)


class SendKeys(Command[Sent], name="send-keys", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Press keys in a pane, in order, by name.

    A word that is not a key name is an error: use send-input for text, or literal. While the user types in the pane, or
    has left a line there that is not entered, the call is refused, or waits. Pass the result's cursor to
    wait-for-output, which then misses no output.
    """

    pane: str = target.ACTIVE
    """The pane: an id or a name; agents must name it."""
    keys: Annotated[tuple[str, ...], Meta(min_length=1, max_length=1000)]
    """The keys: tmux's names (C-c, M-x, S-Up, BSpace, F5, PPage) or words (ctrl+c, alt+x, backspace, pageup), or single
    characters."""
    literal: bool = False
    """Whether to type the words as text instead, without spaces between them (send-keys -l)."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

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
        return send(mux, origin, self.pane, (Input(text, keys),), self.wait_for_user)


class Composed(Struct, frozen=True):
    """What an input method has composed, and what was sent."""

    text: str
    """The text as typed."""
    sent: Sent
    """What was sent."""


class TypeWithIme(Command[Composed], name="type-with-ime", effect=Effect.INPUT, toolset=Toolset.RUNNING):
    """Type as through an input method: jamo as Hangul syllables, and with kana romaji as Japanese kana.

    Only whole syllables are sent. Jamo that are part of none stay letters; such romaji are an error. With kana, write
    n' for a final n before a vowel. Complete text in Korean, Japanese or Chinese needs no input method: use send-input.
    """

    pane: str = target.ACTIVE
    """The pane to type into: an id or a name; agents must name it."""
    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
    """The text: jamo of any kind, or romaji with kana."""
    kana: Kana | None = None
    """hiragana or katakana for romaji; omitted, Latin letters stay."""
    submit: bool = False
    """Whether to press Enter at the end."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types in the pane; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return self._call().targets(mux, origin)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The text, if it is entered in a shell."""
        return self._call().started(mux, origin)

    def run(self, mux: Multiplexer, origin: Origin) -> Composed | Deferred[Composed]:
        """Send it, or raise InvalidArgument, NotFound, Refused, TerminalGone or InputFull and send nothing."""
        call = self._call()
        sent = call.run(mux, origin)
        return run_task(_composed(call.text, sent)) if is_deferred(sent) else Composed(call.text, sent)

    def _call(self) -> SendInput:
        """The call that types what is composed."""
        text = hangul(self.text)
        if self.kana is not None:
            text = kana(text, self.kana)
        return SendInput(pane=self.pane, text=text, submit=self.submit, wait_for_user=self.wait_for_user)


async def _composed(text: str, sent: Deferred[Sent]) -> Composed:
    return Composed(text, await finished(sent))
