"""The paths of workspaces' sockets, and the checks before one is trusted.

`$XDG_RUNTIME_DIR/fugue-tui/<workspace>.sock`; without that variable under `/run/user/<uid>`, or in a private directory
under the temporary one. A socket is created and used only in a directory that no other user can enter. Few and cheap
imports: the bridge and the command line start with this.
"""

import os
import socket
import stat
import time
from collections.abc import Mapping

from fugue_tui.errors import AlreadyRunning, NotRunning, SocketError

LONGEST_PATH = 103
"""Most bytes of a socket's path on every platform."""
LONGEST_NAME = 48
"""Most characters of a workspace's name."""
DEFAULT = "main"
"""The workspace if none is named."""
CONNECT_SECONDS = 5.0
"""How long a workspace may take to accept a connection."""
RETRY_SECONDS = 0.005


def check_name(workspace: str) -> str:
    """Validate a workspace's name. Raises SocketError if it is not a safe file name."""
    if not is_name(workspace):
        rule = f"use at most {LONGEST_NAME} letters, digits and . _ -"
        raise SocketError(f"{workspace[:LONGEST_NAME]!a} cannot name a workspace; {rule}")
    return workspace


def is_name(word: str) -> bool:
    """Whether a word can name a workspace: a safe file name."""
    body = word.replace("-", "").replace("_", "").replace(".", "")
    return word[:1].isalnum() and body.isalnum() and word.isascii() and len(word) <= LONGEST_NAME


def runtime_dir(env: Mapping[str, str] = os.environ) -> str:
    """The directory that workspaces listen in."""
    base = env.get("XDG_RUNTIME_DIR", "")
    if not base.startswith("/"):
        base = f"/run/user/{os.getuid()}"
        if fault(base):
            return _temporary_dir(env)
    directory = os.path.join(base, "fugue-tui")
    fits = len(os.fsencode(directory)) + LONGEST_NAME + len("/.sock") <= LONGEST_PATH
    return directory if fits else _temporary_dir(env)


def path_of(workspace: str, env: Mapping[str, str] = os.environ) -> str:
    """The socket of a workspace. Raises SocketError if the name is wrong or the path too long."""
    return check_path(os.path.join(runtime_dir(env), f"{check_name(workspace)}.sock"))


def name_of(path: str) -> str:
    """The name of the workspace that listens there; empty if the path is not in the runtime directory."""
    name = os.path.basename(path).removesuffix(".sock")
    return name if is_name(name) and os.path.dirname(path) == runtime_dir() else ""


def check_path(path: str) -> str:
    """The absolute path of a socket. Raises SocketError if it is too long to bind."""
    path = os.path.abspath(path)
    length = len(os.fsencode(path))
    if length > LONGEST_PATH:
        raise SocketError(f"the socket's path has {length} bytes, {LONGEST_PATH} fit: {path}; choose one with --socket")
    return path


def fault(directory: str) -> str:
    """Why a directory is not private to the user; empty if it is."""
    try:
        found = os.lstat(directory)
    except OSError as error:
        return error.strerror or "cannot be read"
    if not stat.S_ISDIR(found.st_mode):
        return "is not a directory"
    if found.st_uid != os.getuid():
        return f"belongs to user {found.st_uid}"
    return "others may enter it; chmod 700 it" if found.st_mode & 0o077 else ""


def make_private(directory: str) -> None:
    """Create a private directory if needed. Raises SocketError if it cannot be created or is not private."""
    try:
        os.makedirs(os.path.dirname(directory), exist_ok=True)
        os.mkdir(directory, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        way_out = "set XDG_RUNTIME_DIR to a directory of your own, or listen elsewhere with --socket"
        raise SocketError(f"{directory}: {error.strerror}; {way_out}") from None
    if reason := fault(directory):
        raise SocketError(f"{directory}: {reason}; a socket is safe only in a directory of your own")


def connect(path: str, seconds: float = CONNECT_SECONDS) -> socket.socket:
    """A blocking connection to a workspace, with that timeout. Raises NotRunning, or SocketError if it is unsafe."""
    check_path(path)
    try:
        found = os.lstat(path)
    except OSError:
        raise NotRunning(f"no workspace listens at {path}") from None
    if reason := fault(os.path.dirname(path)):
        raise SocketError(f"{os.path.dirname(path)}: {reason}; not connecting to a socket there")
    if not stat.S_ISSOCK(found.st_mode) or found.st_uid != os.getuid():
        raise SocketError(f"{path} is not a socket of yours")
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.settimeout(seconds)
    try:
        _connect(link, path, seconds)
    except BlockingIOError:
        link.close()
        raise SocketError(f"the workspace at {path} is busy and accepts no connection; try again") from None
    except OSError:
        link.close()
        raise NotRunning(f"no workspace listens at {path}") from None
    return link


def _connect(link: socket.socket, path: str, seconds: float) -> None:
    """Connect; while the backlog is full, for which Linux does not block, try again."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            link.connect(path)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
        time.sleep(RETRY_SECONDS)


def live(env: Mapping[str, str] = os.environ) -> list[str]:
    """The names of the workspaces that accept connections, sorted."""
    directory = runtime_dir(env)
    if fault(directory):
        return []
    names = sorted(name[: -len(".sock")] for name in os.listdir(directory) if name.endswith(".sock"))
    return [name for name in names if is_name(name) and answers(os.path.join(directory, f"{name}.sock"))]


def same(path: str, other: str) -> bool:
    """Whether two paths are the same socket."""
    try:
        return os.path.samestat(os.lstat(path), os.lstat(other))
    except OSError:
        return False


def answers(path: str) -> bool:
    """Whether something accepts connections there."""
    try:
        connect(path, 1.0).close()
    except SocketError:
        return False
    return True


def already_running(path: str) -> AlreadyRunning:
    """The error that a workspace listens there."""
    name = os.path.basename(path).removesuffix(".sock")
    return AlreadyRunning(f"workspace {name} is already running ({path})", path)


def find(workspace: str = "", path: str = "", env: Mapping[str, str] = os.environ) -> str:
    """The socket of a path, a name, the workspace whose pane this runs in, the only running one, or `main`.

    A process that outlived the workspace around it gets the running workspace of the same name.

    Raises SocketError if several run and none is chosen.
    """
    if path:
        return check_path(path)
    if workspace:
        return path_of(workspace, env)
    if around := env.get("FUGUE_SOCKET", ""):
        gone = not os.path.lexists(around) and is_name(env.get("FUGUE_WORKSPACE", ""))
        return path_of(env["FUGUE_WORKSPACE"], env) if gone else check_path(around)
    running = live(env)
    if len(running) > 1 and DEFAULT not in running:
        raise SocketError(f"several workspaces run ({', '.join(running)}); choose one with --workspace")
    return path_of(running[0] if len(running) == 1 else DEFAULT, env)


def _temporary_dir(env: Mapping[str, str]) -> str:
    base = env.get("TMPDIR", "")
    fits = base.startswith("/") and len(os.fsencode(base)) < LONGEST_PATH - LONGEST_NAME - 32
    return os.path.join(base if fits else "/tmp", f"fugue-tui-{os.getuid()}")
