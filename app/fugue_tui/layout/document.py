"""A workspace's layout as a document: what a layout file says, read out of the value that its TOML or JSON holds.

    DOCUMENT = {"version": 1, "name": "shop", "description": "...", "windows": [WINDOW, ...]}
    WINDOW   = {"name": "code", "session": "...", "focus": true, "zoom": true, ...BODY}
    BODY     = LAYOUT's own keys, as in `spec`  |  {"layout": LAYOUT}  |  {"preset": "main_left", "panes": [PANE, ...],
               "main_share": 0.6}  |  nothing, for one pane with a shell

Whatever is wrong raises InvalidArgument with the path of the fault, `windows[0].splits[1].ratio: ...`. Limits are
checked before anything is made of the input.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, cast

from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.layout import presets
from fugue_tui.layout.document_reader import Reader, as_object, fail, flag, known, text
from fugue_tui.layout.spec import spec_of
from fugue_tui.layout.spec_types import PaneSpec, Spec, leaves

VERSION: Final = 1
"""The version of the format that is written; older ones are accepted."""
MAX_WINDOWS: Final = 64
"""Most windows of a document."""
MAX_DOCUMENT_PANES: Final = 256
"""Most panes of a document."""
MAX_LABEL: Final = 64
"""Most characters of a name."""
MAX_DESCRIPTION: Final = 400
"""Most characters of a description."""

_KEYS: Final = ("version", "name", "description", "windows")
_OWN: Final = ("name", "session", "focus", "zoom")
_TREE: Final = ("layout", "pane", "direction", "splits")
_PRESET: Final = ("preset", "panes", "main_share")


@dataclass(frozen=True, slots=True)
class WindowSpec:
    """A window to be opened."""

    layout: Spec
    name: str = ""
    """Empty to follow the program in its active pane."""
    session: str = ""
    """Empty for the session that it is opened in."""
    focus: bool = False
    """Whether it becomes the active window; at most one of a document."""
    zoom: bool = False
    """Whether its focused pane is zoomed."""


@dataclass(frozen=True, slots=True)
class Document:
    """The content of a layout file: at least one window."""

    windows: tuple[WindowSpec, ...]
    name: str = ""
    description: str = ""

    @property
    def panes(self) -> tuple[PaneSpec, ...]:
        """Every pane, window by window, in reading order."""
        return tuple(pane for window in self.windows for pane in leaves(window.layout))


def is_document(value: object) -> bool:
    """Whether a value has the form of a layout document, valid or not."""
    return isinstance(value, dict) and "windows" in value


def read(value: object) -> Document:
    """Parse a document. Raises InvalidArgument, and nothing else."""
    root = as_object(value, "file")
    _version(root.get("version", VERSION))
    known(root, _KEYS, "file")
    given = root.get("windows")
    if not isinstance(given, list | tuple) or not given:
        fail("windows", "must be a list of windows, each written [[windows]]")
    items = cast(Sequence[object], given)
    if len(items) > MAX_WINDOWS:
        fail("windows", f"too many; a file holds at most {MAX_WINDOWS}")
    found = Document(
        tuple(_window(item, f"windows[{index}]") for index, item in enumerate(items)),
        _label(root.get("name", ""), "name"),
        _label(root.get("description", ""), "description", MAX_DESCRIPTION),
    )
    _check_whole(found)
    return found


def _version(value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        fail("version", f"must be {VERSION}")
    if value > VERSION:
        fail("version", f"{value} is newer than this fugue-tui reads ({VERSION}); update it")


def _check_whole(document: Document) -> None:
    if len(document.panes) > MAX_DOCUMENT_PANES:
        fail("windows", f"too many panes; a file holds at most {MAX_DOCUMENT_PANES}")
    front = [index for index, window in enumerate(document.windows) if window.focus]
    if len(front) > 1:
        fail(f"windows[{front[1]}].focus", f"windows[{front[0]}] has the focus already")


def _window(value: object, path: str) -> WindowSpec:
    entries = as_object(value, path)
    known(entries, (*_OWN, *_TREE, *_PRESET), path)
    body = {key: entry for key, entry in entries.items() if key not in _OWN}
    return WindowSpec(
        _preset(body, path) if any(key in body for key in _PRESET) else _tree(body, path),
        _label(entries.get("name", ""), f"{path}.name"),
        _label(entries.get("session", ""), f"{path}.session"),
        flag(entries.get("focus", False), f"{path}.focus"),
        flag(entries.get("zoom", False), f"{path}.zoom"),
    )


def _tree(body: dict[str, object], path: str) -> Spec:
    if not body:
        return PaneSpec()
    if "layout" not in body:
        return Reader().body(body, path, 0)
    if len(body) > 1:
        fail(path, "has a layout and more; put it all into the layout")
    return Reader().node(body["layout"], f"{path}.layout", 0)


def _preset(body: dict[str, object], path: str) -> Spec:
    if clash := next((key for key in body if key in _TREE), None):
        fail(f"{path}.{clash}", "goes with no preset; give one of them")
    if "preset" not in body:
        fail(f"{path}.preset", f"is missing; there are {', '.join(presets.PRESETS)}")
    try:
        name = presets.canonical(text(body["preset"], f"{path}.preset")[:MAX_LABEL])
    except InvalidArgument as error:
        fail(path, str(error))
    places = _places(body.get("panes", ()), name, f"{path}.panes")
    order = [PaneId(number) for number in range(1, len(places) + 1)]
    share = body.get("main_share", presets.MAIN_SHARE)
    return spec_of(presets.apply(name, order, _share(share, f"{path}.main_share")), places)


def _places(value: object, name: str, path: str) -> list[PaneSpec]:
    """The panes of a preset: the given ones, and shells for the rest."""
    if not isinstance(value, list | tuple):
        fail(path, "must be a list of panes, each written [[windows.panes]]")
    reader = Reader()
    given = [reader.pane(each, f"{path}[{index}]") for index, each in enumerate(cast(Sequence[object], value))]
    own = presets.places(name)
    if not given and own is None:
        fail(path, f"is missing; {name} opens as many panes as are named")
    return [*given, *(PaneSpec() for _ in range((own or 1) - len(given)))]


def _share(value: object, path: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.1 <= value <= 0.9:
        fail(path, "must be a number from 0.1 to 0.9")
    return float(value)


def _label(value: object, path: str, limit: int = MAX_LABEL) -> str:
    said = text(value, path)
    if len(said) > limit:
        fail(path, f"{len(said)} characters are too many; {limit} fit")
    return said
