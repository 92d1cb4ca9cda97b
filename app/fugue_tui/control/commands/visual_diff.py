"""Two pictures compared: two that were kept, one and what is there now, or before and after something is done.

Something done in a pane between two looks at it: a command in its shell, or keys in its program.

Main thread only.
"""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Final

from annotated_types import Ge, Interval, MaxLen

from fugue_tui.control.commands.read_pane import place
from fugue_tui.control.commands.screenshot import Name, shot
from fugue_tui.control.commands.wait import USUAL
from fugue_tui.control.core.answers import ImageAnswer
from fugue_tui.control.core.background import in_background
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.output.screenshot import CapturedScreen
from fugue_tui.errors import InvalidArgument
from fugue_tui.imaging.screen import Screen
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.watch.bookmarks import BookmarkPosition
from fugue_tui.sanitize import clean, clean_text

if TYPE_CHECKING:
    from fugue_tui.imaging.difference import Difference
import time
from typing import Any, TypeVar

from fugue_tui.control.commands.execute_command import Running, command_text, typed_pane
from fugue_tui.control.commands.send_keys import SendKeys
from fugue_tui.control.commands.wait import LONGEST, WaitResult, begin
from fugue_tui.control.core.background import in_background_then
from fugue_tui.control.output.screenshot import capture_pane
from fugue_tui.control.shell_exec.dialects import ShellLine
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.result import SOME_OUTPUT, CommandOutcome, OnCancel
from fugue_tui.errors import NotFound, Refused
from fugue_tui.multiplexer.pane_queue import Done
from fugue_tui.multiplexer.watch.bookmarks import bookmark
from fugue_tui.multiplexer.watch.wait import WaitCondition, WaitOutcome
from fugue_tui.terminal.input.keys import parse_key

Result = TypeVar("Result")
SETTLING: Final = 2.0
"""Seconds that a shell has to draw its prompt after a command, before the second look."""


@dataclass(frozen=True, slots=True)
class ActionRequest:
    """What is to be done."""

    pane: str
    command: str
    keys: tuple[str, ...]
    idle_ms: int
    timeout: float


@dataclass(frozen=True, slots=True)
class ActionResult:
    """What came of it."""

    words: str
    exit_code: int | None
    timed_out: bool
    seconds: float


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """The first look."""

    screen: Callable[[], Screen]
    """What was there; any thread."""
    scrolled: int | None
    """By how many rows it has moved up since; None if that cannot be told."""


class ObservedAction:
    """Something that is done in a pane. Raises what typing there raises, and then nothing is done."""

    def __init__(self, mux: Multiplexer, asked: ActionRequest, origin: Origin) -> None:
        if asked.command and asked.keys:
            raise InvalidArgument("keys: give a command or keys, not both")
        self.pane = typed_pane(mux, asked.pane, origin)
        self.terminal = running(mux, self.pane)
        self._mux, self._asked, self._origin = mux, asked, origin
        self._line = ShellLine(command_text(asked.command)) if asked.command else None
        for key in asked.keys:
            parse_key(key)
        self._begun = time.monotonic()
        self.look()

    def look(self) -> None:
        """Take the first look."""
        with self.terminal.locked() as screen:
            self._before = bookmark(screen)

    @property
    def left(self) -> float:
        """Seconds until the second look is taken in any case."""
        return max(0.0, min(self._asked.timeout, LONGEST) - (time.monotonic() - self._begun))

    def begin(self) -> Deferred[CommandOutcome] | Deferred[WaitResult]:
        """Do it."""
        if self._line is None:
            if (wait := self._mux.lease(self.pane)) is not None and self._origin.is_agent:
                raise Refused(f"the user is typing in {self.pane}; try again in {wait} ms", retry_after_ms=wait)
            SendKeys(pane=str(self.pane), keys=self._asked.keys).run(self._mux, self._origin)
            return self.silence(self.left)
        execution = _ObservedExecution(self._mux, self.pane, self._line, polite=self._origin.is_agent)
        execution.look = self.look
        return Running(execution, SOME_OUTPUT, ansi=False).begin(self._asked.timeout, OnCancel.INTERRUPT)

    def silence(self, seconds: float) -> Deferred[WaitResult]:
        """Wait until the pane prints nothing."""
        return begin(
            self._mux,
            {self.pane: (self.terminal, None)},
            WaitCondition(idle=self._asked.idle_ms / 1000, seconds=seconds),
        )

    def did(self, found: CommandOutcome | WaitResult) -> ActionResult:
        """What came of it, in words."""
        seconds = round(time.monotonic() - self._begun, 3)
        if isinstance(found, CommandOutcome):
            return ActionResult(_how(found), found.exit_code, found.timed_out, seconds)
        late = found.outcome is WaitOutcome.TIMEOUT
        if late:
            words = f"after {found.timeout:g} s the program still printed; this is a look in between"
        else:
            words = f"the program ended ({found.exit})" if found.exit else "the keys were pressed"
        return ActionResult(words, None, late, seconds)

    def before(self) -> FirstScreen:
        """The first look, as of now."""
        old, terminal = self._before, self.terminal
        with terminal.locked() as screen:
            here = None if screen.closed else old.pin.found()
            top = 0 if screen.closed else screen.emulator.scrollback.lines
        known = here is not None and not old.pin.alternate and old.size.cols == terminal.size.cols
        scrolled = max(0, old.y - (here.line - top)) if known and here else 0 if old.pin.alternate else None
        return FirstScreen(lambda: Screen(old.size.cols, old.seen.rows), scrolled)


class _ObservedExecution(Execution):
    """A command before which somebody looks at the pane."""

    look: Callable[[], object]

    def begin(self, done: Done) -> None:
        """It is its turn."""
        self.look()
        super().begin(done)


def done(
    mux: Multiplexer, deed: ObservedAction, told: Callable[[FirstScreen, CapturedScreen, ActionResult], Result]
) -> Deferred[Result]:
    """What is told, on another thread, of the looks before and after a deed."""
    steps: list[Deferred[Any]] = []
    later: Deferred[Result] = Deferred(lambda: steps[-1].cancel())

    def then(step: Deferred[Any], call: Callable[[Any], object]) -> None:
        steps.append(step)
        step.on_done(lambda: mux.post(lambda: _go_on(later, step, call)))

    def settle(found: CommandOutcome | WaitResult) -> None:
        if isinstance(found, CommandOutcome) and not found.timed_out and deed.pane in mux.terminals and not found.ended:
            then(deed.silence(SETTLING), lambda _: look(found))
        else:
            look(found)

    def look(found: CommandOutcome | WaitResult) -> None:
        if mux.terminals.get(deed.pane) is not deed.terminal:
            raise NotFound(f"{deed.pane} was closed or started anew meanwhile; there is nothing to compare with")
        work = partial(told, deed.before(), capture_pane(mux, deed.pane), deed.did(found))
        then(in_background_then(mux, work, lambda result: result), later.settle)

    then(deed.begin(), settle)
    return later


def _go_on(later: Deferred[Any], step: Deferred[Any], call: Callable[[Any], object]) -> None:
    """Hand on what a step came to."""
    if not later.done:
        later.attempt(lambda: call(step.result()))


def _how(found: CommandOutcome) -> str:
    if found.timed_out:
        return "time is up and the command still runs; this is a look in between"
    if found.ended:
        return f"the command ended the pane's program ({found.ended})"
    if found.exit_code is None:
        return "the command is over, and nobody told its exit code"
    return f"the command ended with exit code {found.exit_code} after {found.seconds:g} s"


MOST_TYPED: Final = 20_000
"""Characters of a command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VisualDifference(ImageAnswer):
    """What differs between two pictures; the text says it in words."""

    before: str
    """What was compared."""
    after: str
    """What it was compared with."""
    cells: int
    """How many cells differ."""
    changed_rows: tuple[int, ...]
    """The rows that changed, from 0 on the second picture; rows that only moved are not among them."""
    scrolled: int
    """By how many rows the text moved up."""
    exit_code: int | None = None
    """How the command ended that was run in between; null if there was none, it still runs, or nobody told."""
    timed_out: bool = False
    """Whether the second picture was taken as time was up: the command still runs, or the program still prints."""
    seconds: float | None = None
    """How long was waited for the second picture."""

    @property
    def untrusted(self) -> str:
        """Whose words the summary repeats."""
        return self.after if self.cells else ""


class VisualDiff(
    Command[VisualDifference], name="visual-diff", effect=Effect.INPUT, plain=True, toolset=Toolset.SEEING
):
    """Compare two pictures: an image of the second with every changed cell framed, and the changes in words.

    before is a screenshot that was kept under a name, or a cursor. after is another kept one, or what its pane or
    window shows now. With command or keys the first picture is taken, the command is run in the pane's shell or the
    keys are pressed in its program, and the second is taken when that is over and the pane has fallen silent.
    """

    before: str = ""
    """The name of a kept screenshot, or a cursor that a call gave: the pane as it was then. With command or keys it may
    be omitted."""
    after: Name = ""
    """The name of a kept screenshot; omitted, the same pane or window now."""
    pane: str = ""
    """Another pane to take as it is now, instead of after; with command or keys, where to run or press them."""
    command: Annotated[str, MaxLen(MOST_TYPED)] = ""
    """A command to run in between, in the shell of the pane."""
    keys: Annotated[tuple[str, ...], MaxLen(1000)] = ()
    """Keys to press in between, in whatever runs in the pane: such as Down, Enter, C-x, or single characters."""
    idle_ms: Annotated[int, Interval(ge=1, le=30_000)] = 250
    """How long the pane must have printed nothing before the second picture is taken."""
    timeout: Annotated[float, Ge(0)] = USUAL
    """Seconds until the second picture is taken in any case; more than 110 are taken as 110."""

    @property
    def asks(self) -> Effect:
        """Only what is typed makes it more than a look."""
        return Effect.INPUT if self.command or self.keys else Effect.READ

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[VisualDifference]:
        """The comparison, made on another thread. Raises NotFound, InvalidArgument, Refused or TerminalGone."""
        if self.command or self.keys:
            return self._doing(mux, origin)
        if self.after and self.pane:
            raise InvalidArgument("after: give a kept screenshot's name or a pane, not both")
        if not self.before:
            raise InvalidArgument("before: say what to compare with, or give command or keys to see what they change")
        before, source = _before(mux, self.before, origin)
        if self.after:
            kept = mux.screen_store.find(self.after)
            after = CapturedScreen(lambda: kept.screen, kept.theme, kept.source)
        else:
            after = _again(mux, self.pane or source, origin)
        named = (clean(self.before, 64), clean(self.after, 64) or f"{after.source} now")
        return in_background(partial(_compared, before, after, *named))

    def _doing(self, mux: Multiplexer, origin: Origin) -> Deferred[VisualDifference]:
        if self.after:
            raise InvalidArgument("after: with command or keys it is what the pane shows then; leave it out")
        known = _before(mux, self.before, origin) if self.before else None
        asked = ActionRequest(
            self.pane or (known[1] if known else ""), self.command, self.keys, self.idle_ms, self.timeout
        )
        deed = ObservedAction(mux, asked, origin)
        if known and known[1] != str(deed.pane):
            raise InvalidArgument(f"before: shows {known[1]} and not {deed.pane}; leave it out, or name that pane")

        def compared(first: FirstScreen, after: CapturedScreen, did: ActionResult) -> VisualDifference:
            named = (clean(self.before, 64) or f"{after.source} before", f"{after.source} after")
            if known:
                found = _compared(known[0], after, *named)
            else:
                found = _compared(first.screen, after, *named, scrolled=first.scrolled)
            text = f"{did.words}\n{found.text}"
            return replace(found, text=text, exit_code=did.exit_code, timed_out=did.timed_out, seconds=did.seconds)

        return done(mux, deed, compared)


def _again(mux: Multiplexer, source: str, origin: Origin) -> CapturedScreen:
    return shot(mux, source, source if source.startswith("@") else "", origin)


def _before(mux: Multiplexer, said: str, origin: Origin) -> tuple[Callable[[], Screen], str]:
    """The screen that a kept screenshot or a cursor stands for, and what it is of."""
    if said in mux.screen_store.names or not said.startswith("c") or said.count(".") < 2:
        kept = mux.screen_store.find(said)
        return (lambda: kept.screen), kept.source
    found = place(mux, "", said, origin)
    return partial(_screen_then, found), str(found.pane)


def _screen_then(found: BookmarkPosition) -> Screen:
    return Screen(found.bookmark.size.cols, found.bookmark.seen.rows)


def _compared(
    before: Callable[[], Screen], after: CapturedScreen, old: str, new: str, scrolled: int | None = None
) -> VisualDifference:
    from fugue_tui.imaging.difference import compare, marked
    from fugue_tui.imaging.png import encode

    was, now = before(), replace(after.make(), cursor=None)
    difference = compare(was, now, scrolled)
    image = encode(marked(was, now, after.theme))
    return VisualDifference(
        text=clean_text(_told(difference)),
        image=b64encode(image).decode(),
        media_type="image/png",
        before=old,
        after=new,
        cells=difference.cells,
        changed_rows=tuple(change.row for change in difference.rows),
        scrolled=difference.scrolled,
    )


def _told(difference: "Difference") -> str:
    if not difference.cells:
        return difference.summary
    return f"{difference.cells} cells differ\n{difference.summary}"
