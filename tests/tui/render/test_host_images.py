"""Images of panes on terminals that show them in three ways: read back from the terminals."""

from pathlib import Path
from typing import Any

import pytest
from tests.image_data import BLUE, GREEN, RED, pixel, shown, sixel
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.geometry import Size
from fugue_tui.terminal.screen.images import Area, Graphics

pytestmark = pytest.mark.slow

CELL = (10, 20)
SIZE = Size(80, 24)
Picture = tuple[Area, tuple[int, ...]]


def told() -> dict[str, Any]:
    """What a terminal says of its pixels."""
    return {"xpixel": SIZE.cols * CELL[0], "ypixel": SIZE.rows * CELL[1]}


def without_kitty(reply: bytes) -> bytes:
    """The replies of a terminal that shows sixels only."""
    return b"" if reply.startswith(b"\x1b_G") else reply.split(b"\x1b\\")[-1] if b"\x1b_G" in reply else reply


def pictures(client: Client) -> list[Picture]:
    """What a terminal shows: where, and the colour of the middle of each."""
    client.emulator.refresh()
    found: list[Picture] = []
    for each in client.emulator.images:
        read = client.emulator.pixels(each.image)
        pixels = read() if read else None
        if pixels is not None:
            x, y = each.source.x + each.source.width // 2, each.source.y + each.source.height // 2
            found.append((each.target, pixel(pixels, x, y)[:3]))
    return found


def near(colour: tuple[int, ...], wanted: tuple[int, int, int]) -> bool:
    return all(abs(a - b) < 12 for a, b in zip(colour, wanted, strict=True))


def is_shown(client: Client, area: Area, colour: tuple[int, int, int]) -> bool:
    return any(target == area and near(each, colour) for target, each in pictures(client))


def kitty_host(client: Client) -> Client:
    client.emulator.set_graphics(Graphics(64 << 20, shown=True, cell=CELL))
    return client


def first(serve: Serve, room: Path, output: bytes, *, shows: bool = True, config: str = "") -> Serving:
    """A workspace on a terminal, with kitty graphics if it `shows` images, whose program prints something, and then
    what is typed."""
    file = room / "output"
    file.write_bytes(output)
    script = f"stty -echo; read x; cat '{file}'; while read -r line; do printf \"$line\"; done"
    serving = serve("sh", "-c", script, first=hello(SIZE, **told()), config=config)
    if shows:
        kitty_host(serving.first)
    return serving


def begin(serving: Serving) -> None:
    """Have the program print, once its terminal is known to show images."""
    serving.shows(serving.first, "1 sh")
    serving.settle()
    serving.first.send("\r")


def prints(serving: Serving, text: str) -> None:
    """Have the program print more."""
    serving.first.send(text.replace("\x1b", "\\033").replace("\n", "\\n") + "\r")


@pytest.mark.parametrize("image", [shown(RED, 60, 50), sixel(RED, 60, 60)])
def test_a_terminal_with_kitty_graphics_gets_images_where_they_are(serve: Serve, tmp_path: Path, image: bytes) -> None:
    serving = first(serve, tmp_path, b"\x1b[2;3H" + image + b"\x1b[20;1Hdone")
    begin(serving)
    height = 60 if image.startswith(b"\x1bP") else 50
    serving.until(lambda: is_shown(serving.first, Area(20, 20, 60, height), RED))
    serving.shows(serving.first, "done")


def test_images_are_clipped_by_panes_moved_with_text_and_removed(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, b"\x1b[5;1H" + shown(RED, 600, 40))
    begin(serving)
    serving.until(lambda: is_shown(serving.first, Area(0, 80, 600, 40), RED))
    serving.first.send("\x02%")
    serving.until(lambda: is_shown(serving.first, Area(0, 100, 400, 40), RED))
    serving.first.send("\x02\x1b[D")
    prints(serving, "\x1b[23;1H\n\n\n")
    serving.until(lambda: is_shown(serving.first, Area(0, 40, 400, 40), RED))
    prints(serving, "\n\n")
    serving.until(lambda: is_shown(serving.first, Area(0, 20, 400, 20), RED))
    prints(serving, "\n")
    serving.until(lambda: pictures(serving.first) == [])


def test_images_hide_behind_dialogs_and_in_other_windows(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, shown(RED, 60, 40))
    begin(serving)
    serving.until(lambda: is_shown(serving.first, Area(0, 0, 60, 40), RED))
    sent = len(serving.first.received)
    for there, back in (("\x02?", "\x1b[27u"), ("\x02c", "\x021")):
        serving.first.send(there)
        serving.until(lambda: pictures(serving.first) == [])
        serving.first.send(back)
        serving.until(lambda: is_shown(serving.first, Area(0, 0, 60, 40), RED))
    assert b"a=t" not in serving.first.received[sent:]  # Its pixels were kept.


def test_images_in_front_are_those_that_the_program_put_there(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, shown(RED, 60, 40, ",z=5,C=1") + shown(BLUE, 60, 40, ",z=-5,C=1"))
    begin(serving)
    serving.until(lambda: len(pictures(serving.first)) == 2)
    assert [colour for _, colour in pictures(serving.first)] == [BLUE, RED]


def test_detaching_frees_the_images_of_the_terminal(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, shown(RED, 60, 40))
    begin(serving)
    serving.until(lambda: is_shown(serving.first, Area(0, 0, 60, 40), RED))
    serving.first.send("\x02d")
    serving.until(lambda: serving.first.bye is not None)
    assert pictures(serving.first) == []
    again = kitty_host(serving.attach(**told()))
    serving.until(lambda: is_shown(again, Area(0, 0, 60, 40), RED))


def test_a_terminal_with_sixels_gets_images_again_when_text_has_overwritten_them(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, b"\x1b[2;1H" + shown(GREEN, 60, 60, ",C=1"))
    serving.first.answering = without_kitty
    begin(serving)
    whole = Area(0, 20, 60, 60)
    serving.until(lambda: is_shown(serving.first, whole, GREEN))
    prints(serving, "\x1b[3;2Hover\x1b[3;20Hbeside")  # The image stays above the text, as in kitty.
    serving.shows(serving.first, "beside")
    serving.until(lambda: is_shown(serving.first, whole, GREEN))
    prints(serving, "\x1b[2J\x1b[10;1Hcleared")
    serving.shows(serving.first, "cleared")
    serving.until(lambda: pictures(serving.first) == [])


def _rgb(colour: int) -> tuple[int, ...]:
    return tuple((colour & 0xFFFFFF).to_bytes(3, "big"))


def test_other_terminals_get_half_blocks(serve: Serve, tmp_path: Path) -> None:
    output = b"\x1b[2;1H" + shown(RED, 40, 32, ",C=1") + shown(BLUE, 40, 16, ",C=1")
    serving = first(serve, tmp_path, output, shows=False)
    begin(serving)
    serving.until(lambda: serving.first.text.count("▀") == 5 * 2 and near(_rgb(serving.first.grid[1][0][1].fg), BLUE))
    assert near(_rgb(serving.first.grid[2][0][1].bg), RED)
    prints(serving, "\x1b[2J\x1b[10;1Hcleared")
    serving.until(lambda: "▀" not in serving.first.text and "cleared" in serving.first.text)


def test_a_terminal_without_colours_gets_the_size_in_words(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, shown(RED, 320, 64, ",C=1"))
    plain = serving.attach(term="vt100", colorterm="")
    begin(serving)
    serving.shows(plain, "[image 320x64]")
    serving.until(lambda: is_shown(serving.first, Area(0, 0, 320, 64), RED))


def test_terminals_of_all_kinds_show_the_same_workspace(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, b"\x1b[3;1H" + shown(RED, 60, 60, ",C=1"))
    sixels = kitty_host(serving.attach(answering=without_kitty, **told()))
    blocks = serving.attach()
    begin(serving)
    for client in (serving.first, sixels):
        serving.until(lambda client=client: is_shown(client, Area(0, 40, 60, 60), RED))
    serving.until(lambda: "▀" in blocks.text)
    assert "▀" not in serving.first.text + sixels.text
    prints(serving, "\x1b[24;1H\n\n\n")
    for client in (serving.first, sixels):
        serving.until(lambda client=client: is_shown(client, Area(0, 0, 60, 40), RED))
    serving.until(lambda: blocks.text.count("▀") == 6 * 2)


def test_images_can_be_turned_off(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, shown(RED, 60, 40) + b"\x1b[20;1Hdone", config='[terminal]\nimages = "off"\n')
    begin(serving)
    serving.shows(serving.first, "done")
    serving.settle()
    assert pictures(serving.first) == []


def test_programs_learn_the_size_of_cells_from_a_terminal_that_shows_images(serve: Serve) -> None:
    script = (
        "import fcntl, struct, sys, termios, time\n"
        "while (size := struct.unpack('HHHH', fcntl.ioctl(0, termios.TIOCGWINSZ, bytes(8))))[2:] != (800, 460):\n"
        "    time.sleep(0.01)\n"
        "print('pixels', *size, flush=True)\nsys.stdin.read()"
    )
    serving = serve("python3", "-c", script, first=hello(**told()))
    kitty_host(serving.first)
    serving.shows(serving.first, "pixels 23 80 800 460")


def test_a_terminal_that_does_not_read_gets_the_newest_image_and_nobody_waits(serve: Serve, tmp_path: Path) -> None:
    frames = b"".join(b"\x1b[H" + shown((level, 0, 0), 400, 400, ",i=1,C=1") for level in range(100, 200))
    serving = first(serve, tmp_path, frames + b"\x1b[H" + shown(BLUE, 400, 400, ",i=1,C=1") + b"\x1b[22;1Hdone")
    other = kitty_host(serving.attach(**told()))
    begin(serving)
    serving.until(lambda: "done" in other.text, other)
    serving.until(lambda: is_shown(other, Area(0, 0, 400, 400), BLUE), other)
    serving.until(lambda: is_shown(serving.first, Area(0, 0, 400, 400), BLUE))
    assert len(pictures(serving.first)) == 1
    assert len(serving.first.received) < len(frames) // 2


def test_a_floating_pane_covers_what_of_an_image_is_behind_it(serve: Serve, tmp_path: Path) -> None:
    serving = first(serve, tmp_path, shown(RED, 600, 200))
    begin(serving)
    serving.until(lambda: is_shown(serving.first, Area(0, 0, 600, 200), RED))
    (tmp_path / "blue").write_bytes(shown(BLUE, 300, 40, ",C=1"))
    pane = serving.call("split-pane", "--", "sh", "-c", f"stty -echo; cat '{tmp_path / 'blue'}'; cat")["id"]
    serving.call("float-pane", "--pane", pane, "--cols", "20", "--rows", "6", "--x", "10", "--y", "2")
    behind = [Area(0, 0, 600, 40), Area(0, 160, 600, 40), Area(0, 40, 100, 120), Area(300, 40, 300, 120)]
    inside = Area(110, 60, 180, 40)
    serving.until(lambda: {target for target, _ in pictures(serving.first)} == {*behind, inside})
    serving.call("float-pane", "--pane", pane, "--x", "40")
    serving.until(lambda: is_shown(serving.first, Area(410, 60, 180, 40), BLUE))
    serving.call("close-pane", "--pane", pane)
    serving.until(lambda: [target for target, _ in pictures(serving.first)] == [Area(0, 0, 600, 200)])
