"""`fugue-tui attach`, `detach`, `rename`, `kill-server`: subcommands on a whole workspace.

Few and cheap imports: the user waits for them.
"""

import os
import signal
import time
from contextlib import suppress

from fugue_tui import sockets
from fugue_tui.cli.args import Usage, complain, options_of
from fugue_tui.cli.attach_client import here, join, join_again, unreachable
from fugue_tui.errors import NotRunning, SocketError

WHERE = ("--workspace", "--socket")
ANSWER_SECONDS = 5.0
"""How long a workspace may take to answer."""
ENDING_SECONDS = 10.0
"""How long `kill-server` waits for the server to exit."""
OUTSIDE = ("FUGUE_SOCKET", "FUGUE_WORKSPACE")


def attach(arguments: list[str]) -> int:
    """Attach this terminal to a running workspace."""
    options, positional, _ = options_of(arguments, (*WHERE, "--prefix", "--mirror"), ("--read-only", "--detach-others"))
    return attach_as(options, positional)


def attach_as(options: dict[str, str], positional: list[str]) -> int:
    """Attach with parsed arguments. Raises NotRunning with the way out."""
    wanted = _one("attach", options, positional)
    prefix, mirror = options.get("--prefix", ""), options.get("--mirror", "")
    hello = here(read_only="--read-only" in options, prefix=prefix, mirror=mirror)
    if "--detach-others" in options:
        path, name = requested("attach", options, positional, around=False)
        _print_answer(name, path, ["detach-client", "--all"])
    if not wanted and "--socket" not in options:
        with suppress(NotRunning):  # The usual case, without looking for others.
            return join(sockets.path_of(sockets.DEFAULT), hello, sockets.DEFAULT)
    path, name = requested("attach", options, positional, around=False)
    try:
        return join(path, hello, name)
    except NotRunning as error:
        if unreachable(name) is not None:
            return join_again(path, hello, name)
        start = f"fugue-tui new {name} starts one, " if name else ""
        raise NotRunning(f"{_missing(name, path, error)}; {start}fugue-tui ls shows what runs") from None


def detach(arguments: list[str]) -> int:
    """Detach the terminal that was used last, or all of them; the workspace keeps running."""
    options, positional, _ = options_of(arguments, WHERE, ("--all",))
    path, name = requested("detach", options, positional)
    return _print_answer(name, path, ["detach-client", *(["--all"] if "--all" in options else [])])


def rename(arguments: list[str]) -> int:
    """Rename a running workspace."""
    options, positional, _ = options_of(arguments, WHERE)
    if not positional:
        raise Usage("rename: requires the new name, or the old and the new one")
    path, name = requested("rename", options, positional[:-1])
    return _print_answer(name, path, ["rename-workspace", "--name", positional[-1]])


def kill_server(arguments: list[str]) -> int:
    """End a workspace, by SIGTERM if it does not answer, and wait until it has exited."""
    options, positional, _ = options_of(arguments, WHERE)
    path, name = requested("kill-server", options, positional)
    try:
        pid, before = _server(path), os.lstat(path)
    except NotRunning as error:
        raise _unknown(name, path, error) from None
    try:
        status = _ask(path, ["kill-server", *(["--workspace", name] if name else [])], ANSWER_SECONDS)
    except SocketError:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)  # It is stuck.
        status = 0
    deadline = time.monotonic() + ENDING_SECONDS
    while not status and _is(path, before):
        if time.monotonic() > deadline:
            raise SocketError(f"process {pid} of the workspace at {path} does not end; kill -KILL {pid} makes it")
        time.sleep(0.02)
    return status


def requested(verb: str, options: dict[str, str], positional: list[str], *, around: bool = True) -> tuple[str, str]:
    """The socket of the requested workspace, and its name if it is known. `around` includes the workspace whose pane
    this runs in. Raises Usage or SocketError."""
    wanted = _one(verb, options, positional)
    outside = {name: value for name, value in os.environ.items() if name not in OUTSIDE}
    path = sockets.find(wanted, options.get("--socket", ""), os.environ if around else outside)
    return path, sockets.name_of(path)


def _one(verb: str, options: dict[str, str], positional: list[str]) -> str:
    """The name that was given, if any. Raises Usage for more than one."""
    named = [*([options["--workspace"]] if "--workspace" in options else []), *positional]
    if len(named) > 1:
        raise Usage(f"{verb}: {named[1][:40]!a}: unexpected argument")
    return named[0] if named else ""


def _print_answer(name: str, path: str, words: list[str]) -> int:
    """Run a command in the workspace of that name; the exit status. Raises NotRunning with the way out."""
    try:
        return _ask(path, words)
    except NotRunning as error:
        raise _unknown(name, path, error) from None


def _unknown(name: str, path: str, error: NotRunning) -> NotRunning:
    return NotRunning(f"{_missing(name, path, error)}; fugue-tui ls shows what runs")


def _missing(name: str, path: str, error: NotRunning) -> str:
    return f"no workspace {name} runs" if name and not os.path.lexists(path) else str(error)


def _ask(path: str, words: list[str], seconds: float = ANSWER_SECONDS) -> int:
    """Run a command there and print only its error; the exit status."""
    from fugue_tui.client import command_request

    answer = command_request.ask(path, words, seconds)
    status, text = answer.get("exit"), str(answer.get("text") or "")
    if status:
        complain(text)
    return status if isinstance(status, int) else 1


def _server(path: str) -> int:
    """The process that listens there. Raises NotRunning, or SocketError if it belongs to another user."""
    from fugue_tui_mcp.peer_credentials import peer_of

    with sockets.connect(path) as link:
        peer = peer_of(link)
    if peer.uid != os.getuid() or not peer.pid:
        raise SocketError(f"{path}: the process that listens there is not yours")
    return peer.pid


def _is(path: str, before: os.stat_result) -> bool:
    try:
        return os.path.samestat(os.lstat(path), before)
    except OSError:
        return False
