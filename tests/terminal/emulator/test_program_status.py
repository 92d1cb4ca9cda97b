"""Status reports of programs (OSC 7501)."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Reply, StatusQuery, StatusReport
from fugue_tui.terminal.emulator.program_status import LIMIT, read
from fugue_tui.terminal.engines import make_emulator


def b64(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


@pytest.mark.parametrize(
    ("payload", "report"),
    [
        ("?", StatusQuery()),
        ("state=idle:app=claude-code", StatusReport("idle", "claude-code")),
        ("state=clear", StatusReport("clear")),
        ("state=working:progress=40:id=build/test", StatusReport("working", "", "build/test", progress=40)),
        ("state=working:progress=400", StatusReport("working", progress=100)),
        ("state=done:progress=40", StatusReport("done")),
        (
            f"state=blocked:kind=permission:msg={b64('approve Bash: make')}:title={b64('größer')}",
            StatusReport("blocked", "", "", "permission", None, "größer", "approve Bash: make"),
        ),
        ("state=blocked:kind=bribe", StatusReport("blocked")),
        ("state=working:kind=auth", StatusReport("working")),
        ("state=idle:future=1:junk::app=a b", StatusReport("idle")),
        ("state=working:state=idle", StatusReport("idle")),
    ],
)
def test_reports_are_parsed(payload: str, report: object) -> None:
    assert read(payload) == report


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "state=",
        "state=busy",
        "app=x",
        "state=idle:id=a//b",
        "state=idle:id=a/b/c/d/e/f/g/h/i",
        "state=idle:id=" + "a" * 129,
        "state=idle:msg=%%%",
        "state=idle:msg=/w==",
        "state=idle:msg=" + b64("a\x1b[31m"),
        "state=idle:title=" + b64("x" * 193),
        "state=idle:app=" + "x" * LIMIT,
    ],
)
def test_what_is_malformed_is_ignored(payload: str) -> None:
    assert read(payload) is None


@given(st.text(max_size=200))
def test_nothing_fails(payload: str) -> None:
    read(payload)
    read("state=idle:" + payload)


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_a_query_is_answered_in_the_order_asked_and_reports_are_events(engine: str) -> None:
    emulator = make_emulator(engine, Size(20, 3))
    emulator.feed(b"\x1b[5n\x1b]7501;?\x07\x1b[c\x1b]7501;state=done:app=x\x1b\\shown")
    events = emulator.take_events()
    replies = b"".join(each.data for each in events if isinstance(each, Reply))
    assert replies.startswith(b"\x1b[0n\x1b]7501;?\x1b\\\x1b[?6")
    assert StatusReport("done", "x") in events
    assert emulator.lines(0, 1)[0].rstrip() == "shown"
