"""Nothing that a program prints reaches the host, a dialog, a log or a caller but as cells and clean text."""

import base64
import re
import sys

import pytest
from tests.e2e.conftest import Launch, Running

from fugue_tui.geometry import Size

pytestmark = [pytest.mark.slow, pytest.mark.forked]


SECRET = "zqxj"
"""Stands in every payload, so that whatever comes out of it can be found."""

SEQUENCES = re.compile(
    rb"\x1b\[[?>=<]?[0-9;:]*[ $'\"!]*[A-Za-z@`{|}~]"  # CSI
    rb"|\x1b\](?:8;[^;\x07\x1b]*;[^\x07\x1b]*|10;\?|11;\?|22;default|52;c;[A-Za-z0-9+/=]*|[0-2];[^\x00-\x1f\x7f]*)"
    rb"(?:\x07|\x1b\\)"  # OSC
    rb"|\x1bP[+$]q[0-9a-fA-F;]*\x1b\\|\x1b_Gi=[^\x1b]*\x1b\\"
    rb"|\x1b[78=>]|\x07"
)
"""Everything that the program itself may send to its host."""

STEERING = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200b\ufeff\U000e0000-\U000e007f].{0,12}"
)
"""Characters that steer a terminal, hide text or turn it round, with what follows them."""

PAYLOADS = {
    "title": f"\x1b]2;{SECRET}\x9b31m\x1b\x1b]52;c;{base64.b64encode(SECRET.encode()).decode()}\x07",
    "title with markup": f"\x1b]0;[@click=app.quit]{SECRET}[/] [red]\x07",
    "title in c1": f"\x9d2;{SECRET}\x9c",
    "title with breaks": f"\x1b]2;{SECRET}\r\n\x0b\x0c\u2028\u202e\U000e0041{SECRET}\x07",
    "icon and title report": f"\x1b]1;{SECRET}\x07\x1b[20t\x1b[21t\x1b[>2t",
    "directory": f"\x1b]7;file:///tmp/{SECRET}%1b%5d52;c;eA==%07\x07",
    "notification": f"\x1b]9;{SECRET}\x1b[5m[@click=app.quit]x[/]\x07\x1b]777;notify;{SECRET};\x85\x9b2J\x07",
    "progress": "\x1b]9;4;1;50\x07\x1b]99;i=1:d=0;Hello\x1b\\",
    "link": f"\x1b]8;;javascript:alert('{SECRET}')\x07click\x1b]8;;\x07",
    "link with breaks": f"\x1b]8;;http://x/{SECRET}\x9c\x1b[31m\x07click\x1b]8;;\x07",
    "file link": f"\x1b]8;;file:///etc/{SECRET}\x07click\x1b]8;;\x07",
    "clipboard read": "\x1b]52;c;?\x07\x1b]52;p;?\x1b\\",
    "device control": f"\x1bP+q{SECRET}\x1b\\\x1bP$qm{SECRET}\x1b\\\x1bPtmux;\x1b\x1b]2;{SECRET}\x07\x1b\\",
    "application": f"\x1b_Ga=T,f=24,t=f;L2V0Yy9wYXNzd2Q=\x1b\\\x1b^{SECRET}\x1b\\\x1bX{SECRET}\x1b\\",
    "palette": f"\x1b]4;1;{SECRET}\x07\x1b]10;{SECRET}\x07\x1b]12;{SECRET}\x07\x1b]104\x07",
    "iterm": f"\x1b]1337;File=inline=1:{SECRET}\x07\x1b]1337;RunCommand={SECRET}\x07\x1b]50;{SECRET}\x07",
    "window operations": "\x1b[8;5;5t\x1b[3;0;0t\x1b[2t\x1b[9;1t",
    "modes": "\x1b[?1049h\x1b[?1003h\x1b[?2004h\x1b[?2026h\x1b[?2026l\x1b[?1049l\x1b[?3h\x1b[?40h",
    "resets": "\x1bc\x1b[!p\x1b[?5h\x1b[?6h\x1b(0\x0e",
    "hidden in cells": f"{SECRET}\u202e\u2066\u200b\U000e0041\x7f\x85\x9b31m\ufeff",
    "status query": f'\x1bP$q"p{SECRET}\x1b\\\x1b[5i\x1b[4i\x1b[0;1;2;3;4;5*y',
}


def show(launch: Launch, payload: str) -> Running:
    """A workspace with two panes, the second of which printed the payload and then echoes."""
    running = launch("--", "cat")
    running.ready()
    code = (
        f"import os, sys; sys.stdout.buffer.write({payload.encode('utf-8', 'surrogateescape')!r}); sys.stdout.flush()\n"
        "os.system('stty raw -echo; echo shown; exec cat -v')"
    )
    running.ask("split-pane", "--focus", "--name", "subject", "--", sys.executable, "-c", code)
    running.host.wait_text("shown")
    running.ask("send-input", "subject", "--text", "marker")  # Keys could go to a question about the clipboard.
    running.host.wait_until(lambda: "marker" in running.ask("read-pane", "subject")["text"])
    return running


@pytest.mark.parametrize("payload", PAYLOADS.values(), ids=[name.replace(" ", "-") for name in PAYLOADS])
def test_nothing_but_cells_reaches_the_host_and_nothing_but_text_a_caller(launch: Launch, payload: str) -> None:
    running = show(launch, payload)
    for words in (("list-panes",), ("get-status", "--json"), ("read-pane", "subject"), ("get-layout", "--json")):
        done = running.shell(*words, "--workspace", running.name)
        assert done.returncode == 0
        assert STEERING.findall(done.stdout) == []
    replies = running.ask("read-pane", "subject")["text"].partition("marker")[0]
    assert f"^[]l{SECRET}" not in replies
    assert f"^[P1$r{SECRET}" not in replies
    received = bytes(running.host.received)
    assert STEERING.findall(SEQUENCES.sub(b"", received).decode("utf-8", "backslashreplace").replace("\r", "")) == []
    for wrong in (b"javascript:", b"file:///etc", b"\x1b[8;5;5t", b"\x1b]7;", b"\x1b]9;", b"\x1b]777"):
        assert wrong not in received
    assert running.log == ""


def test_names_are_text_wherever_they_are_shown(launch: Launch) -> None:
    name = "[@click=app.quit]go[/] [bold red]x"
    running = launch("--", "cat", size=Size(160, 24))
    running.ready()
    running.ask("split-pane", "--name", name, "--focus", "--", "cat")
    running.ask("rename-window", "--window", "@1", "--name", name[:30])
    running.host.wait_text("[@click=app.quit]go[/]")
    running.host.send(b"\x02x")
    running.host.wait_text("Close pane %2", "[@click=app.quit]go[/] [bold red]x")
    running.host.send("n")
    running.host.wait_until(lambda: "Close pane" not in running.host.text)
    running.host.send(b"\x02w")
    running.host.wait_text("windows", "1 [@click=app.quit]go[/]")
    running.host.send(b"\x1b")
    running.host.wait_until(lambda: "windows" not in running.host.text)
    running.host.send(b"\x02,")
    running.host.wait_text("name of this window", "[@click=app.quit]go[/] [bold r")
    assert running.log == ""


UNHURRIED = """
import sys
from fugue_tui.cli.main import run
from fugue_tui.tui.ui import pane_notifications
pane_notifications._PAUSE = 1_000.0
sys.exit(run(sys.argv[1:]))
"""
"""The program with one bell and one copy in a thousand seconds."""


def test_many_bells_notifications_and_clipboard_writes_are_rate_limited(launch: Launch) -> None:
    config = '[mcp]\ntrust = "full"\n[terminal]\nclipboard = "on"\n'
    running = launch("--", "cat", program=("-c", UNHURRIED), config=config)
    running.ready()
    copy = base64.b64encode(SECRET.encode())
    code = (
        "import sys, os\nw = sys.stdout.buffer.write\nfor n in range(200):\n"
        f"    w(b'\\x07a' * 50 + b'\\x1b]52;c;{copy.decode()}\\x07' * 10 + b'\\x1b]9;note %d\\x07' % n)\n"
        "    sys.stdout.flush()\n"
        "print('is over', flush=True)\nos.execvp('cat', ['cat'])"
    )
    running.ask("split-pane", "--focus", "--", sys.executable, "-c", code)
    running.host.wait_text("is over")
    running.ask("get-status")
    received = bytes(running.host.received)
    assert received.count(b"\x1b]52;") == 1
    assert received.count(b"\x07") - received.count(b"\x1b]") <= 1
