"""Bad input to the fallback engine: it never raises, and what it does and keeps stays bounded."""

import itertools
import random
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hypothesis_profiles import examples

from fugue_tui.geometry import Size
from fugue_tui.terminal.pyte.emulator import PyteEmulator

MEGABYTE = 1_000_000


def emulator(cols: int = 20, rows: int = 5) -> PyteEmulator:
    return PyteEmulator(Size(cols, rows), 100)


def first_row(subject: PyteEmulator) -> str:
    subject.refresh()
    return subject.row(0).text


PREFIXES = ["", "?", ">", "=", "<"]
MIDDLES = ["", " ", "!", "$", "'", '"', "#", "$ "]
FINALS = [chr(code) for code in range(0x40, 0x7F)]
PARAMETERS = ["", "0", "1", "2;3", "1;2;3;4;5;6;7;8;9", "99999999999999999999", ";;", "1:2:3", "4294967296;4294967296"]


@pytest.mark.slow
@pytest.mark.parametrize("parameters", PARAMETERS)
def test_no_control_sequence_raises_and_text_continues(parameters: str) -> None:
    subject = emulator()
    for prefix, middle, final in itertools.product(PREFIXES, MIDDLES, FINALS):
        subject.feed(f"\x1b[{prefix}{parameters}{middle}{final}x\xe9漢".encode())
    subject.refresh()
    subject.feed(b"\x1bcend")
    assert first_row(subject) == "end"


def test_no_escape_sequence_raises() -> None:
    subject = emulator()
    for middle, final in itertools.product(["", " ", "#", "(", ")", "*", "%", "((", "$)"], map(chr, range(0x30, 0x7F))):
        subject.feed(f"\x1b{middle}{final}\x1b\\x".encode())
    subject.feed(b"\x1bcend")
    assert first_row(subject) == "end"


@pytest.mark.slow
@examples(300)
@given(
    st.lists(
        st.binary(max_size=40) | st.sampled_from([b"\x1b[", b"\x1b]", b"\x1b", b"\x9b", b"\x18", b"\xf0\x9f"]),
        max_size=20,
    )
)
def test_random_bytes_never_raise(pieces: list[bytes]) -> None:
    subject = emulator()
    for piece in pieces:
        subject.feed(piece)
        subject.refresh()
        assert 0 <= subject.cursor.x < 20
        assert 0 <= subject.cursor.y < 5
    subject.take_events()
    subject.resize(Size(7, 3))
    subject.feed(b"\x18\x1bcend")
    assert first_row(subject) == "end"


@pytest.mark.slow
def test_a_megabyte_of_random_bytes_raises_nothing() -> None:
    subject = emulator(80, 24)
    subject.feed(random.Random(7).randbytes(MEGABYTE // 2))
    subject.feed(b"\x18\x1bcend")
    assert first_row(subject) == "end"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("opening", "filling", "megabytes", "ending"),
    [
        (b"\x1b]0;", b"A", 20, b"\x07"),
        (b"\x1b]52;c;", b"QUFB", 20, b"\x1b\\"),
        (b"\x1bP", b"A", 20, b"\x1b\\"),
        (b"\x1b_G", b"A", 20, b"\x1b\\"),
        (b"\x1bX", b"A", 20, b"\x1b\\"),
        (b"\x1b[", b"1;", 20, b"m"),
        (b"\x1b(", b" ", 20, b"B"),
        (b"a", "\u0301".encode(), 2, b""),
        (b"", "\u200d\u202e".encode(), 2, b""),
        (b"", b"\x1b[6n", 1, b""),
        (b"", b"\x1b]4;1;?\x07", 1, b""),
        (b"", b"\x1b[>31u\x1b7", 1, b""),
    ],
)
def test_megabytes_of_one_thing_stay_bounded(opening: bytes, filling: bytes, megabytes: int, ending: bytes) -> None:
    subject = emulator()
    piece = filling * (MEGABYTE // len(filling))
    subject.feed(opening)
    for _ in range(megabytes):
        subject.feed(piece)
    subject.feed(ending + b"\x1bcend")
    assert first_row(subject) == "end"
    assert len(subject.title) <= 4096


@pytest.mark.slow
@pytest.mark.parametrize(
    "filling", [b"\x1b]0;A", b"\x1b]52;c;QUFB", b"\x1b[1;", "a\u0301".encode(), b"\x1b[6n", b"\x1b[38;5;1m\x1b7"]
)
def test_what_is_kept_of_endless_input_is_bounded(filling: bytes) -> None:
    subject = emulator()
    tracemalloc.start()
    subject.feed(filling)
    for _ in range(20):
        subject.feed(filling[-1:] * 100_000 if filling[:2] == b"\x1b]" else filling * 500)
    grown = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert grown < MEGABYTE * 3 // 2


@pytest.mark.parametrize("final", list("@ABCDEFGIJKLMPSTXZ`abdeghlmnrtu"))
def test_a_count_of_a_thousand_million_is_bounded(final: str) -> None:
    subject = emulator()
    subject.feed(f"x\x1b[999999999{final}\x1b[99999999999999999999{final}".encode())
    subject.feed(b"\x1bcend")
    assert first_row(subject) == "end"


def test_an_unfinished_string_is_ended_by_the_next_escape() -> None:
    subject = emulator()
    subject.feed(b"\x1b]0;" + b"A" * 3000 + b"\x1b[31mred")
    assert first_row(subject) == "red"


@pytest.mark.parametrize("cancel", [b"\x18", b"\x1a"])
def test_a_cancelled_title_is_not_set(cancel: bytes) -> None:
    subject = emulator()
    subject.feed(b"\x1b]0;title" + cancel + b"text")
    assert first_row(subject) == "text"
    assert subject.title == ""


def test_a_string_beyond_the_cap_is_dropped_whole() -> None:
    subject = emulator()
    subject.feed(b"\x1b]52;c;" + b"QUFB" * 400_000 + b"\x07")
    assert subject.take_events() == []


@pytest.mark.parametrize("step", [1, 2, 3])
def test_split_and_invalid_utf_8_reads_the_same_however_it_is_cut(step: int) -> None:
    data = "é漢😀".encode() + b"\xc3(\xff\xe6\xbc" + "\u0301x".encode() + b"\xed\xa0\x80\xf0\x9f"
    whole, cut = emulator(), emulator()
    whole.feed(data)
    for at in range(0, len(data), step):
        cut.feed(data[at : at + step])
    assert first_row(cut) == first_row(whole)


def test_memory_views_and_arrays_are_fed_as_bytes_are() -> None:
    subject = emulator()
    subject.feed(bytearray(b"one "))
    subject.feed(memoryview(b"two  ")[:4])
    subject.feed(b"")
    assert first_row(subject) == "one two"


@pytest.mark.slow
def test_a_flood_of_questions_is_answered_up_to_a_cap() -> None:
    subject = emulator()
    subject.feed(b"\x1b[c" * 100_000)
    answers = subject.take_events()
    assert sum(len(getattr(answer, "data", b"")) for answer in answers) <= 65_536
    subject.feed(b"\x1b[c")
    assert len(subject.take_events()) == 1


@pytest.mark.parametrize(
    "secret",
    ["\x1b[21t", "\x1b]52;c;?\x07", "\x1bP$q\x1b]2;rm\x07\x1b\\", "\x1b]0;rm -r\x07\x1b[21t", "\x1b[1;1;1;1;1;1*y"],
)
def test_no_reply_contains_text_of_the_program(secret: str) -> None:
    subject = emulator()
    subject.feed(secret.encode())
    assert all(b"rm" not in getattr(event, "data", b"") for event in subject.take_events())


INPUT = st.lists(
    st.one_of(
        st.builds(Size, st.integers(1, 30), st.integers(1, 8)),
        st.binary(max_size=12),
        st.text(max_size=12).map(str.encode),
        st.builds(
            "\x1b[{}{}{}{}".format,
            st.sampled_from(PREFIXES),
            st.sampled_from([*PARAMETERS, "1049", "6;7", "1;3"]),
            st.sampled_from(MIDDLES),
            st.sampled_from(FINALS),
        ).map(str.encode),
    ),
    max_size=30,
)


@pytest.mark.slow
@examples(300)
@given(INPUT)
def test_whatever_is_printed_and_whatever_the_size_the_screen_is_whole_and_text_continues(
    steps: list[Size | bytes],
) -> None:
    subject = emulator()
    for step in steps:
        if isinstance(step, Size):
            subject.resize(step)
        else:
            subject.feed(step)
        subject.refresh()
        size = subject.size
        assert all(sum(run.cols for run in subject.row(y).runs) <= size.cols for y in range(size.rows))
        assert (subject.cursor.x < size.cols, subject.cursor.y < size.rows) == (True, True)
    subject.resize(Size(20, 5))
    subject.feed(b"\x18\x1bcend")
    assert first_row(subject) == "end"
