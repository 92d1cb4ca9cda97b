"""What all tests share: a settled Hypothesis, and an environment without the person's own workspace."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "fugue", deadline=None, derandomize="CI" in os.environ, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("fugue")

for name in ("FUGUE_CONFIG", "FUGUE_PANE", "FUGUE_SOCKET", "FUGUE_WORKSPACE", "TMUX", "TMUX_PANE", "STY"):
    os.environ.pop(name, None)
