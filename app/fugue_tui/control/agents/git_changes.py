"""What was committed and changed in a git repository since a commit. Threads, not the main one; never raises.

Nothing that the repository configures for showing differences, pagers or signatures is run.
"""

import re
import subprocess
from typing import Final, NamedTuple

from fugue_tui.sanitize import clean, clean_path

MOST_COMMITS: Final = 50
MOST_FILES: Final = 200
_SECONDS: Final = 10.0
_SAFE: Final = (
    *("--no-optional-locks", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "log.showSignature=false"),
)
_DIFF: Final = ("diff", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "-z")
_COMMIT: Final = re.compile(r"[0-9a-f]{7,64}")


class Changes(NamedTuple):
    """What was changed since a commit."""

    commits: tuple[str, ...] = ()
    """The commits, newest first, each with its short id and subject: untrusted."""
    files: tuple[str, ...] = ()
    """The files that differ, or are new, with git's letter for how: untrusted."""


def head(directory: str) -> str:
    """The commit that is checked out in a directory; empty if there is none."""
    return _git(directory, "rev-parse", "--verify", "--quiet", "HEAD").strip() if directory else ""


def changes(directory: str, base: str) -> Changes:
    """What was changed in a directory's repository since a commit; nothing if that is unknown there."""
    if not directory or not _COMMIT.fullmatch(base):
        return Changes()
    log = _git(directory, "log", f"-n{MOST_COMMITS}", "--format=%h %s", f"{base}..HEAD", "--")
    differ = _git(
        directory, "diff", "--name-status", "--no-renames", "--no-ext-diff", "--no-textconv", "-z", base, "--"
    )
    new = _git(directory, "ls-files", "--others", "--exclude-standard", "-z")
    words = differ.split("\0")[:-1]
    files = [f"{kind} {clean_path(path)}" for kind, path in zip(words[::2], words[1::2], strict=False)]
    files += [f"? {clean_path(path)}" for path in new.split("\0")[:-1]]
    return Changes(tuple(clean(line, 200) for line in log.splitlines()), tuple(files[:MOST_FILES]))


def _git(directory: str, *words: str) -> str:
    try:
        found = subprocess.run(
            ("git", *_SAFE, "-C", directory, *words),
            capture_output=True, text=True, errors="replace", timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return ""
    return found.stdout if found.returncode == 0 else ""
