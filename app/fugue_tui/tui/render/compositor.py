"""Textual's compositor, which has no public name."""

from textual._compositor import Compositor
from textual.screen import Screen


def compositor_of(screen: Screen[object]) -> Compositor:
    """The compositor of a screen."""
    return screen._compositor  # pyright: ignore[reportPrivateUsage]
