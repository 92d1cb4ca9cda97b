"""The interface of the workspace's server that the app of a view uses."""

from typing import Protocol, TypeVar

from fugue_tui.geometry import Size
from fugue_tui.tui.app_context import ServerContext
from fugue_tui.tui.config_reload import ConfigApplier
from fugue_tui.tui.error_reporter import ErrorReporter
from fugue_tui.tui.main_thread_queue import MainThreadQueue
from fugue_tui.tui.ui.pane_notifications import PaneNotifications
from fugue_tui.tui.ui.window_monitor import WindowMonitor

ViewApp = TypeVar("ViewApp", contravariant=True)


class ViewServer(ServerContext, Protocol[ViewApp]):
    """What there is once for all views, each an app of the type `ViewApp`. Main thread only."""

    main_queue: MainThreadQueue
    errors: ErrorReporter
    config_applier: ConfigApplier
    window_monitor: WindowMonitor
    pane_notifications: PaneNotifications

    def driver_started(self, app: ViewApp) -> None:
        """A view has a driver, and no screen yet."""
        ...

    def start(self, app: ViewApp) -> None:
        """A view has a screen: the first begins all services."""
        ...

    def shown(self) -> None:
        """A view is on the screen."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program with an exit status."""
        ...

    def use(self, app: ViewApp) -> None:
        """The user acts in a view that was not used last."""
        ...

    def wanted_size(self, app: ViewApp) -> Size | None:
        """The size for a view's screen; None if no client shows it."""
        ...

    def fit_others(self, app: ViewApp) -> None:
        """The clients of a view want another size: fit the other views that show the same window."""
        ...

    def client_left(self, app: ViewApp) -> None:
        """A client of a view has left; the view ends with the last that can type."""
        ...
