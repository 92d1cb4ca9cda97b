"""The screen of `fugue-tui show`: one file in the widget for its kind, read again whenever it changes."""

import asyncio
import os
from typing import ClassVar, Final

from rich.syntax import Syntax
from rich.text import Text
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widget import Widget
from textual.widgets import DataTable, Footer, Markdown, Static, TextArea

from fugue_tui.errors import FugueError
from fugue_tui.file_kind import FileKind
from fugue_tui.sanitize import clean
from fugue_tui.viewer.document import Document, read, stamp
from fugue_tui_widgets.image_view import ImageView, half_blocks

POLL_SECONDS: Final = 1.0
HIGHLIGHTED: Final = 200_000
"""Characters of a text that is highlighted."""


class ShowFile(App[int]):
    """Shows one file."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("q,escape", "quit", "close"), Binding("r", "reload", "read again")]
    CSS = "#note { dock: top; height: 1; padding: 0 1; color: $text-muted; } #body { height: 1fr; }"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, path: str, kind: FileKind) -> None:
        super().__init__()
        self._path, self._kind = os.path.abspath(path), kind
        self._stamp = stamp(self._path)

    def compose(self) -> ComposeResult:
        """The file, a line about it, and the keys."""
        yield VerticalScroll(id="body")
        yield Static(id="note", markup=False)
        yield Footer()

    async def on_mount(self) -> None:
        """Show the file, and watch it."""
        self.title = clean(os.path.basename(self._path))
        await self._show()
        self.set_interval(POLL_SECONDS, self._poll)

    async def _poll(self) -> None:
        now = await asyncio.to_thread(stamp, self._path)
        if now != self._stamp:
            self._stamp = now
            await self._show()

    async def action_reload(self) -> None:
        """Read the file again."""
        await self._show()

    async def _show(self) -> None:
        body, note = self.query_one("#body", VerticalScroll), self.query_one("#note", Static)
        name = clean(os.path.basename(self._path), 100)
        try:
            document = await asyncio.to_thread(read, self._path, self._kind)
            widget = _widget(document, self._path)
            note.update(" · ".join(part for part in (name, document.kind, document.note) if part))
        except FugueError as error:
            widget = Static(str(error), markup=False)
            note.update(name)
        await body.remove_children()
        await body.mount(widget)
        if isinstance(widget, DataTable | TextArea):
            widget.focus()


def _widget(document: Document, path: str) -> Widget:
    match document.kind:
        case FileKind.MARKDOWN:
            return Markdown(document.text, open_links=False)
        case FileKind.TABLE:
            return _table(document)
        case FileKind.IMAGE:
            half_blocks(document.image, 1, 1)  # Raises what is wrong with it.
            return ImageView(document.image)
        case _ if len(document.text) > HIGHLIGHTED:
            return TextArea(document.text, read_only=True, show_line_numbers=True)
        case kind:
            lexer = "diff" if kind is FileKind.DIFF else Syntax.guess_lexer(path, document.text[:10_000])
            numbers = kind is not FileKind.DIFF
            return Static(Syntax(document.text, lexer, theme="ansi_dark", line_numbers=numbers, word_wrap=True))


def _table(document: Document) -> Widget:
    table = DataTable[Text](zebra_stripes=True, cursor_type="row")
    header, *rows = document.rows or (("(empty)",),)
    table.add_columns(*(Text(name or " ") for name in header))
    table.add_rows([Text(cell) for cell in row] for row in rows)
    return table


def run(path: str, kind: FileKind) -> int:
    """Show a file until the user closes it; the exit status. Raises Unshowable if there is none."""
    if stamp(path) is None:
        read(path, kind)
    return ShowFile(path, kind).run() or 0
