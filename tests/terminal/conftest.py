"""Terminals for tests: a pump, an emulator that only records, and a watcher that can be waited for."""

import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import pytest

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Event, PromptMark
from fugue_tui.terminal.emulator.protocol import ViewportRows
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.input.mouse import MouseAction
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.screen.cells import Cursor, Damage, Modes, Row, Scrollback
from fugue_tui.terminal.screen.images import Graphics, Image, Placement
from fugue_tui.terminal.screen.pins import Guard, Pin, Point
from fugue_tui.terminal.terminal import Terminal

DEADLINE = 40.0
SCREEN = Size(80, 24)
Say: TypeAlias = Callable[[bytes], list[Event]]


def _silent(data: bytes) -> list[Event]:
    return []


@dataclass(frozen=True)
class RecordedRows:
    """The viewport of a recorder, which has no images."""

    rows: list[bytes]
    cursor: Cursor
    placements: tuple[Placement, ...] = ()

    def row(self, y: int) -> Row:
        return Row(())


class Recorder:
    """An emulator that keeps what it was fed, and answers what `say` makes of it."""

    engine = "recorder"
    lacks: frozenset[str] = frozenset()
    title = cwd = ""

    def __init__(self, size: Size, limit: int = 1 << 20, say: Say | None = None) -> None:
        self.size = size
        self.limit = limit
        self.text = bytearray()
        self.say: Say = say or _silent
        self.fed = self.feeds = 0
        self.closed = False
        self.cursor, self.modes, self.scrollback = Cursor(0, 0), Modes(), Scrollback(0, 0)
        self.caret, self.shows_caret = (0, 0), True
        self.graphics = Graphics()
        self.images: tuple[Placement, ...] = ()
        self._events: list[Event] = []

    @property
    def synchronized(self) -> bool:
        return self.modes.synchronized

    def feed(self, data: bytes | bytearray | memoryview) -> None:
        self.fed += len(data)
        self.feeds += 1
        self.text += data
        del self.text[: -self.limit]
        self._events += self.say(bytes(data))

    def set_graphics(self, graphics: Graphics) -> None:
        self.graphics = graphics

    def past_images(self, lines: int) -> tuple[Placement, ...]:
        return ()

    def pixels(self, image: Image) -> None:
        return

    def take_events(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def resize(self, size: Size) -> None:
        self.size = size
        self._events += self.say(b"")

    def refresh(self) -> Damage:
        return Damage(full=True, rows=tuple(range(self.size.rows)))

    def row(self, y: int) -> Row:
        return Row(())

    def paint(self, first: int, count: int) -> list[bytes]:
        return [b"row %d" % y for y in range(first, first + count)]

    def scroll(self, lines: int) -> None: ...

    def scroll_to_bottom(self) -> None: ...

    def capture(self) -> ViewportRows:
        return RecordedRows(self.paint(0, self.size.rows), self.cursor)

    def past(self, lines: int) -> Callable[[], list[Row]]:
        return list[Row]

    def screen_rows(self) -> Callable[[], list[Row]]:
        return list[Row]

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        return self.text.decode(errors="replace").splitlines()[start:stop]

    def connect_marks(self, lock: Guard, on_mark: Callable[[PromptMark], None]) -> None: ...

    def is_prompt(self, line: int, *, continued: bool = False) -> bool:
        return False

    def pin(self, place: Point | None = None) -> Pin:
        return Pin(lambda: place, lambda: place, nullcontext(), alternate=False)

    def between(self, start: Point, stop: Point, *, joined: bool = True, ansi: bool = False) -> str:
        return "\n".join(self.lines(start.line, stop.line))

    def encode_key(self, press: KeyPress) -> bytes:
        return press.text.encode()

    def encode_mouse(self, action: MouseAction) -> bytes:
        return b""

    def encode_paste(self, text: str) -> bytes:
        return text.encode()

    def encode_focus(self, focused: bool) -> bytes:
        return b""

    @property
    def colours(self) -> tuple[int, int]:
        return 0xFFFFFF, 0

    def set_colours(self, fg: int, bg: int) -> None: ...

    def save(self) -> bytes:
        return bytes(self.text)

    def prepare(self) -> None: ...

    def freeze(self, past: Callable[[], bytes] = bytes) -> Callable[[], bytes]:
        return self.save

    def recall(self, data: bytes, places: Sequence[Point] = ()) -> list[Point | None]:
        self.text += data
        return [None for _ in places]

    def compact(self) -> bool:
        return False

    def reset(self) -> None: ...

    def close(self) -> None:
        self.closed = True


class Witness:
    """A watcher that counts what it is told, can be waited for, and looks at every change or at none."""

    def __init__(self, looks: bool = True) -> None:
        self._looks = looks
        self.changes: int = 0
        self.events: list[Event] = []
        self.exits: list[Exit] = []
        self._condition = threading.Condition()

    def changed(self, terminal: Terminal) -> None:
        if self._looks:
            terminal.seen.refresh()
        with self._condition:
            self.changes += 1
            self._condition.notify_all()

    def on_event(self, terminal: Terminal, event: Event) -> None:
        with self._condition:
            self.events.append(event)
            self._condition.notify_all()

    def ended(self, terminal: Terminal, exit: Exit) -> None:
        with self._condition:
            self.exits.append(exit)
            self._condition.notify_all()

    def wait(self, condition: Callable[[], object], seconds: float = DEADLINE) -> None:
        """Wait until the condition holds after something was told; fails after the deadline."""
        with self._condition:
            assert self._condition.wait_for(condition, seconds), "the deadline passed"


@dataclass
class Pane:
    """A terminal with its recorder and its witness."""

    terminal: Terminal
    recorder: Recorder
    witness: Witness

    @property
    def text(self) -> str:
        return self.recorder.text.decode(errors="replace")

    def wait_for(self, text: str, seconds: float = DEADLINE) -> None:
        self.witness.wait(lambda: text in self.text, seconds)

    def wait_exit(self, seconds: float = DEADLINE) -> Exit:
        self.witness.wait(lambda: self.witness.exits, seconds)
        return self.witness.exits[0]


class Spawn(Protocol):
    """Starts a program; one argument with a blank in it is a shell script."""

    def __call__(
        self,
        *argv: str,
        size: Size = SCREEN,
        cwd: str = "",
        env: dict[str, str] | None = None,
        limit: int = 1 << 20,
        say: Say | None = None,
    ) -> Pane: ...


@pytest.fixture
def pump() -> Iterator[IOLoop]:
    pump = IOLoop()
    pump.start()
    yield pump
    pump.stop()


@pytest.fixture
def spawn(pump: IOLoop) -> Spawn:
    """Start `argv` (or a shell script, as one string with a blank) on a recorder."""

    def spawn(
        *argv: str,
        size: Size = SCREEN,
        cwd: str = "",
        env: dict[str, str] | None = None,
        limit: int = 1 << 20,
        say: Say | None = None,
    ) -> Pane:
        words = ("sh", "-c", argv[0]) if len(argv) == 1 and " " in argv[0] else argv
        recorder, witness = Recorder(size, limit, say), Witness()
        program = Program(words, cwd, env or {})
        return Pane(Terminal.spawn(program, size, pump=pump, emulator=recorder, watcher=witness), recorder, witness)

    return spawn


Eventually = Callable[..., None]


@pytest.fixture
def eventually() -> Eventually:
    """Wait until a condition about the machine holds, where nothing tells of it."""

    def eventually(condition: Callable[[], object], seconds: float = DEADLINE) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, "the deadline passed"
            time.sleep(0.005)

    return eventually


@pytest.fixture
def open_files() -> Callable[[], int]:
    """How many descriptors this process holds."""
    return lambda: len(os.listdir("/proc/self/fd"))


@pytest.fixture
def zombies() -> Callable[[], int]:
    """How many dead children this process has not waited for."""

    def is_ours(stat: str) -> bool:
        state, parent = stat.rpartition(")")[2].split()[:2]
        return state == "Z" and int(parent) == os.getpid()

    def zombies() -> int:
        stats: list[str] = []
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                stats.append(path.read_text())
        return sum(map(is_ours, stats))

    return zombies
