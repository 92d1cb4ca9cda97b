"""Which workspace a project's file opens: named after its directory, told from another project's, taken at its word."""

from pathlib import Path

import pytest
from tests.e2e.project_workspace import SHOP, Desk
from tests.e2e.project_workspace import desk as desk

pytestmark = pytest.mark.slow


def test_a_layout_of_the_program_opens_by_its_name(desk: Desk) -> None:
    host = desk.type("open monitoring", desk.home)
    host.wait_text("monitoring", "processes", "logs", "metrics")
    assert [pane["name"] for pane in desk.panes("monitoring")] == ["processes", "logs", "metrics"]


def test_a_file_names_its_workspace_after_its_directory_unless_told(desk: Desk) -> None:
    odd = desk.home / "My Shop (2)"
    odd.mkdir()
    (odd / "work.toml").write_text("[[windows]]\n[windows.pane]\ncommand = 'exec cat'\n")
    desk.type(f"open --yes '{odd}/work.toml'", desk.home).wait_text("My-Shop-2")
    desk.type(f"open --yes '{odd}/work.toml' --workspace other", desk.home).wait_text("other")
    assert [pane["cwd"] for pane in desk.panes("My-Shop-2")] == [str(odd)]
    assert len(desk.panes("other")) == 1


def twin(desk: Desk, text: str = "[[windows]]\n[windows.pane]\ncommand = 'echo the other; exec cat'\n") -> Path:
    """Another project in a directory of the same name."""
    other = desk.home / "old" / "shop"
    other.mkdir(parents=True)
    (other / ".fugue.toml").write_text(text)
    return other


@pytest.mark.parametrize("named", [True, False])
def test_two_projects_of_one_name_are_two_workspaces(desk: Desk, named: bool) -> None:
    if not named:
        desk.file.write_text(SHOP.replace('name = "shop"\n', "", 1))
    desk.type("open --yes").wait_text("I edit")
    other = twin(desk)
    host = desk.type("open --yes", other)
    host.wait_text("the other", "shop-2")
    assert f"the workspace shop is that of {desk.file}; this one is called shop-2".encode() in host.received
    assert len(desk.panes("shop")) == 3
    assert [pane["cwd"] for pane in desk.panes("shop-2")] == [str(other)]
    again = desk.type("open", other)
    again.wait_text("the other")
    desk.type("open").wait_text("I edit", "1 code")
    assert desk.run("kill-server", "shop").returncode == 0
    assert desk.run("kill-server", "shop-2").returncode == 0
    third = desk.type("open", other)
    third.wait_text("the other", "shop-2")


def test_a_name_is_free_again_once_its_project_is_gone(desk: Desk) -> None:
    host = desk.type("open --yes")
    host.wait_text("I edit")
    assert desk.run("kill-server", "shop").returncode == 0
    host.wait_exit()
    desk.file.unlink()
    other = twin(desk)
    desk.type("open --yes", other).wait_text("the other")
    assert [pane["cwd"] for pane in desk.panes("shop")] == [str(other)]


def test_a_given_workspace_name_overrides_the_directorys_name(desk: Desk) -> None:
    desk.type("open --yes").wait_text("I edit")
    desk.type("open --yes --workspace shop", twin(desk)).wait_text("I edit")
    assert len(desk.panes("shop")) == 3
