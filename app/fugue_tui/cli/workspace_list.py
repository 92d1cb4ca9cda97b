"""`fugue-tui ls`: lists the running and the saved workspaces."""

from typing import Any

from fugue_tui.cli.args import Usage, as_json, complain, echo, json_form, options_of
from fugue_tui.client.workspaces import workspaces

COLUMNS = ("name", "state", "clients", "windows", "panes", "since")


def ls(arguments: list[str]) -> int:
    """Print every workspace: its name, whether it runs or is saved, the number of attached clients, windows and
    panes, and since when."""
    options, positional, _ = options_of(arguments, (), ("--json",))
    if positional:
        raise Usage(f"ls: {positional[0][:40]!a}: unexpected argument; it takes --json")
    found = workspaces()
    if "--json" in options:
        echo(as_json({"workspaces": found}, json_form(arguments)))
    elif found:
        echo(_table(found))
    else:
        complain(
            "no workspace runs, and none waits to come back; fugue-tui starts one, fugue-tui list-saved has the ended"
        )
    return 0


def _table(found: list[dict[str, Any]]) -> str:
    rows = [tuple(name.upper() for name in COLUMNS)]
    stated = [each | {"state": "running" if each["running"] else "saved"} for each in found]
    rows += [tuple("?" if each[name] is None else str(each[name]) for name in COLUMNS) for each in stated]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    padded = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "\n".join(line.rstrip() for line in padded)
