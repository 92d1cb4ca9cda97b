"""A selection is seen at every terminal that is attached, and copied where it was made."""

import pytest
from tests.tui.render.test_two_ways_of_painting import differing
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.served_workspace import serve_mirrored as serve_mirrored
from tests.tui.socket_clients import Client, hello
from tests.tui.text_selection import LINES, copied, two
from tests.tui.text_selection import patient_clicks as patient_clicks

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


def mouse(button: int, x: int, y: int, *, up: bool = False) -> str:
    """What a terminal sends for the mouse at a cell, counted from 0."""
    return f"\x1b[<{button};{x + 1};{y + 1}{'m' if up else 'M'}"


def test_it_is_shown_everywhere_and_copied_where_it_was_selected(serve_mirrored: Serve) -> None:
    serving, first, other = two(serve_mirrored)
    for client, x in ((other, 0), (first, 4)):
        client.send(mouse(0, x, 0) + mouse(32, x + 1, 0) + mouse(32, x + 2, 0) + mouse(0, x + 2, 0, up=True))
        serving.until(lambda client=client: copied(client))
        serving.shows(first, "copied 3 characters")
        serving.shows(other, "copied 3 characters")
    assert (copied(first), copied(other)) == (["two"], ["one"])
    for client in (first, other):
        serving.until(lambda client=client: reversed_text(client) == "two")
    assert differing(first.picture, other.picture) == []


def reversed_text(client: Client) -> str:
    """What is in reverse video in the pane's first rows."""
    return "".join(letter for row in client.grid[:3] for letter, style in row if style.inverse)


def test_keys_copy_at_the_terminal_where_they_are_pressed(serve_mirrored: Serve) -> None:
    serving, first, other = two(serve_mirrored)
    first.send("x")
    serving.settle()
    other.send("\x02[gvey")
    serving.until(lambda: copied(other))
    assert (copied(first), copied(other)) == ([], ["one"])


def test_the_selection_is_shown_on_clients_with_frames_of_their_own(serve_mirrored: Serve) -> None:
    serving, first, other = two(serve_mirrored)
    small = serving.attach(Size(40, 10), read_only=True)
    serving.shows(small, "one two")
    first.send(mouse(0, 0, 0) + mouse(32, 2, 0) + mouse(0, 2, 0, up=True))
    serving.until(lambda: reversed_text(small) == "one")
    first.send("\x1b")
    serving.until(lambda: reversed_text(small) == "" and reversed_text(first) == "" and reversed_text(other) == "")


def test_what_is_painted_while_selecting_is_what_a_repaint_paints(serve_mirrored: Serve) -> None:
    serving = serve_mirrored("sh", "-c", LINES, first=hello(Size(60, 20)))
    first = serving.first
    serving.shows(first, "ready", "1 cat")
    serving.settle()
    first.send(mouse(0, 3, 8) + mouse(32, 20, 9))
    first.send(mouse(64, 20, 9) * 3 + mouse(32, 2, 3) + mouse(65, 2, 3))
    first.send(mouse(32, 4, 5) + mouse(0, 4, 5, up=True))
    serving.until(lambda: copied(first))
    serving.settle()
    before = first.picture[:-1]
    assert any(style.inverse for row in first.grid for _, style in row)
    assert not first.cursor.visible
    first.emulator.feed(b"\x1b7\x1b[41m\x1b#8\x1b8")
    first.send("\x02r")
    serving.until(lambda: first.picture[:-1] == before)
    assert not first.cursor.visible
