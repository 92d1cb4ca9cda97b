"""Bookmarks keep the state of the screen, cost little, and are dropped with their terminals."""

import threading
import weakref

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.watch.bookmarks import Bookmark, Bookmarks, CapturedRows, bookmark
from fugue_tui.terminal.screen.cells import PLAIN, Row, Run


def mark(room: Room, pane: PaneId) -> Bookmark:
    terminal = room.mux.terminals[pane]
    with terminal.locked() as screen:
        return bookmark(screen)


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_a_bookmark_refers_to_the_screen_at_its_time(room: Room, engine: str) -> None:
    room.launcher.engine = engine
    pane = room.opened("create-pane --command 'printf before; exec cat'")
    room.shows(pane, "before")
    cursor = room.mux.bookmarks.keep(pane, room.mux.terminals[pane], mark(room, pane))
    room.mux.terminals[pane].write(b"after\n")
    room.shows(pane, "after")
    found = room.mux.bookmarks.find(cursor, room.mux.terminals)
    assert (found.pane, found.bookmark.seen.rows[0].text) == (pane, "before")
    assert (found.bookmark.y, found.bookmark.head, found.bookmark.texts[0]) == (0, "before", "before")


def test_bookmarks_of_two_workspaces_differ(room: Room) -> None:
    pane = room.cat()
    terminal = room.mux.terminals[pane]
    written = {Bookmarks().keep(pane, terminal, mark(room, pane)) for _ in range(20)}
    assert len(written) > 1
    assert {cursor.partition(".")[2] for cursor in written} == {f"{int(pane)}.1"}


def test_rows_are_decoded_once_whoever_asks() -> None:
    asked: list[threading.Thread] = []

    def read() -> list[Row]:
        asked.append(threading.current_thread())
        return [Row((Run("x", PLAIN, 1),))]

    seen = CapturedRows(read)
    threads = [threading.Thread(target=lambda: seen.rows) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(asked), seen.rows[0].text) == (1, "x")


def test_bookmarks_are_freed_with_their_pane(room: Room) -> None:
    room.cat()
    room.launcher.engine = "ghostty"
    pane = room.cat()
    kept = weakref.ref(mark(room, pane).seen)
    assert kept() is None
    new = mark(room, pane)
    held = weakref.ref(new.seen)
    room.mux.bookmarks.keep(pane, room.mux.terminals[pane], new)
    del new
    assert held() is not None
    room.say(f"close-pane {pane}")
    assert held() is None


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_bookmark_keeps_the_screen_when_the_program_prints_on(room: Room, engine: str) -> None:
    room.launcher.engine = engine
    pane = room.opened("create-pane --command 'printf \"\\033[31mred\"; exec cat'")
    room.shows(pane, "red")
    new = mark(room, pane)
    room.mux.terminals[pane].write(b"\x1b[H\x1b[2Jlater\n")
    room.shows(pane, "later")
    assert [(run.text, run.style.fg) for run in new.seen.rows[0].runs] == [("red", 1)]
