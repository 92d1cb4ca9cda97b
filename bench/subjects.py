"""The subjects: tmux, Fugue, and no multiplexer, each started on a host terminal of its own."""

import json
import os
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

from bench.host import Host
from bench.processes import session
from fugue_tui import sockets
from fugue_tui.geometry import Size

SIZE = Size(120, 36)
PROMPT = "ready>"
FUGUE = (sys.executable, "-m", "fugue_tui")
TMUX_CONFIG = """\
set -g history-limit 10000
set -s escape-time 0
set -as terminal-features ',xterm-256color:RGB:sync'
"""
"""As much scrollback as Fugue keeps, and true colour."""


class CallFailed(RuntimeError):
    """A command to a subject failed; contains it and its output."""


class Stage:
    """A running subject on its host terminal; `close` leaves no process behind."""

    def __init__(self, host: Host, env: Mapping[str, str], size: Size = SIZE) -> None:
        self.host = host
        self.env = env
        self.size = size

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def pids(self) -> list[int]:
        """The subject's own processes, without the programs in its panes."""
        return session(self.host.pid)

    def call(self, *argv: str) -> str:
        """Run another program while the host is processed; its output. Raises CallFailed."""
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen(
                argv, env=dict(self.env), stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT
            )
            while process.poll() is None:
                self.host.step(0.002)
            out.seek(0)
            output = out.read()
        if process.returncode:
            raise CallFailed(f"{' '.join(argv[:6])}: {output.strip() or process.returncode}")
        return output

    def detach(self) -> None:
        """Detach the host; the programs keep running. Raises CallFailed if that is not possible."""
        raise CallFailed("a foreground workspace cannot be detached")

    def attach(self) -> Host:
        """Attach another host of the same size. Raises CallFailed if that is not possible."""
        raise CallFailed("a foreground workspace cannot be attached")

    def close(self) -> None:
        """End it."""
        self.host.close()


class Subject(Protocol):
    """Something that shows programs on a terminal."""

    @property
    def name(self) -> str:
        """What the table calls it."""
        ...

    def bare(self, folder: Path) -> Stage:
        """Start it with a login shell whose prompt is PROMPT, and return at once."""
        ...

    def open(self, folder: Path, scripts: Sequence[str], *, focus: int = 0, size: Size = SIZE) -> Stage:
        """Start it with one pane a shell script: two side by side, more of them tiled."""
        ...


def environment(folder: Path, **more: str) -> dict[str, str]:
    """The environment of every subject, without the user's configuration."""
    home = folder / "home"
    home.mkdir(exist_ok=True)
    (home / ".profile").write_text(f"PS1='{PROMPT} '\n")
    keep = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    (folder / "config.toml").write_text('[mcp]\ntrust = "full"\n')
    own = {"HOME": str(home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "COLORTERM": "truecolor", "SHELL": "/bin/sh"}
    return {**keep, **own, "FUGUE_CONFIG": str(folder / "config.toml"), **more}


class Bare:
    """No multiplexer: the baseline."""

    name = "none"

    def bare(self, folder: Path) -> Stage:
        """A shell on the host itself."""
        env = environment(folder)
        return Stage(Host(["/bin/sh", "-l"], env, SIZE), env)

    def open(self, folder: Path, scripts: Sequence[str], *, focus: int = 0, size: Size = SIZE) -> Stage:
        """The first script alone."""
        env = environment(folder)
        return Stage(Host(["/bin/sh", "-c", scripts[focus]], env, size), env)


class TmuxStage(Stage):
    """A tmux server, and a client on the host."""

    def __init__(self, host: Host, env: Mapping[str, str], name: str, size: Size) -> None:
        super().__init__(host, env, size)
        self.name = name

    def tmux(self, *words: str) -> str:
        """Run a tmux command against this server."""
        return self.call("tmux", "-L", self.name, *words)

    def pids(self) -> list[int]:
        """The client and the server."""
        return [self.host.pid, int(self.tmux("display-message", "-p", "#{pid}"))]

    def detach(self) -> None:
        """Detach the host; the server keeps running."""
        self.tmux("detach-client")
        _until_ended(self.host)

    def attach(self) -> Host:
        """Attach another host of the same size."""
        return Host(["tmux", "-L", self.name, "attach-session"], self.env, self.size)

    def close(self) -> None:
        """End the server, and with it the client."""
        try:
            self.tmux("kill-server")
        except CallFailed as error:
            if "no server" not in str(error) and "error connecting" not in str(error):
                raise
        super().close()


class Tmux:
    """tmux, the reference."""

    name = "tmux"

    def __init__(self) -> None:
        self._count = 0

    def bare(self, folder: Path) -> TmuxStage:
        """tmux as it starts."""
        return self._start(folder, [], SIZE)

    def open(self, folder: Path, scripts: Sequence[str], *, focus: int = 0, size: Size = SIZE) -> TmuxStage:
        """A window of panes."""
        stage = self._start(folder, ["/bin/sh", "-c", scripts[0]], size)
        _until_works(stage.host, lambda: stage.tmux("list-panes"))
        for last, script in enumerate(scripts[1:]):
            stage.tmux("split-window", "-d", "-h", "-t", f":.{last}", "/bin/sh", "-c", script)
            stage.tmux("select-layout", "even-horizontal" if len(scripts) == 2 else "tiled")
        stage.tmux("select-pane", "-t", f":.{focus}")
        return stage

    def _start(self, folder: Path, argv: Sequence[str], size: Size) -> TmuxStage:
        self._count += 1
        name = f"fugue-bench-{os.getpid()}-{self._count}"
        config = folder / "tmux.conf"
        config.write_text(TMUX_CONFIG)
        env = environment(folder, TMUX_TMPDIR=str(folder))
        host = Host(["tmux", "-L", name, "-f", str(config), "new-session", *argv], env, size)
        return TmuxStage(host, env, name, size)


class FugueStage(Stage):
    """A Fugue server, and a client on the host."""

    def fugue(self, *words: str) -> str:
        """Run a command against this server."""
        return self.call(*FUGUE, *words)

    def pids(self) -> list[int]:
        """The client and the server."""
        return [self.host.pid, self.server()]

    def server(self) -> int:
        """The server's process id, from the kernel."""
        path = os.path.join(self.env["XDG_RUNTIME_DIR"], "fugue-tui", "main.sock")
        with sockets.connect(path) as link:
            return struct.unpack("3i", link.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))[0]

    def detach(self) -> None:
        """Detach the host; the server keeps running."""
        self.fugue("detach")
        _until_ended(self.host)

    def attach(self) -> Host:
        """Attach another host of the same size."""
        return Host([*FUGUE, "attach"], self.env, self.size)

    def close(self) -> None:
        """End the server, and with it the client."""
        try:
            self.fugue("kill-server")
        except CallFailed as error:
            if "no workspace" not in str(error):
                raise
        super().close()


@dataclass(frozen=True)
class Fugue:
    """Fugue as users start it: a server, and a client on the host; in the foreground, one process."""

    name: str = "fugue"
    engine: str = "ghostty"
    foreground: bool = False
    settings: str = ""
    """Further configuration."""
    path: str = ""
    """The PYTHONPATH of another version of it."""
    own_files: bool = True
    """Whether configuration and state have directories of their own, instead of the default ones in the home."""

    def bare(self, folder: Path) -> Stage:
        """Fugue as it starts."""
        return self._start(folder, [], SIZE)

    def open(self, folder: Path, scripts: Sequence[str], *, focus: int = 0, size: Size = SIZE) -> Stage:
        """A window of panes."""
        stage = self._start(folder, ["--", "/bin/sh", "-c", scripts[0]], size)
        _until_works(stage.host, lambda: stage.call(*FUGUE, "list-panes"))
        panes = [_first_pane(stage)]
        for script in scripts[1:]:
            split = stage.call(*FUGUE, "split-pane", panes[-1], "--no-focus", "--json", "--", "/bin/sh", "-c", script)
            panes.append(json.loads(split)["id"])
            if len(scripts) > 2:
                stage.call(*FUGUE, "select-layout", "tiled")
        stage.call(*FUGUE, "focus-pane", panes[focus])
        return stage

    def again(self, stage: Stage) -> Stage:
        """Start it again with the files of another stage."""
        return self._started(stage.env, [], stage.size)

    def _start(self, folder: Path, argv: Sequence[str], size: Size) -> Stage:
        own = Path(tempfile.mkdtemp(dir=folder))
        if not self.own_files:
            env = environment(folder, XDG_RUNTIME_DIR=str(own))
            del env["FUGUE_CONFIG"]
            return self._started(env, argv, size)
        config = own / "config.toml"
        config.write_text(f'[terminal]\nengine = "{self.engine}"\n{self.settings}')
        state = own / "state"
        env = environment(folder, XDG_RUNTIME_DIR=str(own), FUGUE_CONFIG=str(config), FUGUE_STATE=str(state))
        env |= {"PYTHONPATH": self.path} if self.path else {}
        return self._started(env, argv, size)

    def _started(self, env: Mapping[str, str], argv: Sequence[str], size: Size) -> Stage:
        if self.foreground:
            return Stage(Host([*FUGUE, "--foreground", *argv], env, size), env, size)
        return FugueStage(Host([*FUGUE, *argv], env, size), env, size)


def _until_ended(host: Host) -> None:
    """Wait for a client to exit, and close its terminal."""
    host.until(lambda: host.ended, every=0.01)
    host.close()


def _first_pane(stage: Stage) -> str:
    return json.loads(stage.call(*FUGUE, "list-panes", "--json"))["panes"][0]["id"]


def _until_works(host: Host, attempt: Callable[[], object]) -> None:
    """Retry until the server responds. Raises the last failure after ten seconds."""
    end = time.perf_counter() + 10
    while True:
        try:
            attempt()
            return
        except CallFailed:
            if time.perf_counter() > end:
                raise
            host.run(0.05)
