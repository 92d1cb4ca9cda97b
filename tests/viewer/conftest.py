"""Pictures of the viewer are kept where those of the app are."""

from tests.tui.conftest import Pictures as Pictures
