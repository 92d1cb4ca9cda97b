"""Screens whose changed regions the app paints by itself, instead of Textual's compositor."""

from collections.abc import Callable
from typing import Any, cast

from textual.app import App
from textual.screen import Screen


def refresh_regions(screen: Screen[Any]) -> bool:
    """Have the app paint what changed on a screen, by its `paint_regions`; False leaves that to the compositor."""
    app = cast("App[Any]", screen.app)  # pyright: ignore[reportUnknownMemberType]
    paint: Callable[[Screen[Any]], bool] | None = getattr(app, "paint_regions", None)
    if paint is None or app.screen is not screen or not paint(screen):
        return False
    screen._dirty_widgets.clear()  # pyright: ignore[reportPrivateUsage]
    return True
