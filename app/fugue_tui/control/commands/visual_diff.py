"""Compare screenshots: two stored ones, one and the current screen, or before and after an action.

An action is a command in a pane's shell, or keys sent to its program. Main thread only.
"""

import asyncio
import time
from base64 import b64encode
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui.control.commands.execute_command import (
    PendingExecution,
    command_limit,
    command_text,
    shell_directory,
    typed_pane,
)
from fugue_tui.control.commands.read_pane import resolve_cursor
from fugue_tui.control.commands.screenshot import Name, shot
from fugue_tui.control.commands.wait import DEFAULT_TIMEOUT, MAX_TIMEOUT, OutputWait, WaitResult
from fugue_tui.control.core import target
from fugue_tui.control.core.answers import ImageAnswer
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.target import ACTIVE
from fugue_tui.control.shell_exec.dialects import ShellLine
from fugue_tui.control.shell_exec.execution import Execution
from fugue_tui.control.shell_exec.prompt_detection import running
from fugue_tui.control.shell_exec.result import SOME_OUTPUT, CommandOutcome, OnCancel
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.ids import PaneId
from fugue_tui.imaging.screen import Screen
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.input.pane_input import PaneInput
from fugue_tui.multiplexer.kept_screens import StoredScreen
from fugue_tui.multiplexer.watch.bookmarks import BookmarkPosition, bookmark
from fugue_tui.multiplexer.watch.wait import WaitCondition, WaitOutcome
from fugue_tui.sanitize import clean, clean_text
from fugue_tui.terminal.input.keys import parse_key

if TYPE_CHECKING:
    from fugue_tui.control.output.screenshot import CapturedScreen
    from fugue_tui.imaging.difference import Difference

PROMPT_TIMEOUT: Final = 2.0
"""Seconds for a shell to draw its prompt after a command, before the second capture."""


class ActionRequest(Struct, frozen=True):
    """The action to run."""

    pane: str
    command: str
    keys: tuple[str, ...]
    idle_ms: int
    timeout: float
    wait_for_user: float


class ActionResult(Struct, frozen=True):
    """The result of an action."""

    words: str
    exit_code: int | None
    timed_out: bool
    seconds: float


class FirstScreen(Struct, frozen=True):
    """The first capture."""

    screen: Callable[[], Screen]
    """The screen then; any thread."""
    scrolled: int | None
    """By how many rows it has scrolled up since; None if unknown."""


class ObservedAction:
    """A command or keys in a pane, between two captures. Raises what typing there raises, before anything is sent."""

    def __init__(self, mux: Multiplexer, request: ActionRequest, origin: Origin) -> None:
        if request.command and request.keys:
            raise InvalidArgument("keys: give a command or keys, not both")
        self.pane = typed_pane(mux, request.pane, origin)
        self.terminal = running(mux, self.pane)
        self._mux, self._request, self._origin = mux, request, origin
        self._line = ShellLine(command_text(request.command)) if request.command else None
        for key in request.keys:
            parse_key(key)
        self._started = time.monotonic()
        self.capture()

    def capture(self) -> None:
        """Capture the screen before the action."""
        with self.terminal.locked() as screen:
            self._before = bookmark(screen)

    @property
    def left(self) -> float:
        """Seconds until the second capture at the latest."""
        return max(0.0, min(self._request.timeout, MAX_TIMEOUT) - (time.monotonic() - self._started))

    def begin(self) -> Coroutine[Any, Any, CommandOutcome | WaitResult]:
        """Begin the action; what is returned waits for its end. Raises Refused or TerminalGone."""
        if self._line is None:
            source = self._mux.input(self.pane, self._origin.author)
            if self._request.wait_for_user:
                return self._press_later(source)
            source.press(*map(parse_key, self._request.keys))
            return self.silence(self.left).result()
        wait = self._request.wait_for_user
        execution = Execution(self._mux, self.pane, self._line, self._origin.author, wait_for_user=wait)
        execution.on_turn = self.capture
        limit = command_limit(self._mux, self._origin)
        return PendingExecution(execution, SOME_OUTPUT, ansi=False, seconds=limit).outcome(
            self._request.timeout, OnCancel.INTERRUPT
        )

    async def _press_later(self, source: PaneInput) -> WaitResult:
        await source.admitted(self._request.wait_for_user)
        self.capture()
        source.press(*map(parse_key, self._request.keys))
        return await self.silence(self.left).result()

    def silence(self, seconds: float) -> OutputWait:
        """Wait until the pane is silent."""
        condition = WaitCondition(idle=self._request.idle_ms / 1000, seconds=seconds)
        return OutputWait(self._mux, {self.pane: (self.terminal, None)}, condition)

    def result(self, found: CommandOutcome | WaitResult) -> ActionResult:
        """The result in words."""
        seconds = round(time.monotonic() - self._started, 3)
        if isinstance(found, CommandOutcome):
            return ActionResult(_outcome_text(found), found.exit_code, found.timed_out, seconds)
        timed_out = found.outcome is WaitOutcome.TIMEOUT
        if timed_out:
            words = f"after {found.timeout:g} s the program still printed; this is an intermediate screen"
        else:
            words = f"the program ended ({found.exit})" if found.exit else "the keys were pressed"
        return ActionResult(words, None, timed_out, seconds)

    def before(self) -> FirstScreen:
        """The first capture, and how far it has scrolled since."""
        old, terminal = self._before, self.terminal
        with terminal.locked() as screen:
            here = None if screen.closed else old.pin.found()
            top = 0 if screen.closed else screen.emulator.scrollback.lines
        known = here is not None and not old.pin.alternate and old.size.cols == terminal.size.cols
        scrolled = max(0, old.y - (here.line - top)) if known and here else 0 if old.pin.alternate else None
        return FirstScreen(lambda: Screen(old.size.cols, old.seen.rows), scrolled)


async def observe(
    mux: Multiplexer, action: ObservedAction, started: Coroutine[Any, Any, CommandOutcome | WaitResult]
) -> tuple[FirstScreen, "CapturedScreen", ActionResult]:
    """The captures before and after an action that has begun, and its result."""
    from fugue_tui.control.output.screenshot import capture_pane

    found = await started
    if isinstance(found, CommandOutcome) and not (found.timed_out or found.ended) and action.pane in mux.terminals:
        await action.silence(PROMPT_TIMEOUT).result()
    if mux.terminals.get(action.pane) is not action.terminal:
        raise NotFound(f"{action.pane} was closed or respawned meanwhile; there is nothing to compare with")
    return action.before(), capture_pane(mux, action.pane), action.result(found)


def _outcome_text(found: CommandOutcome) -> str:
    if found.timed_out:
        return "timed out, and the command still runs; this is an intermediate screen"
    if found.ended:
        return f"the command ended the pane's program ({found.ended})"
    if found.exit_code is None:
        return "the command ended without reporting an exit code"
    return f"the command ended with exit code {found.exit_code} after {found.seconds:g} s"


MAX_COMMAND: Final = 20_000
"""Characters of a command."""


class VisualDifference(ImageAnswer, frozen=True, kw_only=True):
    """The differences between two screenshots; the text describes them."""

    before: str
    """The first screenshot."""
    after: str
    """The second screenshot."""
    cells: int
    """How many cells differ."""
    changed_rows: tuple[int, ...]
    """The rows that changed, from 0 on the second screenshot; rows that only moved are not listed."""
    scrolled: int
    """By how many rows the text scrolled up."""
    exit_code: int | None = None
    """The exit status of the command; null if there was none, it still runs, or the status is unknown."""
    timed_out: bool = False
    """Whether the second screenshot was taken at the time-out: the command still runs, or the program prints."""
    seconds: float | None = None
    """Seconds until the second screenshot."""

    @property
    def untrusted(self) -> str:
        """The source of the text that the summary quotes."""
        return self.after if self.cells else ""


class VisualDiff(
    Command[VisualDifference],
    name="visual-diff",
    effect=Effect.INPUT,
    also=Effect.RUN,
    plain=True,
    toolset=Toolset.SEEING,
):
    """Compare two screenshots: an image of the second with every changed cell framed, and a description.

    before is a named screenshot, or a cursor. after is another named one, or the current screen of the same pane or
    window. With command or keys, the first screenshot is taken, the command is run in the pane's shell or the keys
    are sent to its program, and the second is taken when that has ended and the pane is silent.
    """

    before: str = ""
    """The name of a screenshot, or a cursor of an earlier call: the pane as it was then. Optional with command or
    keys."""
    after: Name = ""
    """The name of a screenshot; omitted, the same pane or window now."""
    pane: str = ""
    """Another pane to capture now, instead of after; with command or keys, the pane to run them in."""
    command: Annotated[str, Meta(max_length=MAX_COMMAND)] = ""
    """A command to run in between, in the pane's shell."""
    keys: Annotated[tuple[str, ...], Meta(max_length=1000)] = ()
    """Keys to send in between to the pane's program: such as Down, Enter, C-x, or single characters."""
    idle_ms: Annotated[int, Meta(ge=1, le=30_000)] = 250
    """Milliseconds of silence in the pane before the second screenshot."""
    timeout: Annotated[float, Meta(ge=0)] = DEFAULT_TIMEOUT
    """Seconds until the second screenshot at the latest; capped at 110."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types there; 0 refuses the call then."""

    @property
    def effects(self) -> frozenset[Effect]:
        """INPUT only if something is typed, RUN if it is a command."""
        typed = (Effect.INPUT,) if self.command or self.keys else ()
        return frozenset((Effect.READ, *typed, *((Effect.RUN,) if self.command else ())))

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane that something is typed into."""
        if not (self.command or self.keys):
            return ()
        pane = self.pane or (_before(mux, self.before, origin)[1] if self.before else ACTIVE)
        return (typed_pane(mux, pane, origin),)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The command."""
        panes = self.targets(mux, origin) if self.command else ()
        return tuple(StartedCommand(self.command, shell_directory(mux, pane, "")) for pane in panes)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[VisualDifference]:
        """The comparison, made on another thread. Raises NotFound, InvalidArgument, Refused or TerminalGone."""
        if self.command or self.keys:
            return self._run_action(mux, origin)
        if self.after and self.pane:
            raise InvalidArgument("after: give a screenshot's name or a pane, not both")
        if not self.before:
            raise InvalidArgument(
                "before: give a screenshot or cursor to compare with, or command or keys to see what they change"
            )
        before, source = _before(mux, self.before, origin)
        if self.after:
            kept = mux.screen_store.find(self.after)
            after = _captured(kept)
        else:
            after = _current(mux, self.pane or source, origin)
        named = (clean(self.before, 64), clean(self.after, 64) or f"{after.source} now")
        return run_task(asyncio.to_thread(_compared, before, after, *named))

    def _run_action(self, mux: Multiplexer, origin: Origin) -> Deferred[VisualDifference]:
        if self.after:
            raise InvalidArgument("after: with command or keys it is the pane's screen afterwards; leave it out")
        stored = _before(mux, self.before, origin) if self.before else None
        pane = self.pane or (stored[1] if stored else "")
        request = ActionRequest(pane, self.command, self.keys, self.idle_ms, self.timeout, self.wait_for_user)
        action = ObservedAction(mux, request, origin)
        if stored and stored[1] != str(action.pane):
            raise InvalidArgument(f"before: shows {stored[1]} and not {action.pane}; leave it out, or name that pane")

        return run_task(self._observed(mux, action, action.begin(), stored[0] if stored else None))

    async def _observed(
        self,
        mux: Multiplexer,
        action: ObservedAction,
        started: Coroutine[Any, Any, CommandOutcome | WaitResult],
        stored: Callable[[], Screen] | None,
    ) -> VisualDifference:
        first, after, result = await observe(mux, action, started)
        named = (clean(self.before, 64) or f"{after.source} before", f"{after.source} after")
        before, scrolled = (stored, None) if stored else (first.screen, first.scrolled)
        found = await asyncio.to_thread(_compared, before, after, *named, scrolled)
        text = f"{result.words}\n{found.text}"
        return replace(found, text=text, exit_code=result.exit_code, timed_out=result.timed_out, seconds=result.seconds)


def _captured(kept: StoredScreen) -> "CapturedScreen":
    from fugue_tui.control.output.screenshot import CapturedScreen

    return CapturedScreen(lambda: kept.screen, kept.theme, kept.source)


def _current(mux: Multiplexer, source: str, origin: Origin) -> "CapturedScreen":
    return shot(mux, source, source if source.startswith("@") else "", origin)


def _before(mux: Multiplexer, name: str, origin: Origin) -> tuple[Callable[[], Screen], str]:
    """The screen of a named screenshot or a cursor, and the id of its pane or window."""
    if name in mux.screen_store.names or not name.startswith("c") or name.count(".") < 2:
        kept = mux.screen_store.find(name)
        return (lambda: kept.screen), kept.source
    found = resolve_cursor(mux, "", name, origin)
    return partial(_screen_then, found), str(found.pane)


def _screen_then(found: BookmarkPosition) -> Screen:
    return Screen(found.bookmark.size.cols, found.bookmark.seen.rows)


def _compared(
    before: Callable[[], Screen], after: "CapturedScreen", old: str, new: str, scrolled: int | None = None
) -> VisualDifference:
    from fugue_tui.imaging.difference import compare, marked
    from fugue_tui.imaging.png import encode

    was, now = before(), replace(after.make(), cursor=None)
    difference = compare(was, now, scrolled)
    image = encode(marked(was, now, after.theme))
    return VisualDifference(
        text=clean_text(_description(difference)),
        image=b64encode(image).decode(),
        media_type="image/png",
        before=old,
        after=new,
        cells=difference.cells,
        changed_rows=tuple(change.row for change in difference.rows),
        scrolled=difference.scrolled,
    )


def _description(difference: "Difference") -> str:
    if not difference.cells:
        return difference.summary
    return f"{difference.cells} cells differ\n{difference.summary}"
