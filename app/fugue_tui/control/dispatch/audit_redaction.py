"""A command as the audit log records it: its panes, and its words without secrets."""

import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, cast

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin
from fugue_tui.control.schema import command_line
from fugue_tui.errors import CommandError
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace.secret_filter import WITHHELD, SecretFilter

_PANES: Final = ("pane", "panes", "other")
"""The fields that name panes."""
_TYPED: Final = ("text", "keys", "key")
"""The fields with what is typed."""
_SHORT: Final = 6
"""Characters of a text that is too short for a secret and what identifies it."""
_ENV: Final = re.compile(r'("env"\s*:\s*)\{(?:[^{}"]|"(?:[^"\\]|\\.)*"?)*\}?')
_QUOTED: Final = re.compile(r"`.*`", re.DOTALL)


class Redaction:
    """Removes the secrets of commands, by the session's patterns for names."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = patterns
        self._filter = SecretFilter(patterns)

    def words(self, command: Command[Any], most: int, *, hidden: bool) -> str:
        """A command as a line that is exact for its first `most` characters, but for secrets; with `hidden`, also
        without what it types."""

        def redacted(name: str, value: Any) -> Any:
            typed = name in _TYPED or (name == "command" and Effect.INPUT in command.effects)
            return WITHHELD if hidden and value and typed else self._value(name, value)

        return command_line.beginning(command, most, redacted)

    def reason(self, message: str) -> str:
        """An error's message without secrets and without what it quotes of a pane."""
        return self._filter.line(_QUOTED.sub("`...`", message))

    def _value(self, name: str, value: Any) -> Any:
        match value:
            case dict():
                entries = cast("dict[str, Any]", value)
                if name == "env":
                    return dict.fromkeys(entries, WITHHELD)
                return {key: self._value(key, each) for key, each in entries.items()}
            case list():
                return self._list(name, cast("list[Any]", value))
            case str() if self._filter.secret(name):
                return WITHHELD
            case str() if len(value) > _SHORT:
                return self._filter.line(_ENV.sub(rf"\1{WITHHELD}", value))
            case _:
                return value

    def _list(self, name: str, values: list[Any]) -> list[Any]:
        if all(isinstance(each, str) for each in values):
            return list(self._filter.words(values))
        return [self._value(name, each) for each in values]


def named_panes(mux: Multiplexer, command: Command[Any], origin: Origin) -> tuple[str, ...]:
    """The ids of the panes that a command names."""
    found = dict[str, None]()
    if Effect.INPUT in command.effects:
        with suppress(CommandError):
            found = dict.fromkeys(map(str, command.targets(mux, origin)))
    for value in (getattr(command, name, None) for name in _PANES):
        for word in (value,) if isinstance(value, str) else cast("tuple[object, ...]", value or ()):
            try:
                found[str(target.pane(mux, str(word), origin))] = None
            except CommandError:
                continue
    return tuple(found)


def types_unseen(mux: Multiplexer, command: Command[Any], panes: Sequence[str]) -> bool:
    """Whether a command types where the terminal does not show it, as at a password prompt."""
    if Effect.INPUT not in command.effects:
        return False
    return any(terminal.hides_input for pane, terminal in mux.terminals.items() if str(pane) in panes)


def result_panes(result: object) -> tuple[str, ...]:
    """The pane that a result describes, such as one that was opened."""
    named = [getattr(result, name, None) for name in ("id", "pane")]
    return tuple(each for each in named if isinstance(each, str) and each.startswith("%"))
