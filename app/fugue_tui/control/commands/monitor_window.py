"""The command that has a window's tab marked when its panes print something, or nothing for a while."""

from typing import Annotated

from msgspec import Meta, Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.user_options import Monitor

Seconds = Annotated[int, Meta(ge=0, le=86_400)]


class MonitoredWindow(Struct, frozen=True):
    """What a window is monitored for."""

    window: str
    """The window's id."""
    activity: bool
    """Whether output in it marks its tab."""
    silence: int
    """After how many seconds without output its tab is marked; 0 for never."""


class MonitorWindow(
    Command[MonitoredWindow], name="monitor-window", effect=Effect.LAYOUT, toolset=Toolset.SESSIONS, repeatable=True
):
    """Mark a window's tab while it is not shown: with # after output, with ~ after a silence. Showing it clears the
    mark."""

    window: str = target.ACTIVE
    """The window: an id, a name, or active for the caller's."""
    activity: bool | None = None
    """Whether to monitor output; omitted, as before."""
    silence: Seconds | None = None
    """Seconds without output after which it is marked; 0 for never; omitted, as before."""

    def run(self, mux: Multiplexer, origin: Origin) -> MonitoredWindow:
        """Raises NotFound if there is no such window."""
        window = target.window(mux, self.window, origin)
        old = mux.user_options.monitors.get(window.id, Monitor())
        new = Monitor(
            old.activity if self.activity is None else self.activity,
            old.silence if self.silence is None else self.silence,
        )
        mux.user_options.monitor(window.id, new)
        return MonitoredWindow(str(window.id), new.activity, new.silence)
