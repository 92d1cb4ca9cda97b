"""A workspace's layout as a document: the content of a layout file, from its TOML or JSON value.

    DOCUMENT = {"version": 1, "name": "shop", "description": "...", "windows": [WINDOW, ...],
                "mcp": {"servers": {NAME: SERVER, ...}}}, SERVER as in the configuration
    WINDOW   = {"name": "code", "session": "...", "focus": true, "zoom": true, ...BODY}
    BODY     = LAYOUT's own keys, as in `spec`  |  {"layout": LAYOUT}  |  {"preset": "main_left", "panes": [PANE, ...],
               "main_share": 0.6}  |  nothing, for one pane with a shell; and with each "floats": [FLOAT, ...]

Whatever is wrong raises InvalidArgument with the path of the fault, `windows[0].splits[1].ratio: ...`. Limits are
checked before anything is made of the input.
"""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Annotated, Final, cast

from msgspec import Meta, Struct, field

from fugue_tui.config.servers import Servers
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.layout import presets
from fugue_tui.layout.document_reader import LayeredLayout, Reader, checked, fail
from fugue_tui.layout.spec import spec_of
from fugue_tui.layout.spec_types import LayoutSpec, PaneSpec, Spec, Word, leaves
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import Bounds, ListOf, Refined, Text

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

_Label = Annotated[str, Text(Bounds(le=MAX_LABEL), nul=False)]


class WindowSpec(Struct, frozen=True):
    """A window to be opened."""

    layout: LayoutSpec
    name: str = ""
    """Empty to follow the program in its active pane."""
    session: str = ""
    """Empty for the session that it is opened in."""
    focus: bool = False
    """Whether it becomes the active window; at most one of a document."""
    zoom: bool = False
    """Whether its focused pane is zoomed."""


class Document(Struct, frozen=True):
    """The content of a layout file: at least one window."""

    windows: tuple[WindowSpec, ...]
    name: str = ""
    description: str = ""
    servers: Servers = field(default_factory=lambda: MappingProxyType({}))
    """The MCP servers of the project."""

    @property
    def panes(self) -> tuple[PaneSpec, ...]:
        """Every pane, window by window, in reading order."""
        return tuple(pane for window in self.windows for pane in leaves(window.layout))


def is_document(value: object) -> bool:
    """Whether a value has the form of a layout document, valid or not."""
    return isinstance(value, dict) and "windows" in value


class _Window(LayeredLayout, frozen=True):
    """A window as it is written."""

    name: _Label = ""
    session: _Label = ""
    focus: bool = False
    zoom: bool = False
    preset: Word | None = None
    panes: tuple[PaneSpec, ...] | None = None
    main_share: Annotated[float | None, Meta(ge=0.1, le=0.9)] = None


_WINDOWS: Final = Refined(
    ListOf(Record(_Window), bounds=Bounds(ge=1, le=MAX_WINDOWS)), words="a list of windows, each written [[windows]]"
)


class _Mcp(Struct, frozen=True):
    """What a document says about MCP."""

    servers: Servers = field(default_factory=lambda: MappingProxyType({}))


class _File(Struct, frozen=True):
    """A document as it is written."""

    windows: Annotated[tuple[_Window, ...], _WINDOWS]
    version: Annotated[int, Meta(ge=1, le=VERSION)] = VERSION
    name: _Label = ""
    description: Annotated[str, Text(Bounds(le=MAX_DESCRIPTION), nul=False)] = ""
    mcp: Annotated[_Mcp, Refined(Record(_Mcp), words="a section, written [mcp.servers.NAME]")] = _Mcp()


def read(value: object) -> Document:
    """Parse a document. Raises InvalidArgument, and nothing else."""
    _check_version(value)
    found = checked(_File, value, root="file")
    windows = tuple(_window(window, f"windows[{index}]") for index, window in enumerate(found.windows))
    document = Document(windows, found.name, found.description, found.mcp.servers)
    _check_whole(document)
    return document


def _check_version(value: object) -> None:
    version = cast("dict[str, object]", value).get("version") if isinstance(value, dict) else None
    if isinstance(version, int) and version > VERSION:
        fail("version", f"{version} is newer than this fugue-tui reads ({VERSION}); update it")


def _check_whole(document: Document) -> None:
    if len(document.panes) > MAX_DOCUMENT_PANES:
        fail("windows", f"too many panes; a file holds at most {MAX_DOCUMENT_PANES}")
    front = [index for index, window in enumerate(document.windows) if window.focus]
    if len(front) > 1:
        fail(f"windows[{front[1]}].focus", f"windows[{front[0]}] has the focus already")


def _window(given: _Window, path: str) -> WindowSpec:
    is_preset = given.preset is not None or given.panes is not None or given.main_share is not None
    reader = Reader()
    layout = _preset(given, path, reader) if is_preset else reader.spec(given, path)
    return WindowSpec(reader.layers(layout, given.floats, path), given.name, given.session, given.focus, given.zoom)


def _preset(given: _Window, path: str, reader: Reader) -> Spec:
    if clash := given.written or ("layout" if given.layout else ""):
        fail(f"{path}.{clash}", "goes with no preset; give one of them")
    if given.preset is None:
        fail(f"{path}.preset", f"is missing; there are {', '.join(presets.PRESETS)}")
    try:
        name = presets.canonical(given.preset[:MAX_LABEL])
    except InvalidArgument as error:
        fail(path, str(error))
    places = _places(given.panes or (), name, f"{path}.panes", reader)
    order = [PaneId(number) for number in range(1, len(places) + 1)]
    return spec_of(presets.apply(name, order, given.main_share or presets.MAIN_SHARE), places)


def _places(given: Sequence[PaneSpec], name: str, path: str, reader: Reader) -> list[PaneSpec]:
    """The panes of a preset: the given ones, and shells for the rest."""
    own = presets.places(name)
    if not given and own is None:
        fail(path, f"is missing; {name} opens as many panes as are named")
    counted = [reader.pane(pane, f"{path}[{index}]") for index, pane in enumerate(given)]
    return [*counted, *(PaneSpec() for _ in range((own or 1) - len(counted)))]
