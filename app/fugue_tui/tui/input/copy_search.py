"""The search of one pane in copy mode: what is searched for, its matches, and the line in which that is typed."""

import asyncio
import re
from collections.abc import Callable

from msgspec import Struct

from fugue_tui.control.output.text_search import Found, Query, find_all, view_matches
from fugue_tui.errors import InvalidArgument
from fugue_tui.multiplexer.watch.patterns import Pattern
from fugue_tui.sanitize import clean, clean_text
from fugue_tui.terminal.copy_mode.motions import Motion
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.screen.pins import Pin, Point
from fugue_tui.terminal.terminal import Terminal


class _Jump(Struct, frozen=True):
    """A jump that waits for the matches."""

    steps: int
    """Matches down, or up if negative."""
    origin: Pin | None = None
    """Where it starts; None for the cursor."""


class CopySearch:
    """One query, whose matches are sought on a thread of their own and marked in the view. Main thread only."""

    def __init__(self, live: Terminal, jump: Callable[[Motion], object], updated: Callable[[], None]) -> None:
        """`jump` moves the cursor; `updated` is called when there is something else to show."""
        self._live, self._jump, self._updated = live, jump, updated
        self.query = Query("")
        self.backward = False
        """Whether `n` goes up."""
        self.error = ""
        """Why the query cannot be searched for; empty if it can."""
        self._pattern: Pattern | None = None
        self._found: Found | None = None
        self._waiting: _Jump | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_stale = False

    def set(self, query: Query, *, backward: bool, origin: Pin | None = None) -> None:
        """Search for something else, and go to the nearest match from a position, or there if there is none."""
        self.query, self.backward, self.error = query, backward, ""
        self._pattern = self._found = self._waiting = None
        try:
            self._pattern = query.pattern() if query.text else None
        except InvalidArgument as error:
            self.error = str(error).removeprefix("search: ")
        self.mark()
        if self._pattern is not None:
            self._waiting = _Jump(-1 if backward else 1, origin)
            self._start()
        elif origin is not None:
            self._return(origin)

    def show(self, query: Query) -> None:
        """Search for something else, and leave the cursor where it is."""
        self.set(query, backward=False)
        self._waiting = None

    def mark(self) -> None:
        """Mark the matches that the view shows."""
        pattern, mode = self._pattern, self._live.copy_mode
        mode.set_overlay((lambda screen: view_matches(screen, pattern, mode.place())) if pattern is not None else None)

    def step(self, count: int, *, reverse: bool = False) -> None:
        """Go to the next match in the direction of the search, or against it."""
        jump = _Jump(-count if self.backward != reverse else count)
        if self._pattern is None:
            return
        if self._found is None:
            self._waiting = jump
            return
        self._go(jump)
        if self._found.changes != self._live.changes:
            self._start()

    def words(self, at: Point | None) -> str:
        """Which match a position is at, and how many there are; empty if that is not known."""
        found = self._found
        if self._pattern is None or found is None or at is None:
            return ""
        with self._live.locked() as screen:
            shift = 0 if screen.closed else found.shift()
        total = f"{found.count}{'+' * found.cut}"
        return f"{found.index(Point(at.line - shift, at.column))}/{total}" if found.count else "no match"

    def _start(self) -> None:
        self._is_stale = True
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._is_stale:
                self._is_stale = False
                pattern = self._pattern
                found = await asyncio.to_thread(find_all, self._live, pattern) if pattern is not None else None
                if pattern is self._pattern:
                    self._found = found
                    if self._waiting is not None:
                        self._go(self._waiting)
        finally:
            self._task = None
        self._updated()

    def _go(self, jump: _Jump) -> None:
        self._waiting = None
        if self._found is not None and self._found.count:
            self._jump(_to_match(self._found, jump))
        elif jump.origin is not None:
            self._return(jump.origin)

    def _return(self, origin: Pin) -> None:
        """Nothing is found: back to where the search began."""
        self._jump(lambda emulator, at: origin.found() or at)


def _to_match(found: Found, jump: _Jump) -> Motion:
    """To a match below or above, and on at the other end of the text."""

    def move(emulator: Emulator, at: Point) -> Point:
        at = (jump.origin.found() if jump.origin is not None else at) or at
        shift = found.shift()
        here = Point(at.line - shift, at.column)
        before = found.index(here)
        on_match = before and found.span(before - 1).first == here
        index = before + jump.steps - 1 if jump.steps > 0 or on_match else before + jump.steps
        first = found.span(index % found.count).first
        return Point(first.line + shift, first.column)

    return move


class SearchPrompt:
    """The line in which a search is typed. Main thread only."""

    def __init__(self, search: CopySearch, backward: bool, before: CopySearch | None, origin: Pin, last: str) -> None:
        """`last` is what was searched for before, which Enter takes if nothing is typed."""
        self.search = search
        self.before = before
        """The search that it replaces."""
        self.origin = origin
        """Where the cursor was."""
        self.text = ""
        self._backward, self._last = backward, last

    @property
    def shown(self) -> str:
        """What was typed, for the status bar."""
        return f"{'?' if self._backward else '/'}{clean(self.text, 200)}"

    def press(self, press: KeyPress) -> bool | None:
        """Edit the line; True once it was entered, False once it was left."""
        control = press.name if press.modifiers & Modifiers.CTRL else ""
        if press.role == "escape" or control in ("c", "g"):
            return False
        if press.role == "enter" or control in ("j", "m"):
            return self._enter()
        if press.role == "backspace" or control == "h":
            if not self.text:
                return False
            self._set(self.text[:-1])
        elif control == "u":
            self._set("")
        elif control == "w":
            self._set(" ".join(self.text.split(" ")[:-1]))
        elif control in ("s", "r"):
            self._again(backward=control == "r")
        elif press.role == "up":
            self._set(self._last)
        elif press.text and not press.modifiers & (Modifiers.CTRL | Modifiers.ALT):
            self.insert(press.text)
        return None

    def insert(self, text: str) -> None:
        """Add a text to the line, such as a paste."""
        self._set(self.text + re.sub(r"[\n\t]+", " ", clean_text(text, 1_000).strip("\n")))

    def _set(self, text: str) -> None:
        self.text = text
        self.search.set(Query(text), backward=self._backward, origin=self.origin)

    def _enter(self) -> bool | None:
        if not self.text:
            self._set(self._last)
        return None if self.search.error else bool(self.text)

    def _again(self, *, backward: bool) -> None:
        if not self.text:
            self._set(self._last)
        self.search.step(1, reverse=backward != self.search.backward)
