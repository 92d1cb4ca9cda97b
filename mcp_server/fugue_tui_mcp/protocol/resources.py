"""Panes and layouts as resources, and the commands that read them. No I/O; uses only the SDK's types.

A pane is identified by its number or its name: `fugue://pane/3/screen` is the screen of pane %3.
"""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote, unquote

from mcp_types import Resource, ResourceTemplate
from msgspec import Struct, field

from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId
from fugue_tui.sanitize import clean

PANES: Final = "fugue://panes"
LAYOUT: Final = "fugue://layout"
AGENTS: Final = "fugue://agents"
SHAPE: Final = "layout/{window}"
"""One window's layout."""

_LISTS: Final = {"panes": "list-panes", "agents": "list-agents", "layout": "list-windows"}
"""The commands that read the resources of the whole workspace."""
_JSON, _TEXT = "application/json", "text/plain"
_URI: Final = re.compile(
    r"fugue://(panes|agents|layout|layout/([^/]+)|pane/([^/]+)/(screen|scrollback|last-command|state))"
)


class View(Struct, frozen=True):
    """A resource of a pane."""

    verb: str
    """The command that reads it."""
    arguments: Mapping[str, Any]
    title: str
    about: str
    mime_type: str = _TEXT


VIEWS: Final[Mapping[str, View]] = {
    "screen": View(
        "read-pane",
        {"source": "screen"},
        "Screen",
        "What a pane shows now, as text.",
    ),
    "scrollback": View(
        "read-pane",
        {"source": "scrollback"},
        "Scrollback",
        "The newest 200 rows of a pane; fugue_read_pane with lines and offset reads more.",
    ),
    "last-command": View(
        "read-pane",
        {"source": "last_command"},
        "Last command",
        "What the newest command in a pane's shell printed, and how it ended.",
    ),
    "state": View("get-pane-state", {}, "State", "A pane's size, cursor, modes, title, directory and exit.", _JSON),
}


class ResourceRequest(Struct, frozen=True):
    """A parsed URI."""

    uri: str
    view: str
    """panes, agents, layout, or the name of a view of a pane."""
    verb: str
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    mime_type: str = _JSON


class WatchedResource(Struct, frozen=True):
    """A resource with a subscription."""

    uri: str
    view: str
    """panes, agents, layout, or the name of a view of a pane."""
    pane: PaneId | None
    """The pane that it belongs to."""


def parse(uri: str) -> ResourceRequest:
    """Parse a URI. Raises NotFound."""
    match = _URI.fullmatch(uri) if len(uri) < 1_000 else None
    if match is None:
        raise NotFound(f"no resource {clean(uri)}; resources/list and resources/templates/list show what there is")
    window, pane, name = match[2], match[3], match[4]
    if pane:
        view, named = VIEWS[name], _named(pane, "%")
        return ResourceRequest(uri, name, view.verb, {**view.arguments, "pane": named}, view.mime_type)
    if window:
        return ResourceRequest(uri, "layout", "get-layout", {"window": _named(window, "@")})
    return ResourceRequest(uri, match[1], _LISTS[match[1]])


def expected(uri: str) -> WatchedResource | None:
    """A resource of a pane that is not open yet; None for other URIs."""
    match = _URI.fullmatch(uri) if len(uri) < 1_000 else None
    if match is None or not match[3] or not match[3].isdecimal() or len(match[3]) > 9:
        return None
    return WatchedResource(uri, match[4], PaneId(int(match[3])))


def pane_uri(pane: str, view: str) -> str:
    """The URI of a view of a pane with that id."""
    return f"fugue://pane/{pane.removeprefix('%')}/{view}"


def listed(panes: list[dict[str, Any]]) -> list[Resource]:
    """The workspace's resources and the screen of each pane of a list-panes result."""
    whole = [
        Resource(uri=PANES, name="panes", title="Panes", description=_ABOUT_PANES, mime_type=_JSON),
        Resource(uri=LAYOUT, name="layout", title="Layout", description=_ABOUT_LAYOUT, mime_type=_JSON),
        Resource(uri=AGENTS, name="agents", title="Agents", description=_ABOUT_AGENTS, mime_type=_JSON),
    ]
    return [*whole, *map(_screen, panes)]


def templates() -> list[ResourceTemplate]:
    """The resource templates of panes and windows."""
    views = [
        ResourceTemplate(
            uri_template=f"fugue://pane/{{pane}}/{name}",
            name=f"pane-{name}",
            title=view.title,
            description=view.about,
            mime_type=view.mime_type,
        )
        for name, view in VIEWS.items()
    ]
    window = ResourceTemplate(
        uri_template=f"fugue://{SHAPE}", name="window-layout", title="Window layout",
        description="How one window is laid out.", mime_type=_JSON,
    )  # fmt: skip
    return [*views, window]


_ABOUT_PANES: Final = "The panes that are open: ids, names, programs, directories, positions."
_ABOUT_AGENTS: Final = "The agents in panes: what each does, since when, and whether it needs an answer."
_ABOUT_LAYOUT: Final = "How every window is laid out: its tree with the ratios, and each pane's position in cells."


def _screen(pane: dict[str, Any]) -> Resource:
    # Never what a program calls itself: clients show names without a warning.
    label = f"{pane['id']} {pane['name']}".strip()
    return Resource(
        uri=pane_uri(pane["id"], "screen"),
        name=clean(label),
        title=f"Pane {clean(label)}",
        description=f"What {pane['id']} shows. Also: /scrollback, /last-command, /state.",
        mime_type=_TEXT,
    )


def _named(word: str, sigil: str) -> str:
    """A pane or window as a command's target."""
    word = unquote(word)
    return sigil + word if word.isascii() and word.isdigit() else word


def quoted(name: str) -> str:
    """A name quoted for a URI."""
    return quote(name.removeprefix("%").removeprefix("@") if name[1:].isdigit() else name, safe="")
