"""Installs `fugue-tui hook` as a hook of agents, beside the hooks that are there, and takes it out again.

Claude Code and Gemini CLI have lists of hooks by event, Codex has one `notify` program, and a user's own is not
replaced. What is installed does nothing outside of a pane, and if this program is gone.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, cast

from fugue_tui.cli.setup.config_file import ConfigFile
from fugue_tui.cli.setup.register import Outcome, State, diff, edit
from fugue_tui.config import json_edit, toml_edit
from fugue_tui.config.mcp_clients import Client, expanded_file
from fugue_tui.errors import ConfigError

PART: Final = "hooks"
BACKUP: Final = ".fugue-hooks-backup"
NOTIFY: Final = "notify"
_OURS: Final = re.compile(r'\[ -n "\$FUGUE_PANE" \] && \[ -x .+ \] && .+ hook [a-z]+(?: "\$1")? 2>/dev/null \|\| :')
_SHELL: Final = "/bin/sh"


class Hooks(NamedTuple):
    """The hooks of one agent."""

    client: str
    """Its name among the clients."""
    program: str
    """Its name for `fugue-tui hook`."""
    files: tuple[str, ...]
    """The file with its hooks, as the files of clients."""
    events: tuple[str, ...] = ()
    """The events; none for Codex."""
    options: Mapping[str, Any] = {}
    """More of each hook: its timeout."""
    switch: tuple[tuple[str, ...], bool] | None = None
    """The key that turns all hooks off, by which value."""


HOOKS: Final = (
    Hooks(
        client="claude-code",
        program="claude",
        files=("{CLAUDE_CONFIG_DIR}/settings.json", "{home}/.claude/settings.json"),
        events=(
            *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
            *("PermissionRequest", "PermissionDenied", "Notification", "Elicitation", "ElicitationResult"),
            *("Stop", "StopFailure", "SessionEnd"),
        ),
        options={"timeout": 5},  # Seconds.
        switch=(("disableAllHooks",), True),
    ),
    Hooks(
        client="codex",
        program="codex",
        files=("{CODEX_HOME}/config.toml", "{home}/.codex/config.toml"),
    ),
    Hooks(
        client="gemini",
        program="gemini",
        files=("{GEMINI_CLI_HOME}/.gemini/settings.json", "{home}/.gemini/settings.json"),
        events=(  # Not AfterModel, which comes with every piece of an answer.
            *("SessionStart", "BeforeAgent", "BeforeModel", "BeforeTool", "AfterTool", "Notification"),
            *("AfterAgent", "SessionEnd"),
        ),
        options={"name": "fugue", "timeout": 5_000},  # Milliseconds.
        switch=(("hooksConfig", "enabled"), False),
    ),
)


def of(client: Client) -> Hooks | None:
    """The hooks of a client; None if it has none."""
    return next((each for each in HOOKS if each.client == client.name), None)


class HookFile:
    """The file with an agent's hooks. Raises ConfigError if it cannot be parsed."""

    def __init__(self, hooks: Hooks) -> None:
        self._hooks = hooks
        self.file = ConfigFile(expanded_file(hooks.files), (PART if hooks.events else NOTIFY,), BACKUP)

    @property
    def commands(self) -> dict[str, str]:
        """The shell commands of ours, by event."""
        if not self._hooks.events:
            return {NOTIFY: _script(self.notify)} if _script(self.notify) else {}
        return {
            event: _command(self._groups(event)[found[-1]]) for event in self._known if (found := self._ours(event))
        }

    @property
    def notify(self) -> list[str]:
        """The words of Codex's `notify`; none if it has none."""
        found = self.file.content.get(NOTIFY)
        return [str(word) for word in cast("list[object]", found)] if isinstance(found, list) else []

    @property
    def is_off(self) -> bool:
        """Whether the user has turned all hooks off."""
        if self._hooks.switch is None:
            return False
        keys, value = self._hooks.switch
        found: object = self.file.content
        for key in keys:
            found = cast("dict[str, object]", found).get(key) if isinstance(found, dict) else None
        return found is value

    def with_hooks(self, words: Sequence[str]) -> str:
        """The text with the hooks that start these words. Raises ConfigError."""
        command = shell_command(words, self._hooks.program)
        if not self._hooks.events:
            expected, value = self.file.content, _notify(command)
            expected[NOTIFY] = value
            rest = self.without_hooks()
            return self.file.checked(lambda: toml_edit.put_line(rest, NOTIFY, value), expected)
        if self.commands == dict.fromkeys(self._hooks.events, command):
            return self.file.text
        text, expected = self._without()
        group = {PART: [{"type": "command", "command": command, **self._hooks.options}]}
        table = expected.setdefault(PART, {})
        for event in self._hooks.events:
            table.setdefault(event, []).append(group)
        return self.file.checked(lambda: _appended(text, self._hooks.events, group), expected)

    def without_hooks(self) -> str:
        """The text without them. Raises ConfigError."""
        if self._hooks.events:
            return self._without()[0]
        expected = self.file.content
        if not _script(self.notify):
            return self.file.text
        value = expected.pop(NOTIFY)
        return self.file.checked(lambda: toml_edit.drop_line(self.file.text, NOTIFY, value), expected)

    @property
    def _known(self) -> list[str]:
        """The events that have hooks. Raises ConfigError if the file has something else there."""
        table = self.file.content.get(PART, {})
        if not isinstance(table, dict):
            raise ConfigError(f"{self.file.path}: {PART} is not an object")
        known = {name: isinstance(value, list) for name, value in cast("dict[str, object]", table).items()}
        if wrong := next((name for name in self._hooks.events if not known.get(name, True)), ""):
            raise ConfigError(f"{self.file.path}: {PART}.{wrong} is not an array")
        return [name for name, is_list in known.items() if is_list]

    def _groups(self, event: str) -> list[Any]:
        return self.file.content.get(PART, {}).get(event, [])

    def _ours(self, event: str) -> list[int]:
        """The positions of ours among the hooks of an event."""
        return [at for at, group in enumerate(self._groups(event)) if _command(group)]

    def _without(self) -> tuple[str, dict[str, Any]]:
        """The text and the content without ours."""
        expected, found = self.file.content, {event: self._ours(event) for event in self._known}
        for event, positions in found.items():
            table = expected[PART]
            left = [group for at, group in enumerate(table[event]) if at not in positions]
            table[event] = left
            if positions and not left:
                del table[event]
            if not table:
                del expected[PART]
        return self.file.checked(lambda: _dropped(self.file.text, found), expected), expected


def add(client: Client, hooks: Hooks, words: Sequence[str], *, dry: bool) -> Outcome:
    """Install the hooks, unless they are there. Raises ConfigError."""
    found = HookFile(hooks)
    path, notify = str(found.file.path), found.notify
    if notify and not _script(notify):
        note = "" if notify[-2:] == ["hook", hooks.program] else f"{NOTIFY} is your own program; it stays"
        return Outcome(client, State.KEPT if note else State.UNCHANGED, path, part=PART, note=note)
    text = found.with_hooks(words)
    if text == found.file.text:
        return Outcome(client, State.UNCHANGED, path, part=PART)
    found.file.check_writable()
    state = State.UPDATED if found.commands else State.ADDED
    return edit(found.file, text, Outcome(client, state, path, part=PART), dry=dry)


def remove(client: Client, hooks: Hooks, *, dry: bool) -> Outcome:
    """Take the hooks out, and nothing else; a file that was made for them goes. Raises ConfigError."""
    found = HookFile(hooks)
    path, text = str(found.file.path), found.without_hooks()
    if text == found.file.text:
        return Outcome(client, State.ABSENT, path, part=PART)
    found.file.check_writable()
    outcome = Outcome(client, State.REMOVED, path, diff(found.file, text), part=PART)
    if "".join(text.split()) in ("", "{}") and not found.file.backup.exists():
        if not dry:
            found.file.restore("")
        return outcome
    return edit(found.file, text, outcome, dry=dry)


def shell_command(words: Sequence[str], program: str) -> str:
    """The hook as a shell runs it: nothing outside of a pane, or if the program is gone; always silent, and 0."""
    run = shlex.join([*words, "hook", program]) + ("" if program != "codex" else ' "$1"')
    return f'[ -n "$FUGUE_PANE" ] && [ -x {shlex.quote(words[0])} ] && {run} 2>/dev/null || :'


def _notify(command: str) -> list[str]:
    return [_SHELL, "-c", command, "fugue-tui"]


def _script(notify: Sequence[str]) -> str:
    """The shell command of a `notify` of ours; empty for another."""
    script = notify[2] if len(notify) == 4 else ""
    return script if list(notify) == _notify(script) and _OURS.fullmatch(script) else ""


def _command(group: object) -> str:
    """The command of a group of ours; empty for another."""
    hooks = cast("dict[str, object]", group).get(PART) if isinstance(group, dict) else None
    each = cast("list[object]", hooks)[0] if isinstance(hooks, list) and len(cast("list[object]", hooks)) == 1 else None
    command = cast("dict[str, object]", each).get("command") if isinstance(each, dict) else None
    return command if isinstance(command, str) and _OURS.fullmatch(command) else ""


def _appended(text: str, events: Sequence[str], group: dict[str, Any]) -> str:
    for event in events:
        text = json_edit.append(text, (PART, event), group)
    return text


def _dropped(text: str, found: Mapping[str, Sequence[int]]) -> str:
    for event, positions in reversed([*found.items()]):
        text = json_edit.drop_elements(text, (PART, event), positions) if positions else text
    return text
