"""What an MCP server returned, as widgets: Markdown, a tree of JSON, a table, images, links, plain text."""

import base64
import binascii
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Final, Literal, TypeAlias, cast

from msgspec import Struct
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import DataTable, Markdown, Static, Tree
from textual.widgets.tree import TreeNode

from fugue_tui.errors import Unshowable
from fugue_tui.sanitize import clean
from fugue_tui_widgets.error_boundary import ErrorBoundary
from fugue_tui_widgets.image_view import ImageView, half_blocks

ROWS: Final = 2_000
"""Rows of a table, or entries of a list in a tree, that are shown."""
LONGEST: Final = 100_000
"""Characters of a text that are shown as Markdown; a longer one is plain."""
_MARKDOWN: Final = re.compile(r"^(#{1,6} |[-*] |\d+\. |```|\|.*\|$|> )|\*\*[^*\n]+\*\*|\[[^\]\n]+\]\(", re.MULTILINE)

PartKind: TypeAlias = Literal["text", "markdown", "json", "image", "link", "note"]


class ResultPart(Struct, frozen=True):
    """A part of a result. Its texts are cleaned."""

    kind: PartKind
    text: str = ""
    """The text; of a link its URI."""
    value: Any = None
    """JSON."""
    data: str = ""
    """An image as base64."""


class ResultKey(Struct, frozen=True):
    """A key for the result as a whole."""

    words: str
    run: Callable[[], None]


class ResultModel(Struct, frozen=True):
    """A result."""

    title: str
    parts: Sequence[ResultPart]
    keys: Mapping[str, ResultKey]
    """By Textual's names of keys."""
    open_link: Callable[[str], None]
    close: Callable[[], None]
    is_error: bool = False
    follows: bool = False
    """Whether its end is shown, as of a log, unless the user has scrolled up."""


def text_part(text: str) -> ResultPart:
    """A text as JSON if it is an object or a list, as Markdown if it looks like that, else as it is."""
    if text.lstrip()[:1] in ("{", "["):
        try:
            return ResultPart("json", text, json.loads(text))
        except (ValueError, RecursionError):
            pass
    is_markdown = len(text) <= LONGEST and _MARKDOWN.search(text) is not None
    return ResultPart("markdown" if is_markdown else "text", text)


class ResultView(ErrorBoundary, Vertical, can_focus=True):
    """A result that is scrolled by keys, with a line that says what they do."""

    ALLOW_MAXIMIZE = False
    DEFAULT_CSS = """
    ResultView {
        width: 1fr; height: 1fr;
        #body { height: 1fr; padding: 0 1; scrollbar-size-vertical: 1; }
        #body > * { height: auto; margin: 0; }
        #body > DataTable { max-height: 100%; }
        #body > Tree { background: transparent; max-height: 100%; }
        #body > ImageView { height: 20; max-height: 100%; }
        #body > .link { color: $primary; text-style: underline; }
        #body > .note { color: $text-muted; }
        #body > Markdown { padding: 0; }
        &.-error #body > Static { color: $text-error; }
        #footer { height: 1; color: $text-muted; text-wrap: nowrap; text-overflow: ellipsis; }
        &.-framed #footer, &.-low #footer { display: none; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "scroll(-1)", show=False),
        Binding("down,j", "scroll(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown,space", "page(1)", show=False),
        Binding("home,g", "end(-1)", show=False),
        Binding("end,G", "end(1)", show=False),
        Binding("tab", "app.focus_next", show=False),
        Binding("q", "leave", "Close"),
    ]

    def __init__(self, model: ResultModel, *, framed: bool = False) -> None:
        """`framed`: whether it has a frame, which says what the keys do."""
        super().__init__(classes="-framed" if framed else None)
        self._model = model
        self._shown = False
        self._body = VerticalScroll(id="body", can_focus=False)

    @property
    def hints(self) -> str:
        """What the keys do."""
        shown = {"vertical_line": "|"}
        return " · ".join(f"{shown.get(key, key)} {each.words}" for key, each in self._model.keys.items())

    def compose(self) -> ComposeResult:
        """The parts, and the keys."""
        yield self._body
        yield Static(Content(self.hints), id="footer")

    async def on_mount(self) -> None:
        """Show the parts."""
        self._shown = True
        await self.show(self._model)

    async def show(self, model: ResultModel) -> None:
        """Show another result; what was scrolled to stays if it is as long."""
        self._model = model
        if not self._shown:
            return
        at = self._body.scroll_offset.y
        ends = model.follows and at >= self._body.max_scroll_y
        self.set_class(model.is_error, "-error")
        async with self.batch():
            await self._body.remove_children()
            await self._body.mount(*_widgets(model))
        if ends:
            self.call_after_refresh(self._body.scroll_end, animate=False)
        else:
            self._body.scroll_to(y=at, animate=False)

    def on_resize(self) -> None:
        """Leave the last line to the result where there are few."""
        self.set_class(self.size.height < 6, "-low")

    async def on_key(self, event: events.Key) -> None:
        """Run what a key does."""
        if (key := self._model.keys.get(event.key)) is not None:
            event.stop()
            event.prevent_default()
            key.run()

    def on__link_opened(self, message: "_Link.Opened") -> None:
        """A link was clicked."""
        message.stop()
        self._model.open_link(message.uri)

    def action_scroll(self, rows: int) -> None:
        """Scroll by some rows."""
        self._body.scroll_relative(y=rows, animate=False)

    def action_page(self, pages: int) -> None:
        """Scroll by pages."""
        self._body.scroll_relative(y=pages * max(self._body.size.height - 1, 1), animate=False)

    def action_end(self, end: int) -> None:
        """Scroll to an end."""
        (self._body.scroll_end if end > 0 else self._body.scroll_home)(animate=False)

    def action_leave(self) -> None:
        """Close it."""
        self._model.close()


class ResultScreen(ModalScreen[None]):
    """A result over the panes."""

    DEFAULT_CSS = """
    ResultScreen {
        align: center middle; background: $background 40%;
        & > ResultView {
            width: 94%; height: 90%; background: $surface; border: heavy $primary;
            border-title-color: $primary; border-subtitle-color: $text-muted;
        }
        & > ResultView.-error { border: heavy $error; border-title-color: $error; }
    }
    """
    BEHIND_SECONDS: ClassVar[float] = 5.0
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,ctrl+c", "dismiss", "Close", priority=True)]

    def __init__(self, model: ResultModel) -> None:
        super().__init__()
        self.view = ResultView(model, framed=True)
        self.view.border_title = Content(model.title)
        self.view.border_subtitle = Content(f"{self.view.hints} · Escape closes")

    def compose(self) -> ComposeResult:
        """The result."""
        yield self.view

    def on_mount(self) -> None:
        """Keys are for the result."""
        self.view.focus()


def _widgets(model: ResultModel) -> Iterator[Widget]:
    for part in model.parts:
        match part.kind:
            case "markdown":
                yield Markdown(part.text, open_links=False)
            case "json":
                yield from _json(part.value)
            case "image":
                yield _image(part.data)
            case "link":
                yield _Link(part.text)
            case kind:
                yield Static(Content(part.text), classes=kind)


def _image(data: str) -> Widget:
    try:
        image = base64.b64decode(data, validate=False)
        half_blocks(image, 1, 1)  # Raises what is wrong with it.
    except (binascii.Error, Unshowable) as error:
        return Static(Content(f"an image that cannot be shown: {error}"), classes="note")
    return ImageView(image)


def _json(value: Any) -> Iterator[Widget]:
    """A list of flat objects as a table, anything else as a tree."""
    if isinstance(value, dict) and len(cast("dict[str, Any]", value)) == 1:
        name, inner = next(iter(cast("dict[str, Any]", value).items()))
        if _is_table(inner):
            yield Static(Content(clean(name)), classes="note")
            value = inner
    if _is_table(value):
        yield _table(cast("list[dict[str, Any]]", value))
    else:
        yield _tree(value)


def _is_table(value: Any) -> bool:
    rows = cast("list[Any]", value) if isinstance(value, list) else []
    return bool(rows) and all(
        isinstance(row, dict)
        and not any(isinstance(cell, dict | list) for cell in cast("dict[str, Any]", row).values())
        for row in rows
    )


def _table(rows: list[dict[str, Any]]) -> Widget:
    names = list(dict.fromkeys(name for row in rows[:ROWS] for name in row))[:50]
    table = DataTable[Text](zebra_stripes=True, cursor_type="row")
    table.add_columns(*(Text(clean(name) or " ") for name in names))
    table.add_rows([Text(_scalar(row.get(name))) for name in names] for row in rows[:ROWS])
    return table


def _tree(value: Any) -> Widget:
    tree = Tree[None](Text(_scalar(value) if not isinstance(value, dict | list) else "result"))
    tree.root.expand()
    _add(tree.root, value, 3)
    return tree


def _add(node: "TreeNode[None]", value: Any, open_levels: int) -> None:
    items = (
        list(cast("dict[str, Any]", value).items())
        if isinstance(value, dict)
        else [(str(index), each) for index, each in enumerate(cast("list[Any]", value))]
        if isinstance(value, list)
        else []
    )
    for name, each in items[:ROWS]:
        if isinstance(each, dict | list):
            kind = "{}" if isinstance(each, dict) else "[]"
            label = f"{clean(name)} {kind[0]}{len(cast('list[Any]', each))}{kind[1]}"
            _add(node.add(Text(label), expand=open_levels > 0), each, open_levels - 1)
        else:
            node.add_leaf(Text.assemble((clean(name), "bold"), " ", _scalar(each)))
    if len(items) > ROWS:
        node.add_leaf(Text(f"... {len(items) - ROWS} more"))


def _scalar(value: Any) -> str:
    return clean(value, 400) if isinstance(value, str) else json.dumps(value)


class _Link(Static, can_focus=True):
    """A resource that can be read: Enter or a click does that."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "open", show=False)]

    class Opened(Message):
        """It was opened."""

        def __init__(self, uri: str) -> None:
            super().__init__()
            self.uri = uri

    def __init__(self, uri: str) -> None:
        super().__init__(Content(uri), classes="link")
        self._uri = uri

    def on_click(self) -> None:
        """Open it."""
        self.action_open()

    def action_open(self) -> None:
        """Open it."""
        self.post_message(self.Opened(self._uri))
