"""`fugue-tui hook`: what agents run as a hook, to report in their pane what they do, and on which model. It never fails
and prints nothing, as an agent may take either for an answer.

Claude Code and Gemini CLI send an event as JSON on stdin; Codex calls its `notify` program with one as the last
argument. As Claude Code's status line (`hook claude --status-line`) it gets the model and the cost on stdin, and prints
them.
"""

import json
import os
import sys
from collections.abc import Mapping
from typing import Any, Final, cast

from fugue_tui.cli.args import Usage
from fugue_tui.errors import FugueError
from fugue_tui.sanitize import clean

PROGRAMS: Final = ("claude", "codex", "gemini")
_LIMIT: Final = 1 << 20
_SECONDS: Final = 2.0
"""How long the agent waits for the workspace at most."""
_WORDS: Final = 300
_MODEL: Final = 80
_MAX_COST: Final = 1_000_000
_STATUS_LINE: Final = "--status-line"
_WORKING: Final = frozenset(
    {
        *("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PermissionDenied"),
        *("ElicitationResult", "BeforeAgent", "BeforeModel", "AfterModel", "BeforeTool", "AfterTool"),
    }
)
_DONE: Final = frozenset({"Stop", "AfterAgent", "agent-turn-complete"})
_IDLE: Final = frozenset({"SessionStart", "SessionEnd"})
_NOTIFICATIONS: Final = {
    "permission_prompt": "permission",
    "ToolPermission": "permission",
    "elicitation_dialog": "question",
    "agent_needs_input": "question",
}
"""The kinds of notifications that need the user, and what they need."""
_GENERAL: Final = "permission_prompt"
"""Claude Code's comes seconds after PermissionRequest, and with less detail."""


def run(arguments: list[str]) -> int:
    """Report an event to the workspace whose pane this runs in; always 0."""
    if not arguments or arguments[0] not in PROGRAMS:
        raise Usage(f"hook: requires one of {', '.join(PROGRAMS)}")
    workspace, pane = os.environ.get("FUGUE_SOCKET", ""), os.environ.get("FUGUE_PANE", "")
    inside, words = bool(workspace and pane), list[str]()
    if arguments[1:] == [_STATUS_LINE]:
        event = _event([])
        words = _usage(event)
        print(status_line(event), flush=True)  # The agent need not wait for the workspace.
    elif inside:
        words = report(_event(arguments[1:]))
    if inside and words:
        _send(workspace, ["report-agent", "--pane", pane, "--program", arguments[0], *words])
    return 0


def report(event: Mapping[str, Any]) -> list[str]:
    """The arguments of report-agent for an event; empty for one that reports nothing of the state, model or cost."""
    return [*_state(event), *_usage(event)]


def status_line(event: Mapping[str, Any]) -> str:
    """What Claude Code shows below its input: the model and the cost."""
    model, cost = _model(event), _cost(event)
    return ", ".join(part for part in (clean(model, _MODEL), "" if cost is None else f"${cost:.2f}") if part)


def _state(event: Mapping[str, Any]) -> list[str]:
    name = _text(event, "hook_event_name") or _text(event, "type")
    if name in _WORKING:
        return ["working"]
    if name in _DONE:
        return ["done"]
    if name in _IDLE:
        return ["idle"]
    if name == "StopFailure":
        return ["error", *_words(_text(event, "error") or _text(event, "message"))]
    if name in ("PermissionRequest", "approval-requested"):
        return ["blocked", "--kind", "permission", *_words(_request(event))]
    if name == "Elicitation":
        return ["blocked", "--kind", "question", *_words(_text(event, "message"))]
    kind = _NOTIFICATIONS.get(_text(event, "notification_type"), "") if name == "Notification" else ""
    message = _words(_text(event, "message")) if _text(event, "notification_type") != _GENERAL else []
    return ["blocked", "--kind", kind, *message] if kind else []


def _usage(event: Mapping[str, Any]) -> list[str]:
    model, cost = " ".join(_model(event).split())[:_MODEL], _cost(event)
    return [*([f"--model={model}"] if model else []), *([] if cost is None else [f"--cost={cost:.6f}"])]


def _model(event: Mapping[str, Any]) -> str:
    """The model of an event: Claude Code's, of its status line, or of a request of Gemini CLI."""
    of = _table(event, "model")
    return (
        _text(event, "model")
        or _text(of, "display_name")
        or _text(of, "id")
        or _text(_table(event, "llm_request"), "model")
    )


def _cost(event: Mapping[str, Any]) -> float | None:
    """The US dollars that a status line reports; None if it does not."""
    cost = _table(event, "cost").get("total_cost_usd")
    if not isinstance(cost, int | float) or isinstance(cost, bool):
        return None
    return float(cost) if 0 <= cost <= _MAX_COST else None


def _event(arguments: list[str]) -> Mapping[str, Any]:
    """The event of the last argument, or of stdin; empty for none."""
    try:
        text = arguments[-1] if arguments else "" if sys.stdin.isatty() else sys.stdin.buffer.read(_LIMIT).decode()
        found: Any = json.loads(text)
    except (ValueError, OSError, RecursionError):
        return {}
    return cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}


def _send(workspace: str, words: list[str]) -> None:
    from fugue_tui.client import command_request

    try:
        command_request.ask(workspace, words, _SECONDS)
    except (FugueError, OSError, ValueError):
        return  # The agent goes on without the workspace.


def _request(event: Mapping[str, Any]) -> str:
    """What a tool is to do."""
    tool, details = _text(event, "tool_name"), _table(event, "tool_input")
    names = ("command", "file_path", "path", "url")
    what = next((found for name in names if (found := _text(details, name))), "")
    return f"{tool}: {what}" if tool and what else tool or what


def _words(text: str) -> list[str]:
    text = " ".join(text.split())[:_WORDS]
    return [f"--words={text}"] if text else []


def _table(event: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = event.get(name)
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def _text(event: Mapping[str, Any], name: str) -> str:
    value = event.get(name)
    return value if isinstance(value, str) else ""
