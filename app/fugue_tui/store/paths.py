"""Where things are saved, and whether anything was: light enough to be asked before anything is shown."""

import os
from collections.abc import Mapping
from pathlib import Path


def state_dir(env: Mapping[str, str] = os.environ) -> Path:
    """Where things are saved: `FUGUE_STATE`, or the platform's own place."""
    if named := env.get("FUGUE_STATE"):
        return Path(os.path.expanduser(named))
    from platformdirs import user_state_path

    return user_state_path("fugue-tui", appauthor=False)


def ran_before(workspace: str) -> bool:
    """Whether a workspace of that name was saved by itself; what that is worth is for the store to tell."""
    folder = os.path.join(state_dir(), "auto")
    return any(os.path.lexists(os.path.join(folder, f"{workspace}.json{copy}")) for copy in ("", ".1", ".2"))


def saved_names() -> list[str]:
    """The workspaces that were saved by themselves, running or not, sorted."""
    try:
        names = os.listdir(os.path.join(state_dir(), "auto"))
    except OSError:
        return []
    return sorted({name.removesuffix(".json") for name in names if name.endswith(".json") and name[0] != "."})
