"""Reads panes out of JSON that nobody has checked. Raises Unreadable, and nothing else."""

from types import MappingProxyType
from typing import Final

from fugue_tui import text
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.terminal.pty import Exit
from fugue_tui.workspace import names, plain
from fugue_tui.workspace.model import OnExit, Pane
from fugue_tui.workspace.plain import Unreadable
from fugue_tui.workspace.saved import PaneSeen

LARGEST_ID: Final = 1 << 31
"""Ids above this are damage."""
LARGEST_SIDE: Final = 1 << 15
"""Cells of a side of a screen."""


def read_id(value: object, what: str) -> int:
    """A pane's or a window's number."""
    return plain.whole(value, what, 1, LARGEST_ID)


def read_size(value: object) -> Size:
    """A size of at least one cell."""
    sides = plain.items(value, "a size", 2)
    if len(sides) != 2:
        raise Unreadable("a size has two sides")
    return Size(*(plain.whole(side, "a size", 1, LARGEST_SIDE) for side in sides))


def read_pane(entry: dict[str, object]) -> Pane:
    """What the workspace knew of a pane."""
    argv = plain.words(entry.get("argv", []), "its command")
    if argv and not argv[0]:
        raise Unreadable("its command names no program")
    return Pane(
        id=PaneId(read_id(entry.get("id"), "its id")),
        name=names.clean(plain.text(entry.get("name", ""), "its name")),
        argv=argv,
        cwd=plain.text(entry.get("cwd", ""), "its directory"),
        env=MappingProxyType(plain.variables(entry.get("env", {}), "its environment")),
        on_exit=_on_exit(entry.get("on_exit", OnExit.CLOSE)),
        tags=frozenset(plain.words(entry.get("tags", []), "its tags")),
        metadata=MappingProxyType(plain.json(plain.entries(entry.get("metadata", {}), "its metadata"), "its metadata")),
    )


def read_seen(entry: dict[str, object], withheld: tuple[str, ...]) -> PaneSeen:
    """What was seen of a pane."""
    return PaneSeen(
        cwd=plain.text(entry.get("cwd", ""), "its directory"),
        title=text.clean(plain.text(entry.get("title", ""), "its title")),
        argv=plain.words(entry.get("argv", []), "its program"),
        exit=_exit(entry.get("exit")),
        size=read_size(entry.get("size", [80, 24])),
        text=plain.text(entry.get("text", ""), "its text"),
        resume=plain.words(entry.get("resume", []), "its way to go on"),
        withheld=withheld,
    )


def _on_exit(value: object) -> OnExit:
    if value not in tuple(OnExit):
        raise Unreadable("what to do at its end is unknown")
    return OnExit(str(value))


def _exit(value: object) -> Exit | None:
    if value is None:
        return None
    found = plain.entries(value, "its end")
    return Exit(_status(found.get("code")), _status(found.get("signal")))


def _status(value: object) -> int | None:
    return None if value is None else plain.whole(value, "a status", -(1 << 31), 1 << 32)
