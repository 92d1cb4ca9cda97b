"""A project's workspace by its file: found, shown, agreed to, started, and attached to ever after."""

import json
import os
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.e2e.project_workspace import SHOP, Desk
from tests.e2e.project_workspace import desk as desk
from tests.mcp.client.conftest import PROGRAM

from fugue_tui_mcp.peer_credentials import peer_of

pytestmark = pytest.mark.slow


def test_a_projects_workspace_is_shown_agreed_to_and_opened(desk: Desk) -> None:
    host = desk.type("open", desk.project / "web" / "deep")
    host.wait_text("is new here. It opens 2 windows and runs:", "Run these 3 programs in", "[y/N]")
    assert f"{desk.file} is new here." in host.text
    for said in ("window code", "editor: echo I edit; exec cat", "in web", "with PORT=3000", "window spare", "a shell"):
        assert said in host.text
    assert not (desk.room / "fugue-tui").exists()
    host.send("y\r")
    host.wait_text("I edit", "1 code", "2 spare")
    panes = desk.panes()
    assert [pane["name"] for pane in panes] == ["editor", "server", ""]
    assert [pane["cwd"] for pane in panes] == [str(desk.project), str(desk.project / "web"), str(desk.project)]
    assert len(desk.agreed()) == 1
    assert (desk.room / "state" / "trusted").stat().st_mode & 0o777 == 0o700


def test_a_workspace_that_runs_is_attached_to_and_not_opened_twice(desk: Desk) -> None:
    first = desk.type("open --yes")
    first.wait_text("I edit")
    before = [pane["pid"] for pane in desk.panes()]
    desk.file.write_text(SHOP + "[[windows]]\nname = 'more'\n")
    second = desk.type("open .", desk.project)
    second.wait_text("I edit", "1 code")
    assert "[y/N]" not in second.text
    assert [pane["pid"] for pane in desk.panes()] == before


def test_nothing_runs_unasked_if_a_workspace_ends_while_it_is_opened(desk: Desk) -> None:
    folder = desk.room / "fugue-tui"
    folder.mkdir(mode=0o700)
    with socket.socket(socket.AF_UNIX) as ending:
        ending.bind(str(folder / "shop.sock"))
        ending.listen()
        host = desk.type("open")
        ending.settimeout(30)
        ending.accept()[0].close()
        os.unlink(folder / "shop.sock")
    host.wait_until(lambda: "the workspace has ended this moment; open it again" in " ".join(host.text.split()))
    assert host.wait_exit().code == 1
    assert desk.agreed() == []
    assert "I edit" not in host.text


@pytest.mark.parametrize("answer", ["n\r", "\r", "\x04", "yeah no\r"])
def test_nothing_runs_unless_the_user_agrees(desk: Desk, answer: str) -> None:
    host = desk.type("open")
    host.wait_text("[y/N]")
    host.send(answer)
    assert host.wait_exit().code == 1
    while host.step(0.01):
        pass
    assert "nothing was started" in host.text
    assert desk.agreed() == []
    assert desk.run("list-panes", "--workspace", "shop").returncode == 1


def test_a_file_that_changed_is_asked_about_again(desk: Desk) -> None:
    assert desk.run("open", "--yes").stderr.startswith("fugue-tui: a workspace is shown on a terminal")
    agreed = desk.agreed()
    assert len(agreed) == 1
    desk.file.write_text(SHOP.replace("I edit", "I erase"))
    host = desk.type("open")
    host.wait_text("has changed. It opens 2 windows and runs:", "echo I erase", "[y/N]")
    host.send("n\r")
    assert host.wait_exit().code == 1
    assert desk.agreed() == agreed
    desk.file.write_text(SHOP)
    desk.type("open").wait_text("I edit", "1 code")


def test_without_a_terminal_an_unknown_file_is_refused(desk: Desk) -> None:
    done = desk.run("open")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (f"fugue-tui: {desk.file} runs programs and is not trusted yet; fugue-tui open --yes does\n")


def test_control_characters_of_a_project_file_are_shown_escaped(desk: Desk) -> None:
    desk.file.write_text(
        '[[windows]]\nname = "a\\u001b[2J\\u202eb"\n[windows.pane]\n'
        'command = "true\\u200b\\u001b]52;c;eA==\\u0007\\rls"\n'
    )
    host = desk.type("open")
    host.wait_text("[y/N]")
    assert r"'a\x1b[2J\u202eb'" in host.text
    assert r"'true\u200b\x1b]52;c;eA==\x07\rls'" in host.text
    assert b"\x1b]52" not in host.received


def test_a_command_of_many_lines_is_shown_whole(desk: Desk) -> None:
    lines = [f"echo line {n}" for n in range(60)]
    desk.file.write_text("[[windows]]\n[windows.pane]\ncommand = '''\n" + "\n".join(lines) + "\n'''\n")
    host = desk.type("open")
    for shown in (24, 48):
        host.wait_text(f"-- {shown} of ", "lines: Enter shows more, q stops --")
        assert f"echo line {shown - 2}" in host.text
        assert "[y/N]" not in host.text
        host.send("\r")
    host.wait_text("[y/N]")
    for line in lines:
        assert line.encode() in host.received


def test_a_user_who_stops_reading_starts_nothing(desk: Desk) -> None:
    panes = "[[windows.panes]]\ncommand = 'true'\n" * 30
    desk.file.write_text(f"[[windows]]\npreset = 'tiled'\n{panes}")
    host = desk.type("open")
    host.wait_text("It opens 1 window and runs:", "-- 24 of 31 lines")
    host.send("q\r")
    assert host.wait_exit().code == 1
    assert desk.agreed() == []


FAULTS: list[tuple[Callable[[Path], object], str]] = [
    (lambda file: file.chmod(0o666), "anyone can write to it; chmod o-w mends that"),
    (lambda file: file.unlink(), "no .fugue.toml here or above; fugue-tui save-layout . writes one"),
    (
        lambda file: file.write_text("[[windows]]\nnmae = 1"),
        ".fugue.toml: windows[0].nmae: no such key; did you mean",
    ),
    (lambda file: file.write_text("[[windows]\n"), ".fugue.toml:1:10: "),
    (lambda file: file.write_text("key = 'hunter2'"), ".fugue.toml: is not a layout file"),
    (
        lambda file: file.write_text("name = '../x'\n[[windows]]"),
        ".fugue.toml: name: '../x' cannot name a workspace",
    ),
    (lambda file: (file.unlink(), os.mkfifo(file)), ".fugue.toml: not a regular file"),
    (lambda file: (file.unlink(), file.mkdir()), ".fugue.toml: not a regular file"),
    (lambda file: (file.unlink(), file.symlink_to("/dev/zero")), ".fugue.toml: not a regular file"),
]


@pytest.mark.parametrize(("prepare", "said"), FAULTS, ids=range(len(FAULTS)))
def test_a_file_that_cannot_be_opened_is_one_line(desk: Desk, prepare: Callable[[Path], object], said: str) -> None:
    prepare(desk.file)
    done = desk.run("open", "--yes")
    assert done.returncode in (1, 2)
    assert said in done.stderr
    assert done.stderr.count("\n") == 1
    assert desk.agreed() == []


def test_a_path_that_is_too_long_for_a_file_is_one_line(desk: Desk) -> None:
    done = desk.run("open", "--yes", f"./{'x' * 300}")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "does not end in .toml or .json" in done.stderr
    done = desk.run("open", "--yes", f"./{'x' * 300}.toml")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "File name too long" in done.stderr


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a file away")
def test_another_users_file_is_refused(desk: Desk) -> None:
    os.chown(desk.file, 65534, -1)
    assert "belongs to another user" in desk.run("open", "--yes").stderr


def test_trust_in_a_state_directory_of_others_is_ignored(desk: Desk) -> None:
    (desk.room / "state").mkdir(mode=0o777)
    (desk.room / "state").chmod(0o777)
    done = desk.run("open")
    assert done.returncode == 1
    assert str(desk.room / "state") in done.stderr


def test_a_program_that_cannot_start_starts_nothing(desk: Desk) -> None:
    desk.file.write_text(SHOP.replace('"sh", "-c"', '"no-such-program", "-c"'))
    host = desk.type("open --yes")
    assert host.wait_exit().code == 1
    while host.step(0.01):
        pass
    told = " ".join(host.text.split())
    assert "pane 2 of 3 (server): no program 'no-such-program' on PATH; nothing was opened" in told
    assert b"\x1b[?1049h" not in host.received


def test_too_many_words_make_no_sense(desk: Desk) -> None:
    assert "unexpected argument" in desk.run("open", "a", "b").stderr
    assert "no option '--yess'" in desk.run("open", "--yess").stderr
    assert "no layout nowhere; list-layouts shows" in desk.run("open", "nowhere").stderr
    assert "no such file" in desk.run("open", "./nowhere.toml").stderr
    assert desk.run("open", "--help").stdout.startswith("usage: fugue-tui")


def servers_of(desk: Desk) -> list[str]:
    """The MCP servers of the running workspace."""
    done = desk.run("list-servers", "--json", "--workspace", "shop")
    return [each["server"] for each in json.loads(done.stdout)["servers"]] if done.returncode == 0 else []


def saves_with_servers(desk: Desk) -> bool:
    """Whether the automatic save names the project."""
    saves = (desk.room / "state").rglob("*")
    return any(str(desk.file).encode() in path.read_bytes() for path in saves if path.suffix == ".json")


def killed(desk: Desk) -> None:
    """Kill the server of the workspace as a power cut does."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(str(desk.room / "fugue-tui" / "shop.sock"))
        pid = peer_of(asking).pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)


def test_the_mcp_servers_of_a_project_return_with_the_workspace_only_if_the_file_is_trusted(desk: Desk) -> None:
    (desk.room / "config.toml").write_text("[session]\nrestore = 'always'\nsave_seconds = 1\n")
    desk.file.write_text(SHOP + "[mcp.servers.own]\ncommand = 'cat'\n")
    desk.type("open --yes").wait_text("I edit")
    assert servers_of(desk) == ["own"]
    for change, found in (("", ["own"]), ("# changed\n", [])):
        desk.hosts[-1].wait_until(lambda: saves_with_servers(desk))
        killed(desk)
        desk.hosts[-1].wait_exit()
        desk.file.write_text(desk.file.read_text() + change)
        host = desk.type("shop", desk.home)
        host.wait_text("1 code")
        host.wait_until(lambda found=found: servers_of(desk) == found)
    host.wait_text("left out: MCP servers: changed and not trusted")


def test_a_projects_mcp_server_is_shown_first_and_started_when_it_is_used_also_after_a_crash(desk: Desk) -> None:
    starts = desk.home / "starts"
    line = f"echo >>{starts}; exec {sys.executable} {PROGRAM}"
    (desk.room / "config.toml").write_text("[session]\nrestore = 'always'\nsave_seconds = 1\n")
    desk.file.write_text(SHOP + f'[mcp.servers.own]\ncommand = "sh"\nargs = ["-c", "{line}"]\n')
    host = desk.type("open")
    host.wait_text('MCP server own, started once it is used: { command = "sh"', "[y/N]")
    host.send("n\r")
    assert host.wait_exit().code == 1
    host = desk.type("open")
    host.wait_text("[y/N]")
    assert not starts.exists()
    host.send("y\r")
    host.wait_text("I edit")
    call = (
        "call-server",
        "--workspace",
        "shop",
        "--server",
        "own",
        "--tool",
        "echo",
        "--arguments",
        '{"text": "used"}',
    )
    for count in (1, 2):
        host.wait_until(lambda: servers_of(desk) == ["own"])
        assert (len(starts.read_text()) if starts.exists() else 0) == count - 1, "it is not started before its use"
        done = desk.run(*call)
        assert "used" in done.stdout, done.stderr
        assert len(starts.read_text()) == count
        host.wait_until(lambda: saves_with_servers(desk))
        killed(desk)
        host.wait_exit()
        if count == 2:
            desk.file.write_text(desk.file.read_text() + "# changed\n")
        host = desk.type("shop", desk.home)
        host.wait_text("1 code")
    host.wait_text("left out: MCP servers: changed and not trusted")
    assert "no MCP server 'own'" in desk.run(*call).stderr
    assert len(starts.read_text()) == 2
