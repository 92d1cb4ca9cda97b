"""What terminals answer is never typing, wherever it is cut and whenever it comes; and what is typing stays so."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual import events

from fugue_tui.attach_server.input.input_parser import HostEvent, HostParser, Reply
from fugue_tui.terminal.input.keys import encode
from fugue_tui.terminal.screen.cells import Modes
from fugue_tui.tui.input.host_events import HostMessages
from fugue_tui_widgets.key_events import press_of

ANSWERS = [
    "\x1b[?25u",
    "\x1b[?0u",
    "\x1b[?2026;2$y",
    "\x1b[?2026;0$y",
    "\x1b[20;4$y",
    "\x1b]10;rgb:d0d0/d0d0/d0d0\x1b\\",
    "\x1b]11;rgb:00/11/22\x07",
    "\x1bP1+r524742=38\x1b\\",
    "\x1bP1+r524742=382F382F38;5463\x1b\\",
    "\x1bP0+r\x1b\\",
    "\x1bP1$r0;48:2::1:2:3m\x1b\\",
    "\x1bP0$r\x1b\\",
    "\x1bP>|XTerm(390)\x1b\\",
    "\x1bP!|00000000\x1b\\",
    "\x1b_Gi=31;OK\x1b\\",
    "\x1b[4;384;640t",
    "\x1b[6;16;8t",
    "\x1b[8;24;80t",
    "\x1b[?62;22c",
    "\x1b[?6c",
    "\x1b[>41;390;0c",
    "\x1b[0n",
    "\x1b[?997;1n",
]
TYPING = [
    "a",
    "\r",
    "\x03",
    "\x1b[A",
    "\x1b[1;5D",
    "\x1bOP",
    "\x1b[97;5u",
    "\x1b[<0;3;4M",
    "\x1b[I",
    "\x1b[3$",
    "\u00e9",
    "/",
]
PASTE = "\x1b[200~one\x1b]11;two\ntwo\x1b[201~"


class Parted:
    """A parser, and what it was heard to say."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.parser = HostParser()

    def take(self, *pieces: str) -> list[HostEvent]:
        """What of the pieces is typing."""
        return self._typing(event for piece in pieces for event in self.parser.feed(piece.encode()))

    def wait(self) -> list[HostEvent]:
        """What is typing after all."""
        return self._typing(self.parser.elapse())

    def _typing(self, events: Iterable[HostEvent]) -> list[HostEvent]:
        typed: list[HostEvent] = []
        for event in events:
            self.heard.append(event.text) if isinstance(event, Reply) else typed.append(event)
        return typed


def typed(*pieces: str) -> list[HostEvent]:
    """What these pieces mean if each comes by itself."""
    parser = HostParser()
    return [event for piece in pieces for event in [*parser.feed(piece.encode()), *parser.elapse()]]


def keys(host: HostParser, *pieces: bytes | None) -> list[str]:
    """The keys in what was read, as Textual's messages; None lets time pass."""
    parsed = [event for piece in pieces for event in (host.elapse() if piece is None else host.feed(piece))]
    found = [HostMessages().convert(event) for event in parsed]
    return [message.key if isinstance(message, events.Key) else type(message).__name__ for message in found]


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_reply_is_not_typed_wherever_it_is_split(answer: str) -> None:
    for cut in range(len(answer) + 1):
        parted = Parted()
        assert parted.take("x" + answer[:cut], answer[cut:] + "y") == typed("x", "y")
        assert parted.heard == [answer]


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_reply_with_a_long_pause_is_not_typed(answer: str) -> None:
    begun = next(
        n for n in range(2, len(answer)) if HostParser().feed(answer[:n].encode()) == [] and _certain(answer[:n])
    )
    for cut in range(begun, len(answer)):
        parted = Parted()
        steps = [parted.take(answer[:cut]), parted.wait(), parted.take(answer[cut:]), parted.take("y")]
        assert steps == [[], [], [], typed("y")], answer[:cut]


@pytest.mark.parametrize("answer", ANSWERS)
def test_of_a_reply_whose_first_byte_came_alone_only_escape_is_typed(answer: str) -> None:
    parted = Parted()
    assert [parted.take("\x1b"), parted.wait(), parted.take(answer[1:])] == [[], typed("\x1b"), []]
    assert parted.heard == [answer]


def _certain(text: str) -> bool:
    parser = HostParser()
    parser.feed(text.encode())
    return parser.certain


@pytest.mark.slow
@given(st.lists(st.sampled_from([*ANSWERS, *TYPING, PASTE])), st.lists(st.integers(0, 60)))
def test_typing_between_answers_is_left_as_it_is(said: list[str], cuts: list[int]) -> None:
    text, parted = "".join(said), Parted()
    pieces: list[str] = []
    for cut in cuts:
        pieces, text = [*pieces, text[:cut]], text[cut:]
    events = parted.take(*pieces, text) + parted.wait()
    assert events == typed(*(each for each in said if each not in ANSWERS))
    assert parted.heard == [each for each in said if each in ANSWERS]


@pytest.mark.parametrize(
    "broken", ["\x1b]11;rgb:d0", "\x1bP1+r5247", "\x1b[?62;", "\x1b[4;38", "\x1b[<0;3", "\x1b_Gi=31"]
)
@pytest.mark.parametrize("key", ["\x03", "\r", "\x1b[A", "\x1b[97;5u"])
def test_an_incomplete_reply_consumes_no_unambiguous_key(broken: str, key: str) -> None:
    assert Parted().take(broken, key, "z") == typed(key, "z")


def test_after_an_incomplete_reply_typing_continues() -> None:
    parted = Parted()
    assert parted.take("\x1b]11;rgb:d0") == []
    assert parted.wait() == []
    assert parted.take("ls", "\r") == typed("l", "s", "\r")


def test_an_endless_reply_uses_bounded_memory_and_is_not_typed() -> None:
    parted = Parted()
    assert parted.take("\x1bP1+r", *["5" * 1000] * 500, "5\x1b", "\\after") == typed(*"after")
    assert all(len(heard) < 10_000 for heard in parted.heard)


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        (b"\x1b", "escape"),
        (b"\x1b[", "alt+left_square_bracket"),
        (b"\x1b]", "alt+right_square_bracket"),
        (b"\x1bP", "alt+shift+p"),
        (b"\x1b_", "alt+underscore"),
        (b"\x1bO", "alt+shift+o"),
    ],
)
def test_a_key_that_looks_like_the_beginning_of_an_answer_is_one_after_a_moment(sent: bytes, key: str) -> None:
    host = HostParser()
    assert keys(host, sent) == []
    assert host.pending
    assert not host.certain
    assert keys(host, None, b"x") == [key, "x"]
    assert not host.pending


@pytest.mark.parametrize(
    ("sent", "key"),
    [
        (b"\x1b.", "alt+full_stop"),
        (b"\x1b1", "alt+1"),
        (b"\x1bb", "alt+b"),
        (b"\x1bB", "alt+shift+b"),
        (b"\x1b\x7f", "alt+backspace"),
        (b"\x1b\r", "alt+enter"),
        (b"\x1b\t", "alt+tab"),
        (b"\x1b ", "alt+space"),
        (b"\x1b\x01", "alt+ctrl+a"),
        (b"\x1b\xc3\xa9", "alt+\u00e9"),
        (b"\x1b\x1b.", "escape alt+full_stop"),
        (b"\x1bO\x1bx", "alt+shift+o alt+x"),
    ],
)
def test_a_key_with_alt_is_that_key(sent: bytes, key: str) -> None:
    for cut in range(len(sent)):
        assert keys(HostParser(), sent[:cut], sent[cut:], b"z") == [*key.split(), "z"]


def plain_keys() -> list[bytes]:
    """What a terminal that knows no protocol for keys sends, for every key that it can tell apart."""
    plain = [bytes([code]) for code in range(128) if code != 27]
    with_alt = [b"\x1b" + key for key in plain if key not in (b"[", b"O")]
    spelt = ["[Z", *(f"[{name}" for name in "ABCDHF"), *(f"O{name}" for name in "PQRS")]
    edits = [2, 3, 5, 6, 15, 17, 18, 19, 20, 21, 23, 24]
    for held in range(2, 9):
        spelt += [f"[1;{held}{name}" for name in "ABCDHFPQRS"] + [f"[{number};{held}~" for number in edits]
    return [*plain, b"\x1b", *with_alt, *(f"\x1b{each}".encode() for each in spelt)]


def test_keys_of_a_plain_terminal_reach_programs_as_they_were_typed() -> None:
    wrong: dict[bytes, bytes] = {}
    for key in plain_keys():
        host = HostParser()
        events_of = [HostMessages().convert(event) for event in [*host.feed(key), *host.elapse()]]
        sent = b"".join(encode(press_of(event), Modes()) for event in events_of if isinstance(event, events.Key))
        if sent != key:
            wrong[key] = sent
    assert wrong == {}


def test_a_paste_whose_beginning_is_cut_is_still_one_paste() -> None:
    for cut in range(1, 6):
        host = HostParser()
        begun = b"\x1b[200~"
        assert keys(host, begun[:cut], begun[cut:] + b"rm ", b"-rf\n", b"\x1b[20", b"1~k") == ["Paste", "k"]


def test_a_key_that_is_cut_and_comes_late_is_a_key_or_nothing() -> None:
    host = HostParser()
    assert keys(host, b"\x1b[97;", b"5u") == ["ctrl+a"]
    assert keys(host, b"\x1b[97;", None, b"b") == ["b"]
