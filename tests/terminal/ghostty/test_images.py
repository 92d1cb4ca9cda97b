"""Images of programs: where they are, what of them shows, what programs are told, and what is refused."""

import zlib
from base64 import b64encode
from io import BytesIO

import pytest
from PIL import Image as Picture
from tests.image_data import BLUE, GREEN, RED, kitty, pixel, plain, shown, sixel

from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator.events import Reply
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.ghostty.graphics import PLACEMENTS
from fugue_tui.terminal.screen.images import Area, Graphics, Placement
from fugue_tui.terminal.screen.placeholders import diacritics, placeholder

CELL = (10, 20)


def emulator(memory: int = 1 << 20, *, shown: bool = True) -> GhosttyEmulator:
    made = GhosttyEmulator(Size(20, 6))
    made.set_graphics(Graphics(memory, shown, CELL))
    return made


def replies(made: GhosttyEmulator) -> bytes:
    return b"".join(event.data for event in made.take_events() if isinstance(event, Reply))


def images(made: GhosttyEmulator) -> tuple[Placement, ...]:
    made.refresh()
    return made.images


def colour_of(made: GhosttyEmulator, placement: Placement) -> tuple[int, ...]:
    read = made.pixels(placement.image)
    pixels = read() if read else None
    assert pixels is not None
    return pixel(pixels, placement.source.x, placement.source.y)[:3]


QUERY = b"\x1b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\x1b\\\x1b[c\x1b[14t\x1b[16t"


def test_image_support_is_reported_to_programs_while_a_terminal_shows_images() -> None:
    made = emulator()
    made.feed(QUERY)
    assert replies(made) == b"\x1b_Gi=31;OK\x1b\\\x1b[?62;4;22c\x1b[4;120;200t\x1b[6;20;10t"


@pytest.mark.parametrize("memory", [0, 1 << 20])
def test_no_image_support_is_reported_where_no_images_are_shown(memory: int) -> None:
    made = emulator(memory, shown=False)
    made.feed(QUERY)
    assert replies(made) == b"\x1b[?62;22c\x1b[4;120;200t\x1b[6;20;10t"


def test_an_image_is_where_the_cursor_was_in_its_own_size() -> None:
    made = emulator()
    made.feed(b"\x1b[2;3H" + shown(RED, 25, 30))
    (found,) = images(made)
    assert (found.target, found.source) == (Area(20, 20, 25, 30), Area(0, 0, 25, 30))
    assert colour_of(made, found) == RED


def test_columns_rows_parts_offsets_and_order_are_kept() -> None:
    made = emulator()
    made.feed(shown(RED, 40, 40, ",c=8,r=2,z=1,C=1") + shown(BLUE, 40, 40, ",x=4,y=8,w=10,h=20,X=3,Y=5,z=-1,C=1"))
    low, high = images(made)
    assert (low.target, low.source, low.z) == (Area(3, 5, 10, 20), Area(4, 8, 10, 20), -1)
    assert (high.target, high.source, high.z) == (Area(0, 0, 80, 40), Area(0, 0, 40, 40), 1)


def test_images_scroll_and_come_back_with_the_history() -> None:
    made = emulator()
    made.feed(shown(RED, 40, 40) + b"\r\n" * 5)
    assert [each.target.y for each in images(made)] == [-20]
    made.feed(b"\r\n" * 2)
    assert images(made) == ()
    made.scroll(3)
    assert [each.target.y for each in images(made)] == [0]


@pytest.mark.parametrize("erasure", [b"\x1b[2J", b"\x1b_Ga=d,q=2\x1b\\", b"\x1b[?1049h", b"\x1bc"])
def test_an_image_that_is_erased_is_gone(erasure: bytes) -> None:
    made = emulator()
    made.feed(shown(RED, 40, 40))
    assert len(images(made)) == 1
    made.feed(erasure)
    assert images(made) == ()


def test_pngs_are_decoded_and_broken_ones_refused() -> None:
    made, file = emulator(), BytesIO()
    Picture.new("RGBA", (7, 5), (*GREEN, 128)).save(file, "PNG")
    made.feed(kitty("a=T,f=100,i=3", file.getvalue()))
    assert replies(made) == b"\x1b_Gi=3;OK\x1b\\"
    (found,) = images(made)
    assert (found.target.width, found.target.height, colour_of(made, found)) == (7, 5, GREEN)
    made.feed(kitty("a=T,f=100,i=4", file.getvalue()[:40] + b"secret"))
    assert b"secret" not in (reply := replies(made))
    assert b"OK" not in reply


@pytest.mark.parametrize("medium", ["f", "t", "s"])
def test_images_are_never_read_from_files(medium: str) -> None:
    made = emulator()
    made.feed(kitty(f"a=T,f=100,t={medium},i=1", b"/etc/passwd"))
    assert b"OK" not in replies(made)
    assert images(made) == ()


def test_images_that_inflate_too_far_are_left_out() -> None:
    made = emulator()
    bomb = zlib.compress(bytes(40 << 20))
    made.feed(kitty("a=T,f=32,i=1,o=z,s=3000,v=3000", bomb))
    made.feed(shown(BLUE, 10, 20))
    assert [colour_of(made, each) for each in images(made)] == [BLUE]


def test_images_that_never_end_are_cut_off() -> None:
    made = emulator()
    made.feed(b"\x1b_Ga=T,f=32,i=1,s=5000,v=5000,m=1;%b\x1b\\" % b64encode(bytes(3_072)))
    for _ in range(600):
        made.feed(b"\x1b_Gm=1;%b\x1b\\" % b64encode(bytes(3_072)))
    made.feed(b"\x1b_Gm=0;\x1b\\text" + shown(BLUE, 10, 20))
    assert [colour_of(made, each) for each in images(made)] == [BLUE]
    assert made.lines(0, 1) == ["text"]


def test_the_oldest_images_go_when_there_are_too_many() -> None:
    made = emulator(200_000)
    for number in range(1, 21):
        made.feed(b"\x1b[H" + kitty(f"a=T,f=24,q=2,i={number},s=100,v=100", plain(RED, 100, 100)))
    assert 0 < len(images(made)) <= 6


def test_placements_are_bounded() -> None:
    made = emulator()
    made.feed(kitty("a=t,f=24,q=2,i=1,s=1,v=1", plain(RED, 1, 1)))
    for number in range(1, PLACEMENTS + 3):
        made.feed(b"\x1b_Ga=p,i=1,q=2,C=1,p=%d\x1b\\" % number)
    assert len(images(made)) < 3
    made.feed(shown(BLUE, 10, 20))
    assert colour_of(made, images(made)[-1]) == BLUE


def test_sixel_images_are_text_that_shows_them() -> None:
    made = emulator()
    made.feed(b"\x1b[1;32mA" + sixel(RED, 25, 24) + b"B")
    top, bottom = images(made)
    assert (top.target, top.source) == (Area(10, 0, 30, 20), Area(0, 0, 30, 20))
    assert (bottom.target, bottom.source) == (Area(20, 20, 20, 20), Area(10, 20, 20, 20))
    assert colour_of(made, top) == RED
    assert made.lines(0, 2) == ["A", " B"]
    style = made.row(1).runs[-2 if made.row(1).runs[-1].text.isspace() else -1].style
    assert (style.bold, style.fg) == (True, 2)


def test_text_over_a_sixel_image_and_erasing_take_their_part_of_it_away() -> None:
    made = emulator()
    made.feed(sixel(RED, 50, 36) + b"\x1b[1;2Hxx")
    assert sum(each.target.width * each.target.height for each in images(made)) == (10 - 2) * 200
    made.feed(b"\x1b[1;1H\x1b[K")
    assert [each.target for each in images(made)] == [Area(0, 20, 50, 20)]


def test_a_sixel_image_at_the_bottom_scrolls_the_screen() -> None:
    made = emulator()
    made.feed(b"first\x1b[6;1H" + sixel(RED, 10, 60) + b"\r\nlast")
    assert made.scrollback.lines == 3
    assert [each.target for each in images(made)] == [Area(0, 40, 10, 60)]
    assert made.lines(8, 9) == ["last"]


@pytest.mark.parametrize(("height", "newline", "row"), [(36, False, 1), (42, False, 2), (36, True, 2), (30, True, 1)])
def test_a_sixel_image_leaves_the_cursor_where_xterm_does(height: int, newline: bool, row: int) -> None:
    made, image = emulator(), sixel(RED, 20, height)
    made.feed(b"  " + (image.replace(b"\x1b\\", b"-\x1b\\") if newline else image))
    assert made.caret == (2, row)


def test_inline_files_are_shown_in_the_size_that_is_asked_for() -> None:
    made, file = emulator(), BytesIO()
    Picture.new("RGB", (40, 20), GREEN).save(file, "PNG")
    made.feed(b"\x1b]1337;File=inline=1;width=6:%b\x07" % b64encode(file.getvalue()))
    (found,) = images(made)
    assert (found.target, colour_of(made, found)) == (Area(0, 0, 60, 40), GREEN)
    made.feed(b"\x1b[2J\x1b]1337;File=inline=0:%b\x07\x1b]1337;File=inline=1:broken\x07" % b64encode(file.getvalue()))
    assert images(made) == ()


def test_unicode_placeholders_show_parts_of_images() -> None:
    made = emulator()
    made.feed(kitty("a=T,U=1,q=2,f=24,i=77,s=40,v=40,c=4,r=2", plain(BLUE, 40, 40)))
    mark = diacritics()
    made.feed(f"\x1b[H\x1b[38;5;77m\U0010eeee{mark[1]}{mark[1]}\U0010eeee\U0010eeee\x1b[mtext".encode())
    (found,) = images(made)
    assert (found.target, found.source) == (Area(0, 0, 30, 20), Area(10, 20, 30, 20))
    assert made.lines(0, 1) == ["   text"]
    assert made.paint(0, 1)[0].decode().count("\U0010eeee") == 0


def test_placeholders_of_unknown_images_are_blank() -> None:
    made = emulator()
    made.feed(f"\x1b[38;2;1;2;3m{placeholder(0xFF010203, 0, 0)}x".encode())
    assert images(made) == ()
    assert made.lines(0, 1) == [" x"]


def test_images_are_no_more_once_they_are_turned_off() -> None:
    made = emulator()
    made.feed(shown(RED, 40, 40) + b"\r\n" + sixel(RED, 10, 6))
    assert len(images(made)) == 2
    made.set_graphics(Graphics(0, shown=False, cell=CELL))
    assert images(made) == ()
    made.feed(shown(RED, 40, 40) + sixel(RED, 10, 6))
    assert images(made) == ()


def test_images_of_a_save_are_blank_in_the_text_that_comes_back() -> None:
    made = emulator()
    made.feed(b"before\r\n" + sixel(RED, 20, 18) + b"\r\nafter")
    again = emulator()
    again.recall(made.save())
    assert again.lines(0, 3) == ["before", "", "after"]
    assert images(again) == ()
