"""What repeats itself is found on the screens of programs, and agents at work are not taken for that."""

import pytest
from tests.control.agents.test_program_rules import PARTS, RECORDINGS

from fugue_tui.control.agents.loop_detection import NewLines, Repetition, without_numbers
from fugue_tui.geometry import Size
from fugue_tui.terminal.engines import make_emulator

TURN = "> run the tests\r\n{n} failed in {n}.31s\r\nI will try again.\r\n"
"""A turn of an agent that does the same over and over."""


def found(engine: str, parts: list[bytes], *, repeats: int = 5, step: float = 2.0) -> str:
    """What is repeated once a program has printed these parts, one in so many seconds."""
    emulator, lines, repetition = make_emulator(engine, Size(80, 24)), NewLines(), Repetition(repeats, 60.0)
    now = 0.0
    lines.take(emulator)
    for part in parts:
        emulator.feed(part)
        now += step
        repetition.add_lines(lines.take(emulator), now)
    said = repetition.found(now)
    emulator.close()
    return said


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_a_turn_again_and_again_is_found(engine: str) -> None:
    parts = [TURN.format(n=number).encode() for number in range(10)]
    assert found(engine, parts[:5]) == ""
    assert found(engine, parts) in {
        " / ".join(words)
        for turn in [["run the tests", "failed in #s", "I will try again"]]
        for words in (turn, turn[1:] + turn[:1], turn[2:] + turn[:2])
    }
    assert found(engine, parts, step=20.0) == ""


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_one_line_again_and_again_is_found_on_a_full_screen_too(engine: str) -> None:
    assert found(engine, [b"retrying in 1 s\r\n" * 6] * 10) == "retrying in # s"


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_a_screen_that_is_painted_again_repeats_nothing(engine: str) -> None:
    frame = b"\x1b[H\x1b[2J" + b"\r\n".join([b"* Working (%d s)", b"line one", b"line two", b"line three", b"> input"])
    assert found(engine, [frame % number for number in range(40)]) == ""


@pytest.mark.parametrize("name", PARTS)
def test_no_recorded_agent_is_taken_for_looping(name: str) -> None:
    data = (RECORDINGS / f"{name}.vt").read_bytes()
    parts = [data[at : at + 1000] for at in range(0, len(data), 1000)]
    assert found("ghostty", parts, repeats=2, step=0.01) == ""


def test_a_command_again_and_again_is_found_and_forgotten() -> None:
    repetition = Repetition(3, 60.0)
    for second in range(4):
        assert repetition.found(float(second)) == ""
        repetition.add_command("make", float(second))
    assert repetition.found(4.0) == "make"
    assert repetition.found(61.0) == ""
    repetition.add_command("make", 4.0)
    repetition.clear()
    assert repetition.found(4.0) == ""


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("✻ Thinking… (12s · 1.2k tokens)", "Thinking… (#s · #k tokens"), ("│ > │", ""), ("12:30:01 ok", "ok")],
)
def test_numbers_and_frames_do_not_count(line: str, wanted: str) -> None:
    assert without_numbers(line) == wanted
