"""A terminal tells once what there is to draw, answers in order, keeps sizes true and ends what it started."""

import fcntl
import hashlib
import os
import signal
import struct
import sys
import termios
import threading
import time
from collections.abc import Callable

import pytest
from tests.terminal.conftest import DEADLINE, Eventually, Pane, Recorder, Spawn, Witness

from fugue_tui.errors import InputFull
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Bell, CwdChanged, Event, Reply, TitleChanged
from fugue_tui.terminal.emulator.fair_lock import FairLock
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.terminal.pty import write_queue
from fugue_tui.terminal.pty.channel import Channel
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.pty.write_queue import AT_ONCE, CAPACITY, REPLY_CAPACITY, WriteQueue
from fugue_tui.terminal.screen.cells import Damage, Modes
from fugue_tui.terminal.terminal import Terminal


def test_a_change_is_reported_once_until_the_screen_is_read(pump: IOLoop) -> None:
    recorder, witness = Recorder(Size(80, 24)), Witness(looks=False)
    terminal = Terminal.spawn(Program(("cat",)), Size(80, 24), pump=pump, emulator=recorder, watcher=witness)
    for number in range(1, 4):
        for step in range(3):
            wanted = recorder.feeds + 1
            terminal.write(b"%d" % step)
            _wait(lambda wanted=wanted: recorder.feeds >= wanted)
        assert witness.changes == number
        terminal.seen.refresh()
    assert recorder.text == b"012012012"


class Blocking(Witness):
    """A watcher that takes its time over the first event."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def on_event(self, terminal: Terminal, event: Event) -> None:
        if event == TitleChanged("first"):
            self.begun.set()
            assert self.go_on.wait(DEADLINE)
        super().on_event(terminal, event)


def test_events_are_reported_in_order_and_one_at_a_time_whoever_finds_them(pump: IOLoop) -> None:
    recorder, witness = Recorder(Size(80, 24)), Blocking()
    terminal = Terminal.spawn(Program(("cat",)), Size(80, 24), pump=pump, emulator=recorder, watcher=witness)
    found = [TitleChanged("first"), TitleChanged("second")]
    recorder.say = lambda data: [found.pop(0)]
    feeder = threading.Thread(target=lambda: terminal.receive(memoryview(b"text")))
    feeder.start()
    assert witness.begun.wait(DEADLINE)
    terminal.resize(Size(70, 20))
    posted = threading.Event()
    pump.post(posted.set)
    assert posted.wait(DEADLINE)
    witness.go_on.set()
    feeder.join()
    assert witness.events == [TitleChanged("first"), TitleChanged("second")]
    assert terminal.title == "second"


def test_a_frame_has_the_rows_of_its_damage(spawn: Spawn) -> None:
    damage, rows, cursor = spawn("cat", size=Size(10, 3)).terminal.seen.frame()
    assert (damage.rows, rows) == ((0, 1, 2), [b"row 0", b"row 1", b"row 2"])
    assert (cursor.x, cursor.y) == (0, 0)


def test_scattered_rows_are_painted_in_order(spawn: Spawn, monkeypatch: pytest.MonkeyPatch) -> None:
    pane = spawn("cat")
    pane.terminal.seen.refresh()
    monkeypatch.setattr(pane.recorder, "refresh", lambda: Damage(rows=(1, 2, 5, 7, 8)))
    assert pane.terminal.seen.frame()[1] == [b"row %d" % y for y in (1, 2, 5, 7, 8)]


def test_an_unfinished_synchronized_update_is_looked_at_again(pump: IOLoop) -> None:
    recorder, witness = Recorder(Size(80, 24)), Witness(looks=False)
    terminal = Terminal.spawn(Program(("cat",)), Size(80, 24), pump=pump, emulator=recorder, watcher=witness)
    recorder.modes = Modes(synchronized=True)
    terminal.seen.refresh()
    recorder.modes = Modes()
    witness.wait(lambda: witness.changes == 1)


def test_answers_go_to_the_program_in_the_order_of_its_questions(spawn: Spawn) -> None:
    def answer(data: bytes) -> list[Event]:
        return [Reply(b"first!"), Bell(), Reply(b"second")] if b"ready" in data else []

    pane = spawn("stty raw -echo; echo ready; head -c 12 | od -An -c", say=answer)
    pane.wait_exit()
    assert "".join(pane.text.split()[1:]) == "first!second"
    assert pane.witness.events == [Bell()]


@pytest.mark.slow
def test_a_program_that_asks_without_reading_is_not_answered_without_end(spawn: Spawn) -> None:
    def answer(data: bytes) -> list[Event]:
        return [Reply(b"[answer]")] * data.count(b"ask")

    pane = spawn("stty raw -echo; yes ask", say=answer)
    pane.witness.wait(lambda: pane.recorder.fed > 1_000_000)
    box: WriteQueue = _channel(pane)._outbox  # pyright: ignore[reportPrivateUsage]
    assert 0 < box.size <= REPLY_CAPACITY
    assert pane.terminal.write(b"a key") == 5


def test_title_directory_and_bell_are_reported_and_kept(spawn: Spawn) -> None:
    said: list[Event] = [TitleChanged("a title"), CwdChanged("/over/there"), Bell()]
    pane = spawn("echo now; read line", say=lambda data: said if b"now" in data else [])
    pane.witness.wait(lambda: len(pane.witness.events) == 3)
    assert pane.witness.events == said
    assert (pane.terminal.title, pane.terminal.reported_cwd) == ("a title", "/over/there")
    assert pane.terminal.cwd == os.getcwd()


def test_the_program_receives_its_new_size(spawn: Spawn) -> None:
    pane = spawn("trap 'stty size' WINCH; echo ready; while :; do sleep 0.05; done")
    pane.wait_for("ready")
    pane.terminal.resize(Size(77, 11))
    pane.wait_for("11 77")
    assert pane.recorder.size == pane.terminal.size == Size(77, 11)


def test_an_equal_size_is_not_reported(spawn: Spawn) -> None:
    pane = spawn("trap 'echo WINCH' WINCH; echo ready; read line; echo end")
    pane.wait_for("ready")
    for _ in range(3):
        pane.terminal.resize(Size(80, 24))
    pane.terminal.write(b"\n")
    pane.wait_exit()
    assert "WINCH" not in pane.text


def test_the_program_gets_few_of_many_resizes_but_always_the_last(spawn: Spawn, eventually: Eventually) -> None:
    count = "import signal,sys\nsignal.signal(signal.SIGWINCH, lambda *a: print('WINCH', flush=True))\nprint('ready')\n"
    pane = spawn(sys.executable, "-uc", count + "for line in sys.stdin: break")
    pane.wait_for("ready")
    start = time.monotonic()
    for number in range(200):
        pane.terminal.resize(Size(40 + number % 50, 10 + number % 7))
        assert pane.recorder.size == pane.terminal.size
    last = Size(133, 44)
    pane.terminal.resize(last)
    storms = (time.monotonic() - start) / 0.02
    eventually(lambda: _kernel_size(pane) == last)
    pane.terminal.write(b"\n")
    pane.wait_exit()
    assert 1 <= pane.text.count("WINCH") <= storms + 3


def test_a_size_that_went_back_in_a_storm_is_the_one_that_stays(spawn: Spawn, eventually: Eventually) -> None:
    pane = spawn("cat")
    for size in (Size(50, 10), Size(60, 10), Size(50, 10), Size(61, 12), Size(50, 10)):
        pane.terminal.resize(size)
    eventually(lambda: _kernel_size(pane) == Size(50, 10))
    pane.terminal.resize(Size(51, 10))
    eventually(lambda: _kernel_size(pane) == Size(51, 10))


def test_keys_and_pastes_reach_the_program(spawn: Spawn) -> None:
    pane = spawn("cat")
    assert pane.terminal.press(KeyPress("a", text="a"))
    assert pane.terminal.paste("bc\n") == 3
    pane.wait_for("abc\r\nabc")


def test_a_large_paste_reaches_a_slow_program_whole_and_keys_stay_behind_it(spawn: Spawn) -> None:
    text = "grüße 漢字 " * 250_000
    size = len(text.encode())
    assert size > 3 << 20
    pane = spawn(f"stty raw -echo; echo ready; head -c {size + 1} | md5sum; echo end")
    pane.wait_for("ready")
    assert pane.terminal.paste(text) == size
    assert pane.terminal.press(KeyPress("z", text="z"))
    pane.wait_exit()
    assert hashlib.md5(text.encode() + b"z").hexdigest() in pane.text


def test_a_paste_that_finds_no_room_is_refused_whole_with_the_counts(
    spawn: Spawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(write_queue, "CAPACITY", 300_000)
    pane = spawn("stty raw -echo; echo ready; sleep 1000")
    pane.wait_for("ready")
    assert pane.terminal.paste("x" * 200_000) == 200_000
    box: WriteQueue = _channel(pane)._outbox  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(InputFull, match=r"\d+ bytes wait .* none of these 200000 bytes were sent"):
        pane.terminal.paste("y" * 200_000)
    assert not any(b"y" in bytes(piece) for piece in tuple(box._pieces))  # pyright: ignore[reportPrivateUsage]
    assert pane.terminal.press(KeyPress("z", text="z"))


def test_signals_reach_the_foreground_program(spawn: Spawn) -> None:
    pane = spawn("cat")
    pane.terminal.interrupt(signal.SIGQUIT)
    assert pane.wait_exit() == Exit(None, signal.SIGQUIT)


def test_a_fair_lock_is_acquired_by_a_waiter_after_the_present_hold() -> None:
    lock, stop, holds = FairLock(None), threading.Event(), [0]

    def hog() -> None:
        while not stop.is_set():
            with lock:
                holds[0] += 1
                time.sleep(0.002)

    thread = threading.Thread(target=hog)
    thread.start()
    waited: list[int] = []
    for _ in range(31):
        before = holds[0]
        with lock:
            waited.append(holds[0] - before)
    stop.set()
    thread.join()
    assert sorted(waited)[15] <= 1
    assert max(waited) <= 3


@pytest.mark.slow
def test_the_write_queue_keeps_order_and_is_bounded() -> None:
    box, sent = WriteQueue(), bytearray()

    def write(piece: memoryview) -> int:
        sent.extend(piece[:1000])
        return len(piece[:1000])

    assert box.accept(b"a" * 10)
    assert box.accept_reply(b"b" * REPLY_CAPACITY)
    assert not box.accept_reply(b"c")
    left = CAPACITY - 10 - REPLY_CAPACITY
    assert not box.accept(b"d" * (left + 1))
    assert box.size == 10 + REPLY_CAPACITY
    assert box.accept(b"d" * left)
    assert not box.accept(b"e")
    flushes = 0
    while box.size:
        before = box.size
        box.flush(write)
        flushes += 1
        assert before - box.size <= AT_ONCE + 1000
    assert flushes >= CAPACITY // (AT_ONCE + 1000)
    assert sent == b"a" * 10 + b"b" * REPLY_CAPACITY + b"d" * left
    assert box.accept_reply(b"f")
    box.flush(lambda piece: 0)
    assert box.size == 1


def _channel(pane: Pane) -> Channel:
    channel = pane.terminal._channel  # pyright: ignore[reportPrivateUsage]
    assert isinstance(channel, Channel)
    return channel


def _kernel_size(pane: Pane) -> Size:
    fd = _channel(pane)._pty.fd  # pyright: ignore[reportPrivateUsage]
    rows, cols, _, _ = struct.unpack("HHHH", fcntl.ioctl(fd, termios.TIOCGWINSZ, bytes(8)))
    return Size(cols, rows)


def _wait(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)
