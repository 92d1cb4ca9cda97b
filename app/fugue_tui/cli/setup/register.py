"""Registers this program with one client, or removes it: by the client's own command, or by editing its file."""

import difflib
import json
import shlex
import subprocess
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from fugue_tui.cli.setup.config_file import ConfigFile
from fugue_tui.config.mcp_clients import Client, file_of, program_of, words_of
from fugue_tui.errors import ConfigError, FugueError
from fugue_tui.sanitize import clean, clean_text

COMMAND_SECONDS: Final = 120.0
"""How long a client's own command may take; Gemini CLI needs 5 s, more under load."""


class State(StrEnum):
    """What became of a client's registration."""

    ADDED = "added"
    UPDATED = "updated"
    UNCHANGED = "already set up"
    REMOVED = "removed"
    ABSENT = "not set up"
    KEPT = "left alone"
    FAILED = "failed"


class Outcome(NamedTuple):
    """The result for one client; of a dry run, what it would be."""

    client: Client
    state: State
    file: str
    change: str = ""
    """The command that was run, or a diff of the file."""
    error: FugueError | None = None
    part: str = ""
    """hooks; empty for the registration."""
    note: str = ""
    """Why it was left alone."""


def registered(client: Client) -> list[str] | None:
    """The words by which a client starts this program; None if it is not registered. Raises ConfigError."""
    entry = ConfigFile(file_of(client), client.keys).entry
    return None if entry is None else words_of(entry)


def add(client: Client, program: Sequence[str], *, dry: bool) -> Outcome:
    """Register the program, unless it is already; other keys of an existing entry, and arguments after `mcp`, stay."""
    path = file_of(client)
    file = ConfigFile(path, client.keys)
    argv = [*program, "mcp"]
    present = words_of(file.entry)
    if present[: len(argv)] == argv:
        return Outcome(client, State.UNCHANGED, path)
    file.check_writable()
    own = _adding(client, argv) if file.entry is None else []
    if not own:
        more = present[present.index("mcp") + 1 :] if "mcp" in present else []
        entry = (file.entry or {}) | client.entry([*argv, *more])
        state = State.ADDED if file.entry is None else State.UPDATED
        return edit(file, file.with_entry(entry), Outcome(client, state, path), dry=dry)
    if not dry:
        file.save_backup()
        _run(own)
        if words_of(ConfigFile(path, client.keys).entry) != argv:
            raise ConfigError(f"{shlex.join(own)} succeeded, but {clean(path)} does not have the entry")
    return Outcome(client, State.ADDED, path, shlex.join(own))


def remove(client: Client, *, dry: bool) -> Outcome:
    """Take the program out: the file becomes what it was, if nothing else has changed in it since."""
    path = file_of(client)
    file = ConfigFile(path, client.keys)
    entry = file.entry
    if entry is None:
        return Outcome(client, State.ABSENT, path)
    file.check_writable()
    original = file.original(entry)
    if original is not None:
        if not dry:
            file.restore(original)
        return Outcome(client, State.REMOVED, path, diff(file, original))
    own = client.remove if client.remove and program_of(client.remove[0]) else ()
    if not own:
        return edit(file, file.without_entry(), Outcome(client, State.REMOVED, path), dry=dry)
    if not dry:
        _run(own)
        after = ConfigFile(path, client.keys)
        if after.entry is not None:
            raise ConfigError(f"{shlex.join(own)} succeeded, but {clean(path)} still has the entry")
        after.drop_backup()
    return Outcome(client, State.REMOVED, path, shlex.join(own))


def edit(file: ConfigFile, text: str, outcome: Outcome, *, dry: bool) -> Outcome:
    """Write a file, with a backup of what it was; the outcome with what has changed."""
    change = diff(file, text)
    if not dry:
        if outcome.state is not State.REMOVED:
            file.save_backup()
        file.write(text)
        if outcome.state is State.REMOVED:
            file.drop_backup()
    return outcome._replace(change=change)


def _adding(client: Client, argv: Sequence[str]) -> list[str]:
    """The client's own command that registers these words; empty if it has none, it is not on PATH, or it would take
    one of the words for an option."""
    own = client.add or client.add_json
    if not own or not program_of(own[0]):
        return []
    if client.add_json:
        return [*own, json.dumps({"name": client.keys[-1], **client.entry(argv)})]
    return [*own, *argv] if own[-1] == "--" or not any(word.startswith("-") for word in argv) else []


def _run(argv: Sequence[str]) -> None:
    """Run a client's own command. Raises ConfigError with what it printed."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=COMMAND_SECONDS
        )
    except subprocess.TimeoutExpired:
        raise ConfigError(f"{shlex.join(argv)} did not end within {COMMAND_SECONDS:.0f} s") from None
    except OSError as error:
        raise ConfigError(f"{shlex.join(argv)}: {error.strerror}") from None
    if done.returncode:
        printed = clean((done.stderr.strip() or done.stdout.strip())[-400:], 400)
        raise ConfigError(f"{shlex.join(argv)} failed with status {done.returncode}: {printed}")


def diff(file: ConfigFile, text: str) -> str:
    """What becomes of a file."""
    name = clean(str(file.path), 4096)
    lines = difflib.unified_diff(file.text.splitlines(), text.splitlines(), name, name, lineterm="")
    return clean_text("\n".join(lines))
