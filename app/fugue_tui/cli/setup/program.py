"""The words by which a client starts this program, whatever its PATH is."""

import os
import re
import shutil
import sys
from typing import Final

_SCRIPT: Final = "fugue-tui"
_TRANSIENT: Final = re.compile(
    r"/(?:archive|environments)-v\d+/|/pipx/(?:\.cache/|[0-9a-f]{12,}/)|/(?:\.cache|Caches)/"
)
"""Where uvx and `pipx run` keep what they may remove at any time."""


def program(invoked: str = "") -> list[str]:
    """The absolute path of the command that was invoked, or is installed beside this Python, or else this Python with
    the module. A link is not resolved: it stays where a new version is installed."""
    invoked = invoked or sys.argv[0]
    found = invoked if os.sep in invoked else shutil.which(invoked) or ""
    beside = os.path.join(os.path.dirname(sys.executable), _SCRIPT)
    for path in (os.path.abspath(found), beside):
        if os.path.basename(path) == _SCRIPT and os.path.isfile(path) and os.access(path, os.X_OK):
            return [path]
    return [sys.executable, "-m", "fugue_tui"]


def transience(path: str) -> str:
    """Why a program at a path may be gone soon, and what to do; empty if it stays."""
    if not _TRANSIENT.search(path):
        return ""
    return f"{path} is in a cache and may be removed at any time; install it with: uv tool install fugue-tui"
