"""Each terminal has a view of its own: its window and session, the keys that it waits for, its dialogs."""

import signal

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
