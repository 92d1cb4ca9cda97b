"""Limits the panes that agents open, and those of all by the file descriptors that are left."""

import os
import resource
from typing import Final

from fugue_tui.errors import Refused, SpawnFailed

PER_PANE: Final = 3
"""File descriptors that a pane needs while it starts."""
RESERVED: Final = 192
"""File descriptors that are kept for terminals, clients and files; a quarter of the limit at most."""


def check_agents(panes: int, most: int) -> None:
    """Raise Refused if agents would have that many panes, which is more than they may."""
    if panes > most:
        raise Refused(
            f"agents may have {most} panes open ([mcp.security] max_panes), and this would make it {panes}; "
            "close some that are not needed any more"
        )


def check_descriptors() -> None:
    """Raise SpawnFailed if another pane would leave too few file descriptors for terminals to attach."""
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most == resource.RLIM_INFINITY:
        return
    used = len(os.listdir("/dev/fd"))
    if used + PER_PANE + min(RESERVED, most // 4) > most:
        raise SpawnFailed(
            f"no room for another pane: {used} of {most} file descriptors are in use, and the rest is kept for "
            "terminals that attach; close panes, or start the workspace with a higher ulimit -n"
        )
