"""`fugue-tui setup`: registers this program with the MCP clients that are installed, or with those that are named, and
installs its hooks in those that are agents."""

import fcntl
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final

from fugue_tui.cli.args import Usage, as_json, complain, echo, json_form, options_of
from fugue_tui.cli.setup import hooks
from fugue_tui.cli.setup.program import program, transience
from fugue_tui.cli.setup.register import Outcome, State, add, remove
from fugue_tui.config.mcp_clients import CLIENTS, Client, file_of, is_installed
from fugue_tui.errors import FugueError, NotFound
from fugue_tui.sanitize import clean

FLAGS: Final = ("--dry-run", "--uninstall", "--remove", "--no-hooks", "--json")
_WOULD: Final = {State.ADDED: "would be added", State.UPDATED: "would be updated", State.REMOVED: "would be removed"}


def setup(arguments: list[str]) -> int:
    """Set up the clients; the exit status is 1 if one of them failed or none was found."""
    options, names, program_words = options_of(arguments, (), FLAGS)
    if program_words:
        raise Usage(f"setup: {program_words[0][:40]!a}: unexpected argument; it takes names of clients")
    undo, dry = "--uninstall" in options or "--remove" in options, "--dry-run" in options
    clients = _chosen(names, undo=undo)
    words = program()
    warning = "" if undo else transience(words[0])
    hooked = "--no-hooks" not in options
    with _alone():
        outcomes = [each for client in clients for each in _outcomes(client, words, undo=undo, dry=dry, hooked=hooked)]
    if undo and not names:
        outcomes = [each for each in outcomes if each.state is not State.ABSENT]
    if "--json" in options:
        echo(as_json(_report(outcomes, words, warning, dry=dry), json_form(arguments)))
    elif not clients:
        names = [client.name for client in CLIENTS]
        raise NotFound(f"no MCP client was found; fugue-tui setup NAME sets one up: {', '.join(names)}")
    else:
        _print(outcomes, warning, undo=undo, dry=dry)
    return 1 if not clients or any(each.error for each in outcomes) else 0


@contextmanager
def _alone() -> Generator[None]:
    """One setup of a home at a time, where its file system has locks."""
    with ExitStack() as stack:
        with suppress(OSError):
            home = os.open(os.path.expanduser("~"), os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, home)
            fcntl.flock(home, fcntl.LOCK_EX)
        yield


def _chosen(names: Sequence[str], *, undo: bool) -> list[Client]:
    """The clients of these names; without names, those that are installed. Raises Usage."""
    known = {client.name: client for client in CLIENTS}
    if wrong := next((name for name in names if name not in known), ""):
        raise Usage(f"setup: no client {wrong[:40]!a}; it knows {', '.join(known)}")
    if names:
        return [known[name] for name in dict.fromkeys(names)]
    return [client for client in CLIENTS if undo or is_installed(client)]


def _outcomes(client: Client, words: Sequence[str], *, undo: bool, dry: bool, hooked: bool) -> list[Outcome]:
    """What becomes of a client, and of its hooks, which are taken out of the same file before it."""
    found = hooks.of(client) if hooked else None
    work = [("", lambda: remove(client, dry=dry) if undo else add(client, words, dry=dry))]
    if found and undo:
        work.insert(0, (hooks.PART, lambda: hooks.remove(client, found, dry=dry)))
    elif found:
        work.append((hooks.PART, lambda: hooks.add(client, found, words, dry=dry)))
    return [_tried(client, part, each) for part, each in work]


def _tried(client: Client, part: str, work: Callable[[], Outcome]) -> Outcome:
    try:
        return work()
    except FugueError as error:
        return Outcome(client, State.FAILED, file_of(client), error=error, part=part)


def _print(outcomes: Sequence[Outcome], warning: str, *, undo: bool, dry: bool) -> None:
    for each in outcomes:
        title = f"{each.client.title} {each.part}".rstrip()
        if each.error:
            complain(f"{title}: {each.error}")
            continue
        state = _WOULD.get(each.state, each.state) if dry else each.state
        note = f": {each.note}" if each.note else ""
        echo(f"{title}: {state} ({clean(each.file, 4096)}){note}")
        if dry and each.change:
            echo("\n".join(f"    {line}" for line in each.change.splitlines()))
    if warning:
        complain(warning)
    if undo and not outcomes:
        echo("no client is set up")
    elif not undo and not dry and any(each.state in (State.ADDED, State.UPDATED) for each in outcomes):
        echo("A client that runs has it after a restart; fugue-tui doctor checks the connection.")


def _report(outcomes: Sequence[Outcome], words: Sequence[str], warning: str, *, dry: bool) -> dict[str, Any]:
    clients = [
        {
            "client": each.client.name,
            "part": each.part or "mcp",
            "state": each.state.replace(" ", "_"),
            "file": each.file,
            "change": each.change or None,
            "note": each.note or None,
            "error": {"code": each.error.code, "message": str(each.error)} if each.error else None,
        }
        for each in outcomes
    ]
    return {"clients": clients, "command": [*words, "mcp"], "dry_run": dry, "warning": warning or None}
