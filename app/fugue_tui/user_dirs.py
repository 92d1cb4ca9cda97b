"""The user's directories of this program: XDG Base Directory Specification on Linux, the platform's own elsewhere.

platformdirs knows every platform, but takes 5 ms to import before the first pane is shown.
"""

import os
import sys
from collections.abc import Mapping

NAME = "fugue-tui"
_XDG = {"config": ("XDG_CONFIG_HOME", ".config"), "state": ("XDG_STATE_HOME", ".local/state")}


def user_dir(kind: str, env: Mapping[str, str] = os.environ) -> str:
    """The directory for `config` or `state`; it need not exist."""
    variable, default = _XDG[kind]
    base = env.get(variable, "")
    if not os.path.isabs(base):
        base = os.path.join(env.get("HOME", ""), default)
    if sys.platform == "linux" and os.path.isabs(base):
        return os.path.join(base, NAME)
    import platformdirs

    found = platformdirs.user_config_dir if kind == "config" else platformdirs.user_state_dir
    return found(NAME, appauthor=False)


def config_file(env: Mapping[str, str] = os.environ) -> str:
    """The path of the configuration: `FUGUE_CONFIG`, or the platform's default."""
    named = env.get("FUGUE_CONFIG", "")
    return os.path.expanduser(named) if named else os.path.join(user_dir("config", env), "config.toml")
