"""The client on a real terminal, with the wire's other end in the test's hand."""

import os
import resource
import select
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest
from tests.client.attached_client import Attach
from tests.client.attached_client import attach as attach
from tests.client.attached_client import server as server
from tests.client.client_terminal import LEFT, PROGRAM, Server, Window

from fugue_tui import attach_protocol
from fugue_tui.attach_protocol import Bye, Extent, Welcome

pytestmark = pytest.mark.slow


def test_the_hello_describes_the_client(attach: Attach) -> None:
    hello = attach("-r", "--prefix", "ctrl+q", COLORTERM="truecolor", TMUX="/tmp/tmux/default,1,0").peer.hello
    assert (hello.cols, hello.rows, hello.xpixel, hello.ypixel) == (100, 30, 1000, 600)
    assert (hello.term, hello.colorterm, hello.nested) == ("xterm-256color", "truecolor", "tmux")
    assert (hello.read_only, hello.prefix, hello.protocol) == (True, "ctrl+q", attach_protocol.PROTOCOL)
    assert hello.tty.startswith("/dev/")


@pytest.mark.parametrize(
    ("env", "nested"), [({}, ""), ({"STY": "1.tty"}, "screen"), ({"ZELLIJ": "0"}, "zellij"), ({"TMUX": ""}, "")]
)
def test_the_hello_names_the_outer_multiplexer(attach: Attach, env: dict[str, str], nested: str) -> None:
    assert attach(**env).peer.hello.nested == nested


def test_bytes_go_both_ways_and_the_terminal_is_restored_as_it_was(attach: Attach) -> None:
    window, peer = attach().enter()
    assert window.raw
    assert b"\x1b]2;fugue-tui main\x1b\\" in window.received
    assert b"\x1b[?1003h" in window.received
    peer.draw("größe \x1b[31m".encode())
    window.shows("größe \x1b[31m".encode())
    window.type(b"\x03\x1a\x1b[A\xff")
    assert peer.frame() == (attach_protocol.INPUT, b"\x03\x1a\x1b[A\xff")
    peer.bye(Bye("detached"))
    assert window.over() == 0
    assert window.restored
    assert window.received.endswith(b"[detached from main]\r\n")
    assert LEFT in window.received


def test_the_mouse_and_the_title_are_left_alone_if_the_server_says_so(attach: Attach) -> None:
    window, peer = attach().enter(Welcome("main", mouse=False))
    peer.bye(Bye("ended", "the last pane was closed", 3))
    assert window.over() == 3
    assert b"[main ended]\r\nthe last pane was closed\r\n" in window.received
    assert b"\x1b[?1003h" not in window.received
    assert b"\x1b]2;" not in window.received


def test_a_new_name_is_shown_in_the_title_and_in_the_end_message(attach: Attach) -> None:
    window, peer = attach().enter()
    peer.link.sendall(attach_protocol.frame(attach_protocol.NAME, Welcome("shop", title="fugue-tui shop").dump()))
    window.shows(b"\x1b]2;fugue-tui shop\x1b\\")
    peer.link.sendall(attach_protocol.frame(attach_protocol.NAME, Welcome("shop", title="\x1b]2;no title").dump()))
    peer.link.close()
    assert window.over() == 1
    assert b"the workspace shop ended unexpectedly; nothing of it was saved yet" in window.received
    assert b"no title" not in window.received


def test_output_that_came_with_the_answer_is_drawn(attach: Attach) -> None:
    attached = attach()
    attached.peer.link.sendall(
        attach_protocol.answer(Welcome("main")) + attach_protocol.frame(attach_protocol.OUTPUT, b"at once")
    )
    attached.window.shows(b"at once")


def test_a_new_size_is_reported_with_its_pixels(attach: Attach) -> None:
    window, peer = attach().enter()
    window.resize(120, 40, 1200, 800)
    assert peer.extent() == Extent(120, 40, 1200, 800)


def test_a_size_that_changed_before_the_welcome_is_reported(attach: Attach) -> None:
    attached = attach()
    attached.window.resize(90, 20)
    _, peer = attached.enter()
    assert peer.extent() == Extent(90, 20)


def test_answers_that_come_late_are_not_typed_into_the_shell(attach: Attach) -> None:
    window, peer = attach().enter()
    window.type(b"x")
    assert peer.frame() == (attach_protocol.INPUT, b"x")
    peer.bye(Bye("detached"))
    window.shows(LEFT)
    window.type(b"\x1b[?2026;2$y\x1b[<35;10;10M")
    window.over()
    assert b"2026;2" not in bytes(window.received).partition(LEFT)[2]
    assert window.typed == b""


def _is_full(link: socket.socket) -> bool:
    """Whether the other side must read before anything more can be sent."""
    return not select.select([], [link], [], 0)[1]


def _resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_a_terminal_that_reads_nothing_uses_bounded_memory_and_blocks_no_server(attach: Attach) -> None:
    window, peer = attach().enter()
    before = _resident(window.pid)
    peer.link.setblocking(False)
    frame, sent = attach_protocol.frame(attach_protocol.OUTPUT, bytes(1 << 18)), 0
    while sent < 64 << 20 and not (_is_full(peer.link) and window.sleeps):
        with suppress(BlockingIOError):
            sent += peer.link.send(frame[sent % len(frame) :])
    assert sent < 8 << 20
    assert _resident(window.pid) - before < 8 << 20
    os.kill(window.pid, signal.SIGTERM)
    while window.status is None:  # Nothing is read meanwhile.
        window.notice()
    assert window.status == 128 + signal.SIGTERM
    assert window.restored


def test_a_server_that_reads_nothing_stops_input_and_can_be_left(attach: Attach) -> None:
    window, _ = attach().enter()
    os.set_blocking(window.main, False)
    before = _resident(window.pid)
    for _ in range(2000):
        try:
            os.write(window.main, b"a" * 4096)
        except BlockingIOError:
            window.step(0.001)
    assert _resident(window.pid) - before < 8 << 20

    def left() -> bool:
        with suppress(BlockingIOError):
            os.write(window.main, b"\x03")
        return LEFT in window.received

    window.until(left)
    assert window.over() == 1
    assert window.restored
    assert b"[detached from main]\r\nit does not answer; it was left as it is" in window.received


def test_a_stuck_server_is_reported_and_one_ctrl_c_detaches(attach: Attach) -> None:
    window, _ = attach().enter()
    window.type(b"a")
    window.until(lambda: b"the workspace does not answer; Ctrl+C leaves" in window.received)
    window.type(b"\x03")
    assert window.over() == 1
    assert window.restored


def test_ctrl_c_that_a_server_does_not_take_leaves_it_after_a_while(attach: Attach) -> None:
    window, _ = attach().enter()
    window.type(b"\x03")
    assert window.over() == 1
    assert b"it does not answer; it was left as it is" in window.received


def test_a_server_that_continues_draws_over_the_message(attach: Attach) -> None:
    window, peer = attach().enter()
    window.type(b"a")
    window.until(lambda: b"does not answer" in window.received)
    assert peer.frame() == (attach_protocol.INPUT, b"a")
    assert peer.frame()[0] == attach_protocol.SIZE
    window.type(b"\x03")
    assert peer.frame() == (attach_protocol.INPUT, b"\x03")
    assert window.status is None


def test_attaching_where_nothing_runs_says_how_to_start(private_dir: Path, attach: Attach) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("FUGUE")}
    window = Window((*PROGRAM, "attach", "dev"), kept | {"XDG_RUNTIME_DIR": str(private_dir)})
    assert window.over() == 1
    assert b"no workspace dev runs; fugue-tui new dev starts one, fugue-tui ls shows what runs" in window.received
    window.close()


def test_a_workspace_is_not_shown_in_its_own_pane(private_dir: Path, server: Server) -> None:
    (private_dir / "fugue-tui" / ".0a.sock").hardlink_to(private_dir / "fugue-tui" / "main.sock")
    kept = os.environ | {"XDG_RUNTIME_DIR": str(private_dir), "FUGUE_WORKSPACE": "as it was called before"}
    for around in ("main.sock", ".0a.sock"):
        env = kept | {"FUGUE_SOCKET": str(private_dir / "fugue-tui" / around)}
        window = Window((*PROGRAM, "attach", "main"), env)
        assert window.over() == 1
        assert b"this is a pane of main, which cannot be shown inside itself" in window.received
        window.close()


def test_attaching_loads_only_what_it_needs() -> None:
    script = (
        "import sys; from fugue_tui.cli.main import run; run(['attach', 'nobody']);"
        "print(sorted(set(sys.argv[1:]) & set(sys.modules)), file=sys.stderr)"
    )
    heavy = [
        "asyncio",
        "dataclasses",
        "msgspec",
        "typing",
        "json",
        "re",
        "platformdirs",
        "tomllib",
        "logging",
        "threading",
    ]
    done = subprocess.run([sys.executable, "-I", "-c", script, *heavy], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_terminal_that_is_to_show_another_workspace_is_restored_before(attach: Attach) -> None:
    window, peer = attach("--prefix", "ctrl+q").enter()
    peer.bye(Bye(attach_protocol.SWITCHED, "no name/of a workspace"))
    assert window.over() == 1
    assert LEFT in window.received
    assert b"cannot name a workspace" in window.received


def test_the_hello_says_whose_view_is_mirrored(attach: Attach) -> None:
    assert attach("--mirror", "3").peer.hello.mirror == "3"
