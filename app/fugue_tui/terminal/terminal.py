"""One program and its screen: a pseudo-terminal, its channel on the I/O loop, and an emulator under one fair lock.

Output reaches the emulator on the I/O loop's threads. All else may be called from any thread, except `close`,
which belongs to the thread that draws. After `close` queries return empty values.
"""

import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Final, Protocol, Self
from weakref import WeakKeyDictionary

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal.copy_mode.copy_mode import CopyMode
from fugue_tui.terminal.emulator.command_record import CommandRecord
from fugue_tui.terminal.emulator.events import CommandStarted, CwdChanged, Event, PromptMark, Reply, TitleChanged
from fugue_tui.terminal.emulator.fair_lock import FairLock
from fugue_tui.terminal.emulator.locked_screen import LockedScreen
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.input_sender import InputSender
from fugue_tui.terminal.observers import CLOSED, LOOKED, Observer, Observers
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.pty.channel import Channel, NullChannel
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program, Pty
from fugue_tui.terminal.screen.cells import Damage, Modes, Row, Scrollback
from fugue_tui.terminal.screen.footer import Footer
from fugue_tui.terminal.screen.images import Graphics
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.screen.readers import Readers
from fugue_tui.terminal.screen_view import LiveScreen, ScreenView
from fugue_tui.terminal.serial_queue import SerialQueue
from fugue_tui.terminal.shell_integration.command_log import CommandLog
from fugue_tui.terminal.shell_integration.integration import ShellIntegration
from fugue_tui.terminal.shell_integration.saved_commands import LineFilter, TerminalHandover, frozen
from fugue_tui.terminal.tag_filter import CHECK_SECONDS, TagFilter
from fugue_tui.terminal.tmux_passthrough import TmuxPassthrough

_QUIET_SECONDS: Final = 1.0
_SYNC_LIMIT: Final = 1.0
"""Seconds after which an unfinished synchronized update is shown anyway."""


class Watcher(Protocol):
    """Receives a terminal's notifications, on the I/O loop's threads; every method must return at once."""

    def changed(self, terminal: "Terminal") -> None:
        """There is something to draw. Not repeated until a view reads it."""
        ...

    def on_event(self, terminal: "Terminal", event: Event) -> None:
        """The program sent an event: a title, a bell, a trusted prompt mark... Never a Reply."""
        ...

    def ended(self, terminal: "Terminal", exit: Exit) -> None:
        """The program has exited, and its last output is on the screen."""
        ...


class Terminal:
    """A program and its screen."""

    def __init__(
        self,
        pty: Pty | None,
        size: Size,
        *,
        pump: IOLoop,
        emulator: Emulator,
        watcher: Watcher,
        nonce: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> None:
        """`before` has the commands whose text the emulator contains already."""
        self.pid = pty.pid if pty else 0
        """The program's process id; 0 if there is no program."""
        self.waits = pty is None
        """Whether no program was started; `exit` then stays None."""
        self.exit: Exit | None = None
        """How the program exited; None while it runs."""
        self.engine: Final = emulator.engine
        """The engine's name, as `[terminal] engine` spells it."""
        self.lacks: Final = emulator.lacks
        """What the engine cannot do, in words for users; empty for a complete engine."""
        self._screen = LockedScreen(emulator, size)
        self._lock = FairLock(self._screen)
        self._io_loop = pump
        self._watcher = watcher
        self._observers, self._raw = Observers(), Observers()
        self._events = SerialQueue[Event | Exit](self._handle)
        self._title = self._cwd = self._reported_cwd = ""
        self._printed = self.waits
        self._printed_at = 0.0
        self._notified = False
        self._log = CommandLog(emulator, nonce, lambda: process.cwd(self.pid), self._is_in_front)
        emulator.connect_marks(self._lock, self._log.on_mark)
        self._log.restore(before)
        self.shell: Final = ShellIntegration(self._lock, self._log)
        """The shell's prompt and its commands."""
        self._footer = Footer()
        self._readers = Readers()
        self._live = LiveScreen(self._lock, self._screen, self._footer, self._looked, self._refresh, self._after_change)
        restored = emulator.scrollback
        self._first_line = emulator.pin(Point(restored.top)) if restored.offset else None
        """Where views begin to show restored text; None for its end."""
        emulator.scroll_to_bottom()
        self._seen: WeakKeyDictionary[object, ScreenView] = WeakKeyDictionary()
        self.reader: Callable[[], object] | None = None
        """Names the view that reads now; None if there is but one."""
        self.birth: Final = emulator.pin() if pty else None
        """Where the program began to print; None if there is no program."""
        self._channel = Channel(pty, size, pump, self) if pty else NullChannel()
        sender = InputSender(self._lock, self._channel)
        self.sent: Final = sender.sent
        """Whether the last input was submitted with Enter."""
        self.gate: Final = sender.gate
        """Holds input back while a text waits for its Enter."""
        self.write: Final = sender.write
        self.press: Final = sender.press
        self.mouse: Final = sender.mouse
        self.paste: Final = sender.paste
        self.focus: Final = sender.focus
        """They send input; see `InputSender`."""
        self._sender = sender
        self._tags = TagFilter(self._channel.is_canonical)
        self._passthrough = TmuxPassthrough()
        self._channel.start()

    @classmethod
    def spawn(
        cls,
        program: Program,
        size: Size,
        *,
        pump: IOLoop,
        emulator: Emulator,
        watcher: Watcher,
        nonce: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> Self:
        """Start a program on a screen of this size, which the emulator already has; raises SpawnFailed.

        Prompt marks with the nonce are trusted; after the first of them all others are ignored."""
        pty = Pty.spawn(program, size, emulator.graphics.cell)
        return cls(pty, size, pump=pump, emulator=emulator, watcher=watcher, nonce=nonce, before=before)

    @classmethod
    def waiting(
        cls,
        size: Size,
        *,
        pump: IOLoop,
        emulator: Emulator,
        watcher: Watcher,
        title: str = "",
        cwd: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> Self:
        """A terminal without a program, which shows its emulator's text, with a title and a directory.

        It can be read, scrolled, resized and closed; keys are dropped, and `write` raises TerminalGone."""
        made = cls(None, size, pump=pump, emulator=emulator, watcher=watcher, before=before)
        made._title, made._cwd = title, cwd
        return made

    def observe(self, call: Observer, *, raw: bool = False) -> Callable[[], None]:
        """Subscribe to the program's output and events; returns the function that unsubscribes.

        Whatever arrives after this returns is delivered once, in order, after the emulator has parsed it. The `raw`
        output comes before, with the tags and sequences that are taken out of it, and only with the end."""
        observers = self._raw if raw else self._observers
        with self._lock:
            observers.add(call)

        def unsubscribe() -> None:
            with self._lock:
                observers.remove(call)

        return unsubscribe

    def observe_input(self, call: Callable[[bytes], None] | None) -> None:
        """Call one function with what the program is sent, where the terminal shows it; None for no function. It is
        called by the thread that sends, and must return at once."""
        self._sender.on_sent = call

    @property
    def title(self) -> str:
        """The last title that the program set; empty if none. Untrusted."""
        return self._title

    @property
    def cwd(self) -> str:
        """The directory of the foreground process, or else of the terminal's own, as the kernel has it. Where that is
        unknown, that of a shell that Fugue set up. Its name is untrusted."""
        if self.exit or self.waits:
            return self._cwd or self._log.cwd
        return self._log.spelled(process.cwd(self._channel.foreground_group()) or process.cwd(self.pid))

    @property
    def reported_cwd(self) -> str:
        """The directory that any program reported last, by OSC 7: to be shown, and for nothing else. Untrusted."""
        return self._reported_cwd

    @property
    def printed_at(self) -> float:
        """The time of the last output, on the monotonic clock; 0 if there was none."""
        return self._printed_at

    @property
    def ran_seconds(self) -> float:
        """How long the program has run, or ran until it ended."""
        return self._channel.ran_seconds

    @property
    def foreground(self) -> str:
        """The name of the foreground program, such as `vim`; empty if unknown. Untrusted."""
        group = self._channel.foreground_group()
        return process.name(group) if group else ""

    # Reading the screen

    def locked(self) -> AbstractContextManager[LockedScreen]:
        """The only way to the emulator: `with terminal.locked() as screen`. Not reentrant."""
        return self._lock

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._screen.closed

    @property
    def size(self) -> Size:
        """The screen's size."""
        return self._screen.size

    @property
    def changes(self) -> int:
        """How often there was output, or another change that a save would contain. Only grows."""
        return self._screen.changes

    @property
    def newlines(self) -> int:
        """Line feeds in the output."""
        return self._screen.newlines

    @property
    def fed(self) -> int:
        """Bytes of output."""
        return self._screen.fed

    @property
    def save_version(self) -> tuple[int, int]:
        """Unchanged while there is nothing new to save. Any thread; never waits."""
        return self._screen.changes, self._screen.moves

    # What a view shows

    def seen_by(self, reader: object) -> ScreenView:
        """What a view shows, which anything identifies that lives as long as the view."""
        if (seen := self._seen.get(reader)) is None:
            seen = self._seen.setdefault(reader, ScreenView(self._live, self._first_line))
        return seen

    @property
    def seen(self) -> ScreenView:
        """What the view shows that `reader` names now, or without that the only one."""
        return self.seen_by(self if self.reader is None else self.reader())

    @property
    def selecting(self) -> ScreenView:
        """What a view shows in which text is selected: that of `seen`, or else any; that of `seen` if there is none."""
        views = [self.seen, *self._seen.values()]
        return next((view for view in views if view.copy_mode.selected is not None), views[0])

    @property
    def copy_mode(self) -> CopyMode:
        """The selection and the copy-mode cursor of that view."""
        return self.seen.copy_mode

    @property
    def scrollback(self) -> Scrollback:
        """See `ScreenView.scrollback`."""
        return self.seen.scrollback

    def scroll(self, lines: int) -> None:
        """See `ScreenView.scroll`."""
        self.seen.scroll(lines)

    def scroll_to_bottom(self) -> None:
        """See `ScreenView.scroll_to_bottom`."""
        self.seen.scroll_to_bottom()

    # Reading the text

    @property
    def modes(self) -> Modes:
        """The modes in force now."""
        with self._lock as screen:
            return Modes() if screen.closed else screen.emulator.modes

    def lines(self, start: int, stop: int, *, joined: bool = False) -> list[str]:
        """Plain text of lines `start` to `stop`, counted from the oldest kept; see `Emulator.lines`."""
        with self._lock as screen:
            return [] if screen.closed else screen.emulator.lines(start, stop, joined=joined)

    def past(self, lines: int) -> list[Row]:
        """The rows that a view scrolled back by `lines` from the bottom would show, read mostly without the lock. The
        view and its damage stay as they are."""
        with self._lock as screen:
            read = list[Row] if screen.closed else screen.emulator.past(lines)
        return read()

    def saved(self, line_filter: LineFilter = str) -> bytes:
        """The data that `recall` restores; `line_filter` removes secrets from command lines. Empty if closed."""
        self._screen.emulator.prepare()
        with self._lock as screen:
            if screen.closed:
                return b""
            with self.seen.lent(screen) as emulator:
                past = frozen(emulator, self._log.history, line_filter)
            make = screen.emulator.freeze(past)
        return make()

    # Changing the screen

    def show_footer(self, *texts: str) -> None:
        """Show the first of some ASCII texts that fits at the foot of the view; none hides it."""
        self._change(lambda emulator: self._footer.show(*texts), moves=1)

    def clear_history(self) -> None:
        """Drop the lines above the screen."""
        with self._lock as screen:
            if not screen.closed:
                self._feed(screen, b"\x1b[3J")
                self._after_change(screen)

    def reset(self) -> None:
        """Reset the screen as RIS does, after a program left it broken."""
        self._change(lambda emulator: emulator.reset(), changes=1)
        self.scroll_to_bottom()

    def _change(self, change: Callable[[Emulator], None], *, moves: int = 0, changes: int = 0) -> None:
        with self._lock as screen:
            if not screen.closed:
                change(screen.emulator)
                screen.moves += moves
                screen.changes += changes
                self._after_change(screen)

    def set_colours(self, fg: int, bg: int) -> None:
        """The default colours that programs get on request; each 0xRRGGBB."""
        with self._lock as screen:
            if not screen.closed:
                screen.emulator.set_colours(fg, bg)
                self._after_change(screen)

    def set_graphics(self, graphics: Graphics) -> None:
        """What the program may do with images, and what it is told of it."""
        with self._lock as screen:
            if screen.closed or graphics == screen.emulator.graphics:
                return
            screen.emulator.set_graphics(graphics)
            self._channel.set_cell(graphics.cell)
            self._after_change(screen)

    def resize(self, size: Size) -> None:
        """Resize the screen at once, and notify the program at once or, after rapid changes, within 20 ms."""
        with self._lock as screen:
            if screen.closed or size == screen.size:
                return
            screen.changes += 1
            resized = [view.copy_mode.resize(screen) for view in list(self._seen.values())]
            screen.size = size
            screen.emulator.resize(size)
            for call in resized:
                call()
            self._channel.resize(size)
            self._after_change(screen)

    # Input

    @property
    def foreground_group(self) -> int:
        """The process group that receives input; 0 if none."""
        return self._channel.foreground_group()

    def _is_in_front(self, group: int) -> bool:
        """Whether a process group, 0 for the program's own, is in the foreground; True if that is unknown."""
        return self.foreground_group in (0, group or self.pid)

    @property
    def edits_lines(self) -> bool:
        """Whether the foreground program reads keys one by one to edit a line, as a shell does at its prompt."""
        return self._channel.edits_lines()

    @property
    def hides_input(self) -> bool:
        """Whether what is typed is not shown, as at a password prompt."""
        return self._channel.hides_input()

    # Program

    def rest(self) -> bool:
        """Release memory of the scrollback, on a thread of the I/O loop, once the program was quiet for a second. False
        if there is nothing left to release; otherwise call again later."""
        if self.closed or not self._printed:
            return False
        if time.monotonic() - self._printed_at >= _QUIET_SECONDS:
            self._io_loop.post(self._compact, self._channel)
        return True

    def _compact(self) -> None:
        with self._lock as screen:
            if screen.closed or not screen.emulator.compact():
                self._printed = False

    def pause_output(self, *, paused: bool) -> None:
        """Stop reading the program's output, so that it has to wait, or continue. Never waits."""
        self._channel.pause(paused=paused)

    def interrupt(self, signal: int) -> None:
        """Send a signal to the foreground process group; raises TerminalGone."""
        self._channel.interrupt(signal)

    def drop_observers(self) -> None:
        """Notify every observer that the terminal was closed, and call none again; the program lives on."""
        with self._lock:
            for observers in (self._observers, self._raw):
                observers(CLOSED)
                observers.clear()

    def close(self) -> None:
        """End every program of the terminal's session and release the screen. Never waits; may be called again.

        `ended` is still called once the program has exited."""
        with self._lock as screen:
            if screen.closed:
                return
            screen.closed = True
            self._observers(CLOSED)
            self._raw(CLOSED)
            screen.emulator.close()
        self._channel.close()

    def release(self) -> TerminalHandover:
        """Close a waiting terminal, and return its emulator and its text for the program that starts now.

        Raises TerminalGone if it was closed before."""
        with self._lock as screen:
            if screen.closed:
                raise TerminalGone("the pane was closed meanwhile")
            screen.emulator.scroll(self.seen.offset(screen))  # There the views of the new terminal begin.
            screen.closed = True
            self._observers(CLOSED)
            return TerminalHandover(screen.emulator, self._log.history, self._title)

    def _looked(self, screen: LockedScreen) -> None:
        self._notified = False
        if screen.emulator.synchronized:
            self._io_loop.post(partial(self._io_loop.later, _SYNC_LIMIT, self._notify))

    def _refresh(self, screen: LockedScreen, reader: object) -> Damage:
        damage = self._footer.refresh(screen.size, screen.emulator.refresh())
        return self._readers.take(reader, damage, screen.size.rows)

    # Output

    def parse_tags(self, key: str | None) -> None:
        """Take sideband tags out of the output from now on, and report them as events; None stops that.

        Tags on a screen that the program draws need the key."""
        with self._lock as screen:
            if screen.closed:
                return
            if key is None:
                self._feed(screen, self._tags.stop())
            else:
                self._tags.start(key, screen.emulator)

    def receive(self, data: memoryview) -> None:
        """For the channel: output of the program."""
        with self._lock as screen:
            if screen.closed:
                return
            self._raw(data)
            for part in self._tags.split(self._passthrough.unwrap(bytes(data))):
                if isinstance(part, bytes):
                    self._feed(screen, part)
                else:
                    self._events.put([part])
            if self._tags.wants_check and not self._tags.due:
                self._tags.due = True
                self._io_loop.post(partial(self._io_loop.later, CHECK_SECONDS, self._check_tags))
            notify, self._notified = not self._notified, True
        self._events.drain()
        if notify:
            self._watcher.changed(self)

    def _feed(self, screen: LockedScreen, text: bytes) -> None:
        emulator = screen.emulator
        for part in self._log.split(text, screen.newlines):
            emulator.feed(part)
        screen.newlines += text.count(b"\n")
        screen.fed += len(text)
        screen.erased = self._log.erased
        self._printed, self._printed_at = True, time.monotonic()
        screen.changes += 1
        self._observers(memoryview(text))
        self._events.put([*emulator.take_events(), *self._log.take_events()])

    def _check_tags(self) -> None:
        """Report the tags that a program has drawn, and show what was held for too long."""
        with self._lock as screen:
            if screen.closed:
                return
            found, text = self._tags.check(screen.emulator)
            self._events.put(found)
            if text:
                self._feed(screen, text)
            if self._tags.held:
                self._tags.due = True
                self._io_loop.later(CHECK_SECONDS, self._check_tags)
        self._events.drain()
        self._notify()

    def finish(self, exit: Exit) -> None:
        """For the channel: the program has exited."""
        self.exit = exit
        with self._lock as screen:
            if not screen.closed and (text := self._tags.stop()):
                self._feed(screen, text)
            self._log.on_exit(exit.code)
            self._events.put([*self._log.take_events(), exit])
        self._events.drain()

    def _after_change(self, screen: LockedScreen) -> None:
        """Notify of a change that was not output, from a thread of the I/O loop."""
        self._observers(LOOKED)
        notify, self._notified = not self._notified, True
        if events := screen.emulator.take_events():
            self._events.put(events)
            self._io_loop.post(self._events.drain, self._channel)
        if notify:
            self._io_loop.post(partial(self._watcher.changed, self), self._channel)

    def _notify(self) -> None:
        with self._lock as screen:
            notify, self._notified = not (self._notified or screen.closed), True
        if notify:
            self._watcher.changed(self)

    def _handle(self, event: Event | Exit) -> None:
        match event:
            case Exit():
                self._observers(event)
                self._raw(event)
                self._watcher.ended(self, event)
                return
            case Reply(data):
                self._channel.reply(data)
                return
            case PromptMark() if not self._log.accepts(event):
                return
            case TitleChanged(title):
                self._title = title
            case CwdChanged(cwd):
                self._reported_cwd = cwd
            case CommandStarted():
                self.sent.settle()
            case PromptMark(kind="A"):
                self.sent.prompted()
            case _:
                pass
        self._observers(event)
        self._watcher.on_event(self, event)
