"""A program that reads a password is known by the settings of its terminal."""

import pytest
from tests.terminal.conftest import Spawn


@pytest.mark.parametrize(
    ("settings", "hidden"), [("-echo", True), ("echo", False), ("-echo -icanon", False), ("raw -echo", False)]
)
def test_a_password_prompt_is_known_by_the_terminals_settings(spawn: Spawn, settings: str, hidden: bool) -> None:
    pane = spawn(f"stty {settings}; echo ready; exec cat")
    pane.wait_for("ready")
    assert pane.terminal.hides_input is hidden
