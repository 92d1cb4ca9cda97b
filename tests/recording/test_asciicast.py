"""Asciicasts of all versions are read, written ones read back to the same, and bad ones refused by the line."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.geometry import Size
from fugue_tui.recording.asciicast import BadRecording, CastEncoder, CastEvent, CastHeader, EventCode, decode

HEADER = CastHeader(Size(80, 24), 1_700_000_000, "a title", "make", "xterm-256color", 2.5)
EVENTS = st.lists(
    st.builds(
        CastEvent,
        st.integers(0, 5_000).map(lambda ms: ms / 1000),
        st.sampled_from(EventCode),
        st.text(max_size=20),
    ),
    max_size=20,
)


@given(EVENTS, st.sampled_from((2, 3)))
def test_what_is_written_is_read_back(events: list[CastEvent], version: int) -> None:
    ordered = sorted(events, key=lambda event: event.time)
    encoder = CastEncoder(version)
    cast = decode(encoder.header(HEADER) + b"".join(map(encoder.event, ordered)))
    assert cast.header == HEADER
    assert [(event.code, event.data) for event in cast.events] == [(event.code, event.data) for event in ordered]
    assert [round(event.time, 3) for event in cast.events] == [event.time for event in ordered]


def test_rounding_does_not_add_up() -> None:
    encoder = CastEncoder()
    lines = encoder.header(HEADER) + b"".join(
        encoder.event(CastEvent(n * 0.0004, EventCode.OUTPUT, "")) for n in range(10_001)
    )
    assert abs(decode(lines).seconds - 4.0) < 0.001


def test_version_1_is_read() -> None:
    whole = {"version": 1, "width": 90, "height": 20, "stdout": [[0.5, "a"], [1, "b"]]}
    for text in (json.dumps(whole), json.dumps(whole, indent=2)):
        cast = decode(text.encode())
        assert cast.header.size == Size(90, 20)
        assert [(event.time, event.data) for event in cast.events] == [(0.5, "a"), (1.5, "b")]


def test_version_2_counts_from_the_beginning_and_version_3_has_comments() -> None:
    second = b'{"version": 2, "width": 80, "height": 24}\n[1.0, "o", "a"]\n[2.5, "m", "here"]\n'
    third = b'{"version": 3, "term": {"cols": 80, "rows": 24}}\n# a comment\n[1.0, "o", "a"]\n[1.5, "m", "here"]\n'
    assert decode(second).events == decode(third).events
    assert [marker.data for marker in decode(third).markers] == ["here"]


def test_a_line_cut_by_a_crash_is_left_out() -> None:
    encoder = CastEncoder()
    whole = encoder.header(HEADER) + encoder.event(CastEvent(1.0, EventCode.OUTPUT, "kept"))
    last = encoder.event(CastEvent(2.0, EventCode.OUTPUT, "lost"))
    for cut in range(1, len(last)):
        assert [event.data for event in decode(whole + last[: len(last) - cut]).events][:1] == ["kept"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "line 1"),
        (b"hello\n", "line 1: no header"),
        (b'{"version": 4}\n', "version '4'"),
        (b'{"version": 3}\n', "no size"),
        (b'{"version": 2, "width": "80", "height": 24}\n', "no size"),
        (b'{"version": 1, "width": 8, "height": 2, "stdout": [[1]]}\n', "line 1: no event"),
        (b'{"version": 2, "width": 80, "height": 24}\nrubbish\n[1, "o", "a"]\n', "line 2: no JSON"),
        (b'{"version": 2, "width": 80, "height": 24}\n["1", "o", "a"]\n', "line 2: no event"),
        (b'{"version": 2, "width": 80, "height": 24}\n[-1, "o", "a"]\n', "line 2: -1 is no time"),
        (b'{"version": 3, "term": {"cols": 80, "rows": 24}}\n[1e308, "o", "a"]\n', "line 2: 1e.308 is no time"),
        (
            b'{"version": 3, "term": {"cols": 80, "rows": 24}}\n[' + b"9" * 400 + b', "o", "a"]\n',
            "line 2: 9+ is no time",
        ),
        (b'{"version": 2, "width": 80, "height": 24}\n[NaN, "o", "a"]\n', "line 2: nan is no time"),
        (b'{"version": 2, "width": 80, "height": 24}\n' + b"[" * 100_000 + b"\n", "line 2"),
    ],
)
def test_what_is_no_recording_is_refused_by_its_line(data: bytes, words: str) -> None:
    with pytest.raises(BadRecording, match=words):
        decode(data)


def test_events_of_unknown_kinds_are_skipped_and_sizes_are_bounded() -> None:
    cast = decode(b'{"version": 2, "width": 1000000, "height": 0}\n[1, "z", "a"]\n[2, "o", "b"]\n')
    assert [event.data for event in cast.events] == ["b"]
    assert cast.header.size == Size(1500, 1)
