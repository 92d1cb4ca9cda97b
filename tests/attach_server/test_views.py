"""Each terminal has a view of its own: its window and session, the keys that it waits for, its dialogs."""

import signal
import sys

import pytest
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


def test_two_terminals_type_in_two_windows(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(serving.first, "1 cat")
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    for number in range(20):
        serving.first.send(f"one{number} ")
        other.send(f"two{number} ")
    serving.shows(serving.first, "one19")
    serving.shows(other, "two19")
    assert "two" not in serving.first.text
    assert "one" not in other.text
    assert serving.log == ""


def test_a_window_that_another_terminal_shows_is_closed(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    other.send("\x02c")
    serving.shows(other, "3 sh")
    serving.call("close-window", "@3")
    serving.until(lambda: "3 sh" not in other.text)
    other.send("echo in-$((1 + 1))\r")
    serving.shows(other, "in-2")
    assert "in-2" not in serving.first.text
    serving.first.send("\x022")
    serving.shows(serving.first, "in-2")
    serving.first.send("\x02&")
    serving.shows(serving.first, "Close window")
    serving.first.send("y")
    serving.until(lambda: "2 sh" not in other.text and "2 sh" not in serving.first.text)
    other.send("both")
    serving.shows(other, "both")
    serving.shows(serving.first, "both")
    assert serving.log == ""


def test_terminals_of_different_sizes_show_two_windows_in_full(serve: Serve) -> None:
    serving = serve(first=hello(Size(60, 16)))
    other = serving.attach(Size(100, 30))
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    other.send("stty size\r")
    serving.shows(other, "29 100")
    serving.first.send("small")
    serving.shows(serving.first, "small")
    panes = serving.call("get-status")["panes"]
    assert [(pane["rect"]["cols"], pane["rect"]["rows"]) for pane in panes] == [(60, 15), (100, 29)]


def test_one_window_on_two_terminals_has_the_size_of_the_one_used_last(serve: Serve) -> None:
    serving = serve("sh", first=hello(Size(60, 16)))
    other = serving.attach(Size(100, 30))
    serving.shows(other, "1 sh")
    other.send("stty size\r")
    serving.shows(other, "29 100")
    serving.first.send("\x15")
    serving.shows(other, "····")
    serving.first.send("stty size\r")
    serving.shows(serving.first, "15 60")
    serving.shows(other, "15 60")
    other.send("\x02c")
    serving.until(lambda: "2 sh" in other.text and "····" not in other.text)
    other.send("stty size\r")
    serving.shows(other, "29 100")


def test_a_window_has_the_new_size_on_all_terminals_though_its_program_prints_nothing(serve: Serve) -> None:
    serving = serve("sh", "-c", "stty -echo; echo ready; exec cat >/dev/null", first=hello(Size(60, 16)))
    other = serving.attach(Size(100, 30))
    serving.shows(other, "ready")
    for _ in range(2):
        serving.first.send("x")
        serving.shows(other, "····")
        other.send("x")
        serving.until(lambda: "····" not in other.text)


def test_two_terminals_that_show_one_window_show_the_same(serve: Serve) -> None:
    serving = serve("sh", first=hello())
    other = serving.attach()
    serving.shows(other, "1 sh")
    for number, client in enumerate((serving.first, other) * 3):
        client.send(f"echo $(({number} + 100))\r")
        for each in (serving.first, other):
            serving.shows(each, str(number + 100))
    serving.first.send("seq 100\r")
    for each in (serving.first, other):
        serving.shows(each, "\n100\n")
    serving.settle()
    assert serving.first.text.splitlines()[:-1] == other.text.splitlines()[:-1]


def test_a_dialog_in_one_view_leaves_the_other_alone(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    serving.first.send("\x02:")
    serving.first.send("rename-window dialog")
    serving.shows(serving.first, "rename-window dialog")
    third = serving.attach()
    serving.shows(third, "1 cat")
    for each in (other, third):
        assert "rename-window" not in each.text
    other.send("typed\r")
    serving.shows(other, "typed")
    third.send("\x02c")
    serving.shows(third, "2 sh")
    serving.first.send("\r")
    serving.shows(serving.first, "1 dialog")
    serving.shows(other, "1 dialog")
    serving.shows(third, "1 dialog")


def test_a_prefix_in_one_view_waits_for_no_key_of_another(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    serving.first.send("\x02")
    serving.shows(serving.first, "key?")
    assert "key?" not in other.text
    other.send("c\r")
    serving.until(lambda: other.text.splitlines()[0] == "c")
    serving.first.send("c")
    serving.shows(serving.first, "2 sh")


def test_the_windows_of_the_others_stay_when_one_detaches_or_is_killed(serve: Serve) -> None:
    serving = serve(first=hello())
    second, third = serving.attach(), serving.attach()
    serving.shows(third, "1 cat")
    second.send("\x02c")
    serving.shows(second, "2 sh")
    third.send("\x02c")
    serving.shows(third, "3 sh")
    third.send("\x02d")
    serving.until(lambda: third.bye is not None)
    second.close()
    serving.first.send("here")
    serving.shows(serving.first, "here")
    serving.until(lambda: len(serving.call("list-clients")["clients"]) == 1)
    again = serving.attach()
    serving.shows(again, "here")
    again.send("\x023")
    serving.until(lambda: "here" not in again.text)
    assert serving.log == ""


def test_the_terminal_that_the_server_began_with_leaves_first(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    serving.first.send("\x02d")
    serving.until(lambda: serving.first.bye is not None)
    other.send("echo $((40 + 2))\r")
    serving.shows(other, "42")
    other.send("\x02d")
    serving.until(lambda: other.bye is not None)
    again = serving.attach()
    serving.shows(again, "42")
    assert serving.end() == 128 + signal.SIGTERM
    assert serving.log == ""


def test_commands_from_outside_act_on_the_view_that_was_used_last(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    assert serving.call("get-status")["focus"] == "%2"
    serving.first.send("x")
    serving.shows(serving.first, "x")
    assert serving.call("get-status")["focus"] == "%1"
    serving.call("select-window", "@2")
    serving.until(lambda: "x" not in serving.first.text.splitlines()[0])
    assert serving.call("get-status")["focus"] == "%2"
    other.send("\x021")
    serving.shows(other, "x")


@pytest.mark.parametrize("how", ["configured", "asked"])
def test_two_of_three_terminals_mirror_each_other(serve: Serve, how: str) -> None:
    serving = serve(first=hello(), config='[session]\nviews = "mirrored"\n' if how == "configured" else "")
    mirror = serving.attach(mirror="" if how == "configured" else "1")
    serving.shows(mirror, "1 cat")
    own = serving.attach(mirror="")
    serving.shows(own, "1 cat")
    mirror.send("\x02c")
    serving.shows(serving.first, "2 sh")
    serving.shows(mirror, "2 sh")
    serving.settle()
    assert serving.first.picture == mirror.picture
    assert ("2*" in own.text or own.picture == mirror.picture) is (how == "configured")


def test_a_terminal_that_only_looks_on_shows_what_was_used_last(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    other.send("echo $((7 * 6))\r")
    serving.shows(other, "42")
    watcher = serving.attach(read_only=True)
    serving.shows(watcher, "42")
    serving.first.send("not this")
    serving.shows(serving.first, "not this")
    other.send("\x02d")
    serving.until(lambda: other.bye is not None)
    serving.shows(watcher, "not this")
    assert serving.log == ""


def test_a_client_to_mirror_must_be_attached(serve: Serve) -> None:
    serving = serve(first=hello())
    refused = serving.attach(mirror="9")
    serving.until(lambda: refused.bye is not None)
    assert refused.bye is not None
    assert "no client 9 is attached" in refused.bye.message


ASKS = """
import json, os, socket
link = socket.socket(socket.AF_UNIX)
link.connect(os.environ["FUGUE_SOCKET"])
words = {"words": ["detach-client", "--all"]}
link.sendall(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "fugue/cli", "params": words}).encode() + b"\\n")
print("answered: " + json.loads(link.makefile().readline())["result"]["text"])
"""


def test_a_question_is_shown_where_the_user_is_and_answered_anywhere(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("x")
    serving.settle()
    serving.call("create-window", "--focus=false", "--", sys.executable, "-c", ASKS + "input()")
    serving.shows(other, "an agent asks")
    serving.settle()
    assert "an agent asks" not in serving.first.text
    serving.first.send("\x02a")
    serving.shows(serving.first, "an agent asks")
    while serving.first.bye is None:
        serving.first.send("\x1b[B\r")  # For a moment no key answers a dialog that has just opened.
        serving.settle()
    serving.until(lambda: other.bye is not None)


def test_the_scratch_screen_of_a_program_receives_focus_events_of_any_view(serve: Serve) -> None:
    serving = serve("sh", "-c", "stty raw -echo; printf '\\033[?1004h'; exec cat -v", first=hello())
    serving.shows(serving.first, "1 ")
    other = serving.attach()
    serving.shows(other, "1 ")
    serving.settle()
    before = serving.first.text.count("^[[O")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    serving.settle()
    assert serving.first.text.count("^[[O") == before
    serving.first.send("\x022")
    serving.until(lambda: "2 sh]" in serving.first.text)
    serving.first.send("\x021")
    serving.until(lambda: serving.first.text.count("^[[O") == before + 1)


def test_a_view_of_one_cell_does_no_harm_to_another(serve: Serve) -> None:
    serving = serve(first=hello())
    tiny = serving.attach(Size(1, 1))
    serving.until(lambda: tiny.received)
    tiny.send("\x02c")
    serving.until(lambda: len(serving.call("list-windows")["windows"]) == 2)
    tiny.send("exit\r")
    serving.until(lambda: len(serving.call("list-windows")["windows"]) == 1)
    tiny.resize(Size(40, 12))
    serving.shows(tiny, "1 cat")
    serving.first.send("here")
    serving.shows(serving.first, "here")
    assert serving.log == ""


def test_a_flood_in_one_view_delays_no_key_in_another(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    other.send("yes\r")
    serving.shows(other, "\ny\ny\n")
    for number in range(5):
        serving.first.send(f"key{number}")
        serving.shows(serving.first, f"key{number}")
    other.send("\x03")
    other.send("echo $((20 + 2))\r")
    serving.shows(other, "22\n")


def test_the_configuration_applies_to_all_views(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach()
    serving.shows(other, "1 cat")
    other.send("\x02c")
    serving.shows(other, "2 sh")
    serving.config.write_text("[ui]\nstatus = false\n")
    serving.until(lambda: "cat" not in serving.first.text and "2 sh" not in other.text)
    assert serving.log == ""


def test_the_first_frame_of_another_terminal_has_the_panes(serve: Serve) -> None:
    """There was an empty one first, with the status bar alone, and the panes came with the next."""
    serving = serve("sh", "-c", "echo ABOVE; exec cat", first=hello())
    serving.shows(serving.first, "ABOVE")
    other = serving.attach()
    serving.shows(other, "ABOVE", "1 cat")
    assert 0 < other.received.find(b"ABOVE") < other.received.find(b"1 cat")
