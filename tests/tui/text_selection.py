"""Text to select, and what of a screen is marked."""

import re
from base64 import b64decode

import pytest
from tests.tui.served_workspace import Serve, Serving
from tests.tui.served_workspace import serve as serve
from tests.tui.socket_clients import Client, hello

from fugue_tui.geometry import Size

TEXT = "stty -echo; echo 'one two three'; echo 'see /usr/share/doc.txt here'; echo 'last line'; printf ready; exec cat"
LINES = 'stty -echo; i=0; while [ $i -lt 200 ]; do i=$((i+1)); echo "line $i"; done; printf ready; exec cat'


@pytest.fixture(autouse=True)
def patient_clicks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Clicks count together however slow the machine is."""
    monkeypatch.setattr("fugue_tui_widgets.mouse_selection._AGAIN_SECONDS", 60.0)


def copied(client: Client) -> list[str]:
    """What a terminal was told to put on the clipboard."""
    return [b64decode(each).decode() for each in re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", bytes(client.received))]


def two(serve: Serve) -> tuple[Serving, Client, Client]:
    serving = serve("sh", "-c", TEXT, first=hello(Size(60, 20)))
    serving.shows(serving.first, "ready", "1 cat")
    other = serving.attach(Size(60, 20))
    serving.shows(other, "ready", "1 cat")
    serving.settle()
    return serving, serving.first, other
