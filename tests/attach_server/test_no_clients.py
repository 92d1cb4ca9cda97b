"""With nobody attached nothing is drawn, and everything else goes on; whoever comes finds all of it."""

import os
from pathlib import Path

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


COUNTED = """
import functools
from msgspec import Struct
from textual._compositor import Compositor
from fugue_tui.control.core.command import Command, Effect
from fugue_tui.terminal.screen_view import ScreenView
from fugue_tui.attach_server.output.direct_painter import DirectPainter
from fugue_tui_widgets.status_bar import StatusBar

counts = {}

def count(cls, name):
    before = getattr(cls, name)
    @functools.wraps(before)
    def counted(*args, **kwargs):
        counts[name] = counts.get(name, 0) + 1
        return before(*args, **kwargs)
    setattr(cls, name, counted)

for cls, name in ((Compositor, "_render_chops"), (Compositor, "reflow"), (ScreenView, "frame"), (ScreenView, "refresh"),
                  (DirectPainter, "paint"), (StatusBar, "show")):
    count(cls, name)

class Counts(Struct, frozen=True):
    "How often."
    total: int
    "Sum."
    words: str
    "Which."

class TestCounts(Command[Counts], name="test-counts", effect=Effect.READ):
    "Say how often something was drawn."
    def run(self, mux, origin):
        return Counts(sum(counts.values()), str(counts))
"""
FLOOD = "i=0; while :; do seq 1 300; printf '\\033]2;title %s\\007' $i; i=$((i+1)); done"


def drawn(serving: Serving) -> int:
    """How often the server drew anything so far."""
    return serving.call("test-counts")["total"]


def offspring(pid: int) -> set[str]:
    """The processes that a process has started and that are still there, dead or alive."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return {child for task in tasks for child in (task / "children").read_text().split()}


def printed(serving: Serving) -> int:
    """How far the flood is: the number in its title."""
    title = serving.call("list-panes")["panes"][0]["title"]
    return int(title.rpartition(" ")[2] or 0) if title.startswith("title") else 0


def test_nothing_is_drawn_while_no_client_is_attached(serve: Serve) -> None:
    serving = serve("sh", "-c", FLOOD, first=hello(), prelude=COUNTED)
    serving.shows(serving.first, "300", "test")
    serving.until(lambda: drawn(serving) > 20)
    serving.first.send("\x02d")
    serving.until(lambda: not serving.first.open)
    serving.call("create-window", "--name", "second", "--", "cat")
    before, far = drawn(serving), printed(serving)
    serving.until(lambda: printed(serving) > far + 30)
    assert drawn(serving) == before
    again = serving.attach(Size(100, 30))
    serving.shows(again, "300", "second")
    serving.until(lambda: drawn(serving) > before + 20)


def test_a_server_without_a_client_runs_its_programs(serve: Serve) -> None:
    serving = serve("cat", prelude=COUNTED)
    serving.call("split-pane", "--", "sh", "-c", "echo split; exec cat")
    serving.call("send-input", "--pane", "%1", "typed")
    serving.until(lambda: "typed" in serving.call("read-pane", "%1")["text"])
    assert serving.call("list-clients") == {"clients": []}
    assert serving.call("test-counts")["words"].count("paint") == 0
    client = serving.attach(Size(70, 20))
    serving.shows(client, "typed", "split", "%2")
    (known,) = serving.call("list-clients")["clients"]
    assert (known["size"], known["latest"], known["pid"]) == ({"cols": 70, "rows": 20}, True, os.getpid())


def test_programs_notice_only_the_size_of_another_terminal(serve: Serve, tmp_path: Path) -> None:
    heard = tmp_path / "heard"
    program = f"stty raw -echo; trap 'echo size >>{heard}' WINCH; while :; do sleep 0.05; done & exec cat -u >>{heard}"
    serving = serve("sh", "-c", f"trap '' WINCH; echo ready; {program}", first=hello())
    serving.shows(serving.first, "ready")
    serving.first.send("\x02d")
    serving.until(lambda: not serving.first.open)
    client = serving.attach(Size(50, 15), colorterm="", term="xterm")
    serving.shows(client, "test")
    client.send("\x1b[O\x1b[I")
    client.send("!")
    serving.until(lambda: heard.exists() and b"!" in heard.read_bytes())
    assert set(heard.read_bytes().replace(b"!", b"").split()) <= {b"size"}


def test_a_stopped_terminal_is_not_drawn_on_until_it_continues(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.pause()
    serving.handled()
    serving.settle()
    seen = len(other.received)
    serving.first.send("typed\r")
    serving.shows(serving.first, "typed")
    serving.settle()
    assert len(other.received) == seen
    other.resize(Size(60, 20))
    serving.shows(other, "typed", "1 cat")
    assert serving.call("list-panes")["panes"][0]["rect"]["cols"] == 60


def test_a_client_that_was_stopped_without_notice_is_repainted(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.shows(serving.first, "1 cat")
    other = serving.attach(Size(60, 20))
    for client in (serving.first, other):
        client.send("typed\r")
        serving.shows(client, "typed", "1 cat")
        serving.settle()
        client.emulator.feed(b"\x1b[m\x1b[2J")  # A shell had the screen meanwhile.
        client.resize(client.emulator.size)
        serving.shows(client, "typed", "1 cat")


def test_a_hundred_attached_and_detached_clients_leave_no_resources(serve: Serve) -> None:
    serving = serve("sh", "-c", FLOOD, first=hello())
    serving.shows(serving.first, "300", "test")
    fds = Path(f"/proc/{serving.process.pid}/fd")
    memory = Path(f"/proc/{serving.process.pid}/statm")

    def cycle(number: int) -> None:
        size = Size(40 + number * 7 % 90, 10 + number * 5 % 40)
        term = ("xterm-256color", "xterm", "vt100")[number % 3]
        client = serving.attach(size, read_only=number % 5 == 0, term=term, colorterm="truecolor" if number % 2 else "")
        serving.until(lambda: client.received)
        if number % 3:
            client.send("\x02d" if number % 5 else "q")
            serving.until(lambda: not client.open)
        serving.clients.remove(client)
        client.close()

    for number in range(100):  # Memory is not given back to the system at once, so the first ones take more.
        cycle(number)
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)
    before, held = len(list(fds.iterdir())), int(memory.read_text().split()[1])
    threads, children = len(list(fds.with_name("task").iterdir())), offspring(serving.process.pid)
    for number in range(100):
        cycle(number)
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)
    serving.until(lambda: len(list(fds.iterdir())) <= before)
    assert (int(memory.read_text().split()[1]) - held) * 4096 < 12 << 20
    serving.until(lambda: len(list(fds.with_name("task").iterdir())) <= threads)
    serving.until(lambda: offspring(serving.process.pid) == children)
    serving.first.send("\x02c")
    serving.shows(serving.first, "2 sh")
    assert serving.log == ""


@pytest.mark.parametrize(
    "sent", [b"x" * 64, b"i\xff\xff\xff\xff", b"o\0\0\0\1x", b"s\0\0\0\2no", b"GET / HTTP/1.1\r\n"]
)
def test_a_terminal_that_sends_what_is_no_frame_is_dropped_and_no_other(serve: Serve, sent: bytes) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.raw(sent)
    serving.until(lambda: not other.open)
    serving.until(lambda: "a client was dropped" in serving.log)
    serving.first.send("alive\r")
    serving.shows(serving.first, "alive")


def test_a_paste_of_a_mebibyte_delays_no_client(serve: Serve) -> None:
    serving = serve("sh", "-c", "stty raw -echo; echo ready; exec wc -c", first=hello())
    serving.shows(serving.first, "ready", "test")
    other = serving.attach()
    serving.shows(other, "ready")
    serving.call("split-pane", "--focus", "--", "cat")
    serving.shows(other, "%2")
    from fugue_tui import attach_protocol

    paste = b"\x1b[200~" + b"p" * 900_000 + b"\x1b[201~"
    serving.first.raw(attach_protocol.frame(attach_protocol.INPUT, paste))
    other.send("\x02z")
    serving.until(lambda: "%1" not in other.text)
