"""Which workspace a bridge connects to: chosen when it first connects, and then this one alone, by its id, or by
its process if it has none, as where nothing can be saved.

A named one or a socket comes first; then the workspace from one of whose panes the bridge was started, by the kernel's
process table; then that of `FUGUE_SOCKET`; then the only one that runs, or `main`. Standard library only.
"""

import os
import socket
from collections.abc import Iterable, Mapping

from fugue_tui import sockets
from fugue_tui.errors import NotRunning, SocketError
from fugue_tui.store.server_records import Server, servers
from fugue_tui_mcp.peer_credentials import peer_of

NOT_RUNNING = "fugue-tui is not running; start it in a terminal with: fugue-tui"
LIST_TOOL, JOIN_TOOL = "fugue_list_workspaces", "fugue_join_workspace"
MOST_ANCESTORS = 1_000


class _OtherProcess(NotRunning):
    """Another process listens at a socket than the one that is known to serve it."""


class WorkspaceChoice:
    """The workspace of one client."""

    def __init__(self, workspace: str = "", path: str = "", env: Mapping[str, str] = os.environ) -> None:
        self._workspace, self._path, self._env = workspace, path, env
        self.joined: Server | None = None
        """The one to which the client belongs now, whether it runs or not; None before it was connected to any."""

    def connect(self, seconds: float) -> socket.socket:
        """Connect to the workspace, to which the client belongs from now on. Raises NotRunning, or SocketError if it
        cannot be chosen or is unsafe."""
        joined = self.joined
        if joined is None:
            return self._connected(self._first(), seconds)
        try:
            return self._connected(self._again(joined), seconds)
        except _OtherProcess:
            if joined.id:
                raise
            raise _replaced(joined, joined) from None

    def join(self, name: str, seconds: float) -> socket.socket:
        """Connect to another workspace, to which the client belongs from now on. Raises as `connect`."""
        return self._connected(self._named(sockets.check_name(name)), seconds)

    def running(self) -> list[Server]:
        """The workspaces that the client may join: those of this state directory, or all others if there are none."""
        own, others = servers(self._env)
        names = {each.name for each in own}
        own += [_at(name, self._env) for name in sockets.live(self._env) if name not in names]
        return own or others

    def elsewhere(self) -> list[Server]:
        """Those to which it does not belong."""
        return [each for each in self.running() if not self.has_joined(each)]

    def has_joined(self, server: Server) -> bool:
        """Whether the client belongs to a workspace."""
        joined = self.joined
        if joined is None or joined.id != server.id:
            return False
        if joined.id or not sockets.same(joined.socket, server.socket):
            return bool(joined.id)
        return not joined.pid or _listener(server.socket) in (None, joined.pid)

    def _connected(self, server: Server, seconds: float) -> socket.socket:
        link = sockets.connect(server.socket, seconds)
        try:
            peer = peer_of(link)
            if peer.uid != os.getuid():
                raise SocketError(f"{server.socket}: the process that listens there belongs to user {peer.uid}")
            if server.pid and peer.pid and peer.pid != server.pid:
                raise _OtherProcess(f"workspace {server.label} does not listen at {server.socket}")
        except OSError as error:
            link.close()
            raise NotRunning(f"{server.socket}: {error.strerror}") from None
        except SocketError:
            link.close()
            raise
        if not (server.id or self._path):
            server = Server(server.name, peer.pid or 0, server.socket)
        self.joined = server
        return link

    def _again(self, joined: Server) -> Server:
        """The workspace to which the client belongs. Raises NotRunning, or SocketError if another has its name."""
        if not joined.id:
            return joined if os.path.lexists(joined.socket) or not joined.name else _at(joined.name, self._env)
        found = [each for group in servers(self._env) for each in group]
        for server in found:
            if server.id == joined.id:
                return server
        for server in found:
            if server.name == joined.name:
                raise _replaced(joined, server)
        raise NotRunning(f"workspace {joined.label} is not running")

    def _first(self) -> Server:
        if self._path:
            return self._listening(sockets.check_path(self._path))
        if self._workspace:
            return self._named(self._workspace)
        return self._around() or self._default()

    def _named(self, name: str) -> Server:
        for group in servers(self._env):
            found = [each for each in group if each.name == name]
            if len(found) > 1:
                paths = ", ".join(each.socket for each in found)
                raise SocketError(f"several workspaces are called {name}; choose one with --socket: {paths}")
            if found:
                return found[0]
        return _at(name, self._env)

    def _listening(self, path: str) -> Server:
        """The workspace that listens at a path."""
        for group in servers(self._env):
            for server in group:
                if sockets.same(server.socket, path):
                    return server
        return Server(sockets.name_of(path), socket=path)

    def _around(self) -> Server | None:
        """The workspace that has an ancestor of this process among its programs, the innermost of several."""
        own, others = servers(self._env)
        found = {server.pid: server for server in (*others, *own) if server.pid}
        inside = (found[pid] for pid in (_ancestors(os.getpid()) if found else ()) if pid in found)
        return next((server for server in inside if _is_served_by(server)), None)

    def _default(self) -> Server:
        if self._env.get("FUGUE_SOCKET"):
            return self._listening(sockets.find(env=self._env))
        running = self.running()
        if len(running) == 1:
            return running[0]
        found = [each for each in running if each.name == sockets.DEFAULT]
        if running and len(found) != 1:
            raise SocketError(f"several workspaces run ({labels(running)}); join one with {JOIN_TOOL}")
        return found[0] if found else _at(sockets.DEFAULT, self._env)


def _replaced(joined: Server, server: Server) -> SocketError:
    return SocketError(
        f"the workspace {joined.label}, to which this client belongs, has ended, and {server.label} is another one "
        f"with other panes; {JOIN_TOOL} with the name {server.name} joins it"
    )


def labels(running: Iterable[Server]) -> str:
    """The names of workspaces, for an error."""
    return ", ".join(sorted(each.name for each in running))


def _at(name: str, env: Mapping[str, str]) -> Server:
    """A workspace of which no more is known than where it would listen."""
    return Server(name, socket=sockets.path_of(name, env))


def _is_served_by(server: Server) -> bool:
    """Whether the process of a record serves its socket, as the kernel says; also if the socket is gone. A record may
    come from a machine or a container with other process ids."""
    listener = _listener(server.socket)
    return os.path.exists(f"/proc/{server.pid}") if listener is None else listener == server.pid


def _listener(path: str) -> int | None:
    """The process that listens at a socket; None if that cannot be found out."""
    try:
        with sockets.connect(path, 1.0) as link:
            return peer_of(link).pid
    except (OSError, SocketError):
        return None


def _ancestors(pid: int) -> tuple[int, ...]:
    """The parent of a process, its parent, and so on."""
    if not os.path.exists("/proc/self/stat"):
        from fugue_tui.terminal.pty import process  # asks ps

        return process.ancestors(pid)[1:]
    found: list[int] = []
    while len(found) < MOST_ANCESTORS and (pid := _parent(pid)):
        found.append(pid)
    return tuple(found)


def _parent(pid: int) -> int:
    """A process's parent from proc_pid_stat(5); 0 if it has none or has gone."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return int(file.read().rpartition(b")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return 0
