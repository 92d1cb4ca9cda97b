"""What each command does, by which the policy judges it: a new command is entered here by hand."""

from typing import Any

import pytest

from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Command, Effect, registry
from fugue_tui.control.schema import command_line

READ, LAYOUT, INPUT = {Effect.READ}, {Effect.LAYOUT}, {Effect.INPUT}
RUN, DESTROY, ADMIN, CLIPBOARD = {Effect.RUN}, {Effect.DESTROY}, {Effect.ADMIN}, {Effect.CLIPBOARD}
EFFECTS = {
    "approve-request": ADMIN,
    "clear-clipboard": CLIPBOARD,
    "clipboard-context": CLIPBOARD,
    "close-pane": DESTROY,
    "close-window": DESTROY,
    "coordinate-panes": INPUT | RUN,
    "create-layout": RUN,
    "create-pane": RUN,
    "create-session": RUN,
    "create-snapshot": ADMIN,
    "create-window": RUN,
    "delete-saved": DESTROY,
    "deny-request": ADMIN,
    "detach-client": ADMIN,
    "detect-intent": READ,
    "diff-pane": READ,
    "equalize-panes": LAYOUT,
    "execute-command": INPUT | RUN,
    "explain-policy": READ,
    "focus-pane": LAYOUT,
    "freeze-agents": ADMIN,
    "get-current-directory": READ,
    "get-layout": READ,
    "get-pane-state": READ,
    "get-running-process": READ,
    "get-status": READ,
    "hand-over-pane": ADMIN,
    "inject-context": INPUT | RUN,
    "interrupt-pane": INPUT | DESTROY,
    "kill-server": DESTROY | ADMIN,
    "kill-session": DESTROY,
    "list-approvals": READ,
    "list-clients": READ,
    "list-commands": READ,
    "list-events": READ,
    "list-grants": READ,
    "list-layouts": READ,
    "list-panes": READ,
    "list-saved": READ,
    "list-sessions": READ,
    "list-windows": READ,
    "load-layout": RUN,
    "load-workspace": RUN,
    "parse-output": READ,
    "paste-smart": CLIPBOARD | INPUT,
    "read-pane": READ,
    "redo-change": LAYOUT,
    "redo-layout": LAYOUT,
    "refresh-client": READ,
    "release-agents": ADMIN,
    "rename-pane": LAYOUT,
    "rename-session": LAYOUT,
    "rename-window": LAYOUT,
    "rename-workspace": ADMIN,
    "resize-pane": LAYOUT,
    "respawn-pane": DESTROY | RUN,
    "restore-session": RUN | ADMIN,
    "restore-snapshot": DESTROY | RUN,
    "revoke-grant": ADMIN,
    "grant-sideband": ADMIN,
    "revoke-sideband": ADMIN,
    "toggle-sideband": ADMIN,
    "notify-user": LAYOUT,
    "list-agents": READ,
    "explain-agent": READ,
    "wait-for-agents": READ,
    "focus-waiting-agent": LAYOUT,
    "report-agent": LAYOUT,
    "start-agent": RUN,
    "start-team": RUN,
    "stop-team": DESTROY,
    "team-status": READ,
    "brief-agent": INPUT,
    "stop-agent": DESTROY,
    "restart-agent": DESTROY | RUN,
    "send-message": INPUT,
    "publish-message": INPUT,
    "subscribe-topic": LAYOUT,
    "list-messages": READ,
    "read-messages": LAYOUT,
    "acknowledge-message": LAYOUT,
    "add-task": LAYOUT,
    "list-tasks": READ,
    "claim-task": LAYOUT,
    "update-task": DESTROY,
    "release-task": LAYOUT,
    "remove-task": DESTROY,
    "export-tasks": READ,
    "show-file": RUN,
    "rotate-panes": LAYOUT,
    "run-command": RUN,
    "run-shell": RUN,
    "run-tmux-command": DESTROY | RUN,
    "save-layout": ADMIN,
    "save-session": ADMIN,
    "screenshot-pane": READ,
    "search-panes": READ,
    "select-layout": LAYOUT,
    "select-session": LAYOUT,
    "select-window": LAYOUT,
    "send-input": INPUT | READ,
    "send-keys": INPUT,
    "show-audit": LAYOUT,
    "signal-pane": DESTROY,
    "snapshot-pane": READ,
    "show-policy": READ,
    "split-pane": RUN,
    "start-pane": RUN,
    "stream-output": READ,
    "swap-pane": LAYOUT,
    "take-pane": ADMIN,
    "type-with-ime": INPUT,
    "undo-change": LAYOUT,
    "undo-layout": LAYOUT,
    "visual-diff": INPUT | RUN,
    "wait-for-output": READ,
    "who-typed": READ,
    "withdraw-context": INPUT,
    "zoom-pane": LAYOUT,
}
NESTED = """{"direction": "vertical", "splits":
    "[{\\"ratio\\": 0.5, \\"pane\\": {}}, {\\"ratio\\": 0.5, \\"pane\\": {\\"command\\": [\\"top\\"]}}]"}"""
LESS = {
    "split-pane": LAYOUT,
    "split-pane --command top": RUN,
    'split-pane --env \'{"A": "b"}\'': RUN,
    "create-pane": LAYOUT,
    "create-pane --command top": RUN,
    'create-pane --env \'{"A": "b"}\'': RUN,
    "create-window": LAYOUT,
    "create-window --command top": RUN,
    "create-session": LAYOUT,
    "create-session --command top": RUN,
    "create-layout --preset grid_2x2": LAYOUT,
    "create-layout --preset tiled --pane-commands top": RUN,
    "create-layout --layout '{\"pane\": {}}'": LAYOUT,
    'create-layout --layout \'{"pane": {"command": "top"}}\'': RUN,
    'create-layout --layout \'{"pane": {"env": {"A": "b"}}}\'': RUN,
    f"create-layout --layout '{NESTED}'": RUN,
    "create-layout": RUN,
    "save-session --name a": LAYOUT,
    "save-session --name a --overwrite": ADMIN,
    "create-snapshot --name a": LAYOUT,
    "create-snapshot --name a --overwrite": ADMIN,
    "interrupt-pane --pane %1": INPUT,
    "interrupt-pane --pane %1 --escalate": INPUT | DESTROY,
    "send-input --text a": INPUT,
    "send-input --text a --wait-for b": INPUT | READ,
    "send-input --idle-ms 5 --submit": INPUT | READ,
    "visual-diff": READ,
    "visual-diff --keys Enter": READ | INPUT,
    "visual-diff --command ls": READ | INPUT | RUN,
    "respawn-pane": DESTROY | RUN,
    "kill-server": DESTROY | ADMIN,
    "update-task 1 --title a --state done": LAYOUT,
    "update-task 1 --force": DESTROY,
}


def ours() -> dict[str, type[Command[Any]]]:
    return {verb: cls for verb, cls in registry().items() if cls.__module__.startswith("fugue_tui.")}


def test_effects_of_every_command() -> None:
    assert {verb: cls.all_effects for verb, cls in ours().items()} == EFFECTS


def test_a_command_that_acts_on_panes_says_on_which() -> None:
    """The others open panes of their own, or act on the workspace and on what was saved."""
    acting = {verb: cls for verb, cls in ours().items() if cls.all_effects & (INPUT | RUN | DESTROY)}
    without = {verb for verb, cls in acting.items() if "targets" not in vars(cls)}
    assert without == {
        "create-layout",
        "create-pane",
        "create-session",
        "create-window",
        "delete-saved",
        "load-layout",
        "load-workspace",
        "restore-session",
        "run-command",
        "run-shell",
        "show-file",
        "split-pane",
        "start-agent",
        "start-team",
    }


def test_only_the_user_answers_for_the_user() -> None:
    assert {verb for verb, cls in ours().items() if cls.user_only} == {
        "approve-request",
        "clear-clipboard",
        "deny-request",
        "grant-sideband",
        "hand-over-pane",
        "release-agents",
        "revoke-grant",
        "revoke-sideband",
        "toggle-sideband",
    }


@pytest.mark.parametrize("line", LESS)
def test_effects_of_a_call_follow_its_arguments(line: str) -> None:
    found = command_line.command(line)
    assert found.effects == LESS[line]
    assert found.effects <= found.all_effects | READ | LAYOUT
