"""Every command there is: importing this module declares them all."""

from fugue_tui.control import (
    clients,
    events,
    input,
    layout_files,
    layouts,
    panes,
    reading,
    restoring,
    saving,
    serving,
    sessions,
    status,
    understanding,
    waiting,
    windows,
)

__all__ = [
    "clients",
    "events",
    "input",
    "layout_files",
    "layouts",
    "panes",
    "reading",
    "restoring",
    "saving",
    "serving",
    "sessions",
    "status",
    "understanding",
    "waiting",
    "windows",
]
