"""Hooks: the command lines of the configuration that events run, as tmux's set-hook.

`{pane}`, `{window}` and `{code}` in a line stand for the event's pane, window and exit code: ids and a number, so that
no text of a program becomes part of a command.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fugue_tui.config.model import HookSettings
from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Command
from fugue_tui.control.schema import command_line
from fugue_tui.errors import FugueError, InvalidArgument
from fugue_tui.multiplexer.events.derive import EventKind
from fugue_tui.multiplexer.events.log import LogEntry

ALIASES: Final = {
    EventKind.EXIT: "pane-exited",
    EventKind.PANE_OPENED: "pane-created",
    EventKind.WINDOW_OPENED: "window-created",
}
"""tmux's or other names of events, which are hooks as well."""
_SAMPLE: Final = {"{pane}": "%1", "{window}": "@1", "{code}": "0"}


def names(entry: LogEntry) -> tuple[str, ...]:
    """The hooks that an event runs; an agent's state has a hook of its own."""
    if entry.kind is EventKind.OUTPUT:
        return ()
    own = (entry.kind.value, ALIASES[entry.kind]) if entry.kind in ALIASES else (entry.kind.value,)
    state = entry.facts.get("state") if entry.kind is EventKind.AGENT else None
    return (*own, f"agent-{state}") if state else own


def commands(line: str | Sequence[str], entry: LogEntry) -> list[Command[Any]]:
    """The commands that a hook runs for an event. Raises InvalidArgument if the event has no such pane, window or
    code."""
    found = entry.facts.get("exit_code", entry.facts.get("code"))
    values = {"{pane}": entry.pane, "{window}": entry.window, "{code}": found}
    return _parsed(line, {name: "" if value is None else str(value) for name, value in values.items()})


def faults(settings: HookSettings) -> list[str]:
    """What is wrong with the hooks, one line each."""
    found: list[str] = []
    for name, line in settings.on.items():
        try:
            _parsed(line, _SAMPLE)
        except FugueError as error:
            found.append(f"hooks.on.{name}: {error}")
    return found


def is_harmless(line: str | Sequence[str]) -> bool:
    """Whether a hook only looks at the workspace or arranges it; also if it is invalid."""
    try:
        found = _parsed(line, _SAMPLE)
    except FugueError:
        return True
    return all(not each.user_only and each.effects <= command_line.HARMLESS for each in found)


def _parsed(line: str | Sequence[str], values: Mapping[str, str]) -> list[Command[Any]]:
    lines = [part for each in ([line] if isinstance(line, str) else line) for part in command_line.sequence(each)]
    return [command_line.command([_filled(word, values) for word in command_line.split(each)]) for each in lines]


def _filled(word: str, values: Mapping[str, str]) -> str:
    for name, value in values.items():
        if name in word:
            if not value:
                raise InvalidArgument(f"this event has no {name}")
            word = word.replace(name, value)
    return word
