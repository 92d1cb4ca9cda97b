"""Terminals that cannot show what the others do: smaller ones, ones with fewer colours, and slow ones."""

import re
from pathlib import Path

import pytest
from rich.segment import Segment
from rich.style import Style
from tests.tui.render.test_two_ways_of_painting import LOOKS, differing
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.served_workspace import serve_mirrored as serve_mirrored
from tests.tui.socket_clients import Client, hello
from textual.strip import Strip

from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.attach_server.output.viewport import Viewport
from fugue_tui.geometry import Size
from fugue_tui.tui.render.client_view import ClientView, ScreenState, vt_text

pytestmark = pytest.mark.slow


LARGE, SMALL = Size(90, 30), Size(40, 12)
COLOURFUL = "printf '\\033[38;2;255;100;50mtrue\\033[48;5;99m indexed\\033[31;42m plain\\033[m\\n'; exec cat"


def part(client: Client, left: int, tops: range | list[int], cols: int) -> list[list[tuple[str, object]]]:
    """Some cells of a screen."""
    rows = client.grid
    return [[(text, style) for text, style in rows[top][left : left + cols]] for top in tops]


def both(serve: Serve, *command: str, **small: object) -> tuple[Serving, Client, Client]:
    """A server with a large terminal that is used, and another that came before its last key."""
    serving = serve(*command, first=hello(LARGE))
    serving.shows(serving.first, "test", "1 ")
    other = serving.attach(**{"size": SMALL, **small})  # pyright: ignore[reportArgumentType]
    serving.until(lambda: other.received)
    serving.settle()
    serving.first.send("x")
    serving.settle()
    return serving, serving.first, other


def test_a_smaller_terminal_sees_the_part_with_the_cursor_and_the_status_bar(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored, "sh", "-c", "exec cat >/dev/null")
    large.send("\r".join(f"line {n}" for n in range(40)) + "\r" + "y" * 60)
    serving.shows(large, "line 39", "y" * 60)
    serving.until(lambda: "yyy" in small.text)
    serving.settle()
    cursor = large.cursor
    top, left = 29 - 11 - (28 - cursor.y), cursor.x + 1 - SMALL.cols
    assert part(small, 0, range(11), 40) == part(large, left, range(top, top + 11), 40)
    assert part(small, 0, [11], 40) == part(large, 0, [29], 40)
    assert (small.cursor.x, small.cursor.y, small.cursor.visible) == (39, cursor.y - top, True)


def test_the_part_stays_where_it_is_until_the_cursor_leaves_it(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored)
    large.send("\x02%")
    serving.shows(large, "%2")
    large.send("right here")
    serving.shows(small, "right here")
    large.send("\x1b[1;3D")
    serving.shows(small, "%1", "x")
    large.send(" and left")
    serving.shows(small, "x and left")


def test_the_terminal_that_is_used_has_the_screen_in_its_size(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored, "sh", "-c", "trap 'stty size' WINCH; while :; do sleep 0.05; done")
    small.send("k")
    serving.shows(small, "11 40")
    serving.settle()
    assert part(large, 0, range(12), 40) == part(small, 0, range(12), 40)
    large.send("k")
    serving.shows(large, "29 90")


def unused(client: Client, used: Size) -> list[str]:
    """What a terminal shows right of the screen and below it, row by row."""
    rows = ["".join(text for text, _ in row) for row in client.grid]
    return [row[used.cols :] if y < used.rows else row for y, row in enumerate(rows)]


def test_the_unused_area_of_a_larger_terminal_has_a_border_and_dots(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored, "sh", "-c", "trap 'stty size' WINCH; while :; do sleep 0.05; done")
    small.send("k")
    serving.shows(small, "11 40")
    serving.settle()
    beside, below = "│" + "·" * 49, "─" * 40 + "┘" + "·" * 49
    assert unused(large, SMALL) == [beside] * 12 + [below] + ["·" * 90] * 17
    small.resize(Size(60, 20))
    serving.shows(small, "19 60")
    serving.settle()
    beside, below = "│" + "·" * 29, "─" * 60 + "┘" + "·" * 29
    assert unused(large, Size(60, 20)) == [beside] * 20 + [below] + ["·" * 90] * 9
    assert part(large, 0, range(20), 60) == part(small, 0, range(20), 60)
    large.send("k")
    serving.shows(large, "29 90")
    serving.settle()
    assert "··" not in large.text


def test_the_unused_area_stays_while_the_screen_scrolls(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored)
    small.send("".join(f"{number}\r" for number in range(60)))
    serving.shows(small, "59")
    serving.until(lambda: "59" in large.text)
    serving.settle()
    below = "─" * 40 + "┘" + "·" * 49
    assert unused(large, SMALL) == ["│" + "·" * 49] * 12 + [below] + ["·" * 90] * 17
    assert part(large, 0, range(12), 40) == part(small, 0, range(12), 40)


def test_the_border_of_the_unused_area_is_drawn_in_the_style_of_the_dividers(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE), config="[ui]\ndividers = 'ascii'\n")
    serving.shows(serving.first, "1 cat")
    small = serving.attach(Size(60, 20))
    serving.shows(small, "1 cat")
    serving.settle()
    below = "-" * 60 + "+" + "." * 29
    assert unused(serving.first, small.emulator.size) == ["|" + "." * 29] * 20 + [below] + ["." * 90] * 9


def test_a_smaller_terminal_shows_the_focused_dialog(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored)
    large.send("\x02x")
    serving.shows(large, "Close pane")
    serving.shows(small, "Close")
    serving.settle()
    large.send("n")
    serving.until(lambda: "Close" not in small.text)


def test_a_click_in_a_part_is_where_it_shows(serve_mirrored: Serve) -> None:
    serving, large, small = both(serve_mirrored)
    large.send("\x02%")
    serving.shows(large, "%2")
    large.send("z" * 40)
    serving.shows(small, "z" * 37)
    small.send("\x1b[<0;2;2M\x1b[<0;2;2m")
    serving.settle()
    panes = {pane["id"]: pane["focused"] for pane in serving.call("list-panes")["panes"]}
    assert panes["%2"], "on the whole screen %1 would be there"


def no_colours(answer: bytes) -> bytes:
    """What a terminal says that does not tell of its colours."""
    return re.sub(rb"\x1bP[^\x1b]*\x1b\\", b"", answer)


@pytest.mark.parametrize(
    ("term", "never"),
    [
        ("xterm-256color", r"[34]8[;:]2[;:]"),
        ("xterm", r"[34]8[;:][25][;:]"),
        ("vt100", r"\x1b\[([0-9;]*;)?(3|4|9|10)[0-7](;[0-9;]*)?m"),
    ],
)
def test_fewer_colours_are_what_is_sent(serve_mirrored: Serve, term: str, never: str) -> None:
    serving, large, other = both(
        serve_mirrored, "sh", "-c", COLOURFUL, size=LARGE, term=term, colorterm="", answering=no_colours
    )
    serving.shows(other, "true indexed plain")
    assert b"38;2;255;100;50" in large.received
    other.send("\x02%")
    serving.shows(other, "%2")
    serving.settle()
    questions, drawn = other.received.decode().split("\x1b[c", 1)
    assert re.search(never, drawn) is None, questions
    assert other.text == large.text
    assert other.cursor == large.cursor


def test_clients_with_frames_of_their_own_show_the_same_as_mirrors(serve_mirrored: Serve, tmp_path: Path) -> None:
    file = tmp_path / "looks"
    file.write_bytes(LOOKS)
    serving = serve_mirrored("sh", "-c", f"cat {file}; exec cat", first=hello(LARGE))
    serving.shows(serving.first, "family")
    other = serving.attach(LARGE, read_only=True)
    serving.shows(other, "family", "read-only")
    for keys in ("\x02%", "typed\r", "\x02?", "q", "\x02z", '\x02"', "\x02w", "q"):
        serving.first.send(keys)
        other.send("x")  # It is told once more that it is read-only, in a picture of its own.
        serving.settle()
        serving.shows(other, "read-only")
        assert differing(other.picture[:-1], serving.first.picture[:-1]) == []
    serving.until(lambda: "read-only" not in other.text)
    serving.settle()
    assert differing(other.picture, serving.first.picture) == []


SOON = "registry.CAUGHT_UP_SECONDS = 0.2"
"""What has kept up for so long is a mirror again."""


def draw_modes(serving: Serving, *only: Client) -> list[str]:
    """How each terminal is drawn on; every terminal, or `only` these, go on."""
    return serving.call("test-draw-modes", only=only)


def flood(serving: Serving) -> None:
    """Have a pane print for ever."""
    serving.call("split-pane", "--", "sh", "-c", "while :; do seq 1 200; done")


def memory(serving: Serving) -> int:
    """The server's resident bytes."""
    return int(Path(f"/proc/{serving.process.pid}/statm").read_text().split()[1]) * 4096


def test_a_stuck_client_delays_no_other_and_gets_the_newest_frame(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE))
    stuck = serving.attach(LARGE)
    serving.shows(stuck, "1 cat")
    flood(serving)
    serving.shows(serving.first, "%2", "200")
    before = memory(serving)
    for number in range(100):
        serving.first.send(f"<{number}>\r")
        serving.until(lambda n=number: f"<{n}>" in serving.first.text, serving.first)
    assert memory(serving) - before < 40 << 20
    serving.call("close-pane", "%2")
    serving.first.send("over\r")
    serving.until(lambda: "over" in serving.first.text and "%2" not in serving.first.text, serving.first)
    serving.shows(stuck, "over")
    serving.settle()
    assert differing(stuck.picture, serving.first.picture) == []
    assert serving.log == ""


def test_a_terminal_that_keeps_up_again_is_a_mirror_again(serve_mirrored: Serve) -> None:
    serving = serve_mirrored(first=hello(LARGE), prelude="from fugue_tui.attach_server import registry\n" + SOON)
    slow = serving.attach(LARGE)
    serving.shows(slow, "1 cat")
    assert draw_modes(serving) == ["MIRROR", "MIRROR"]
    flood(serving)
    serving.until(lambda: draw_modes(serving, serving.first)[1] == "OWN", serving.first)
    serving.until(lambda: draw_modes(serving)[1] == "MIRROR")
    serving.call("close-pane", "%2")
    serving.until(lambda: "%2" not in slow.text)
    serving.until(lambda: serving.first.send(".") or draw_modes(serving) == ["MIRROR", "MIRROR"])
    serving.settle()
    seen, mine = len(serving.first.received), len(slow.received)
    serving.first.send("mirrored")
    serving.shows(slow, "mirrored")
    serving.settle()
    assert serving.first.received[seen:] == slow.received[mine:]
    assert differing(slow.picture, serving.first.picture) == []


def test_default_colours_are_not_named_and_neighbours_of_one_style_are_one_text() -> None:
    view = ClientView(Viewport(Size(20, 1)), Depth.EIGHT_BIT)
    plain = Strip([Segment("│ words"), Segment("")])
    named = Strip([Segment("│ ", Style(color="default", bgcolor="default")), Segment("words", Style(color="default"))])
    assert "│ words".encode() in view.frame(ScreenState(Size(20, 1), [plain], None))
    assert view.frame(ScreenState(Size(20, 1), [named], None)) == b""
    bold = Strip([Segment("a", Style(bold=True)), Segment("b", Style(bold=True, color="default"))])
    assert vt_text(bold, Depth.EIGHT_BIT) == b"\x1b[1mab\x1b[m"
