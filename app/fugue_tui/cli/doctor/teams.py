"""Checks what Claude Code's agent teams need: the `tmux` that opens their panes."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from typing import Final

from fugue_tui.cli.doctor.report import Finding, fault, ok
from fugue_tui.errors import SocketError
from fugue_tui.tmux_shim import install, shim

_SECONDS: Final = 10.0
_CALLS: Final = (
    ("show", "-gv", "focus-events"),
    ("display-message", "-p", "#{session_name}:#{window_id}.#{pane_id}"),
    ("list-panes", "-F", "#{pane_id}"),
)
"""What Claude Code asks before it opens a pane; it changes nothing."""


def tmux() -> Iterator[Finding]:
    """Whether the `tmux` runs, and in a pane, whether the workspace answers what Claude Code asks it."""
    workspace, pane = os.environ.get("FUGUE_SOCKET", ""), os.environ.get("FUGUE_PANE", "")
    try:
        env = install.environment(workspace or "/nowhere", os.environ.get("PATH", os.defpath))
    except SocketError as error:
        yield fault(str(error), "make that directory writable for you alone")
        return
    env = {**os.environ, **env, "FUGUE_SOCKET": workspace or "/nowhere", "TMUX_PANE": pane}
    for call in (("-V",), *(_CALLS if workspace and pane else ())):
        if reason := _failure(call, env):
            yield fault(f"tmux {' '.join(call)}: {reason}", "report it, with the versions above")
            return
    claude = shutil.which("claude")
    start = "fugue-tui claude starts one" if claude else "Claude Code is not installed"
    yield ok(f"the tmux {shim.VERSION} for their panes works; {start}")


def _failure(call: tuple[str, ...], env: dict[str, str]) -> str:
    """Why a call fails; empty if it does not."""
    program = os.path.join(env[install.FOLDER], "tmux")
    try:
        found = subprocess.run((program, *call), env=env, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if found.returncode == 0 and found.stdout.strip() else found.stderr.strip()[:200] or "prints nothing"
