"""Terminals that only look on: nothing that they send changes anything, and each reads back for itself."""

import pytest
from tests.tui.render.test_two_ways_of_painting import differing
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


SIZE = Size(60, 20)
LINES = "stty -echo; seq 1 100; exec cat"


def two(serve: Serve) -> tuple[Serving, Client, Client]:
    """A server with history, a terminal that types, and one that looks on."""
    serving = serve("sh", "-c", LINES, first=hello(SIZE))
    serving.shows(serving.first, "100", "1 cat")
    other = serving.attach(SIZE, read_only=True)
    serving.shows(other, "100", "read-only")
    return serving, serving.first, other


def test_read_only_clients_cannot_type_click_paste_or_resize(serve: Serve) -> None:
    serving, first, other = two(serve)
    first.send("\x02%")
    serving.shows(first, "%2")
    for keys in ("typed\r", "\x02c", "\x02x", "y", "\x1b[<0;2;5M\x1b[<0;2;5m", "\x1b[200~pasted\x1b[201~", "\x03"):
        other.send(keys)
        serving.settle()
    other.resize(Size(30, 10))
    serving.settle()
    panes = serving.call("list-panes")["panes"]
    assert [(pane["id"], pane["focused"]) for pane in panes] == [("%1", False), ("%2", True)]
    assert "typed" not in first.text
    assert "pasted" not in first.text
    first.send("\x02z")
    serving.settle()
    assert first.emulator.size == SIZE
    assert serving.call("list-panes")["panes"][1]["rect"]["cols"] == 60


def test_the_read_only_note_cuts_no_word_of_the_status_bar(serve: Serve) -> None:
    serving = serve(first=hello(Size(90, 24)))
    serving.shows(serving.first, "1 cat")
    looker = serving.attach(Size(60, 24), read_only=True)
    serving.shows(looker, "PageUp scrolls back")
    for mark in ("read-only \u00b7 PageUp scrolls back \u00b7 q leaves", "read-only"):
        serving.until(lambda mark=mark: looker.text.rstrip().endswith(mark))
        assert looker.text.rstrip().split("\n")[-1].split("]")[1].strip() == mark


def test_a_lone_read_only_client_sets_the_size(serve: Serve) -> None:
    serving, first, other = two(serve)
    other.resize(Size(40, 12))
    first.send("\x02d")
    serving.until(lambda: not first.open)
    serving.until(lambda: serving.call("list-panes")["panes"][0]["rect"]["cols"] == 40)
    serving.shows(other, "100", "1 cat")


def test_each_read_only_client_scrolls_for_itself(serve: Serve) -> None:
    serving, first, other = two(serve)
    serving.settle()
    before = first.picture
    other.send("\x1b[5~")
    serving.shows(other, "history -18", "65")
    other.send("\x1b[<64;5;5M")
    serving.shows(other, "history -21", "62")
    assert not other.cursor.visible
    other.send("g")
    serving.shows(other, "history -82")
    serving.until(lambda: other.text.startswith("1\n2\n3\n"))
    serving.settle()
    assert differing(first.picture, before) == []
    assert serving.call("read-pane", "%1")["text"].rstrip().endswith("100")
    first.send("news\r")
    serving.shows(first, "news")
    serving.settle()
    assert other.text.startswith("1\n2\n3\n")
    other.send("\x1b[B")
    serving.until(lambda: other.text.startswith("2\n3\n"))
    other.send("q")
    serving.shows(other, "news")
    serving.settle()
    assert differing(other.picture, first.picture) == []


def test_scrolled_view_of_a_read_only_client_ends_with_its_pane(serve: Serve) -> None:
    serving, first, other = two(serve)
    first.send("\x02%")
    serving.shows(first, "%2")
    other.send("\x1b[<64;5;5M")
    serving.shows(other, "history -")
    first.send("\x1b[1;3D\x02xy")
    serving.until(lambda: "history" not in other.text and "%2" not in first.text)


def test_read_only_clients_detach_by_q_or_by_the_prefix(serve: Serve) -> None:
    serving, first, other = two(serve)
    third = serving.attach(SIZE, read_only=True)
    serving.shows(third, "100")
    third.send("\x1b[5~")
    serving.shows(third, "history")
    third.send("\x02d")
    serving.until(lambda: third.bye is not None and not third.open)
    other.send("q")
    serving.until(lambda: other.bye is not None and not other.open)
    assert [client.bye.reason for client in (third, other) if client.bye] == ["detached", "detached"]
    first.send("typed\r")
    serving.shows(first, "typed")
