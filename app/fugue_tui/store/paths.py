"""The state directory, and whether a workspace has an autosave; cheap to import, for use before the first frame."""

import os
from collections.abc import Mapping

from fugue_tui.user_dirs import user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def state_dir(env: Mapping[str, str] = os.environ) -> "Path":
    """The state directory: `FUGUE_STATE`, or the platform's default."""
    from pathlib import Path

    return Path(_state_dir(env))


def ran_before(workspace: str) -> bool:
    """Whether a workspace of that name has an autosave; the store decides whether it is readable."""
    folder = os.path.join(_state_dir(os.environ), "auto")
    return any(os.path.lexists(os.path.join(folder, f"{workspace}.json{copy}")) for copy in ("", ".1", ".2"))


def _state_dir(env: Mapping[str, str]) -> str:
    return os.path.expanduser(env.get("FUGUE_STATE", "")) or user_dir("state")
