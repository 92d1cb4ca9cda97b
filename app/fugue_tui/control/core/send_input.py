"""Types text and keys into a pane, in order, each Enter by itself. Main thread only."""

import asyncio
import re
from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.own_position import note_position
from fugue_tui.errors import FugueError, InvalidArgument, Refused, TerminalGone
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.input.pane_input import ENTER, PaneInput
from fugue_tui.multiplexer.watch.new_output import here
from fugue_tui.multiplexer.watch.wait import WaitOutcome
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.terminal import Terminal

_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
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
    """Whether the text was sent as one paste, because it has several lines or is a buffer."""
    bracketed: bool
    """Whether the paste was bracketed; if not, the program read every newline as Enter."""
    submitted: bool
    """Whether Enter was pressed after the text: at once or up to half a second later, in which other input waits, and
    Ctrl+C prevents it."""
    cursor: str | None
    """For wait-for-output or read-pane: the position before this input; with a wait, the end of output."""
    outcome: WaitOutcome | None = None
    """How the wait ended; null without one."""
    matched: str | None = None
    """The text that matched: untrusted."""
    output: str | None = None
    """With a wait, what was printed after the input, or the screen of a full-screen program: untrusted."""
    more: bool = False
    """Whether there is more output: read-pane with the cursor continues."""


class Input(Struct, frozen=True):
    """What is typed at once: a text or keys, and Enter."""

    text: str = ""
    keys: tuple[KeyPress, ...] = ()
    submit: bool = False
    pasted: bool = False
    """Whether the text is one paste, also if it has one line."""

    @property
    def interrupts(self) -> bool:
        """Whether it begins with Ctrl+C, which cancels what waits."""
        return bool(self.keys) and self.keys[0].interrupts

    def pause(self, terminal: Terminal) -> float:
        """Seconds between the text and Enter; 0 for a program that reads lines."""
        modes = terminal.modes
        if not (self.submit and self.text and (modes.bracketed_paste or modes.alternate_screen)):
            return 0.0
        return PASTED_PAUSE if "\n" in self.text else TYPED_PAUSE


def inputs(steps: Iterable[str | KeyPress], *, submit: bool) -> tuple[Input, ...]:
    """Texts and keys as they are typed, with an Enter at the end to submit: an Enter after a text belongs to it, and
    other keys in a row are one input."""
    found: list[Input] = []
    for step in steps:
        last = found[-1] if found else None
        match step:
            case str():
                found.append(Input(step))
            case _ if step == ENTER and last is not None and last.text and not last.submit:
                found[-1] = replace(last, submit=True)
            case _ if last is not None and last.keys:
                found[-1] = replace(last, keys=(*last.keys, step))
            case _:
                found.append(Input(keys=(step,)))
    if submit and found and found[-1].text and not found[-1].submit:
        found[-1] = replace(found[-1], submit=True)
    elif submit:
        found.append(Input(submit=True))
    return tuple(found)


def typeable(text: str, where: str = "text", instead: str = "press keys by name") -> str:
    """Text with \\n line ends. Raises InvalidArgument if it has a control character but tab and newline, or half of
    a surrogate pair."""
    text = text.replace("\r\n", "\n")
    if found := _CONTROL.search(text):
        kind = "half of a character" if found[0] >= "\ud800" else "a control character"
        raise InvalidArgument(f"{where}: U+{ord(found[0]):04X} at {found.start()} is {kind}; {instead}")
    return text


Completion: TypeAlias = Callable[[Sent], Coroutine[Any, Any, Sent]]
"""Completes the result of an input, such as by what the program answers."""


def send(
    mux: Multiplexer,
    origin: Origin,
    wanted: str,
    typed: Sequence[Input],
    wait_for_user: float,
    complete: Completion | None = None,
) -> Sent | Deferred[Sent]:
    """Type at once what needs no pause, the rest in a task, and `complete` the result. Raises NotFound, Refused,
    TerminalGone or InputFull."""
    pane = _running(mux, wanted, origin)
    mixes = (
        any(each.text for each in typed)
        and origin.interface is Interface.CLI
        and origin.pane != pane
        and not wait_for_user
    )
    if mixes and (refused := mux.lease.typing(pane)):
        raise refused
    source = mux.input(pane, origin.author)
    typist = _Typist(mux, pane, source, typed)
    waits = source.terminal.gate.closed and not typed[0].interrupts
    if waits or (wait_for_user and source.refusal() is not None):
        return run_task(typist.type_later(wait_for_user, complete))
    typist.type()
    return typist.sent if typist.pressed is None and complete is None else run_task(typist.finish(complete))


class _Typist:
    """Types inputs in order."""

    def __init__(self, mux: Multiplexer, pane: PaneId, source: PaneInput, typed: Sequence[Input]) -> None:
        self._mux, self._pane, self._source, self._left = mux, pane, source, list(typed)
        self.sent = Sent(str(pane), 0, 0, False, False, False, None)
        self.pressed: asyncio.Future[bool] | None = None
        """An Enter that is pressed after a pause, and whether it was."""

    def type(self) -> None:
        """Type up to the first Enter that needs a pause."""
        first = not (self.sent.bytes or self.sent.keys or self.sent.submitted)
        while self._left and self.pressed is None:
            each = self._left.pop(0)
            pause = each.pause(self._source.terminal)
            found = _type(self._mux, self._pane, self._source, each, pause)
            self.sent = found if first else _joined(self.sent, found, each)
            self.pressed, first = self._source.submit(pause) if pause else None, False

    async def finish(self, complete: Completion | None) -> Sent:
        """Type the rest once Enter was pressed, which happens also if the call is cancelled meanwhile."""
        while self.pressed is not None:
            self.sent, self.pressed = replace(self.sent, submitted=await asyncio.shield(self.pressed)), None
            if self._left and not self.sent.submitted:
                raise Refused("Enter was not pressed, so what follows it was not typed; read-pane shows the pane")
            if self._left:
                await self._continue()
        return self.sent if complete is None else await complete(self.sent)

    async def _continue(self) -> None:
        try:
            await self._source.admitted(0.0)
            self.type()
        except FugueError as error:
            raise type(error)(f"what follows the first Enter was not typed: {error}", **error.data) from None

    async def type_later(self, seconds: float, complete: Completion | None) -> Sent:
        """Type once the user has left the pane, and what was typed before has got its Enter."""
        await self._source.admitted(seconds)
        self.type()
        return await self.finish(complete)


def _joined(first: Sent, second: Sent, typed: Input) -> Sent:
    """The result of two inputs, of which `typed` is the last."""
    return replace(
        second,
        bytes=first.bytes + second.bytes,
        keys=first.keys + second.keys,
        pasted=first.pasted or second.pasted,
        bracketed=first.bracketed or second.bracketed,
        submitted=second.submitted if typed.submit else first.submitted,
        cursor=first.cursor,
    )


def _type(mux: Multiplexer, pane: PaneId, source: PaneInput, what: Input, pause: float) -> Sent:
    """Type; Enter only if it needs no pause."""
    terminal = source.terminal
    found, pasted, bracketed = here(terminal), what.pasted or "\n" in what.text, terminal.modes.bracketed_paste
    cursor = mux.bookmarks.keep(pane, terminal, found, brief=True) if found is not None else None
    note_position(mux, pane, terminal, found)
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
    if wanted.strip() in ("", target.ACTIVE) and origin.is_agent:
        raise InvalidArgument(f"pane: name the one to type into; {pane} is your own, whose input is your own too")
    if exited := mux.exits.get(pane):
        raise TerminalGone(f"the program in {pane} has exited ({exited.words}); respawn-pane runs it again")
    mux.contents.check_program(pane)
    if pane in mux.restored_panes:
        raise TerminalGone(f"the program in {pane} is not started yet; start-pane does that")
    return pane
