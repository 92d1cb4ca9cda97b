"""One program and its screen: a pseudo-terminal, the pump's channel to it, and an emulator under one fair lock.

What the program prints reaches the emulator on the pump's threads. Everything else here may be called from any thread,
except `row` and `close`, which belong to the thread that calls `refresh` or `frame`.
After `close` the methods that only look answer with nothing.
"""

import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, Protocol, Self

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal import process
from fugue_tui.terminal.asked import AskedLog
from fugue_tui.terminal.channel import Channel
from fugue_tui.terminal.commands import output
from fugue_tui.terminal.emulator import Emulator
from fugue_tui.terminal.events import CommandStarted, CwdChanged, Event, PromptMark, Reply, TitleChanged
from fugue_tui.terminal.idle import Idle
from fugue_tui.terminal.keys import KeyPress
from fugue_tui.terminal.mouse import MouseAction
from fugue_tui.terminal.pins import Passage
from fugue_tui.terminal.pty import Exit, Program, Pty
from fugue_tui.terminal.pump import Pump
from fugue_tui.terminal.record import CommandRecord
from fugue_tui.terminal.remembered import Legacy, Sift, frozen
from fugue_tui.terminal.selecting import Selecting
from fugue_tui.terminal.sent import Sent
from fugue_tui.terminal.taps import CLOSED, Tap, Taps

_QUIET_SECONDS: Final = 1.0
_SYNC_LIMIT: Final = 1.0
"""Seconds after which an unfinished synchronized update is shown anyway."""


class Watcher(Protocol):
    """Who is told about a terminal; every call arrives on one of the pump's threads and must return at once."""

    def changed(self, terminal: "Terminal") -> None:
        """There is something to draw. Said once, until `refresh` or `frame` has looked."""
        ...

    def said(self, terminal: "Terminal", event: Event) -> None:
        """The program said something: a title, a bell, a mark that counts... Never a Reply."""
        ...

    def ended(self, terminal: "Terminal", exit: Exit) -> None:
        """The program has ended, and its last output is on the screen."""
        ...


class Terminal(Selecting):
    """A running program and what it shows."""

    def __init__(
        self,
        pty: Pty | None,
        size: Size,
        *,
        pump: Pump,
        emulator: Emulator,
        watcher: Watcher,
        nonce: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> None:
        """`before` is what is known of the commands whose text the emulator shows already."""
        super().__init__(emulator, size)
        self.pid = pty.pid if pty else 0
        """The program's; 0, which is nobody's, while there is none."""
        self.waits = pty is None
        """Whether no program was started yet; `exit` is then None for ever."""
        self.exit: Exit | None = None
        """How the program ended; None while it runs."""
        self.sent: Final = Sent()
        """Whether what was typed last was entered too."""
        self._pump = pump
        self._watcher = watcher
        self._taps = Taps()
        self._title = self._cwd = ""
        self._printed = self.waits
        self._printed_at = 0.0
        self._log = AskedLog(emulator, nonce, lambda: emulator.cwd or process.cwd(self.pid))
        emulator.attend(self.lock, self._log.heard)
        self._log.take_over(before)
        self._channel = Channel(pty, size, pump, self) if pty else Idle()
        self._channel.start()

    @classmethod
    def spawn(
        cls,
        program: Program,
        size: Size,
        *,
        pump: Pump,
        emulator: Emulator,
        watcher: Watcher,
        nonce: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> Self:
        """Start a program on a screen of that size, which the emulator already has; raises SpawnFailed.

        Prompt marks that carry the nonce are believed, and once one was heard, no others."""
        pty = Pty.spawn(program, size)
        return cls(pty, size, pump=pump, emulator=emulator, watcher=watcher, nonce=nonce, before=before)

    @classmethod
    def waiting(
        cls,
        size: Size,
        *,
        pump: Pump,
        emulator: Emulator,
        watcher: Watcher,
        title: str = "",
        cwd: str = "",
        before: Sequence[CommandRecord] = (),
    ) -> Self:
        """A terminal without a program, that shows what its emulator was given, under a title and a directory.

        It can be looked at, scrolled, resized and closed; keys come to nothing, and `write` raises TerminalGone."""
        made = cls(None, size, pump=pump, emulator=emulator, watcher=watcher, before=before)
        made._title, made._cwd = title, cwd
        return made

    def tap(self, call: Tap) -> Callable[[], None]:
        """Have a callback told all that comes from the program from now on; what is returned ends that. Any thread.

        What has not come when this returns is told once, in order, after the screen has taken it in."""
        with self.lock:
            self._taps.add(call)

        def untap() -> None:
            with self.lock:
                self._taps.remove(call)

        return untap

    @property
    def title(self) -> str:
        """The title that the program set last; empty if none. Untrusted."""
        return self._title

    @property
    def cwd(self) -> str:
        """The directory that the program reported by OSC 7, else that of the foreground process. Untrusted."""
        return self._cwd or process.cwd(self._channel.foreground_group() or self.pid)

    @property
    def printed_at(self) -> float:
        """When there was output last, on the monotonic clock; 0 if there was none."""
        return self._printed_at

    @property
    def foreground_group(self) -> int:
        """The process group that keys go to; 0 if none."""
        return self._channel.foreground_group()

    @property
    def foreground(self) -> str:
        """The name of the foreground program, such as `vim`; empty if unknown. Untrusted."""
        group = self._channel.foreground_group()
        return process.name(group) if group else ""

    @property
    def commands(self) -> tuple[CommandRecord, ...]:
        """The commands that a shell with marked prompts ran, oldest first, the newest 500. Any thread."""
        with self.lock:
            return self._log.records

    @property
    def newest_command(self) -> CommandRecord | None:
        """The newest command, in a shell inside another too if it was asked for; None if none is known. Any thread."""
        with self.lock:
            return self._log.newest

    def ask(self, nonce: str, line: str) -> int:
        """Expect a command that is typed with marks of its own, which carry the nonce: `CommandStarted` and
        `CommandFinished` tell of it under the number that is returned. Any thread."""
        with self.lock:
            return self._log.ask(nonce, line)

    def given(self, text: str, line: str) -> None:
        """Know a command that is about to be typed by another line than what is typed. Any thread."""
        with self.lock:
            self._log.given(text, line)

    def adopt(self, line: str) -> int:
        """Take all that the program prints until it ends for the output of one command, under the number that is
        returned. Any thread."""
        with self.lock:
            return self._log.adopt(line)

    def command(self, number: int) -> CommandRecord | None:
        """A command by its number, with where its output starts by now; None if it is forgotten. Any thread."""
        with self.lock:
            return self._log.found(number)

    @property
    def erased(self) -> int:
        """How often the program erased the history; places that were in it are at its beginning since."""
        return self._log.erased

    def lines_of(self, command: CommandRecord) -> int:
        """How many lines a command has printed, if it is the newest; 0 if not. Any thread."""
        with self.lock:
            before = self._log.began(command)
            return 0 if before is None else self.newlines - before

    def beginning(self, command: CommandRecord) -> str:
        """The first rows that a command printed, as VT text; empty unless it is the newest with a long output. Any
        thread."""
        with self.lock:
            return self._log.beginning(command)

    @property
    def at_prompt(self) -> bool | None:
        """Whether a shell waits for input; None if none ever marked its prompt. Any thread."""
        return self._log.at_prompt

    @property
    def at_input(self) -> bool:
        """Whether a shell waits for input and has told where that starts, behind its prompt. Any thread."""
        return self._log.at_input

    @property
    def marks(self) -> bool:
        """Whether the program is a shell that was set up to mark its prompts, whether or not it has done so yet."""
        return self._log.expected

    @property
    def integrated(self) -> bool:
        """Whether the marks come from a shell that Fugue set up, so that no program's output can forge them."""
        return self._log.trusted

    @property
    def typed(self) -> str:
        """What stands at the shell's prompt and was not entered yet; empty if it is not at a prompt. Untrusted."""
        with self.lock:
            return "" if self._closed else self._log.typed()

    def output(self, command: CommandRecord, *, joined: bool = True, ansi: bool = False) -> Passage:
        """What a command of this terminal printed, so far or in all; only the newest few are still known. Any thread.

        `missed` says that not all of it is there."""
        with self.lock:
            return Passage() if self._closed else output(self.emulator, command, joined=joined, ansi=ansi)

    def write(self, data: bytes) -> int:
        """Send bytes to the program; how many were accepted (1 MiB may wait). Never waits; raises TerminalGone."""
        self.sent.wrote(data, self.foreground_group)
        return self._channel.write(data)

    def press(self, press: KeyPress) -> bool:
        """Send a key as the program's modes want it; False if the program has ended."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_key(press)
        self.sent.pressed(press, self.foreground_group)
        return self._send(data)

    def mouse(self, action: MouseAction) -> bool:
        """Send a mouse event; False if the program did not ask for it."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_mouse(action)
        return bool(data) and self._send(data)

    def paste(self, text: str) -> int:
        """Send text as one paste, cleaned and bracketed as the modes say; how many bytes were accepted.

        Raises TerminalGone."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_paste(text)
        self.sent.wrote(data, self.foreground_group)
        return self._channel.write(data)

    def focus(self, focused: bool) -> None:
        """Tell the program that it has or lost the focus, if it asked."""
        with self.lock:
            data = b"" if self._closed else self.emulator.encode_focus(focused)
        self._send(data)

    def resize(self, size: Size) -> None:
        """Change the screen at once, and tell the program: at once too, or in a storm within 20 ms."""
        with self.lock:
            if self._closed or size == self.size:
                return
            self.size = size
            self.changes += 1
            self._resize(size)
            self._channel.resize(size)
            self._after_change()

    def rest(self) -> bool:
        """Give memory of the history back, on a thread of the pump, once the program has been quiet for a second.

        False if there is nothing left to give back; ask again in a while otherwise."""
        if self._closed or not self._printed:
            return False
        if time.monotonic() - self._printed_at >= _QUIET_SECONDS:
            self._pump.post(self._compact, self._channel)
        return True

    def _compact(self) -> None:
        with self.lock:
            if self._closed or not self.emulator.compact():
                self._printed = False

    def interrupt(self, signal: int) -> None:
        """Send a signal to the foreground programs; raises TerminalGone."""
        self._channel.interrupt(signal)

    def close(self) -> None:
        """End every program of the terminal's session and let the screen go. Never waits; may be called again.

        `ended` is still told, once the program is gone."""
        with self.lock:
            if self._closed:
                return
            self._closed = True
            self._taps(CLOSED)
            self.emulator.close()
        self._channel.close()

    def release(self) -> Legacy:
        """Close a waiting terminal but hand on its emulator, with all that it shows, for the program that starts now.

        Raises TerminalGone if it was closed before."""
        with self.lock:
            if self._closed:
                raise TerminalGone("the pane was closed meanwhile")
            self._closed = True
            self._taps(CLOSED)
            return Legacy(self.emulator, self._log.records, self._title)

    def saved(self, sift: Sift = str) -> bytes:
        """All that `remembered.recall` brings back; `sift` takes what is secret out of command lines. Empty once it is
        closed. Any thread; the lock is held for the engine's part only."""
        self.emulator.prepare()
        with self.lock:
            if self._closed:
                return b""
            make = self.emulator.freeze(frozen(self.emulator, self._log.records, sift))
        return make()

    def receive(self, data: memoryview) -> None:
        """For the channel: output of the program."""
        with self.lock:
            if self._closed:
                return
            for part in self._log.parted(data, self.newlines):
                self.emulator.feed(part)
            self.newlines += bytes(data).count(b"\n")
            self.fed += len(data)
            self._printed, self._printed_at = True, time.monotonic()
            self.changes += 1
            self._taps(data)
            events = [*self.emulator.take_events(), *self._log.take_events()]
            tell, self._told = not self._told, True
        self._handle(events)
        if tell:
            self._watcher.changed(self)

    def finish(self, exit: Exit) -> None:
        """For the channel: the program has ended."""
        self.exit = exit
        with self.lock:
            self._log.ended(exit.code)
            events = self._log.take_events()
        self._handle([*events])
        self._taps(exit)
        self._watcher.ended(self, exit)

    def _send(self, data: bytes) -> bool:
        try:
            self._channel.write(data)
        except TerminalGone:
            return False
        return True

    def _look_again(self) -> None:
        self._pump.post(partial(self._pump.later, _SYNC_LIMIT, self._tell))

    def _after_change(self) -> None:
        """Under the lock: have the pump tell what a change from outside brought about."""
        events = self.emulator.take_events()
        tell, self._told = not self._told, True
        if events:
            self._pump.post(partial(self._handle, events), self._channel)
        if tell:
            self._pump.post(partial(self._watcher.changed, self), self._channel)

    def _tell(self) -> None:
        with self.lock:
            tell, self._told = not (self._told or self._closed), True
        if tell:
            self._watcher.changed(self)

    def _handle(self, events: list[Event]) -> None:
        for event in events:
            match event:
                case Reply(data):
                    self._channel.reply(data)
                    continue
                case PromptMark() if not self._log.believes(event):
                    continue
                case TitleChanged(title):
                    self._title = title
                case CwdChanged(cwd):
                    self._cwd = cwd
                case CommandStarted():
                    self.sent.settle()
                case PromptMark(kind="A"):
                    self.sent.prompted()
                case _:
                    pass
            self._taps(event)
            self._watcher.said(self, event)
