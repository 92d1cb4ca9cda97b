"""A form with a field for each argument of a tool or each answer to a question."""

from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, Label, Select, Static

from fugue_tui.validation.json_form import FormField
from fugue_tui_widgets.dialogs import NARROW, SHORT

Written: TypeAlias = Mapping[tuple[str, ...], str]
"""What is written, by the paths of the fields."""
FormResult: TypeAlias = Literal["accept", "decline", "cancel"]
"""How a form was closed."""
Done: TypeAlias = Callable[[Mapping[str, str] | None], None]
"""Called with what is wrong, by the labels of fields, or with None once the form may close."""


class SchemaForm(ModalScreen[FormResult]):
    """Enter in a line, or Ctrl+S, submits; the form closes once its owner accepts that, or by Escape."""

    HORIZONTAL_BREAKPOINTS = NARROW
    VERTICAL_BREAKPOINTS = SHORT
    DEFAULT_CSS = """
    SchemaForm {
        align: center middle; background: $background 40%;
        & > Vertical {
            width: 90%; max-width: 100; height: auto; max-height: 90%; background: $surface; border: heavy $primary;
            border-title-color: $primary; border-subtitle-color: $text-muted; padding: 0 1;
        }
        VerticalScroll { height: auto; max-height: 70vh; scrollbar-size-vertical: 1; }
        #about { color: $text-muted; max-height: 6; }
        .row { height: auto; margin-top: 1; }
        Label { width: 20; text-wrap: nowrap; text-overflow: ellipsis; }
        Label.-required { text-style: bold; }
        Input, Input:focus { border: none; height: 1; padding: 0; width: 1fr; background: $boost; }
        Select { width: 1fr; height: auto; }
        SelectCurrent, Select:focus > SelectCurrent { border: none; height: 1; padding: 0; background: $boost; }
        Select:focus > SelectCurrent { background: $primary 40%; }
        .hint { color: $text-muted; padding-left: 20; height: auto; }
        .hint.-empty { display: none; }
        .fault { color: $text-warning; }
        &.-narrow > Vertical { width: 100%; }
        &.-narrow Label { width: 12; }
        &.-narrow .hint { padding-left: 0; }
        &.-short > Vertical { height: 100%; max-height: 100%; }
        &.-short .row { margin-top: 0; }
        &.-short .hint { display: none; }
        &.-short .hint.fault { display: block; }
    }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,ctrl+c", "cancel", "Cancel", priority=True),
        Binding("ctrl+n", "decline", "Decline", priority=True),
        Binding("ctrl+s", "submit", "Submit", priority=True),
        Binding("ctrl+up", "recall(1)", "Earlier", priority=True),
        Binding("ctrl+down", "recall(-1)", "Later", priority=True),
        Binding("down", "app.focus_next", show=False),
        Binding("up", "app.focus_previous", show=False),
    ]

    def __init__(
        self,
        heading: str,
        about: str,
        fields: Sequence[FormField],
        submit: Callable[[Written, Done], None],
        *,
        earlier: Sequence[Written] = (),
        does: str = "runs",
        declines: bool = False,
    ) -> None:
        """`earlier` are earlier entries, latest first; `does` says what submitting does; `declines` offers a no."""
        super().__init__()
        self._heading, self._about, self._fields, self._submit = heading, about, fields, submit
        self._does, self._declines, self._at = does, declines, 0
        self._earlier: list[Written] = [{}, *earlier]
        self._entries = [_entry(each) for each in fields]
        self._hints = [Static(Content(each.description), classes="hint") for each in fields]

    def compose(self) -> ComposeResult:
        """What it is for, and the fields."""
        with Vertical() as frame:
            frame.border_title = Content(f" {self._heading} ")
            no = " · ctrl+n declines" if self._declines else ""
            recall = " · ctrl+↑ earlier" if len(self._earlier) > 1 else ""
            frame.border_subtitle = Content(f" ctrl+s {self._does}{recall}{no} · esc cancels ")
            if self._about:
                with VerticalScroll(id="about", can_focus=False):
                    yield Static(Content(self._about))
            with VerticalScroll(can_focus=False):
                for field, entry, hint in zip(self._fields, self._entries, self._hints, strict=True):
                    with Horizontal(classes="row"):
                        mark = " *" if field.required else ""
                        yield Label(Content(f"{field.label}{mark}"), classes="-required" if field.required else "")
                        yield entry
                    yield hint

    def on_mount(self) -> None:
        """Begin with the first field."""
        for field, hint in zip(self._fields, self._hints, strict=True):
            hint.set_class(not field.description, "-empty")
        if self._entries:
            self._entries[0].focus()

    @property
    def written(self) -> Written:
        """What is written now."""
        return {field.path: _text(entry) for field, entry in zip(self._fields, self._entries, strict=True)}

    def on_input_submitted(self) -> None:
        """Enter in a line."""
        self.action_submit()

    def action_submit(self) -> None:
        """Hand what was written to the owner."""
        self._submit(self.written, self._done)

    def action_cancel(self) -> None:
        """Close."""
        self.dismiss("cancel")

    def action_decline(self) -> None:
        """Close with a no, where that is offered."""
        if self._declines:
            self.dismiss("decline")

    def action_recall(self, step: int) -> None:
        """Write what was entered earlier, or later."""
        if self._at == 0:
            self._earlier[0] = self.written
        self._at = min(max(self._at + step, 0), len(self._earlier) - 1)
        for field, entry in zip(self._fields, self._entries, strict=True):
            _write(entry, self._earlier[self._at].get(field.path, ""))

    def _done(self, faults: Mapping[str, str] | None) -> None:
        if not self.is_mounted:
            return
        if faults is None:
            if self.is_current:
                self.dismiss("accept")
            return
        for field, entry, hint in reversed(list(zip(self._fields, self._entries, self._hints, strict=True))):
            fault = faults.get(field.label, "")
            hint.update(Content(f"{field.label} {fault}" if fault else field.description))
            hint.set_class(not (fault or field.description), "-empty")
            hint.set_class(bool(fault), "fault")
            if fault:
                entry.focus()


def _entry(field: FormField) -> "Input | Select[str]":
    if not field.choices:
        return Input(field.default, placeholder=field.hint, select_on_focus=False)
    words = [word for word, _ in field.choices]
    options = [(Content(word), word) for word in words]
    if field.default:
        return Select(options, value=field.default, allow_blank=not field.required, compact=True)
    return Select(options, prompt=field.hint, allow_blank=True, compact=True)


def _text(entry: "Input | Select[str]") -> str:
    if isinstance(entry, Input):
        return entry.value
    return entry.value if isinstance(entry.value, str) else ""


def _write(entry: "Input | Select[str]", text: str) -> None:
    if isinstance(entry, Input) or text:
        entry.value = text
    else:
        entry.clear()
