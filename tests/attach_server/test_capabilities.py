"""Every terminal is asked what it can do, whenever it attaches; what it answers is for it alone, and never typed."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from tests.tui.render.test_two_ways_of_painting import differing
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui import attach_protocol
from fugue_tui.attach_server.capabilities import Capabilities
from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


SHOWN = ("sh", "-c", "stty raw -echo; printf '\\033[38;2;255;100;50mready\\033[m '; exec cat -v")
"""Shows whatever reaches it, escapes and all, after a word in a colour that not every terminal has."""
EXACT = b"38;2;255;100;50"
CAPABILITY, SETTING = rb"\x1bP1\+r524742=38\x1b\\\x1bP1\+r5463\x1b\\", rb"\x1bP1\$r0;48:2::1:2:3m\x1b\\"
PLAIN: dict[str, Any] = {"term": "xterm-256color", "colorterm": ""}
PATIENT = """
from fugue_tui.attach_server import capabilities
capabilities._REPLY_SECONDS = capabilities._QUERIED_SECONDS = capabilities._UNAMBIGUOUS_SECONDS = 60.0
"""
"""A server that waits for the rest of an answer however busy the machine is."""


def without(*patterns: bytes) -> Callable[[bytes], bytes]:
    """A terminal that does not give some answers."""
    return lambda answer: re.sub(b"|".join(patterns), b"", answer)


class Held:
    """A terminal that answers when it is told to."""

    def __init__(self) -> None:
        self.answers = b""

    def __call__(self, answer: bytes) -> bytes:
        self.answers += answer
        return b""


def about(serving: Serving, number: int = -1) -> dict[str, Any]:
    """What is known of a terminal."""
    return serving.call("list-clients")["clients"][number]


def told_apart(client: Client) -> Client:
    """Have a terminal tell all keys apart, as the client's program asks it to when it takes it over."""
    client.emulator.feed(b"\x1b[>25u")
    return client


def typed(serving: Serving, client: Client) -> None:
    """Only what is typed now reaches the program."""
    client.send("!")
    serving.shows(client, "!")
    row = next(line for line in client.text.split("\n") if "!" in line)
    assert row.split() == ["ready", "!"], row


@pytest.mark.parametrize("missing", [(), (CAPABILITY,), (SETTING,)])
def test_a_terminal_that_reports_true_colour_becomes_a_mirror(serve: Serve, missing: tuple[bytes, ...]) -> None:
    serving = serve(*SHOWN, first=hello())
    serving.shows(serving.first, "ready")
    other = serving.attach(answering=without(*missing), **PLAIN)
    serving.until(lambda: EXACT in other.received)
    assert about(serving)["colours"] == 1 << 24
    serving.settle()
    seen, mine = len(serving.first.received), len(other.received)
    typed(serving, serving.first)
    serving.settle()
    assert serving.first.received[seen:] == other.received[mine:]
    assert differing(other.picture, serving.first.picture) == []


@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\x1bP0+r\x1b\\\x1bP0$r\x1b\\\x1b[?1;2c",
        b"\x1bP0+r524742;5463\x1b\\\x1bP1$r48;5;16m\x1b\\\x1b[?62;4c",
        b"\x1bP1+r524742=2D31\x1b\\\x1b[?62;4c",
        b"\x1bP1+r544E=787465726D\x1b\\\x1bP1$r0;48:2::10:20:30m\x1b\\\x1b[?62c",
        b"\x1b[?99999999999u\x1b[?2026;9$y\x1b[6;0;0t\x1b[4;99999;1t\x1b]11;rgb://\x1b\\\x1b]10;rgb:g/h/i\x07",
        b"\x1bP1+r" + b"x" * 10_000 + b"\x1b\\\x1b[?c",
    ],
)
def test_a_terminal_that_answers_no_query_keeps_the_colours_of_its_hello(serve: Serve, said: bytes) -> None:
    serving = serve(*SHOWN, first=hello())
    serving.shows(serving.first, "ready")
    other = serving.attach(answering=lambda answer: said, **PLAIN)
    serving.shows(other, "ready")
    serving.settle()
    typed(serving, other)
    assert EXACT not in other.received
    known = about(serving)
    assert (known["colours"], known["kitty_keyboard"], known["synchronized_output"]) == (256, False, False)
    assert known["cell_pixels"] is None
    assert serving.log == ""


def test_the_first_frame_waits_for_no_answer(serve: Serve) -> None:
    serving = serve(*SHOWN, first=hello())
    serving.shows(serving.first, "ready")
    other = serving.attach(answering=Held(), **PLAIN)
    serving.shows(other, "ready", "test [")
    assert other.received.startswith(b"\x1b[?u\x1b[?2026$p")
    assert other.received.count(b"\x1b[c") == 1


def test_late_and_split_replies_are_parsed_and_not_typed(serve: Serve) -> None:
    serving, held = serve(*SHOWN, first=hello(), prelude=PATIENT), Held()
    serving.shows(serving.first, "ready")
    other = told_apart(serving.attach(answering=held, **PLAIN))
    serving.shows(other, "ready")
    serving.until(lambda: held.answers.endswith(b"c"))
    serving.settle()
    for at in range(0, len(held.answers), 41):
        other.send(held.answers[at : at + 41])
        serving.handled()
    serving.settle()
    typed(serving, other)
    known = about(serving)
    assert (known["colours"], known["kitty_keyboard"], known["cell_pixels"]) == (1 << 24, True, [8, 16])


def test_the_timeout_of_an_incomplete_reply_is_longer_if_it_cannot_be_a_key() -> None:
    abilities = Capabilities(hello())
    key = abilities.escape_timeout(certain=False)
    abilities.queries()
    asked = abilities.escape_timeout(certain=False)
    abilities.receive("\x1b[?1u")
    spelt, certain = abilities.escape_timeout(certain=False), abilities.escape_timeout(certain=True)
    assert key <= 0.05 < asked < 0.4 < spelt < 1 < certain
    abilities.receive("\x1b[?0u")
    abilities.receive("\x1b[?62;22c")
    assert abilities.escape_timeout(certain=False) == key


def test_replies_byte_by_byte_are_parsed_and_not_typed(serve: Serve) -> None:
    serving, held = serve(*SHOWN, first=hello(), prelude=PATIENT), Held()
    other = serving.attach(answering=held, **PLAIN)
    serving.shows(other, "ready")
    serving.until(lambda: held.answers.endswith(b"c"))
    for byte in held.answers:
        other.send(bytes([byte]))
        serving.step()
    serving.settle()
    typed(serving, other)
    assert about(serving)["colours"] == 1 << 24


def test_capabilities_are_those_of_each_client(serve: Serve) -> None:
    serving = serve(*SHOWN, first=hello())
    told_apart(serving.first)
    serving.shows(serving.first, "ready")
    able = told_apart(serving.attach(xpixel=800, ypixel=480))
    poor = serving.attach(answering=lambda answer: b"", term="linux", colorterm="")
    serving.shows(able, "ready")
    serving.shows(poor, "ready")
    serving.until(lambda: serving.call("list-clients")["clients"][1]["kitty_keyboard"])
    first, second, third = serving.call("list-clients")["clients"]
    assert [each["colours"] for each in (first, second, third)] == [1 << 24, 1 << 24, 16]
    assert [each["kitty_keyboard"] for each in (first, second, third)] == [True, True, False]
    assert [each["synchronized_output"] for each in (first, second, third)] == [True, True, False]
    assert [each["cell_pixels"] for each in (first, second, third)] == [[8, 16], [10, 20], None]
    assert b"\x1b[14t" not in able.received, "the system told"


def test_another_terminal_on_the_same_workspace_is_asked_again(serve: Serve) -> None:
    serving = serve(*SHOWN, first=hello())
    told_apart(serving.first)
    serving.until(lambda: about(serving)["kitty_keyboard"])
    serving.first.close()
    serving.until(lambda: not serving.call("list-clients")["clients"])
    poor = serving.attach(answering=lambda answer: b"", **PLAIN)
    serving.shows(poor, "ready")
    known = about(serving)
    assert (known["colours"], known["kitty_keyboard"], known["synchronized_output"]) == (256, False, False)
    assert b"\x1b[?2026h" not in poor.received
    poor.answering = bytes
    poor.raw(
        attach_protocol.frame(attach_protocol.SIZE, attach_protocol.Extent(80, 24).dump())
    )  # It was stopped and goes on, perhaps elsewhere.
    serving.until(lambda: about(serving)["synchronized_output"])
    assert about(serving)["colours"] == 1 << 24
    typed(serving, poor)


def test_frames_are_marked_only_if_every_mirror_supports_it(serve: Serve) -> None:
    serving = serve(first=hello())
    serving.until(lambda: about(serving)["synchronized_output"])
    other = serving.attach(answering=without(rb"\x1b\[\?2026;.\$y"))
    serving.shows(other, "1 cat")
    serving.settle()
    seen = len(other.received)
    serving.first.send("\x02%")
    serving.shows(other, "%2")
    serving.settle()
    assert b"\x1b[?2026h" not in other.received[seen:]


@pytest.mark.parametrize(
    ("term", "nested"), [("screen-256color", ""), ("xterm-256color", "screen"), ("linux", ""), ("dumb", "")]
)
def test_no_query_is_sent_that_a_terminal_would_print(serve: Serve, term: str, nested: str) -> None:
    serving = serve(*SHOWN, first=hello(term=term, colorterm="", nested=nested))
    serving.shows(serving.first, "ready")
    assert b"\x1bP" not in serving.first.received


@pytest.mark.parametrize(
    ("missing", "cell"), [(rb"\x1b\[4;.*?t", [8, 16]), (rb"\x1b\[6;.*?t", [8, 16]), (rb"\x1b\[[46];.*?t", None)]
)
def test_pixels_are_queried_where_the_system_reports_none(serve: Serve, missing: bytes, cell: list[int] | None) -> None:
    serving = serve(*SHOWN, first=hello())
    told_apart(serving.first).answering = without(missing)
    serving.shows(serving.first, "ready")
    serving.until(lambda: about(serving)["kitty_keyboard"])
    assert about(serving)["cell_pixels"] == cell


def test_a_smaller_terminal_gets_the_colours_it_supports(serve: Serve) -> None:
    serving = serve(*SHOWN, first=hello(Size(90, 30)))
    serving.shows(serving.first, "ready")
    small = serving.attach(Size(40, 12), answering=(held := Held()), **PLAIN)
    serving.shows(small, "ready")
    serving.first.send("x")
    serving.shows(small, "ready x")
    serving.settle()
    assert EXACT not in small.received
    small.send(held.answers)
    serving.until(lambda: EXACT in small.received)


@pytest.mark.parametrize("term", ["xterm-256color", "linux", "dumb", ""])
def test_colours_depend_on_the_client_and_not_on_the_servers_environment(
    serve: Serve, monkeypatch: pytest.MonkeyPatch, term: str
) -> None:
    monkeypatch.setenv("TERM", term)
    serving = serve(*SHOWN, first=hello())
    serving.shows(serving.first, "ready")
    serving.settle()
    seen = len(serving.first.received)
    serving.first.send("\x02?")
    serving.shows(serving.first, "/ searches")
    assert EXACT in serving.first.received[seen:]
