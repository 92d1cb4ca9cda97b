"""`fugue-tui doctor`: prints what was found, a line each; the exit status is 1 if there is a fault."""

import os
import sys
from collections import Counter
from typing import Final

from fugue_tui.cli.args import Usage, as_json, echo, json_form, options_of
from fugue_tui.cli.doctor import connections, hooks, installation, storage, teams, terminal
from fugue_tui.cli.doctor.report import Check, Finding, Level, examine, line
from fugue_tui.cli.setup.hooks import of as hooks_of
from fugue_tui.config.mcp_clients import CLIENTS

CHECKS: Final = (
    Check("terminal", terminal.abilities),
    Check("around", terminal.surroundings),
    Check("clipboard", terminal.clipboard),
    Check("fonts", terminal.fonts),
    Check("versions", installation.versions),
    Check("engine", installation.engine, 20.0),
    Check("PATH", installation.path),
    Check("shell", installation.shell),
    Check("agent teams", teams.tmux, 20.0),
    Check("sockets", storage.sockets_directory),
    Check("workspaces", storage.running, 20.0),
    Check("state", storage.state_directory),
    Check("configuration", storage.configuration, 20.0),
    *(Check(client.title, connections.of(client), connections.SECONDS + 10) for client in CLIENTS),
    *(
        Check(f"{client.title} hooks", hooks.of(client, found), hooks.SECONDS * 2)
        for client in CLIENTS
        if (found := hooks_of(client))
    ),
)


def doctor(arguments: list[str]) -> int:
    """Examine everything, without network."""
    options, positional, program = options_of(arguments, (), ("--json",))
    if positional or program:
        raise Usage(f"doctor: {(positional or program)[0][:40]!a}: unexpected argument; it takes --json")
    counts: Counter[Level] = Counter()
    found: list[tuple[str, Finding]] = []
    colour = os.isatty(1) and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    for name, finding in examine(CHECKS):
        counts[finding.level] += 1
        found.append((name, finding))
        if "--json" not in options:
            echo(line(name, finding, colour=colour))
            sys.stdout.flush()
    if "--json" in options:
        findings = [{"check": name, **finding._asdict()} for name, finding in found]
        echo(as_json({"ok": not counts[Level.FAULT], "findings": findings}, json_form(arguments)))
    else:
        echo(_summary(counts))
    return 1 if counts[Level.FAULT] else 0


def _summary(counts: Counter[Level]) -> str:
    words = [f"{counts[level]} {level}{'s' * (counts[level] != 1)}" for level in (Level.FAULT, Level.WARNING)]
    return f"\n{', '.join(words)}"
