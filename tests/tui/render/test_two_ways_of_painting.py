"""What is painted straight on the host is, cell for cell, what the compositor paints, and what the program meant."""

import base64
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields
from rich.console import Console
from tests.hypothesis_profiles import examples
from tests.tui.conftest import Start
from tests.tui.host_programs import Cells, Host, cells

from fugue_tui.attach_server.output.direct_painter import DirectPainter
from fugue_tui.geometry import Rect, Size
from fugue_tui.terminal.emulator.events import Event
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.screen.cells import Style
from fugue_tui.terminal.terminal import Terminal
from fugue_tui_widgets.strips import strip_of

pytestmark = pytest.mark.slow


DONE = "~done~"
END = b"\x1b[m\x1b[r\x1b[?6l\x1b[999;1H" + DONE.encode()
LOOKS = (
    b"\x1b[1mbold\x1b[m \x1b[2mfaint\x1b[m \x1b[3mitalic\x1b[m \x1b[4mline\x1b[m \x1b[21mdouble\x1b[m \x1b[4:3mcurly"
    b"\x1b[m \x1b[4:4mdots\x1b[m \x1b[4:5mdash\x1b[m \x1b[4;58:2::255:0:0mred line\x1b[m\r\n"
    b"\x1b[7minverse\x1b[m \x1b[8mhidden\x1b[m \x1b[9mstruck\x1b[m \x1b[53mover\x1b[m \x1b[5mblink\x1b[m\r\n"
    b"\x1b[31mred\x1b[m \x1b[91mbright\x1b[m \x1b[38;5;9mnine\x1b[m \x1b[38;5;208morange\x1b[m \x1b[38;2;1;2;3mtrue"
    b"\x1b[m \x1b[42mgreen\x1b[m \x1b[107mwhite\x1b[m \x1b[48;5;17mnavy\x1b[m \x1b[48;2;9;8;7mdark\x1b[m\r\n"
    b"\x1b[44mto the edge\x1b[K\x1b[m\r\n"
    b"\x1b]8;;https://example.org/\x1b\\a link\x1b]8;;\x1b\\ and text\r\n"
    + "漢字 wide · e\u0301 combined · 👩‍👩‍👧 family · 🇩🇪 flag · ❤️ heart\r\n".encode()
)
MOVES = (
    b"\x1b[2J\x1b[H"
    + b"".join(b"line %d\r\n" % n for n in range(40))
    + b"\x1b[3;9r\x1b[9;1H\n\n\n\x1b[33mnew\x1b[m\x1b[r"
    b"\x1b[5;5H\x1b[1K\x1b[7;7H\x1b[K\x1b[6;1H\x1b[2L\x1b[10;3H\x1b[4P\x1b[11;3H\x1b[4@ins\x1b[12;2H\x1b[5X"
    b"\x1b[2;70Hright edge wraps"
    b"\x1b[14;1H\x1b[41m\x1b[2K\x1b[m\x1b[15;1Hafter \xe6\xbc\xa2\xe5\xad\x97\x1b[15;8Hx"
)


def play(start: Start, tmp_path: Path, stream: bytes, config: str = "") -> Host:
    """The program with one pane, in which a stream is printed once the workspace is shown."""
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    host = start("cat", str(fifo), "-", config=config)
    host.wait_text("test", "1 cat")
    settle(host)
    fifo.write_bytes(stream + END)
    host.wait_text(DONE)
    return host


def settle(host: Host) -> None:
    """Wait until the program is quiet."""
    while host.step(0.15):
        pass


def assert_repaint_changes_nothing(host: Host) -> None:
    """Wipe the host's screen, have all of it drawn by the compositor, and find what was there before."""
    settle(host)
    before, cursor = host.picture, host.cursor
    host.draw(b"\x1b7\x1b[41m\x1b#8\x1b8")
    assert host.picture != before
    host.send(b"\x02r")
    try:
        host.wait_until(lambda: host.picture == before and host.cursor == cursor, 10)
    except AssertionError:
        assert differing(host.picture, before) == []
        assert host.cursor == cursor


def differing(now: tuple[Cells, ...], before: tuple[Cells, ...]) -> list[str]:
    """The rows that differ: as they are, as they were."""
    rows = [(y, a, b) for y, (a, b) in enumerate(zip(now, before, strict=True)) if a != b]
    return [f"row {y}:\n   is {told(a)}\n  was {told(b)}" for y, a, b in rows]


def told(row: Cells) -> str:
    """A row in a few words: each stretch of text with what is not plain about it."""
    words: list[str] = []
    for text, style, link in row:
        looks = [f"{entry.name}={getattr(style, entry.name)}" for entry in fields(style)]
        plain = {f"{entry.name}={getattr(Style(), entry.name)}" for entry in fields(style)}
        words.append(f"{text!r} {' '.join(look for look in looks if look not in plain)} {link or ''}".strip())
    return ", ".join(words)


@pytest.mark.parametrize("stream", [LOOKS, MOVES], ids=["looks", "moves"])
def test_a_repaint_of_one_pane_changes_nothing(start: Start, tmp_path: Path, stream: bytes) -> None:
    host = play(start, tmp_path, stream)
    truth = GhosttyEmulator(Size(80, 23))
    truth.feed(stream.replace(b"\n", b"\r\n"))
    truth.refresh()
    assert differing(host.picture[:22], tuple(cells(truth.row(y)) for y in range(22))) == []
    assert_repaint_changes_nothing(host)


@pytest.mark.parametrize("recording", ["htop", "mc", "vim", "less"])
def test_a_repaint_of_a_recorded_program_changes_nothing(start: Start, tmp_path: Path, recording: str) -> None:
    stream = (Path(__file__).parents[2] / "recordings" / f"{recording}.vt").read_bytes()
    assert_repaint_changes_nothing(play(start, tmp_path, stream))


@pytest.mark.parametrize("split", ["%", '"'], ids=["beside", "below"])
def test_a_repaint_of_two_panes_changes_nothing(start: Start, tmp_path: Path, split: str) -> None:
    file = tmp_path / "stream"
    file.write_bytes(LOOKS + MOVES + END)
    host = play(start, tmp_path, LOOKS, config=f"[terminal]\nshell = ['cat', '{file}', '-']\n")
    host.send(b"\x02" + split.encode())
    host.wait_text("%2 cat")
    host.wait_until(lambda: host.text.count(DONE) == 2)
    assert_repaint_changes_nothing(host)


def test_a_log_in_half_of_the_screen_is_painted_right_while_it_scrolls(start: Start, tmp_path: Path) -> None:
    fifo = tmp_path / "log"
    os.mkfifo(fifo)
    host = play(start, tmp_path, LOOKS, config=f"[terminal]\nshell = ['cat', '{fifo}', '-']\n")
    host.send(b"\x02%")
    host.wait_text("%2 cat")
    with fifo.open("w") as log:
        for n in range(120):
            log.write(f"\x1b[3{n % 8}m{n} {'漢' if n % 5 == 0 else 'x' * (n % 50)}\x1b[m\n")
            log.flush()
            host.wait_text(f"{n} ")
    assert_repaint_changes_nothing(host)


def test_nothing_is_left_of_panels_that_were_open(start: Start, tmp_path: Path) -> None:
    host = play(start, tmp_path, LOOKS)
    settle(host)
    before, cursor = host.picture, host.cursor
    for keys, sign, end in (
        ("\x02?", "/ searches", "\x1b"),
        ("\x02p", "command palette", "\x1b"),
        ("\x02w", "windows", "q"),
    ):
        host.send(keys)
        host.wait_text(sign)
        host.send(end)
        host.wait_until(lambda: host.picture == before and host.cursor == cursor)


def test_the_panel_of_keys_comes_after_its_delay_and_leaves_nothing_behind(start: Start, tmp_path: Path) -> None:
    host = play(start, tmp_path, LOOKS, config="[ui]\nwhich_key_delay_ms = 50\n")
    settle(host)
    before, cursor = host.picture, host.cursor
    host.send(b"\x02")
    host.wait_text("and then", "zoom the pane")
    host.send(b"\x1b")
    host.wait_until(lambda: host.picture == before and host.cursor == cursor)
    host.send("typed")
    host.wait_text("typed")
    assert_repaint_changes_nothing(host)


def test_output_under_an_open_page_is_there_when_it_closes(start: Start, tmp_path: Path) -> None:
    fifo = tmp_path / "late"
    os.mkfifo(fifo)
    host = start("cat", str(fifo), "-")
    host.wait_text("test", "1 cat")
    host.send("\x02?")
    host.wait_text("/ searches")
    fifo.write_text("".join(f"line {n}\n" for n in range(60)))
    host.send("q")
    host.wait_text("line 59")
    assert_repaint_changes_nothing(host)


# The same without the app: streams that nobody would think of

NUMBER = st.integers(0, 12)
WORDS = ("word", "a", "  ", "x" * 25, "漢", "漢字かな", "e\u0301", "👩‍👩‍👧", "é", "\t", "\r\n", "\n", "\r", "\b")
ESCAPES = ("M", "D", "7", "8", "(0qx\x1b(B", "#8", "]8;;https://x.example/\a", "]8;;file:///etc/passwd\a", "]8;;\a")
COLOURS = ("31", "91", "42", "104", "38;5;100", "48;2;1;2;3", "58:2::9:9:9", "49", "")
ATTRIBUTES = ("1", "2", "3", "4", "4:3", "21", "7", "8", "9", "53", "5", "0", "22", "27")
MODES = ("?7l", "?7h", "4h", "4l", "?6h", "?6l", "?1049h", "?1049l", "?25l", "?5h", "?5l")
TEXT = st.sampled_from(WORDS).map(str.encode)
ESCAPE = st.sampled_from(ESCAPES).map(lambda end: b"\x1b" + end.encode())
LOOK = st.sampled_from(COLOURS + ATTRIBUTES).map(lambda numbers: f"\x1b[{numbers}m".encode())
MOVE = st.tuples(NUMBER, NUMBER, st.sampled_from("Hrf")).map(lambda m: f"\x1b[{m[0]};{m[1]}{m[2]}".encode())
EDIT = st.tuples(NUMBER, st.sampled_from("ABCDGJKLMPSTXZ@bd")).map(lambda e: f"\x1b[{e[0]}{e[1]}".encode())
MODE = st.sampled_from(MODES).map(lambda mode: b"\x1b[" + mode.encode())
CHUNK = st.lists(st.one_of(TEXT, TEXT, LOOK, ESCAPE, MOVE, EDIT, MODE), min_size=1, max_size=8).map(b"".join)
CHUNKS = st.lists(CHUNK, max_size=6)
PANE = Size(20, 7)


@pytest.mark.parametrize(
    ("look", "written"),
    [
        ("1;34", "0;1;34"),
        ("1;38;5;4", "0;1;34"),
        ("34;1;4;107", "0;1;4;34;107"),
        ("1;38;2;38;5;1;48;5;12", "0;1;38;2;38;5;1;104"),
        ("1;4:3;91;58:5:3", "0;1;4:3;91;58;5;3"),
    ],
)
def test_both_ways_write_a_look_as_one_sequence_that_hosts_brighten_alike(look: str, written: str) -> None:
    emulator, console = GhosttyEmulator(PANE, 0), Console(force_terminal=True, color_system="truecolor")
    emulator.feed(f"am \x1b[{look}mroom\x1b[m plain".encode())
    emulator.refresh()
    straight, composed = emulator.paint(0, 1)[0], strip_of(emulator.row(0), PANE.cols).render(console).encode()
    for way in (straight, composed):
        assert [found for found in re.findall(rb"\x1b\[([0-9;:]*)m", way) if found != b"0"] == [written.encode()]


class Nobody:
    """A watcher that does nothing."""

    def changed(self, terminal: Terminal) -> None: ...

    def on_event(self, terminal: Terminal, event: Event) -> None: ...

    def ended(self, terminal: Terminal, exit: Exit) -> None: ...


class Screen:
    """A host's screen that is written on; its cells hold a mark at first."""

    def __init__(self, size: Size) -> None:
        self.emulator = GhosttyEmulator(size, 0)
        self.emulator.feed(b"\x1b[?7l\x1b[35m\x1b#8\x1b[m")

    def write(self, data: bytes | bytearray) -> None:
        self.emulator.feed(data)

    @property
    def picture(self) -> tuple[Cells, ...]:
        self.emulator.refresh()
        return tuple(cells(self.emulator.row(y)) for y in range(self.emulator.size.rows))


def composed(terminal: Terminal, rect: Rect, host: Size) -> Screen:
    """A screen with what the compositor writes for every row of a pane."""
    screen, console = Screen(host), Console(force_terminal=True, color_system="truecolor")
    for y in range(rect.rows):
        line = strip_of(terminal.seen.row(y), rect.cols).render(console)
        screen.write(b"\x1b[%d;%dH\x1b[%dX" % (rect.y + y + 1, rect.x + 1, rect.cols) + line.encode())
    return screen


@examples(150)
@given(chunks=CHUNKS, left=st.booleans(), whole=st.booleans())
def test_any_stream_is_painted_alike(chunks: list[bytes], left: bool, whole: bool) -> None:
    host = Size(PANE.cols if whole else 33, 10)
    rect = Rect(0 if left or whole else host.cols - PANE.cols, 1, *((PANE.cols, PANE.rows)))
    pump, screen = IOLoop(), Screen(host)
    painter = DirectPainter(screen.write)
    painter.width = lambda: host.cols
    pump.start()
    terminal = Terminal.spawn(Program(("cat",)), PANE, pump=pump, emulator=GhosttyEmulator(PANE, 50), watcher=Nobody())
    try:
        painter.paint(terminal.seen, rect)
        for chunk in chunks:
            terminal.receive(memoryview(chunk))
            painter.paint(terminal.seen, rect)
            wanted = composed(terminal, rect, host)
            assert differing(screen.picture, wanted.picture) == []
    finally:
        terminal.close()
        pump.stop()


AGENTS = r"""
import os, sys
for line in open(sys.argv[1]):
    os.write(1, line.strip().encode().decode("unicode_escape").encode())
"""


def agent(tmp_path: Path, name: str) -> tuple[str, Path]:
    """A command that prints the escaped lines written to a FIFO, and the FIFO."""
    fifo, program = tmp_path / name, tmp_path / "agent.py"
    os.mkfifo(fifo)
    program.write_text(AGENTS)
    return f"{sys.executable} {program} {fifo}", fifo


def test_titles_and_tabs_that_change_are_painted_as_the_compositor_does(start: Start, tmp_path: Path) -> None:
    command, fifo = agent(tmp_path, "reports")
    host = start("sh", "-c", command, config="[terminal]\nshell = ['cat']\n")
    host.wait_text("test")
    host.send(b'\x02%\x02"')
    host.wait_text("%2 cat", "%3 cat")
    with fifo.open("w") as reports:

        def report(words: str) -> None:
            reports.write(rf"\x1b]7501;state={words}\x07" + "\n")
            reports.flush()

        report("working:app=a:progress=40")
        host.wait_text("● working 40 %")
        assert_repaint_changes_nothing(host)
        report(f"blocked:app=a:kind=question:msg={base64.b64encode('漢字?'.encode()).decode()}")
        host.wait_text("◆ question, 漢字?", "1 agent waits")
        assert_repaint_changes_nothing(host)
        host.send(b"\x02z")
        host.wait_text("zoomed")
        report("idle:app=a")
        host.wait_until(lambda: "waits" not in host.text)
        host.send(b"\x02z")
        host.wait_text("○ idle")
        host.resize(Size(70, 20))
        report("working:app=a:progress=41")
        host.wait_text("● working 41 %")
        assert_repaint_changes_nothing(host)


def test_the_table_of_agents_follows_them_and_leaves_nothing_behind(start: Start, tmp_path: Path) -> None:
    command, fifo = agent(tmp_path, "reports")
    host = start("sh", "-c", command)
    host.wait_text("test")
    with fifo.open("w") as reports:

        def report(state: str, words: str) -> None:
            words = base64.b64encode(words.encode()).decode()
            reports.write(rf"\x1b]7501;state={state}:app=a:msg={words}\x07" + "\n")
            reports.flush()

        report("working", "one")
        host.wait_text("●")
        settle(host)
        before, cursor = host.picture, host.cursor
        host.send(b"\x02A")
        host.wait_text("1 agent ", "working: one")
        report("working", "two 漢字")
        host.wait_text("working: two 漢字")
        report("blocked", "three")
        host.wait_text("blocked: three", "1 agent, 1 waits")
        report("working", "one")
        host.wait_text("working: one")
        assert "waits" not in next(line for line in host.text.splitlines() if "1 agent " in line)
        host.send(b"\x1b")
        host.wait_until(lambda: host.picture == before and host.cursor == cursor)
        assert_repaint_changes_nothing(host)
