"""The state directory, and whether a workspace has an autosave; cheap to import, for use before the first frame."""

import os
from collections.abc import Mapping
from pathlib import Path


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """The state directory: `FUGUE_STATE`, or the platform's default."""
    if named := env.get("FUGUE_STATE"):
        return Path(os.path.expanduser(named))
    from platformdirs import user_state_path

    return user_state_path("fugue-tui", appauthor=False)


def ran_before(workspace: str) -> bool:
    """Whether a workspace of that name has an autosave; the store decides whether it is readable."""
    folder = os.path.join(state_dir(), "auto")
    return any(os.path.lexists(os.path.join(folder, f"{workspace}.json{copy}")) for copy in ("", ".1", ".2"))
