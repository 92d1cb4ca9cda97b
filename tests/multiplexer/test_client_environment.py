"""New panes get the environment of the terminal that was used last, and old ones reach its SSH agent by a link."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.client.attach import environment
from fugue_tui.multiplexer.client_environment import MOST_BYTES, ClientEnvironment, parse

NAMES = ("DISPLAY", "SSH_AUTH_SOCK")


@pytest.fixture
def agents(private_dir: Path) -> Iterator[list[str]]:
    """The sockets of two SSH agents."""
    found: list[socket.socket] = []
    for name in ("one", "two"):
        found.append(socket.socket(socket.AF_UNIX))
        found[-1].bind(str(private_dir / name))
    yield [each.getsockname() for each in found]
    for each in found:
        each.close()


@pytest.fixture
def kept(private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> ClientEnvironment:
    """That of a workspace whose own environment has none of the variables."""
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    kept = ClientEnvironment(str(private_dir / "main.sock"))
    kept.names = NAMES
    return kept


def test_a_client_sends_only_what_it_is_asked_for() -> None:
    env = {"DISPLAY": ":1", "SECRET": "x", "SSH_AUTH_SOCK": "/a\nb", "LONG": "a" * 5000}
    frame = environment([*NAMES, "LONG", "ABSENT"], env)
    assert parse(frame[5:], (*NAMES, "LONG")) == {"DISPLAY": ":1", "SSH_AUTH_SOCK": "/a\nb"}
    assert environment([], env) == b""


@pytest.mark.parametrize("data", [b"", b"=\0", b"DISPLAY\0", b"PATH=/evil\0LD_AUDIT=/e\0", b"a" * (MOST_BYTES + 1)])
def test_what_was_not_asked_for_is_left_out(data: bytes) -> None:
    assert parse(data, NAMES) == {}


def test_the_link_leads_to_the_agent_of_the_latest_client(kept: ClientEnvironment, agents: list[str]) -> None:
    assert kept.of_new_pane() == ({}, NAMES)
    kept.use({"SSH_AUTH_SOCK": agents[0], "DISPLAY": ":1"})
    values, unset = kept.of_new_pane()
    link = values["SSH_AUTH_SOCK"]
    assert (os.readlink(link), values["DISPLAY"], unset) == (agents[0], ":1", ())
    kept.use({"SSH_AUTH_SOCK": agents[1]})
    assert kept.of_new_pane() == ({"SSH_AUTH_SOCK": link}, ("DISPLAY",))
    assert os.readlink(link) == agents[1]
    kept.use(None)
    assert os.readlink(link) == agents[1]
    kept.use({})
    assert not os.path.lexists(link)
    assert kept.of_new_pane() == ({}, NAMES)
    kept.use({"SSH_AUTH_SOCK": agents[0]})
    kept.close()
    assert not os.path.lexists(link)


def test_the_link_never_leads_to_what_is_no_socket_of_the_user(
    kept: ClientEnvironment, agents: list[str], private_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (private_dir / "file").write_text("")
    for other in (str(private_dir / "file"), "relative", str(private_dir / "gone"), "/a\0b"):
        kept.use({"SSH_AUTH_SOCK": agents[0]})
        kept.use({"SSH_AUTH_SOCK": other})
        assert [each for each in os.listdir(private_dir) if each.startswith("ssh-agent")] == []
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    kept.use({"SSH_AUTH_SOCK": agents[0]})
    assert [each for each in os.listdir(private_dir) if each.startswith("ssh-agent")] == []


def test_new_panes_get_it_unless_they_have_their_own(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", ":old")
    room.mux.client_environment.names = ("DISPLAY", "WAYLAND_DISPLAY")
    line = "create-pane {} --command 'echo [$DISPLAY][$WAYLAND_DISPLAY]; exec cat'"
    room.shows(room.opened(line.format("")), "[:old][]")
    room.mux.client_environment.use({"WAYLAND_DISPLAY": "wayland-1"})
    room.shows(room.opened(line.format("")), "[][wayland-1]")
    room.shows(room.opened(line.format('--env \'{"DISPLAY": ":mine"}\'')), "[:mine][wayland-1]")
