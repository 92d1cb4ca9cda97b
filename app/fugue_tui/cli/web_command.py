"""`fugue-tui web`: serves a running workspace to a browser, in the foreground."""

import os
from collections.abc import Mapping

from fugue_tui import sockets
from fugue_tui.cli.args import Usage, options_of
from fugue_tui.cli.workspace_commands import WHERE, requested
from fugue_tui.errors import NotRunning, SocketError

OPTIONS = (*WHERE, "--prefix", "--mirror", "--bind", "--port", "--host", "--certificate", "--key", "--link-minutes")
LARGEST_PORT = 65_535
MOST_MINUTES = 1_440


def run(arguments: list[str]) -> int:
    """Serve until Ctrl+C; the exit status. Raises Usage or SocketError."""
    options, positional, rest = options_of(arguments, OPTIONS, ("--read-only",))
    if rest:
        raise Usage(f"web: {rest[0][:40]!a}: unexpected argument")
    port = _port(options.get("--port", "0"))
    if "--key" in options and "--certificate" not in options:
        raise Usage("web: --key: requires --certificate, too")
    minutes = _minutes(options["--link-minutes"]) if "--link-minutes" in options else 0
    refuse_pane()
    path, name = requested("web", options, positional, around=False)
    if not sockets.answers(path):
        missing = f"no workspace {name} runs" if name else f"no workspace listens at {path}"
        raise NotRunning(f"{missing}; fugue-tui new {name or 'NAME'} starts one, fugue-tui ls shows what runs")
    from fugue_tui.web import server
    from fugue_tui.web.attached_view import Target

    given = options.get
    target = Target(path, "--read-only" in options, given("--prefix", ""), given("--mirror", ""))
    return server.run(
        server.WebOptions(
            target, name, given("--bind", "127.0.0.1"), port, tuple(filter(None, (given("--host", ""),))),
            given("--certificate", ""), given("--key", ""), minutes or server.LINK_MINUTES,
        )
    )  # fmt: skip


def refuse_pane(env: Mapping[str, str] = os.environ) -> None:
    """Raise SocketError in a pane: a workspace accepts no terminal that a pane's program has opened."""
    if env.get("FUGUE_SOCKET"):
        raise SocketError(
            "this is a pane, and a workspace is not shown by what runs in one, where an agent could answer what the "
            "user is asked; run fugue-tui web in a terminal outside"
        )


def _minutes(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= MOST_MINUTES:
        return int(text)
    raise Usage(f"web: --link-minutes: {text[:40]!a} is no number from 1 to {MOST_MINUTES}")


def _port(text: str) -> int:
    if text.isascii() and text.isdigit() and len(text) <= 5 and int(text) <= LARGEST_PORT:
        return int(text)
    raise Usage(f"web: --port: {text[:40]!a} is no port from 0 to {LARGEST_PORT}; 0 is one that is free")
