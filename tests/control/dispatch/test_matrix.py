"""Every command, by every kind of caller, under every rule: whether it runs, is asked about or is refused."""

from typing import Any

import pytest
from msgspec.structs import replace
from tests.control.dispatch.test_effects import EFFECTS, ours
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings
from fugue_tui.control.agents.receivers import with_role
from fugue_tui.control.core.command import Command, Effect, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.workspace import edit

CALLS = {
    "approve-request": "approve-request 1",
    "close-pane": "close-pane {pane}",
    "close-window": "close-window {window}",
    "coordinate-panes": 'coordinate-panes --steps \'{{"pane": "{pane}", "command": "true"}}\'',
    "create-layout": 'create-layout --layout \'{{"pane": {{"command": "true"}}}}\'',
    "create-pane": "create-pane --source-pane {pane} --command true",
    "create-session": "create-session --command true",
    "create-snapshot": "create-snapshot --name a --overwrite",
    "create-window": "create-window --command true",
    "delete-saved": "delete-saved --name a",
    "deny-request": "deny-request 1",
    "detach-client": "detach-client --client 1",
    "diff-pane": "diff-pane --cursor c",
    "execute-command": "execute-command {pane} --command true",
    "explain-policy": "explain-policy --call list-panes",
    "focus-pane": "focus-pane {pane}",
    "import-servers": "import-servers --all",
    "inject-context": 'inject-context {pane} --env \'{{"A": "b"}}\'',
    "interrupt-pane": "interrupt-pane {pane} --escalate",
    "kill-server": "kill-server --workspace test",
    "kill-session": "kill-session --session {session}",
    "load-layout": "load-layout --name a",
    "load-workspace": "load-workspace --name a",
    "parse-output": "parse-output --text a",
    "detect-intent": "detect-intent --text a",
    "paste-buffer": "paste-buffer {pane}",
    "set-buffer": "set-buffer --text a",
    "save-buffer": "save-buffer /nowhere/a",
    "load-buffer": "load-buffer /nowhere/a",
    "paste-smart": "paste-smart {pane}",
    "read-pane": "read-pane {pane}",
    "record-pane": "record-pane {pane} --output /nowhere/a",
    "display-popup": "display-popup --command true",
    "record-window": "record-window {window} --output /nowhere/a",
    "replay-recording": "replay-recording /nowhere/a",
    "stop-recording": "stop-recording {pane}",
    "switch-workspace": "switch-workspace other",
    "rename-pane": "rename-pane {pane} --name a",
    "rename-session": "rename-session --name a",
    "rename-window": "rename-window --name a",
    "rename-workspace": "rename-workspace --name a",
    "respawn-pane": "respawn-pane {pane}",
    "restore-session": "restore-session --name a",
    "restore-snapshot": "restore-snapshot --name a --pane {pane}",
    "revoke-grant": "revoke-grant 1",
    "notify-user": "notify-user {pane} --text done",
    "explain-agent": "explain-agent {pane}",
    "wait-for-agents": "wait-for-agents {pane} --timeout 0",
    "report-agent": "report-agent idle --pane {pane}",
    "start-agent": "start-agent codex --pane {pane}",
    "brief-agent": "brief-agent {pane} --briefing a",
    "start-team": 'start-team pair --variables \'{{"task": "a"}}\'',
    "stop-team": "stop-team team-{pane}",
    "team-report": "team-report blue",
    "stop-agent": "stop-agent {pane}",
    "restart-agent": "restart-agent {pane}",
    "monitor-agent": "monitor-agent {pane} --idle nudge",
    "send-message": "send-message {pane} --text a",
    "publish-message": "publish-message t --text a",
    "subscribe-topic": "subscribe-topic t --pane {pane}",
    "acknowledge-message": "acknowledge-message 1",
    "add-task": "add-task a",
    "update-task": "update-task 1 --title a --force",
    "release-task": "release-task 1",
    "remove-task": "remove-task 1",
    "show-agents": "show-agents --place split --pane {pane}",
    "edit-scrollback": "edit-scrollback {pane}",
    "open-url": "open-url https://example.com",
    "show-result": "show-result 1",
    "save-result": "save-result 1 --output a",
    "show-file": "show-file notes.md --pane {pane}",
    "run-command": "run-command --command true",
    "run-shell": "run-shell true",
    "pipe-pane": "pipe-pane cat --pane {pane} --connect both",
    "log-pane": "log-pane /nowhere/log --pane {pane}",
    "run-tmux-command": "run-tmux-command -- respawn-pane -k -t {pane} cat",
    "save-layout": "save-layout --name a",
    "save-session": "save-session --name a --overwrite",
    "search-panes": "search-panes --pattern a",
    "select-layout": "select-layout tiled",
    "select-session": "select-session --session {session}",
    "select-window": "select-window {window}",
    "send-input": "send-input {pane} --text a --wait-for b",
    "send-keys": "send-keys {pane} --keys a",
    "signal-pane": "signal-pane {pane}",
    "split-pane": "split-pane {pane} --command true",
    "start-pane": "start-pane {pane}",
    "stream-output": "stream-output --panes {pane}",
    "swap-window": "swap-window --other next",
    "find-window": "find-window a",
    "clear-history": "clear-history {pane}",
    "join-pane": "join-pane {pane}",
    "swap-pane": "swap-pane {pane} --other next",
    "type-with-ime": "type-with-ime {pane} --text a",
    "visual-diff": "visual-diff --pane {pane} --command true",
    "wait-for-output": "wait-for-output --panes {pane}",
    "withdraw-context": "withdraw-context {pane}",
}
"""A call of each command that does all it can; those that are missing need no arguments."""
ALWAYS_ASKED = {"delete-saved", "update-task", "remove-task"}
"""What ends or deletes something that belongs to no pane."""
OPENING = {
    "create-layout", "create-pane", "create-session", "create-window", "load-layout", "load-workspace",
    "display-popup", "replay-recording",
    "restore-session", "run-command", "run-shell", "show-file", "split-pane", "start-agent", "start-team",
}  # fmt: skip
"""What runs programs in panes that the call opens."""
NOT_TO_ONESELF = {"send-message", "publish-message"}
"""What never goes to the caller's own pane."""
OF_SERVERS = {"call-server", "complete-argument", "connect-server", "disconnect-server", "get-prompt", "read-resource",
    "show-resource", "show-server-log"}  # fmt: skip
"""What is judged by the MCP server too that it uses."""
RULES = ("allow", "ask", "refuse")


class Ran(Exception):
    """The command was run."""


def outcome(room: Room, command: Command[Any], origin: Origin) -> str:
    """What becomes of a call: allow, ask or refuse."""
    try:
        result = Dispatcher(room.mux).run(command, origin)
    except Ran:
        return "allow"
    except Refused as error:
        return "refuse" if "may not do this" in str(error) else str(error)
    assert is_deferred(result)
    result.cancel()
    return "ask"


STRICTER: dict[Effect, dict[str, str]] = {
    **{key: {"allow": "ask"} for key in (Effect.INPUT, Effect.RUN, Effect.DESTROY)},
    **{key: {"allow": "refuse", "ask": "refuse"} for key in (Effect.CLIPBOARD, Effect.ADMIN)},
}
"""What a rule means for the tags that programs print."""


def expected(cls: type[Command[Any]], effects: set[Effect], rules: dict[Effect, str], *, own: bool) -> str:
    """What the rules say of a call by an agent, whose own panes it is about or not."""
    if cls.user_only:
        return "refuse"
    words = set[str]()
    for effect in effects:
        word = rules[effect]
        about_pane = effect is not Effect.READ or cls.verb == "send-input"
        free = (
            effect not in (Effect.ADMIN, Effect.CLIPBOARD, Effect.LAYOUT)
            and about_pane
            and cls.verb not in ALWAYS_ASKED
        )
        words.add("allow" if word == "ask" and free and (own or cls.verb in OPENING) else word)
    return max(words, key=RULES.index)


@pytest.mark.slow
def test_every_command_by_every_caller_under_every_rule(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = room.cat()
    room.say("create-session --name theirs --command cat")
    theirs = next(pane for pane in room.open if pane != mine)
    for pane in (mine, theirs):
        room.say(f"subscribe-topic t --pane {pane}")
        record = with_role(room.mux.workspace.panes[pane], "", f"team-{pane}")
        room.mux.assign(edit.update_pane(room.mux.workspace, record))
    room.say("add-task a")
    for cls in ours().values():
        monkeypatch.setattr(cls, "run", _ran)
    monkeypatch.setattr("fugue_tui.control.commands.coordinate.typed_pane", _typed_pane)
    monkeypatch.setattr("fugue_tui.control.commands.execute_command.running", _running)
    agent = Origin(Interface.MCP, mine, inside=True)
    script_inside = Origin(Interface.CLI, mine, inside=True)
    orphan, client = Origin(Interface.CLI, inside=True, process="1@2"), Origin(Interface.MCP, process="3@4")
    program = Origin(Interface.SIDEBAND, mine, inside=True)
    seen = set[tuple[str, str]]()
    judged_by_effect = {verb: cls for verb, cls in ours().items() if verb not in OF_SERVERS}
    for verb, cls in judged_by_effect.items():
        for pane in (mine, theirs):
            window = room.mux.window_of(pane)
            words = CALLS.get(verb, verb).format(pane=pane, window=window.id, session=window.session)
            command = parse(words)
            effects = EFFECTS[verb] | ({Effect.READ} if verb == "visual-diff" else set[Effect]())
            assert command.effects == effects, "the call does not do all that it can"
            for origin in (
                Origin(Interface.KEY),
                Origin(Interface.PALETTE),
                Origin(Interface.MOUSE),
                Origin(Interface.CLI),
            ):
                room.mux.permissions = McpSettings(**dict.fromkeys(Effect, "refuse"))  # pyright: ignore[reportArgumentType]
                assert outcome(room, command, origin) == "allow", (words, origin)
            for rule in RULES:
                for effect in Effect:
                    rules = dict.fromkeys(Effect, "allow") | {effect: rule}
                    room.mux.permissions = replace(McpSettings(), **{str(each): rules[each] for each in rules})
                    for origin in (agent, script_inside, orphan, client):
                        if (
                            verb
                            in (
                                "execute-command",
                                "inject-context",
                                "withdraw-context",
                                "visual-diff",
                                "coordinate-panes",
                                *NOT_TO_ONESELF,
                            )
                            and pane == origin.pane
                        ):
                            continue  # Its own input: refused by the command itself.
                        found = outcome(room, command, origin)
                        own = origin.pane == pane and verb != "kill-server"
                        assert found == expected(cls, effects, rules, own=own), (words, origin, rules)
                        seen.add((verb, found))
                    if verb not in (
                        "execute-command",
                        "inject-context",
                        "withdraw-context",
                        "visual-diff",
                        *NOT_TO_ONESELF,
                    ):
                        stricter = {each: STRICTER.get(each, {}).get(word, word) for each, word in rules.items()}
                        wanted = expected(cls, effects, stricter, own=program.pane == pane)
                        if Effect.DESTROY in effects and command.targets(room.mux, program):
                            wanted = "refuse"
                        assert outcome(room, command, program) == wanted, (words, rules)
    assert {verb for verb, found in seen if found == "refuse"} == set(judged_by_effect)


def _ran(command: Command[Any], mux: Any, origin: Origin) -> None:
    raise Ran


def _running(mux: Any, pane: PaneId) -> Any:
    return mux.terminal(pane)


def _typed_pane(mux: Any, wanted: str, origin: Origin) -> PaneId:
    return PaneId(wanted[1:])
