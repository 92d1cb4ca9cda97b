"""How many examples Hypothesis tries: two fifths in every check, all with `--hypothesis-profile thorough`."""

import os
from typing import Final

from hypothesis import HealthCheck, settings

_THOROUGH: Final = 100
"""The examples of a property that asks for no other number."""


def register() -> None:
    """Register the profiles, and load the one for every check."""
    for name, count in (("fugue", _THOROUGH * 2 // 5), ("thorough", _THOROUGH)):
        settings.register_profile(
            name,
            max_examples=count,
            deadline=None,
            derandomize="CI" in os.environ,
            suppress_health_check=[HealthCheck.too_slow],
        )
    settings.load_profile("fugue")


def examples(thorough: int) -> settings:
    """The settings of a property of which the thorough profile tries so many examples."""
    return settings(max_examples=thorough * settings().max_examples // _THOROUGH)
