"""The state directory, and whether a workspace has an autosave; cheap to import, for use before the first frame."""

import os
import sys
from collections.abc import Mapping

from fugue_tui.user_dirs import NAME, user_dir

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path


def state_dir(env: Mapping[str, str] = os.environ) -> "Path":
    """The state directory: `FUGUE_STATE`, or the platform's default."""
    from pathlib import Path

    return Path(state_path(env))


def ran_before(workspace: str) -> bool:
    """Whether a workspace of that name has an autosave; the store decides whether it is readable."""
    folder = os.path.join(state_path(), "auto")
    return any(os.path.lexists(os.path.join(folder, f"{workspace}.json{copy}")) for copy in ("", ".1", ".2"))


def state_path(env: Mapping[str, str] = os.environ) -> str:
    """The state directory as text."""
    return os.path.expanduser(env.get("FUGUE_STATE", "")) or user_dir("state", env)


def home_state_path(env: Mapping[str, str] = os.environ) -> str:
    """The default state directory under the home directory, whatever other variables say: MCP clients start programs
    with few variables, of which `HOME` is one."""
    home = env.get("HOME", "")
    if not os.path.isabs(home):
        import pwd

        home = pwd.getpwuid(os.getuid()).pw_dir
    base = (
        os.path.join("Library", "Application Support") if sys.platform == "darwin" else os.path.join(".local", "state")
    )
    return os.path.join(home, base, NAME)
