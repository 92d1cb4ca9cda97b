"""Something done in a pane between two looks at it: a command in its shell, or keys in its program.

Main thread only.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, TypeVar

from fugue_tui.control.commands.execute_command import Running, command_text, typed_pane
from fugue_tui.control.commands.send_keys import SendKeys
from fugue_tui.control.commands.wait import LONGEST, WaitResult, begin
from fugue_tui.control.core.background import fetched
from fugue_tui.control.core.command import Origin
from fugue_tui.control.core.deferred import Later
from fugue_tui.control.output.screenshot import Shot, shot_of_pane
from fugue_tui.control.shell_exec.dialects import Line
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.result import SOME_OUTPUT, OnCancel, Ran
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.imaging.screen import Screen
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.pane_queue import Done
from fugue_tui.multiplexer.watch.bookmarks import bookmark
from fugue_tui.multiplexer.watch.wait import Outcome, Wanted
from fugue_tui.terminal.input.keys import parse_key

Result = TypeVar("Result")
SETTLING: Final = 2.0
"""Seconds that a shell has to draw its prompt after a command, before the second look."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is to be done."""

    pane: str
    command: str
    keys: tuple[str, ...]
    idle_ms: int
    timeout: float


@dataclass(frozen=True, slots=True)
class Did:
    """What came of it."""

    words: str
    exit_code: int | None
    timed_out: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class Before:
    """The first look."""

    screen: Callable[[], Screen]
    """What was there; any thread."""
    scrolled: int | None
    """By how many rows it has moved up since; None if that cannot be told."""


class Deed:
    """Something that is done in a pane. Raises what typing there raises, and then nothing is done."""

    def __init__(self, mux: Multiplexer, asked: Asked, origin: Origin) -> None:
        if asked.command and asked.keys:
            raise InvalidArgument("keys: give a command or keys, not both")
        self.pane = typed_pane(mux, asked.pane, origin)
        self.terminal = running(mux, self.pane)
        self._mux, self._asked, self._origin = mux, asked, origin
        self._line = Line(command_text(asked.command)) if asked.command else None
        for key in asked.keys:
            parse_key(key)
        self._begun = time.monotonic()
        self.look()

    def look(self) -> None:
        """Take the first look."""
        with self.terminal.lock:
            self._before = bookmark(self.terminal)

    @property
    def left(self) -> float:
        """Seconds until the second look is taken in any case."""
        return max(0.0, min(self._asked.timeout, LONGEST) - (time.monotonic() - self._begun))

    def begin(self) -> Later[Ran] | Later[WaitResult]:
        """Do it."""
        if self._line is None:
            if (wait := self._mux.lease(self.pane)) is not None and self._origin.is_agent:
                raise Refused(f"a person is typing in {self.pane}; try again in {wait} ms", retry_after_ms=wait)
            SendKeys(pane=str(self.pane), keys=self._asked.keys).run(self._mux, self._origin)
            return self.silence(self.left)
        execution = _Seen(self._mux, self.pane, self._line, polite=self._origin.is_agent)
        execution.look = self.look
        return Running(execution, SOME_OUTPUT, ansi=False).begin(self._asked.timeout, OnCancel.INTERRUPT)

    def silence(self, seconds: float) -> Later[WaitResult]:
        """Wait until the pane prints nothing."""
        return begin(
            self._mux, {self.pane: (self.terminal, None)}, Wanted(idle=self._asked.idle_ms / 1000, seconds=seconds)
        )

    def did(self, found: Ran | WaitResult) -> Did:
        """What came of it, in words."""
        seconds = round(time.monotonic() - self._begun, 3)
        if isinstance(found, Ran):
            return Did(_how(found), found.exit_code, found.timed_out, seconds)
        late = found.outcome is Outcome.TIMEOUT
        if late:
            words = f"after {found.timeout:g} s the program still printed; this is a look in between"
        else:
            words = f"the program ended ({found.exit})" if found.exit else "the keys were pressed"
        return Did(words, None, late, seconds)

    def before(self) -> Before:
        """The first look, as of now."""
        old, terminal = self._before, self.terminal
        with terminal.lock:
            here = None if terminal.closed else old.pin.found()
            top = 0 if terminal.closed else terminal.emulator.scrollback.lines
        known = here is not None and not old.pin.alternate and old.size.cols == terminal.size.cols
        scrolled = max(0, old.y - (here.line - top)) if known and here else 0 if old.pin.alternate else None
        return Before(lambda: Screen(old.size.cols, old.seen.rows), scrolled)


class _Seen(Execution):
    """A command before which somebody looks at the pane."""

    look: Callable[[], object]

    def begin(self, done: Done) -> None:
        """It is its turn."""
        self.look()
        super().begin(done)


def done(mux: Multiplexer, deed: Deed, told: Callable[[Before, Shot, Did], Result]) -> Later[Result]:
    """What is told, on another thread, of the looks before and after a deed."""
    steps: list[Later[Any]] = []
    later: Later[Result] = Later(lambda: steps[-1].cancel())

    def then(step: Later[Any], call: Callable[[Any], object]) -> None:
        steps.append(step)
        step.when_over(lambda: mux.post(lambda: _go_on(later, step, call)))

    def settle(found: Ran | WaitResult) -> None:
        if isinstance(found, Ran) and not found.timed_out and deed.pane in mux.terminals and not found.ended:
            then(deed.silence(SETTLING), lambda _: look(found))
        else:
            look(found)

    def look(found: Ran | WaitResult) -> None:
        if mux.terminals.get(deed.pane) is not deed.terminal:
            raise NotFound(f"{deed.pane} was closed or started anew meanwhile; there is nothing to compare with")
        work = partial(told, deed.before(), shot_of_pane(mux, deed.pane), deed.did(found))
        then(fetched(mux, work, lambda result: result), later.settle)

    then(deed.begin(), settle)
    return later


def _go_on(later: Later[Any], step: Later[Any], call: Callable[[Any], object]) -> None:
    """Hand on what a step came to."""
    if not later.over:
        later.attempt(lambda: call(step.result()))


def _how(found: Ran) -> str:
    if found.timed_out:
        return "time is up and the command still runs; this is a look in between"
    if found.ended:
        return f"the command ended the pane's program ({found.ended})"
    if found.exit_code is None:
        return "the command is over, and nobody told its exit code"
    return f"the command ended with exit code {found.exit_code} after {found.seconds:g} s"
