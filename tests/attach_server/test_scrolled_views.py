"""Each terminal scrolls, selects and is in copy mode by itself, also in a pane that others show and that prints."""

import pytest
from tests.attach_server.test_shared_selection import mouse, reversed_text
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.served_workspace import serve_mirrored as serve_mirrored
from tests.tui.socket_clients import Client, hello
from tests.tui.text_selection import LINES, copied, two
from tests.tui.text_selection import patient_clicks as patient_clicks

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow

WHEEL_UP, WHEEL_DOWN = mouse(64, 3, 3), mouse(65, 3, 3)


def both(serve: Serve, script: str = LINES, engine: str = "ghostty") -> tuple[Serving, Client, Client]:
    """Two terminals that show the same pane."""
    serving = serve("sh", "-c", script, first=hello(Size(60, 12)), config=f'[terminal]\nengine = "{engine}"\n')
    serving.shows(serving.first, "ready")
    other = serving.attach(Size(60, 12))
    serving.shows(other, "ready")
    serving.settle()
    return serving, serving.first, other


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
def test_the_wheel_scrolls_one_terminal_back(serve: Serve, engine: str) -> None:
    serving, first, other = both(serve, engine=engine)
    first.send(WHEEL_UP * 2)
    serving.shows(first, "history -6", "line 185")
    serving.settle()
    assert "history" not in other.text
    assert "ready" in other.text
    other.send(WHEEL_UP * 5)
    serving.shows(other, "history -15")
    first.send(WHEEL_DOWN * 2)
    serving.shows(first, "ready")
    serving.shows(other, "line 176", "history -15")
    serving.until(lambda: "history" not in first.text)
    assert serving.log == ""


def test_what_one_terminal_reads_stays_while_another_types_and_the_program_prints(serve: Serve) -> None:
    serving, first, other = both(serve)
    first.send(WHEEL_UP * 8)
    serving.shows(first, "history -24", "line 167\n")
    before = first.text.splitlines()[:11]
    for number in range(50):
        other.send(f"typed {number}\r")
    serving.shows(other, "typed 49")
    serving.shows(first, "history -74")
    assert first.text.splitlines()[:11] == before
    first.send("x")
    serving.shows(first, "typed 49")
    serving.until(lambda: "history" not in first.text)


def test_a_part_of_the_screen_that_one_terminal_is_scrolled_to_is_kept_up_to_date(serve: Serve) -> None:
    script = LINES.replace("exec cat", r"while read -r word; do printf '\033[2;1Hnow %s' $word; done")
    serving, first, other = both(serve, script)
    first.send(WHEEL_UP)
    serving.shows(first, "history -3")
    for word in ("one", "two"):
        other.send(f"{word}\r")
        serving.shows(other, f"now {word}")
        serving.shows(first, f"now {word}")
    rows = [
        client.text.splitlines().index(next(row for row in client.text.splitlines() if "now two" in row))
        for client in (first, other)
    ]
    assert rows == [4, 1]


def test_a_selection_is_marked_where_it_was_made(serve: Serve) -> None:
    serving, first, other = two(serve)
    first.send(mouse(0, 0, 0) + mouse(32, 2, 0) + mouse(0, 2, 0, up=True))
    serving.until(lambda: copied(first) == ["one"] and reversed_text(first) == "one")
    serving.settle()
    assert reversed_text(other) == ""
    assert serving.call("read-pane", "--source", "selection")["text"] == "one"
    other.send(mouse(0, 4, 0) + mouse(32, 6, 0) + mouse(0, 6, 0, up=True))
    serving.until(lambda: copied(other) == ["two"] and reversed_text(other) == "two")
    assert (copied(first), reversed_text(first)) == (["one"], "one")
    assert serving.call("read-pane", "--source", "selection")["text"] == "two"
    other.send("\x1b")
    serving.until(lambda: reversed_text(other) == "")
    assert reversed_text(first) == "one"
    assert serving.call("read-pane", "--source", "selection")["text"] == "one"


def test_one_terminal_is_in_copy_mode_while_another_types(serve: Serve) -> None:
    serving, first, other = both(serve)
    first.send("\x02[gv")
    serving.shows(first, "line 1\n", "selecting")
    first.send("ll")
    serving.until(lambda: reversed_text(first) == "lin")
    other.send("typed here\r")
    serving.shows(other, "typed here")
    assert "selecting" not in other.text
    assert reversed_text(other) == ""
    first.send("y")
    serving.until(lambda: copied(first) == ["lin"])
    serving.shows(first, "typed here")
    assert copied(other) == []
    assert serving.log == ""


def test_both_terminals_are_in_copy_mode_at_places_of_their_own(serve: Serve) -> None:
    serving, first, other = both(serve)
    first.send("\x02[g")
    serving.shows(first, "line 1\n")
    other.send("\x02[")
    serving.shows(other, "copy mode")
    other.send("?")
    serving.shows(other, "?")
    other.send("line 99")
    serving.shows(other, "?line 99 1/1")
    other.send("\r")
    serving.until(lambda: "line 99" in other.text and "line 1\n" in first.text)
    first.send("q")
    serving.shows(first, "ready")
    serving.settle()
    assert "line 99" in other.text
    other.send("q")
    serving.shows(other, "ready")


def test_terminals_that_mirror_each_other_scroll_together(serve_mirrored: Serve) -> None:
    serving, first, other = both(serve_mirrored)
    first.send(WHEEL_UP * 2)
    for client in (first, other):
        serving.shows(client, "history -6")
    other.send(WHEEL_DOWN * 2)
    for client in (first, other):
        serving.until(lambda client=client: "history" not in client.text)


def test_a_resize_and_another_screen_leave_each_terminal_where_it_is(serve: Serve) -> None:
    script = LINES.replace(
        "exec cat", r"read x; printf '\033[?1049h\033[Hfull'; read x; printf '\033[?1049l'; exec cat"
    )
    serving, first, other = both(serve, script)
    first.send(WHEEL_UP * 30)
    serving.shows(first, "history -90", "line 101\n")
    top = first.text.splitlines()[0]
    other.send("\r")
    for client in (first, other):
        serving.shows(client, "full")
        serving.until(lambda client=client: "history" not in client.text)
    other.send("\r")
    serving.shows(first, "history -9")
    assert first.text.splitlines()[0] == top
    other.resize(Size(40, 8))
    other.send("x")
    serving.shows(first, "····")
    assert first.text.splitlines()[0].startswith(top.split("│")[0].rstrip())
    assert "history" not in other.text


def test_a_terminal_that_leaves_while_it_is_scrolled_leaves_nothing_behind(serve: Serve) -> None:
    serving, first, other = both(serve)
    other.send(WHEEL_UP * 2 + "\x02[")
    serving.shows(other, "copy mode")
    other.close()
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)
    again = serving.attach(Size(60, 12))
    serving.shows(again, "ready")
    assert "history" not in again.text
    first.send("typed\r")
    serving.shows(first, "typed")
    assert serving.log == ""
