"""Where a shell says it is."""

import os

import pytest

from fugue_tui.terminal.emulator.osc import local_path


@pytest.mark.parametrize(
    ("location", "path"),
    [
        ("file:///home/a%20b", "/home/a b"),
        ("file://localhost/tmp", "/tmp"),
        (f"file://{os.uname().nodename}/tmp", "/tmp"),
        ("file:///what%3F?and#so", "/what??and#so"),
        ("kitty-shell-cwd:///a%20b", "/a%20b"),
        ("/plain/path", "/plain/path"),
        ("", ""),
        ("file://elsewhere.example/tmp", None),
        ("http:///tmp", None),
        ("relative", None),
        ("file:///nul%00", None),
        ("/" + "x" * 5_000, None),
    ],
)
def test_a_location_is_a_path_on_this_machine_or_nothing(location: str, path: str | None) -> None:
    assert local_path(location) == path
