"""Panes and windows are seen as pictures, kept under names, and compared."""

import re
from base64 import b64decode
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree

import pytest
from PIL import Image
from tests import image_data
from tests.control.scripted_program import Driven
from tests.image_data import BLUE, RED, sixel
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.screenshot import PictureFormat, Screenshot, ScreenshotPane
from fugue_tui.control.commands.visual_diff import VisualDiff
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.geometry import Size
from fugue_tui.imaging import png
from fugue_tui.imaging.palette import Theme
from fugue_tui.imaging.screen import Screen
from fugue_tui.multiplexer.kept_screens import HEAVIEST, MOST, ScreenStore, StoredScreen
from fugue_tui.terminal.copy_mode.copy_mode import Cell
from fugue_tui.terminal.screen.cells import PLAIN, Row, Run
from fugue_tui.terminal.screen.images import Graphics

CELL = png.metrics(png.SIZE)


def shot(room: Room, **fields: object) -> Screenshot:
    return room.run(ScreenshotPane(**fields), agent())  # type: ignore[arg-type]


def opened(image: str) -> Image.Image:
    return Image.open(BytesIO(b64decode(image))).convert("RGB")


def colours(image: Image.Image, x: int, y: int) -> set[object]:
    """The colours in a cell."""
    area = (x * CELL.width, y * CELL.height, (x + 1) * CELL.width, (y + 1) * CELL.height)
    return {colour for _, colour in image.crop(area).getcolors(100_000) or []}


@pytest.fixture
def driven(room: Room) -> Driven:
    return Driven(room)


def test_a_pane_is_seen_as_an_image_in_its_colours(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K\\033[48;2;1;2;3m \\033[0m'")
    found = shot(driven.room)
    image = opened(found.image)
    assert image.size == (found.cols * CELL.width, found.rows * CELL.height)
    assert colours(image, 0, 0) == {(1, 2, 3)}
    assert (found.shows, found.media_type, found.name) == (str(driven.pane), "image/png", "")
    assert f"a screenshot of {driven.pane}" in found.text


def test_images_that_a_program_printed_are_seen(driven: Driven, tmp_path: Path) -> None:
    terminal, file = driven.room.mux.terminals[driven.pane], tmp_path / "image"
    terminal.set_graphics(Graphics(1 << 20))
    file.write_bytes(
        b"\x1b[2J\x1b[2;3H" + image_data.shown(RED, 16, 16, ",C=1") + b"\x1b[4;1H" + sixel(BLUE, 16, 12) + b"\r\n"
    )
    driven.does(f"cat '{file}'")
    image = opened(shot(driven.room).image)
    assert colours(image, 2, 1) == colours(image, 3, 1) == {RED}
    assert BLUE in colours(image, 0, 3)
    assert RED not in colours(image, 4, 1) | colours(image, 1, 1)


def test_the_colours_are_those_of_the_users_own_terminal(driven: Driven) -> None:
    driven.room.mux.terminals[driven.pane].set_colours(0x102030, 0xFFEEDD)
    assert colours(opened(shot(driven.room).image), 20, 10) == {(0xFF, 0xEE, 0xDD)}


def test_a_pane_is_seen_as_a_drawing_as_text_and_with_colours(driven: Driven) -> None:
    driven.does("printf '\\r\\033[K\\033[31mred\\033[0m <b> 漢 👨‍👩‍👧\\n'")
    drawing = shot(driven.room, format=PictureFormat.SVG)
    assert drawing.image == ""
    assert ElementTree.fromstring(drawing.text).tag.endswith("svg")
    assert "&lt;b&gt;" in drawing.text
    assert shot(driven.room, format=PictureFormat.TEXT).text.splitlines()[0].startswith("red <b> 漢 👨")
    coloured = shot(driven.room, format=PictureFormat.ANSI)
    assert re.search(r"\x1b\[0;31mred\x1b\[0m", coloured.text)
    assert "\x1b" not in coloured.for_model
    assert coloured.untrusted == f"pane {driven.pane}"


def test_a_window_is_seen_with_its_dividers_and_titles(room: Room) -> None:
    room.mux.layouts.title_rows = lambda window: 1
    left = Driven(room)
    right = room.opened(f"split-pane {left.pane} --name 'right 漢' --command 'printf there; exec cat'")
    below = room.opened(f"split-pane {right} --direction down --command 'printf below; exec cat'")
    left.does("echo; echo here")
    room.shows(right, "there")
    room.shows(below, "below")
    room.mux.terminals[left.pane].seen.refresh()
    lines = shot(room, window="active", format=PictureFormat.TEXT).text.split("\n")
    assert re.match(r"[─━]+.*%1 .*[┬┳┰┲┱].*%2 right 漢", lines[0])
    assert lines[1].startswith("ready")
    assert "here" in lines[2]
    assert re.search(r"[│┃]there", lines[1])
    assert any(re.search(r"[├┣┠┡┢┝┞┟].*%3", line) for line in lines)
    assert any("below" in line for line in lines)
    found = shot(room, window="active")
    assert (found.cols, found.rows, found.shows) == (81, 24, "@1")
    assert opened(found.image).size == (81 * CELL.width, 24 * CELL.height)


def test_a_window_is_seen_as_a_user_has_scrolled_it_and_a_pane_as_its_program_left_it(driven: Driven) -> None:
    driven.does("echo; seq 1 100")
    driven.room.mux.terminals[driven.pane].scroll(200)
    assert shot(driven.room, window="active", format=PictureFormat.TEXT).text.startswith("ready\n1\n2")
    assert shot(driven.room, format=PictureFormat.TEXT).text.endswith("100\n<1>")
    assert driven.room.mux.terminals[driven.pane].scrollback.offset > 0


def test_a_window_is_seen_with_what_a_user_has_selected_and_a_pane_without(driven: Driven) -> None:
    driven.does("echo; echo one two three")
    terminal = driven.room.mux.terminals[driven.pane]
    terminal.copy_mode.select(Cell(4, 1))
    terminal.copy_mode.extend(Cell(6, 1))
    assert terminal.copy_mode.selected_text == "two"
    lines = shot(driven.room, window="active", format=PictureFormat.ANSI).text.split("\n")
    assert re.search(r"one \x1b\[[0;]*7mtwo\x1b\[0m three", lines[1])
    assert "7m" not in shot(driven.room, format=PictureFormat.ANSI).text
    driven.does("seq 1 40")
    assert "7m" not in shot(driven.room, window="active", format=PictureFormat.ANSI).text


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_a_cursor_that_is_hidden_is_not_seen_though_nobody_has_looked_at_the_pane(room: Room, engine: str) -> None:
    driven, behind = Driven(room, engine), len("ready")
    terminal = room.mux.terminals[driven.pane]
    terminal.seen.refresh()
    for sequence, shown in ((b"\x1b[?25l", False), (b"\x1b[?25h", True)):
        with terminal.locked() as screen:
            screen.emulator.feed(sequence)
        assert (colours(opened(shot(room).image), behind, 0) != {Theme().background}) == shown


def test_stored_screenshots_are_compared_in_words_and_cell_by_cell(driven: Driven) -> None:
    room = driven.room
    driven.does("echo; echo tests: 3 failed")
    assert shot(room, name="before").name == "before"
    driven.does("printf '\\033[2;1Htests: 0 failed\\033[3;4H'")
    shot(room, name="after")
    found = room.run(VisualDiff(before="before", after="after"))
    assert "“3” became “0” in “tests: 0 failed”" in found.text
    assert (found.cells, found.changed_rows) == (4, (1, 2))
    image = opened(found.image)
    assert (255, 64, 96) in colours(image, 7, 1)
    assert (255, 64, 96) not in colours(image, 0, 1)
    assert room.run(VisualDiff(before="after", after="after")).text == "nothing changed"


def test_a_stored_screenshot_or_a_cursor_is_compared_with_the_present_screen(driven: Driven) -> None:
    room = driven.room
    shot(room, name="start")
    cursor = room.run(ReadPane()).cursor
    driven.does("echo; echo fresh")
    for before in ("start", cursor):
        found = room.run(VisualDiff(before=before))
        assert "new: “fresh”" in found.text
        assert found.after == f"{driven.pane} now"


def test_a_window_is_compared_with_itself_now(room: Room) -> None:
    driven = Driven(room)
    shot(room, window="active", name="whole")
    driven.does("echo; echo fresh")
    found = room.run(VisualDiff(before="whole"))
    assert (found.after, found.cells > 0) == ("@1 now", True)


def test_an_unknown_screenshot_is_named_with_the_stored_ones(driven: Driven) -> None:
    with pytest.raises(NotFound, match="no screenshot x; screenshot-pane with a name keeps one"):
        driven.room.run(VisualDiff(before="x"))
    shot(driven.room, name="one")
    with pytest.raises(NotFound, match="no screenshot c; there are one"):
        driven.room.run(VisualDiff(before="c"))
    with pytest.raises(InvalidArgument, match="not known"):
        driven.room.run(VisualDiff(before="c0.1.1"))
    with pytest.raises(InvalidArgument, match="not both"):
        driven.room.run(VisualDiff(before="one", after="one", pane="active"))


def test_a_full_screen_program_is_seen(room: Room) -> None:
    driven = Driven(room)
    driven.does("printf '\\033[?1049h\\033[2J\\033[5;5H\\033[7mMENU\\033[0m'")
    assert shot(room, format=PictureFormat.TEXT).text.split("\n")[4].startswith("    MENU")


@pytest.mark.slow
def test_a_drawing_that_is_too_long_for_a_model_is_refused(room: Room) -> None:
    room.mux.resize(Size(400, 200))
    driven = Driven(room)
    driven.does("for i in $(seq 1 12000); do printf '\\033[38;5;%dmx\\033[48;5;%dmy' $((i % 256)) $((i % 255)); done")
    with pytest.raises(InvalidArgument, match="use png"):
        shot(room, format=PictureFormat.SVG)
    assert shot(room).image


def kept(rows: int = 1) -> StoredScreen:
    text = "x" * 200
    return StoredScreen(Screen(200, (Row((Run(text, PLAIN, 200),)),) * rows), Theme(), "%1", 0.0)


def test_the_oldest_screenshots_are_dropped_for_new_ones() -> None:
    album = ScreenStore()
    gone = [album.keep(f"shot {number}", kept()) for number in range(MOST + 2)]
    assert gone[-2:] == [("shot 0",), ("shot 1",)]
    assert len(album) == MOST
    assert album.keep("shot 5", kept()) == ()
    large = HEAVIEST // (album.weight // MOST) + 1
    assert set(album.keep("large", kept(large))) == {f"shot {number}" for number in range(2, MOST + 2)}
    assert album.names == ("large",)
