"""Specifications for the tests of the layouts that they describe."""

from typing import Any

Json = dict[str, Any]


def shell() -> Json:
    return {"pane": {}}
