"""`fugue-tui replay`: the screen of the player, its keys, and the other forms of a recording."""

import io
import os
import re
from pathlib import Path

import pytest
from PIL import Image
from textual.pilot import Pilot
from textual.widgets import Input
from textual.widgets._footer import FooterKey

from fugue_tui.cli.main import run
from fugue_tui.geometry import Size
from fugue_tui.recording.asciicast import LARGEST, Cast, CastEncoder, CastEvent, CastHeader, EventCode, decode
from fugue_tui.recording.timeline import Timeline
from fugue_tui.viewer.replay import ReplayApp

OUT, MARK, SIZE = EventCode.OUTPUT, EventCode.MARKER, EventCode.RESIZE
EVENTS = (
    CastEvent(0.5, OUT, "\x1b[31mone\x1b[0m\r\n"),
    CastEvent(1.0, MARK, "$ make"),
    CastEvent(1.5, OUT, "two\r\n"),
    CastEvent(61.5, OUT, "\x1b[2Jthree"),
    CastEvent(62.0, MARK, "exit status 2"),
    CastEvent(62.5, SIZE, "24x6"),
    CastEvent(63.0, OUT, "\r\nfour 中"),
)
CAST = Cast(CastHeader(Size(20, 5)), EVENTS)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A recording as a file."""
    encoder, path = CastEncoder(2), tmp_path / "a.cast"
    path.write_bytes(encoder.header(CAST.header) + b"".join(map(encoder.event, EVENTS)))
    return path


def screen(app: ReplayApp) -> str:
    return app._player.text  # pyright: ignore[reportPrivateUsage]


def position(app: ReplayApp) -> float:
    return app._position  # pyright: ignore[reportPrivateUsage]


async def paused(pilot: "Pilot[int]", *keys: str) -> ReplayApp:
    """Pause the player at its start, and press keys."""
    app = pilot.app
    assert isinstance(app, ReplayApp)
    if not app._paused:  # pyright: ignore[reportPrivateUsage]
        await pilot.press("space")
    await pilot.press("0", *keys)
    return app


@pytest.mark.parametrize(("cols", "last"), [(80, "search"), (40, "step")])
async def test_the_footer_shows_the_way_out_on_narrow_terminals(cols: int, last: str) -> None:
    async with ReplayApp(CAST, "a").run_test(size=(cols, 24)) as pilot:
        await pilot.pause()
        keys = [key for key in pilot.app.query(FooterKey) if key.region.right <= cols]
        assert {"close", last} <= {key.description for key in keys}


def test_pauses_are_shortened_and_the_order_stays() -> None:
    timeline = Timeline(CAST, 2.0)
    assert timeline.times == [0.5, 1.0, 1.5, 3.5, 4.0, 4.5, 5.0]
    assert [timeline.count(at) for at in (0, 0.5, 1.4, 100)] == [0, 1, 2, 7]
    assert timeline.markers == [(1.0, "$ make"), (4.0, "exit status 2")]
    assert Timeline(CAST).seconds == 63.0


async def test_it_plays_to_the_end_and_begins_anew() -> None:
    app = ReplayApp(CAST, "a.cast", speed=100)
    async with app.run_test(size=(40, 12)) as pilot:
        while "four" not in screen(app):
            await pilot.pause(0.01)
        assert screen(app).split() == ["three", "four", "中"]
        await pilot.press("space")
        while "four" not in screen(app) or position(app) < 5.0:
            await pilot.pause(0.01)


async def test_keys_move_and_going_back_shows_what_was_there() -> None:
    app = ReplayApp(CAST, "a.cast")
    async with app.run_test(size=(60, 12)) as pilot:
        await paused(pilot)
        assert screen(app).strip() == ""
        await pilot.press("full_stop")
        assert screen(app).strip() == "one"
        await pilot.press("right")
        assert "four" in screen(app)
        await pilot.press("left_square_bracket")
        assert position(app) == 4.0
        await pilot.press("left_square_bracket")
        assert screen(app).split() == ["one"]
        await pilot.press("right_square_bracket", "i")
        assert position(app) == 62.0
        await pilot.press("G")
        assert position(app) == 63.0
        await pilot.press("5")
        assert position(app) == 31.5
        assert screen(app).split() == ["one", "two"]
        await pilot.press("q")
    assert app.return_code == 0


async def test_search_goes_to_where_a_text_appears() -> None:
    app = ReplayApp(CAST, "a.cast")
    async with app.run_test(size=(60, 12)) as pilot:
        await paused(pilot, "slash", *"THREE", "enter")
        while position(app) < 3.5:
            await pilot.pause(0.01)
        assert "three" in screen(app)
        assert not app.query_one("#search", Input).display
        await pilot.press("n")
        while "does not appear" not in app._note:  # pyright: ignore[reportPrivateUsage]
            await pilot.pause(0.01)
        assert position(app) >= 3.5
        await pilot.press("slash", "escape")
        assert app.is_running


@pytest.mark.slow
@pytest.mark.parametrize("size", [(40, 12), (80, 24)])
def test_picture(snap_compare: object, size: tuple[int, int]) -> None:
    async def before(pilot: "Pilot[int]") -> None:
        await paused(pilot, "right_square_bracket", "full_stop")
        await pilot.pause()

    app = ReplayApp(CAST, "a.cast")
    assert snap_compare(app, terminal_size=size, run_before=before)  # type: ignore[operator]  # pyright: ignore


@pytest.mark.slow
def test_the_other_forms(file: Path, tmp_path: Path) -> None:
    for end in (".txt", ".cast", ".svg", ".gif"):
        assert run(["replay", str(file), "--export", str(tmp_path / f"b{end}")]) == 0
    assert (tmp_path / "b.txt").read_text().split() == ["three", "four", "中"]
    again = decode((tmp_path / "b.cast").read_bytes())
    assert [event.data for event in again.events] == [event.data for event in EVENTS]
    assert abs(again.seconds - 5.0) < 0.01
    picture = (tmp_path / "b.svg").read_text()
    assert re.findall(r">(one|two|three|four)\s*<", picture)[-1] == "four"
    assert picture.count("@keyframes") == picture.count("<g style=") == 5
    with Image.open(io.BytesIO((tmp_path / "b.gif").read_bytes())) as gif:
        assert getattr(gif, "n_frames", 1) == 4
        assert gif.size == (24 * 9, 6 * 18)


def test_a_form_is_refused_by_its_name_and_nothing_is_overwritten(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there = tmp_path / "there.txt"
    there.write_text("mine")
    for words, told in (
        (["--export", "x.avi"], "ends in none of .svg, .gif"),
        (["--export", str(there)], "exists already"),
        (["--export", str(tmp_path / "no" / "x.txt")], "cannot be written: No such file"),
        (["--speed", "0"], "shows nothing"),
        (["--speed", "fast"], "is no number"),
        (["--idle", "-1"], "is no number"),
    ):
        assert run(["replay", str(file), *words]) != 0
        assert told in capsys.readouterr().err
    assert there.read_text() == "mine"


def test_what_is_no_recording_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.cast"
    bad.write_text("hello")
    assert run(["replay", str(bad)]) != 0
    assert "bad.cast: line 1: no header" in capsys.readouterr().err
    assert run(["replay", str(tmp_path / "gone.cast")]) != 0
    assert "No such file" in capsys.readouterr().err


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "large.cast").touch()
    os.truncate(tmp_path / "large.cast", LARGEST + 1)
    assert run(["replay", str(tmp_path / "large.cast")]) == 1
    assert "more than 256 MiB are not read" in capsys.readouterr().err


def test_what_a_recording_says_of_itself_controls_no_terminal(
    tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    escape = "\x1b]0;owned\x07\x1b[31m"
    header, cast = CastHeader(Size(20, 5), title=f"title{escape}", command=escape), tmp_path / "a.cast"
    events = [CastEvent(0.1, MARK, f"mark{escape}"), CastEvent(0.2, OUT, f"{escape}shown"), CastEvent(0.3, SIZE, "0x0")]
    encoder = CastEncoder()
    cast.write_bytes(encoder.header(header) + b"".join(map(encoder.event, events)))
    for form in ("svg", "txt"):
        assert run(["replay", str(cast), "--export", str(tmp_path / f"a.{form}")]) == 0
        assert "\x1b" not in (tmp_path / f"a.{form}").read_text()
    assert b"\x1b" not in capsysbinary.readouterr().out


async def test_hostile_markers_are_shown_clean() -> None:
    events = (CastEvent(0.5, MARK, "mark\x1b]0;owned\x07\x1b[31m\u202e"), CastEvent(1.0, OUT, "x"))
    async with ReplayApp(Cast(CastHeader(Size(20, 5)), events), "a", speed=1, idle=0).run_test(size=(60, 12)) as pilot:
        app = await paused(pilot, "]")
        text = "\n".join(strip.text for strip in app.screen._compositor.render_strips())  # pyright: ignore[reportPrivateUsage]
        assert "mark" in text
        assert not {"\x1b", "\x07", "\u202e"} & set(text)
