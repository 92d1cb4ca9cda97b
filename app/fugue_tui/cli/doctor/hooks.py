"""Checks of the agents' hooks: whether they are installed, and whether what they run reports to a workspace."""

import os
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from fugue_tui.cli.doctor.report import Finding, fault, ok, warning
from fugue_tui.cli.setup.hooks import HookFile, Hooks
from fugue_tui.config.mcp_clients import Client, is_installed
from fugue_tui.errors import ConfigError

SECONDS: Final = 10.0
_EVENT: Final = '{"hook_event_name": "Stop"}'


def of(client: Client, hooks: Hooks) -> Callable[[], Iterator[Finding]]:
    """The check of one agent's hooks."""
    return lambda: _findings(client, hooks)


def _findings(client: Client, hooks: Hooks) -> Iterator[Finding]:
    setup = f"fugue-tui setup {client.name}"
    try:
        found = HookFile(hooks)
        commands = found.commands
    except ConfigError as error:
        yield fault(str(error), "mend the file")
        return
    if not commands:
        if found.notify:
            yield ok("notify is your own program")
        elif is_installed(client):
            yield warning("not installed", f"{setup} does it")
        else:
            yield ok("the agent is not installed")
        return
    missing = [event for event in hooks.events if event not in commands]
    if missing or len(set(commands.values())) > 1:
        yield warning(f"installed for {len(commands)} of {len(hooks.events)} events", f"{setup} installs the rest")
    if found.is_off:
        yield warning("installed, but the agent's settings turn all hooks off", f"see {found.file.path}")
    for command in dict.fromkeys(commands.values()):
        reason = failure(command)
        yield (
            fault(f"installed, but {reason}", f"{setup} installs them anew") if reason else ok("installed, and report")
        )


def failure(command: str) -> str:
    """Why a hook does not report to a workspace, which is played here; empty if it does."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        path = str(Path(folder, "s"))
        listener.bind(path)
        listener.listen()
        listener.settimeout(SECONDS / 2)
        asked = list[bytes]()
        thread = threading.Thread(target=_answer, args=(listener, asked))
        thread.start()
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command, "fugue-tui", _EVENT],
                input=_EVENT,
                env={**os.environ, "FUGUE_SOCKET": path, "FUGUE_PANE": "%0"},
                capture_output=True,
                text=True,
                timeout=SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        finally:
            with suppress(OSError), socket.socket(socket.AF_UNIX) as end:
                end.connect(path)  # If nothing else has, it is not waited for any more.
            thread.join()
    if done.returncode or done.stdout or done.stderr:
        return f"prints {done.stdout or done.stderr!a}, status {done.returncode}"[:200]
    return "" if asked and b"report-agent" in asked[0] else "the program that they run is gone, or does not report"


def _answer(listener: socket.socket, asked: list[bytes]) -> None:
    try:
        link, _ = listener.accept()
        with link:
            link.settimeout(SECONDS / 2)
            asked.append(link.recv(4096))
            link.sendall(b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n')
    except OSError:
        return
