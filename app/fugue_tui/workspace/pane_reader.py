"""Parses panes from unchecked JSON. Raises Unreadable, and nothing else."""

from types import MappingProxyType
from typing import Final

from fugue_tui import sanitize
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.workspace import json_checks, names
from fugue_tui.workspace.json_checks import Unreadable
from fugue_tui.workspace.model import OnExit, Pane
from fugue_tui.workspace.save_model import SavedPane

LARGEST_ID: Final = 1 << 31
"""Larger ids are invalid."""
LARGEST_SIDE: Final = 1 << 15
"""Most cells of a side of a screen."""


def read_id(value: object, what: str) -> int:
    """A pane's or a window's number."""
    return json_checks.whole(value, what, 1, LARGEST_ID)


def read_size(value: object) -> Size:
    """A size of at least one cell."""
    sides = json_checks.items(value, "a size", 2)
    if len(sides) != 2:
        raise Unreadable("a size has two sides")
    return Size(*(json_checks.whole(side, "a size", 1, LARGEST_SIDE) for side in sides))


def read_pane(entry: dict[str, object]) -> Pane:
    """Parse a pane's record in the workspace."""
    argv = json_checks.words(entry.get("argv", []), "its command")
    if argv and not argv[0]:
        raise Unreadable("its command names no program")
    return Pane(
        id=PaneId(read_id(entry.get("id"), "its id")),
        name=names.clean(json_checks.text(entry.get("name", ""), "its name")),
        argv=argv,
        cwd=json_checks.text(entry.get("cwd", ""), "its directory"),
        env=MappingProxyType(json_checks.variables(entry.get("env", {}), "its environment")),
        on_exit=_on_exit(entry.get("on_exit", OnExit.CLOSE)),
        tags=frozenset(json_checks.words(entry.get("tags", []), "its tags")),
        metadata=MappingProxyType(
            json_checks.json(json_checks.entries(entry.get("metadata", {}), "its metadata"), "its metadata")
        ),
    )


def read_seen(entry: dict[str, object], withheld: tuple[str, ...]) -> SavedPane:
    """Parse a pane's state at the time of the save."""
    return SavedPane(
        cwd=json_checks.text(entry.get("cwd", ""), "its directory"),
        title=sanitize.clean(json_checks.text(entry.get("title", ""), "its title")),
        argv=json_checks.words(entry.get("argv", []), "its program"),
        exit=_exit(entry.get("exit")),
        size=read_size(entry.get("size", [80, 24])),
        text=json_checks.text(entry.get("text", ""), "its text"),
        resume=json_checks.words(entry.get("resume", []), "its way to go on"),
        withheld=withheld,
    )


def _on_exit(value: object) -> OnExit:
    if value not in tuple(OnExit):
        raise Unreadable("what to do at its end is unknown")
    return OnExit(str(value))


def _exit(value: object) -> Exit | None:
    if value is None:
        return None
    found = json_checks.entries(value, "its end")
    return Exit(_status(found.get("code")), _status(found.get("signal")))


def _status(value: object) -> int | None:
    return None if value is None else json_checks.whole(value, "a status", -(1 << 31), 1 << 32)
