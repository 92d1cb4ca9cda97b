"""Checks of the MCP clients: whether each is installed and registered, and whether what it starts connects."""

import json
import os
import shlex
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import IO, Any, Final

from fugue_tui import __version__, sockets
from fugue_tui.cli.doctor.report import Finding, fault, ok, warning
from fugue_tui.cli.setup.config_file import ConfigFile
from fugue_tui.cli.setup.program import transience
from fugue_tui.config.mcp_clients import Client, file_of, is_installed, words_of
from fugue_tui.errors import ConfigError, SocketError

SECONDS: Final = 15.0
"""How long a connection may take; the first one of a workspace loads the MCP SDK."""
_KEPT: Final = ("HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER")
"""The variables that the MCP SDKs pass to a server (their stdio clients, getDefaultEnvironment)."""
_INITIALIZE: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "fugue-tui doctor", "version": __version__},
}


def of(client: Client) -> Callable[[], Iterator[Finding]]:
    """The check of one client."""
    return lambda: _findings(client)


def _findings(client: Client) -> Iterator[Finding]:
    setup = f"fugue-tui setup {client.name}"
    try:
        entry = ConfigFile(file_of(client), client.keys).entry
    except ConfigError as error:
        yield fault(str(error), "mend the file")
        return
    if entry is None:
        yield warning("not registered", f"{setup} does it") if is_installed(client) else ok("not installed")
        return
    argv = words_of(entry)
    env = _environment(client, entry)
    found = shutil.which(argv[0], path=env.get("PATH")) if argv else None
    if not found:
        yield fault(f"registered, but {shlex.join(argv) or 'nothing'} cannot be run", f"{setup} registers this program")
        return
    if not os.path.isabs(argv[0]):
        yield warning(f"registered as {argv[0]}, which a graphical client may not find", f"{setup} writes the path")
    if reason := transience(found):
        what, _, advice = reason.partition("; ")
        yield warning(what, advice)
    yield _connection([found, *argv[1:]], env, argv)


def _connection(argv: Sequence[str], env: Mapping[str, str], shown: Sequence[str]) -> Finding:
    registered = f"registered: {shlex.join(shown)}"
    try:
        tools = list_tools(argv, env)
    except SocketError as error:
        if not sockets.live():
            return warning(f"{registered}; no workspace runs to try it with", "start one with: fugue-tui")
        hidden = "the client passes no XDG_RUNTIME_DIR and no TMPDIR: set what you use in the entry's env"
        return fault(f"{registered}; {error}", "attach to a workspace" if sockets.live(env) else hidden)
    return ok(f"{registered}; connects, {tools} tools")


def _environment(client: Client, entry: Mapping[str, Any]) -> dict[str, str]:
    """The environment in which a client starts a server."""
    kept = {name: value for name, value in os.environ.items() if client.passes_environment or name in _KEPT}
    own = entry.get("env") or entry.get("environment")
    named = entry.get("env_vars")
    kept |= {name: os.environ[name] for name in named if name in os.environ} if isinstance(named, list) else {}  # pyright: ignore[reportUnknownVariableType]
    return kept | ({str(name): str(value) for name, value in own.items()} if isinstance(own, dict) else {})  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def list_tools(argv: Sequence[str], env: Mapping[str, str], seconds: float = SECONDS) -> int:
    """Start a server as a client does, and count its tools. Raises SocketError with its error or the reason."""
    process = subprocess.Popen(
        argv,
        env=dict(env),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    timer = threading.Timer(seconds, _kill, (process,))
    timer.start()
    try:
        with process:
            return _tools(process)
    except (OSError, LookupError, TypeError, ValueError):
        late = process.returncode == -signal.SIGKILL
        raise SocketError(f"no answer within {seconds:g} s" if late else "it exits unanswered") from None
    finally:
        timer.cancel()
        _kill(process)


def _tools(process: "subprocess.Popen[bytes]") -> int:
    """The number of tools of a server that was just started."""
    assert process.stdin is not None
    assert process.stdout is not None
    server = _Server(process.stdin, process.stdout)
    server.request("initialize", _INITIALIZE)
    server.send({"method": "notifications/initialized"})
    return len(server.request("tools/list", {})["tools"])


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """Kill a server with all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


class _Server:
    """An MCP server's stdin and stdout."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes]) -> None:
        self._stdin, self._stdout, self._sent = stdin, stdout, 0

    def send(self, message: dict[str, Any]) -> None:
        """Write a message."""
        self._stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._stdin.flush()

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """The result of a request. Raises SocketError with the server's error, ValueError if it ends."""
        self._sent += 1
        self.send({"id": self._sent, "method": method, "params": params})
        for line in self._stdout:
            answer = json.loads(line)
            if answer.get("id") == self._sent:
                if "error" in answer:
                    raise SocketError(str(answer["error"].get("message"))[:400])
                return answer["result"]
        raise ValueError("the server has ended")
