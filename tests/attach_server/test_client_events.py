"""Terminals that come and go are in the log of events."""

import pytest
from tests.tui.served_workspace import Serve
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import hello

pytestmark = pytest.mark.slow


def test_attaching_and_detaching_are_logged_as_events(serve: Serve) -> None:
    serving = serve(first=hello())
    other = serving.attach(tty="/dev/pts/\x1b7", read_only=True)
    serving.shows(other, "1 cat")
    serving.first.send("\x02d")
    serving.until(lambda: not serving.first.open)
    other.close()
    kinds = ("--kinds", "client-attached", "--kinds", "client-detached")

    def told() -> list[tuple[str, int]]:
        found = serving.call("list-events", "--after", "0", *kinds)
        return [(event["kind"], event["facts"]["client"]) for event in found["events"]]

    serving.until(lambda: len(told()) == 4)
    assert told() == [("client-attached", 1), ("client-attached", 2), ("client-detached", 1), ("client-detached", 2)]
    event = serving.call("list-events", "--after", "0", *kinds)["events"][1]
    assert event["facts"] == {"client": 2, "tty": "/dev/pts/", "read_only": True}
