"""What titles and screens of known agents show, as data: `programs/NAME.toml`, and the user's `agents/NAME.toml`.

    [[title]]                     # or [[screen]], [[notification]]
    name = "spinner"              # for explain-agent
    state = "working"             # idle, working, blocked, done or error
    kind = "permission"           # of a blocked one: permission, question or auth
    pattern = '^[⠁-⣿] '           # RE2; the first line that it matches is what a blocked agent says

The first rule of a kind that matches counts; the user's come before those that are shipped. Of a screen the last rows
are searched.
"""

import os
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from fugue_tui import trusted_files
from fugue_tui.errors import ConfigError, InvalidArgument
from fugue_tui.multiplexer.agents.state import AgentState, BlockedBy, Reading
from fugue_tui.multiplexer.watch.patterns import Pattern, expression
from fugue_tui.sanitize import clean
from fugue_tui.user_dirs import config_file

SHIPPED: Final = ("aider", "claude", "codex", "gemini", "opencode", "qwen")
WORDS: Final = 200
"""Characters of an agent's words."""
_PROMPT: Final = re.compile(r"[ │]*[>❯›](?=[ \u00a0]|$)")
_BLANK: Final = " \u00a0│"
_HEAD: Final = 20
"""Characters by which a text is known in the program's input."""
_FOLDED: Final = "[Pasted"
_FILE_LIMIT: Final = 65_536
_RULES: Final = 100
"""Rules of one kind at most."""


class _RuleEntry(Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    state: Literal["idle", "working", "blocked", "done", "error"]
    pattern: str
    kind: BlockedBy | None = None


class _RuleFile(Struct, frozen=True, forbid_unknown_fields=True):
    title: tuple[_RuleEntry, ...] = ()
    screen: tuple[_RuleEntry, ...] = ()
    notification: tuple[_RuleEntry, ...] = ()


class Rule(Struct, frozen=True):
    """A text that shows a state."""

    name: str
    state: AgentState
    kind: BlockedBy | None
    pattern: Pattern

    def reading(self, text: bytes) -> Reading | None:
        """What a text shows; None if it does not match."""
        span = self.pattern.search(text, 0, len(text))
        if span is None:
            return None
        matched = ""
        if self.state in (AgentState.BLOCKED, AgentState.ERROR):
            matched = text[slice(*span)].decode("utf-8", "replace").strip().partition("\n")[0]
        return Reading(self.state, self.kind, clean(matched, WORDS), rule=self.name)


class ProgramRules(Struct, frozen=True):
    """The rules of one program, by what they match."""

    titles: tuple[Rule, ...] = ()
    screens: tuple[Rule, ...] = ()
    notifications: tuple[Rule, ...] = ()

    def title(self, title: str) -> Reading | None:
        """What a title shows; None for nothing."""
        return _first(self.titles, title)

    def screen(self, rows: Sequence[str]) -> Reading | None:
        """What the last rows of a screen show; None for nothing."""
        return _first(self.screens, "\n".join(rows))

    def takes_input(self, rows: Sequence[str]) -> bool:
        """Whether the last rows of a screen show the program's input, and no dialog; true for a program without a rule
        for that."""
        text = "\n".join(rows).encode()
        shown = {rule.state for rule in self.screens if rule.reading(text) is not None}
        known = any(rule.state is AgentState.IDLE for rule in self.screens)
        return AgentState.BLOCKED not in shown and (AgentState.IDLE in shown or not known)

    def holds(self, rows: Sequence[str], text: str) -> bool:
        """Whether the input that the last rows of a screen show still has a text, or a paste that the program folds;
        false for a program without a rule for its input."""
        inputs = [row for row in rows if _PROMPT.match(row)]
        if not inputs or all(rule.state is not AgentState.IDLE for rule in self.screens):
            return False
        entered = _PROMPT.sub("", inputs[-1]).strip(_BLANK)
        return bool(entered) and (entered.startswith(_FOLDED) or text.startswith(entered[:_HEAD]))

    def notification(self, text: str) -> Reading | None:
        """What a notification shows; None for nothing."""
        return _first(self.notifications, text)


class RuleCache:
    """The rules of programs, read once: those that are shipped alone, if the user's are faulty."""

    def __init__(self, on_fault: Callable[[str], None] = lambda fault: None) -> None:
        """`on_fault` is called with what is wrong with a file of rules of the user."""
        self._on_fault = on_fault
        self._rules: dict[str, ProgramRules] = {}

    def of(self, program: str) -> ProgramRules:
        """The rules of a program. Reads files the first time."""
        if program not in self._rules:
            try:
                self._rules[program] = load(program)
            except ConfigError as error:
                self._on_fault(str(error))
                self._rules[program] = load_shipped(program)
        return self._rules[program]


def load(program: str) -> ProgramRules:
    """The rules of a program: the user's, and those that are shipped. Raises ConfigError for a faulty file of the user.
    Reads files."""
    path, shipped = os.path.join(os.path.dirname(config_file()), "agents", f"{program}.toml"), load_shipped(program)
    if not os.path.lexists(path):
        return shipped
    rules = _user_rules(path)
    return ProgramRules(
        rules.titles + shipped.titles,
        rules.screens + shipped.screens,
        rules.notifications + shipped.notifications,
    )


def load_shipped(program: str) -> ProgramRules:
    """The rules of a program that are shipped; none for another. Reads files."""
    if program not in SHIPPED:
        return ProgramRules()
    return parse(Path(__file__).with_name("programs").joinpath(f"{program}.toml").read_text("utf-8"), program)


def parse(text: str, where: str) -> ProgramRules:
    """The rules in the text of a file. Raises ConfigError that names the file and the rule."""
    try:
        found = msgspec.convert(trusted_files.toml(text), _RuleFile)
    except trusted_files.UntrustedFile as error:
        raise ConfigError(trusted_files.describe(where, error)) from None
    except msgspec.ValidationError as error:
        raise ConfigError(f"{where}: {error}") from None
    return ProgramRules(
        *(
            tuple(_rule(each, f"{where}: {kind} {each.name!r}") for each in entries[:_RULES])
            for kind, entries in (
                ("title", found.title),
                ("screen", found.screen),
                ("notification", found.notification),
            )
        )
    )


def _user_rules(path: str) -> ProgramRules:
    try:
        return parse(trusted_files.text(Path(path), _FILE_LIMIT), path)
    except (OSError, trusted_files.UntrustedFile) as error:
        raise ConfigError(trusted_files.describe(path, error)) from None


def _rule(entry: _RuleEntry, where: str) -> Rule:
    try:
        return Rule(entry.name, AgentState(entry.state), entry.kind, expression(entry.pattern, where))
    except InvalidArgument as error:
        raise ConfigError(str(error)) from None


def _first(rules: Sequence[Rule], text: str) -> Reading | None:
    data = text.encode("utf-8", "replace")
    return next((found for rule in rules if (found := rule.reading(data))), None)
