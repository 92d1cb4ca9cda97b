"""A line to type in, a list of what is found, and a preview of the row under the cursor."""

from collections.abc import Sequence
from typing import ClassVar, Final, Protocol

from msgspec import Struct
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, Horizontal, Vertical
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Label

from fugue_tui_widgets.cell_preview import CellPreview, Shown
from fugue_tui_widgets.dialogs import SHORT, fitting
from fugue_tui_widgets.region_refresh import refresh_regions
from fugue_tui_widgets.row_list import ListRow, RowList

LIVE_SECONDS: Final = 0.5
"""How often the preview is asked for anew."""


_BREAKPOINTS: Final[list[tuple[int, str]]] = [(0, "-narrow"), (60, "-middle"), (100, "-wide")]


class Scope(Struct, frozen=True):
    """A choice of what is listed."""

    words: str
    short: str
    """The same for a narrow screen."""


class FinderModel(Struct, frozen=True):
    """What is to be known of the screen besides its rows."""

    placeholder: str
    scopes: Sequence[Scope]
    typing_hints: Sequence[str]
    """Keys while the line has the focus, the most important first."""
    list_hints: Sequence[str] = ()
    """Keys while the list has the focus; without any it never has it, and every letter is typed into the line."""


class FinderOwner(Protocol):
    """Finds what is shown, and does what the user chooses. No call may take long."""

    def changed(self, text: str, scope: int) -> None:
        """Something else was typed, or another scope chosen: call `show_rows`, now or later."""
        ...

    def preview(self, key: str) -> None:
        """The row under the cursor, or what it shows, may have changed: call `show_preview`, now or later."""
        ...

    def chosen(self, key: str) -> None:
        """A row was chosen."""
        ...

    def pressed(self, press: str, key: str) -> None:
        """A key was pressed, by Textual's name, for which neither the line nor the list has a use."""
        ...


class FinderScreen(ModalScreen[None]):
    """Stays until Escape, Ctrl+C or its owner closes it."""

    HORIZONTAL_BREAKPOINTS = _BREAKPOINTS
    VERTICAL_BREAKPOINTS = SHORT
    BEHIND_SECONDS: ClassVar[float] = 5.0
    """Minimum seconds between two frames of the panes behind it, of which little is visible."""
    DEFAULT_CSS = """
    FinderScreen {
        align: center middle; background: $background 40%;
        & > Vertical {
            width: 96%; height: 92%; background: $surface; border: heavy $primary;
            border-title-color: $primary; border-subtitle-color: $text-muted;
        }
        &.-narrow > Vertical, &.-short > Vertical { width: 100%; height: 100%; }
        Input, Input:focus { border: none; height: 1; padding: 0 1; background: $surface; }
        #scopes { height: 1; padding: 0 1; }
        &.-narrow _ScopeLabel { margin-right: 1; }
        #body { layout: vertical; height: 1fr; }
        &.-wide #body { layout: horizontal; }
        RowList { padding: 0; }
        #preview {
            height: 1fr; border-top: solid $primary; border-title-color: $text-muted; background: transparent;
        }
        &.-wide #preview { height: 100%; border-left: solid $primary; }
        &.-short #preview { display: none; }
        &.-short.-wide #preview { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c", "close", "Close", priority=True),
        Binding("escape", "escape", "Close", priority=True),
        Binding("enter", "choose", "Choose", priority=True),
        Binding("tab", "scope(1)", "Scope", priority=True),
        Binding("shift+tab", "scope(-1)", show=False, priority=True),
        Binding("up,ctrl+p", "move(-1)", show=False, priority=True),
        Binding("down,ctrl+n", "move(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    def __init__(
        self, model: FinderModel, owner: FinderOwner, *, text: str = "", scope: int = 0, typing: bool = True
    ) -> None:
        """`text` stands in the line, whose keys hold at first if `typing`."""
        super().__init__()
        self._model, self._owner = model, owner
        self._text, self._scope, self._typing = text, scope, typing or not model.list_hints
        self._line = Input(text, placeholder=model.placeholder)
        self._list = RowList()
        self._list.can_focus = bool(model.list_hints)
        self._preview = CellPreview()
        self._beside = Vertical(self._preview, id="preview")

    def compose(self) -> ComposeResult:
        """The line, the scopes, the list and the preview."""
        with Vertical(id="frame"):
            yield self._line
            with Horizontal(id="scopes"):
                for number, scope in enumerate(self._model.scopes):
                    yield _ScopeLabel(scope, number)
            with Container(id="body"):
                yield self._list
                yield self._beside

    def on_mount(self) -> None:
        """Begin to ask for rows and previews."""
        (self._line if self._typing else self._list).focus()
        self._show_scope()
        self.set_interval(LIVE_SECONDS, lambda: self._owner.preview(self._list.key))

    # What the owner shows

    def show_rows(self, rows: Sequence[ListRow], title: str, key: str = "") -> None:
        """Show rows, and in the frame what they are; the cursor goes to a key if one is given. Where no row can be
        chosen, there is no preview."""
        self.show_title(title)
        self._beside.visible = any(row.key for row in rows)
        self._list.show(rows, key)

    def show_title(self, title: str) -> None:
        """Show something else in the frame, and the same rows."""
        self.query_one("#frame", Vertical).border_title = Content(title)

    def show_preview(self, shown: Shown) -> None:
        """Show something beside the list."""
        before = "" if self.has_class("-wide") else " "  # Textual leaves a blank only where there is a corner.
        title = Content(f"{before}{shown.title} ") if shown.title else None
        self._beside.border_title = title
        self._preview.show(shown)

    @property
    def preview_size(self) -> Size | None:
        """The cells that a preview has; None if there is no room for one."""
        size = self._preview.size
        return size if size.width and size.height and self._beside.display else None

    @property
    def list_width(self) -> int:
        """The cells of a row of the list, or about as many before it is laid out."""
        return self._list.scrollable_content_region.width or max(self.size.width - 6, 1)

    @property
    def key(self) -> str:
        """The key of the row under the cursor; empty if there is none."""
        return self._list.key

    # Events

    def on_resize(self) -> None:
        """Fit the hints and the names of the scopes, and ask for rows of another width."""
        for label in self.query(_ScopeLabel):
            label.fit(narrow=self.size.width < 60)
        self.call_after_refresh(self._ask)

    def _ask(self) -> None:
        self._show_hints()
        self._owner.changed(self._line.value, self._scope)
        self._owner.preview(self._list.key)

    def on_descendant_focus(self) -> None:
        """Say which keys hold."""
        self._show_hints()

    def _show_hints(self) -> None:
        hints = self._model.typing_hints if self._line.has_focus or not self._model.list_hints else None
        frame = self.query_one("#frame", Vertical)
        shown = fitting(self._model.list_hints if hints is None else hints, frame.size.width - 4)
        frame.border_subtitle = Content(shown)

    def on_input_changed(self, message: Input.Changed) -> None:
        """Search while the user types."""
        message.stop()
        if message.value != self._text:
            self._text = message.value
            self._owner.changed(message.value, self._scope)

    def on_row_list_highlighted(self, message: RowList.Highlighted) -> None:
        """Preview another row."""
        self._owner.preview(message.key)

    def on_row_list_chosen(self, message: RowList.Chosen) -> None:
        """A double click does what Enter does."""
        self._owner.chosen(message.key)

    def on__scope_label_clicked(self, message: "_ScopeLabel.Clicked") -> None:
        """A click chooses a scope."""
        self._scope = message.number
        self._rescope()

    def on_key(self, event: events.Key) -> None:
        """Handle the keys of the list."""
        if self._line.has_focus:
            if event.key.startswith("alt+"):
                event.stop()
                self._owner.pressed(event.key, self._list.key)
            return
        event.stop()
        event.prevent_default()
        if event.key in ("slash", "f"):
            self._line.focus()
        elif event.key == "q":
            self.action_close()
        elif event.key in _STEPS:
            self._list.move(_STEPS[event.key])
        else:
            self._owner.pressed(event.key, self._list.key)

    # Actions

    def action_close(self) -> None:
        """Close."""
        self.dismiss()

    def action_escape(self) -> None:
        """Close, or first end the filter that was begun in the list."""
        if self._line.has_focus and self._model.list_hints and not self._typing:
            self._line.value = ""
            self._list.focus()
        else:
            self.dismiss()

    def action_choose(self) -> None:
        """Choose the row under the cursor."""
        if self._list.key:
            self._owner.chosen(self._list.key)

    def action_move(self, rows: int) -> None:
        """Move the cursor."""
        self._list.move(rows)

    def action_page(self, pages: int) -> None:
        """Move the cursor by the rows that are visible."""
        self._list.move(pages * self._list.page)

    def action_scope(self, step: int) -> None:
        """Choose the next scope."""
        self._scope = (self._scope + step) % len(self._model.scopes)
        self._rescope()

    def _rescope(self) -> None:
        self._show_scope()
        self._ask()

    def _show_scope(self) -> None:
        for label in self.query(_ScopeLabel):
            label.set_class(label.number == self._scope, "-chosen")

    def _compositor_refresh(self) -> None:
        if not refresh_regions(self):
            super()._compositor_refresh()


_FAR: Final = 1 << 30
_STEPS: Final = {"j": 1, "k": -1, "g": -_FAR, "home": -_FAR, "G": _FAR, "end": _FAR}


class _ScopeLabel(Label):
    """The name of a scope, which a click chooses."""

    DEFAULT_CSS = """
    _ScopeLabel { width: auto; margin-right: 2; color: $text-muted; }
    _ScopeLabel.-chosen { color: $primary; text-style: bold reverse; }
    """

    class Clicked(Message):
        """It was clicked."""

        def __init__(self, number: int) -> None:
            super().__init__()
            self.number = number

    def __init__(self, scope: Scope, number: int) -> None:
        super().__init__(Content(scope.words))
        self.number = number
        self._scope = scope

    def fit(self, *, narrow: bool) -> None:
        """Show the long or the short name."""
        self.update(Content(self._scope.short if narrow else self._scope.words))

    def on_click(self) -> None:
        """Tell the screen."""
        self.post_message(self.Clicked(self.number))
