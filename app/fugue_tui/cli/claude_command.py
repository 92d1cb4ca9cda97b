"""`fugue-tui claude`: Claude Code in a pane, whose agent teams open their panes in this workspace.

Claude Code opens panes by calling `tmux`; here that is `fugue_tui.tmux_shim`.
"""

import os
import shutil
import sys
from typing import Final

from fugue_tui.control.restore.agent_resume import AGENTS
from fugue_tui.errors import NotFound
from fugue_tui.tmux_shim import install

TEAMS = "CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS"
"""The variable that switches agent teams on."""
_SETTINGS: Final = '{"teammateMode": "auto"}'
"""Versions as of 2.1.3 keep teams in one process unless this is set; older ones ignore a key that they do not know."""


def run(arguments: list[str]) -> int:
    """Become Claude Code in this pane; outside of panes, open a window with it in the workspace `main`, and attach.

    Raises NotFound if it is not installed."""
    program = shutil.which("claude")
    if program is None:
        raise NotFound("claude is not on PATH; Claude Code is installed by: npm install -g @anthropic-ai/claude-code")
    workspace, pane = os.environ.get("FUGUE_SOCKET", ""), os.environ.get("FUGUE_PANE", "")
    if not workspace or not pane:
        return _opened(arguments)
    env = {**os.environ, **install.environment(workspace, os.environ.get("PATH", os.defpath)), "TMUX_PANE": pane}
    env.setdefault(TEAMS, "1")
    sys.stdout.flush()
    return os.execve(program, ["claude", *_teams_in_panes(arguments), *arguments], env)


def _opened(arguments: list[str]) -> int:
    from fugue_tui.cli.setup.program import program
    from fugue_tui.cli.start_args import StartRequest, start

    return start(StartRequest(["--", *program(), "claude", *arguments]))


def _teams_in_panes(arguments: list[str]) -> list[str]:
    """What makes the teams open panes, unless the arguments set it otherwise, or start no conversation."""
    first = arguments[0] if arguments else ""
    own = {word.partition("=")[0] for word in arguments} & {"--settings", "--teammate-mode"}
    return [] if own or first in AGENTS["claude"].once else ["--settings", _SETTINGS]
