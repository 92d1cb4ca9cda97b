"""A workspace outlives its terminals: started in the background, attached to, renamed, killed and ended."""

import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.e2e.background_workspaces import CAT, left, stat
from tests.e2e.background_workspaces import running as running
from tests.e2e.conftest import TIMEOUT, Launch, Running, listener
from tests.fork_server import ForkServer
from tests.mcp.bridge.test_stdio_bridge import HELLO, Bridge

from fugue_tui import attach_protocol, sockets
from fugue_tui.attach_protocol import Hello
from fugue_tui.errors import SocketError
from fugue_tui.terminal.pty.spawn import Exit

pytestmark = pytest.mark.slow


def words(pid: int) -> str:
    return Path(f"/proc/{pid}/comm").read_text().strip()


def test_server_survives_the_process_that_started_it(running: Running) -> None:
    server, client = running.server, running.host.pid
    assert server != client
    assert (words(server), words(client)) == ("fugue: server", "fugue: client")
    _, parent, _, session, terminal, *_ = stat(server)
    assert int(terminal) == 0
    assert int(parent) != client
    assert int(session) not in (client, int(stat(client)[3]))
    for fd in (0, 1, 2):
        assert os.readlink(f"/proc/{server}/fd/{fd}") == "/dev/null"
    children = Path(f"/proc/{client}/task/{client}/children").read_text().split()
    assert children == []  # Neither a server nor a zombie.


def test_server_inherits_no_descriptors_of_the_process_that_started_it(launch: Launch, room: Path) -> None:
    running = launch(*CAT, server=True, program=("-c", INHERITING))
    running.ready()
    there = os.listdir(f"/proc/{running.server}/fd")
    held = {os.readlink(f"/proc/{running.server}/fd/{fd}") for fd in there}
    assert not [name for name in held if name.endswith("/leak") or name.startswith("/dev/pts/")]
    assert (room / "leak").exists()


INHERITING = """
import os, sys
fd = os.open(os.environ["XDG_RUNTIME_DIR"] + "/leak", os.O_CREAT | os.O_RDWR)
os.set_inheritable(fd, True)
from fugue_tui.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


def test_the_terminal_that_started_a_server_has_imported_no_more_than_one_that_joined(running: Running) -> None:
    joined = running.again()
    joined.wait_text("ready", running.name)
    started, other = ([line for line in maps(pid) if ".so" in line] for pid in (running.host.pid, joined.pid))
    assert started == other
    assert any("msgspec" in line for line in maps(running.server))


def maps(pid: int) -> list[str]:
    """The files that a process has mapped."""
    lines = Path(f"/proc/{pid}/maps").read_text().splitlines()
    return sorted({line.split(maxsplit=5)[5] for line in lines if len(line.split()) > 5})


def test_detaching_and_attaching_shows_the_same(running: Running) -> None:
    running.host.send("one\r")
    running.host.wait_until(lambda: running.host.text.count("one") == 2)
    assert running.shell("detach", running.name).returncode == 0
    left(running.host, b"[detached from e2e]")
    assert running.ask("list-clients")["clients"] == []
    again = running.again()
    again.wait_text("ready", running.name)
    again.wait_until(lambda: again.text.count("one") == 2)
    again.send("two\r")
    again.wait_until(lambda: again.text.count("two") == 2)


def test_two_that_start_a_workspace_at_once_share_it(launch: Launch) -> None:
    for number in range(3):
        running = launch(*CAT, server=True)
        other = running.again("new", running.name)
        for host in (running.host, other):
            host.wait_text("ready", running.name)
        running.host.wait_until(lambda running=running: len(running.ask("list-clients")["clients"]) == 2)
        assert len(running.ask("list-panes")["panes"]) in (1, 2), number
        assert running.shell("kill-server", running.name).returncode == 0
        left(running.host, b"[e2e ended]")
        left(other, b"[e2e ended]")


def test_a_workspace_whose_runtime_directory_was_removed_is_attached_again(running: Running) -> None:
    server = running.server
    shutil.rmtree(running.socket.parent)
    again = running.again("attach", running.name)
    again.wait_text("ready", running.name)
    assert running.server == server
    shutil.rmtree(running.socket.parent)
    second = running.again()
    second.wait_text("ready", running.name)
    assert running.server == server
    assert len(running.ask("list-clients")["clients"]) == 3


def test_a_second_server_of_a_name_does_not_start_in_another_runtime_directory(running: Running, room: Path) -> None:
    (room / "other").mkdir(mode=0o700)
    other = {"XDG_RUNTIME_DIR": str(room / "other")}
    for words in ((), ("attach", running.name)):
        running.again(*words, env=other).wait_text("ready", running.name)
    assert len(running.ask("list-clients")["clients"]) == 3
    done = subprocess.run(
        [sys.executable, "-m", "fugue_tui", "serve", running.name],
        env={**os.environ, **running.env, **other}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert f"workspace e2e is already running, as process {running.server}" in done.stderr


def test_a_workspace_at_a_configured_socket_is_joined_and_an_impossible_configuration_is_reported(
    launch: Launch, room: Path
) -> None:
    settings = f"[mcp]\nsocket = '{room}/own.sock'\n"
    running = launch(*CAT, server=True, config=settings)
    running.host.wait_text("ready", running.name)
    again = running.again()
    again.wait_text("ready", running.name)
    again.send("both see it\r")
    running.host.wait_text("both see it")
    mistaken = running.again("new", "other", "--config", f"{room}/none.toml")
    mistaken.wait_until(lambda: b"none.toml: no such file; fugue-tui config init writes one" in mistaken.received)
    assert mistaken.wait_exit() == Exit(1)
    assert running.shell("kill-server", "--socket", f"{room}/own.sock").returncode == 0
    left(running.host, b"[e2e ended]")


RACE = """
import os, socket, sys
from fugue_tui.config import model as config
from fugue_tui.server_start import StartOptions, claim
from fugue_tui.errors import AlreadyRunning
print("ready", flush=True)
os.read(int(sys.argv[1]), 1)
try:
    listener = claim(StartOptions(workspace="race"), config.Config())[1]
    print("won", flush=True)
    sys.stdin.read()
except AlreadyRunning:
    print("lost", flush=True)
"""


def test_of_two_servers_that_claim_a_name_one_gets_it(room: Path, fork_server: ForkServer) -> None:
    env = {**os.environ, "XDG_RUNTIME_DIR": str(room)}
    for _ in range(20):
        start, gate = os.pipe()
        racers = [Racer(fork_server, env, start) for _ in range(2)]
        assert [racer.streams.readline() for racer in racers] == ["ready\n"] * 2
        os.close(gate)
        os.close(start)
        assert sorted(racer.streams.readline().strip() for racer in racers) == ["lost", "won"]
        for racer in racers:
            racer.end()


class Racer:
    """A process that claims a name once a pipe is closed."""

    def __init__(self, fork_server: ForkServer, env: Mapping[str, str], start: int) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs, open(os.devnull, "w") as null:
            streams = (theirs.fileno(), theirs.fileno(), null.fileno())
            self._process = fork_server.start(("-c", RACE, str(start)), env, streams, pass_fds=(start,))
        self.streams = self._socket.makefile()

    def end(self) -> None:
        self._socket.shutdown(socket.SHUT_WR)
        assert self._process.wait() == 0
        self.streams.close()
        self._socket.close()


def test_what_keeps_a_server_from_starting_reaches_the_user(launch: Launch) -> None:
    running = launch(server=True, config="[terminal]\nshell = ['no-such-shell']\n")
    running.host.wait_until(lambda: b"no-such-shell" in running.host.received)
    assert running.host.wait_exit() == Exit(1)
    assert b"\x1b[?1049h" not in running.host.received
    running.host.wait_until(lambda: not running.socket.exists())


def test_a_program_for_a_workspace_that_runs_gets_a_new_window(running: Running) -> None:
    second = running.again(running.name, "--", "sh", "-c", "echo newcomer; pwd; cat")
    second.wait_text("newcomer", str(Path.cwd()))
    running.host.wait_text("newcomer")
    assert len(running.ask("list-windows")["windows"]) == 2


def test_a_read_only_terminal_types_nothing(running: Running) -> None:
    looker = running.again("attach", running.name, "-r")
    looker.wait_text("ready")
    assert [client["read_only"] for client in running.ask("list-clients")["clients"]] == [False, True]
    looker.send("typed by nobody\r")
    running.host.send("typed by me\r")
    looker.wait_until(lambda: looker.text.count("typed by me") == 2)
    assert "nobody" not in looker.text


def test_a_renamed_workspace_is_found_by_its_new_name_and_by_its_panes(running: Running) -> None:
    (running.room / "panes.sh").write_text(f"{shlex.quote(sys.executable)} -m fugue_tui list-panes && echo fou''nd")
    running.socket.with_suffix(".log").write_text("written before\n")
    done = running.shell("rename", running.name, "ops")
    assert done.returncode == 0, done.stderr
    running.host.wait_text("ops [")
    running.host.wait_until(lambda: b"\x1b]2;fugue-tui ops\x1b\\" in running.host.received)
    assert not running.socket.with_suffix(".log").exists()
    assert "written before" in running.socket.with_name("ops.log").read_text()
    listed = running.shell("ls").stdout.splitlines()
    assert [line.split()[:5] for line in listed[1:]] == [["ops", "running", "1", "1", "1"]]
    assert running.shell("attach", running.name).returncode == 1
    panes = f"sh {running.room / 'panes.sh'}; cat"
    assert running.shell("create-window", "--workspace", "ops", "--focus", "--command", panes).returncode == 0
    running.host.wait_text("found")
    other = running.again("new", running.name, "--", "sh", "-c", "echo another; cat")  # The old name is free.
    other.wait_text("another")
    assert len(running.shell("ls").stdout.splitlines()) == 3
    assert "80x24" in running.shell("list-clients", "--workspace", "ops").stdout
    assert running.shell("kill-server", running.name).returncode == 0
    left(other, b"[e2e ended]")
    assert running.shell("kill-server", "ops").returncode == 0
    left(running.host, b"[ops ended]")
    assert list((running.room / "fugue-tui").glob("*.sock")) == []


def test_commands_manage_a_workspace_without_an_attached_client(room: Path, launch: Launch) -> None:
    env = {**os.environ, "XDG_RUNTIME_DIR": str(room), "NOTIFY_SOCKET": str(room / "notify")}
    command = [sys.executable, "-m", "fugue_tui", "serve", "e2e", *CAT]
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(room / "notify"))
        manager.settimeout(TIMEOUT)
        server = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL)
        assert manager.recv(100) == b"READY=1"
        running = launch(server=True)
        running.host.wait_text("ready", "e2e")
        assert running.server == server.pid
        server.terminate()
        assert server.wait(TIMEOUT) == 0
        assert manager.recv(100) == b"STOPPING=1"
        left(running.host, b"[e2e ended]", 143)


def test_a_second_server_of_the_name_is_refused(running: Running) -> None:
    done = running.shell("serve", running.name)
    assert done.returncode == 1
    assert "workspace e2e is already running" in done.stderr


def test_without_a_terminal_nothing_is_started(running: Running) -> None:
    done = running.shell("new", "other")
    assert (done.returncode, done.stdout) == (1, "")
    assert "stdin is none; fugue-tui serve runs one without" in done.stderr
    assert [name for name in os.listdir(running.room / "fugue-tui") if name.startswith("other")] == []


def test_a_client_of_another_protocol_is_told_which(running: Running) -> None:
    with sockets.connect(str(running.socket)) as link:
        link.sendall(attach_protocol.request(Hello(protocol=99, version="9.9")))
        with pytest.raises(SocketError, match=r"this is fugue-tui 9\.9 \(protocol 99\).*fugue-tui kill-server"):
            attach_protocol.welcome(link.makefile("rb").readline())
    assert len(running.ask("list-clients")["clients"]) == 1


def test_a_terminal_that_is_stopped_is_not_waited_for(running: Running) -> None:
    os.kill(running.host.pid, signal.SIGTSTP)
    running.host.wait_until(lambda: stat(running.host.pid)[0] == "T")
    assert b"\x1b[?1049l" in running.host.received
    second = running.again()
    second.wait_text("ready")
    second.send("meanwhile\r")
    second.wait_until(lambda: second.text.count("meanwhile") == 2)
    os.kill(running.host.pid, signal.SIGCONT)
    running.host.wait_until(lambda: running.host.text.count("meanwhile") == 2)


def test_agent_keeps_working_while_no_client_is_attached(running: Running) -> None:
    bridge = Bridge(str(running.socket))
    bridge.ask("initialize", HELLO, 0)
    bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
    running.host.send("\x02d")
    left(running.host, b"[detached from e2e]")
    assert running.ask("list-clients")["clients"] == []

    def call(tool: str, **arguments: Any) -> Any:
        result = bridge.ask("tools/call", {"name": tool, "arguments": arguments})["result"]
        assert not result.get("isError"), result
        return result["structuredContent"]

    call("fugue_split_pane", command=["cat"])
    sent = call("fugue_send_input", pane="%2", text="from the agent", submit=True)
    assert call("fugue_wait_for_output", cursor=sent["cursor"], any_of=["from the agent"])["outcome"] == "matched"
    running.again().wait_text("ready", "from the agent")
    assert bridge.close() == 0


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells what a process has loaded")
def test_server_without_agents_loads_no_openssl(launch: Launch, tmp_path: Path) -> None:
    running = launch("--", "cat", env={"FUGUE_STATE": str(tmp_path)}, server=True)
    running.ready()
    maps = Path(f"/proc/{running.server}/maps")
    assert "libpython" in maps.read_text() or "bin/python" in maps.read_text()
    assert "libcrypto" not in maps.read_text()
    assert running.ask("save-session", "--name", "here")["name"] == "here"
    assert "libcrypto" not in maps.read_text()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux tells what a process has loaded")
def test_server_of_a_user_of_agents_loads_the_sdk_ahead_of_their_calls(launch: Launch, tmp_path: Path) -> None:
    state = {"FUGUE_STATE": str(tmp_path)}
    running = launch("--", "cat", env=state, server=True)
    running.ready()
    bridge = Bridge(str(running.socket))
    bridge.ask("initialize", HELLO, 0)
    assert bridge.ask("tools/call", {"name": "fugue_list_panes", "arguments": {}})["result"]
    assert bridge.close() == 0
    assert running.shell("kill-server", running.name).returncode == 0
    running = launch("--", "cat", env=state, server=True)
    running.ready()
    maps = Path(f"/proc/{running.server}/maps")
    running.host.wait_until(lambda: "pydantic_core" in maps.read_text())


def test_a_terminal_switches_to_a_workspace_that_runs_and_to_one_that_is_saved(running: Running) -> None:
    assert running.shell("new", "other", "--detached", "--", "sh", "-c", "echo other-pane; cat").returncode == 0
    running.host.send("\x02:")
    running.host.wait_text("command")
    running.host.send("switch-workspace other\r")
    running.host.wait_text("other-pane")
    assert running.ask("list-clients")["clients"] == []
    other = running.room / "fugue-tui" / "other.sock"
    switched = running.shell("switch-workspace", "--workspace", "other", running.name)
    assert switched.returncode == 0, switched.stderr
    running.host.wait_text("ready")
    assert running.shell("switch-workspace", "--workspace", running.name, "nowhere").returncode == 1
    os.kill(listener(other), signal.SIGTERM)
    running.host.wait_until(lambda: not other.exists())
    running.host.send("\x02:")
    running.host.wait_text("command")
    running.host.send("switch-workspace other\r")
    running.host.wait_text("bring it back?")
    running.host.send("\x1b")
    running.host.wait_until(lambda: "bring it back?" not in running.host.text)
    running.host.send("\x02d")
    left(running.host, b"[detached from other]")


def test_the_end_of_a_test_ends_every_workspace_of_its_directory(running: Running) -> None:
    assert running.shell("new", "other", "--detached", "--", "cat").returncode == 0
    pidfd = os.pidfd_open(listener(running.room / "fugue-tui" / "other.sock"))
    try:
        running.end()
        assert select.select([pidfd], [], [], TIMEOUT)[0]
    finally:
        os.close(pidfd)
