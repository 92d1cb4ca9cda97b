"""A form with a field for each argument of a tool or each answer to a question."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, Final, Literal, TypeAlias

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.suggester import SuggestionReady
from textual.timer import Timer
from textual.widgets import Input, Label, Select, SelectionList, Static
from textual.widgets.selection_list import Selection

from fugue_tui.validation.json_form import FieldKind, FormField, chosen
from fugue_tui_widgets.dialogs import NARROW, SHORT

Written: TypeAlias = Mapping[tuple[str, ...], str]
"""What is written, by the paths of the fields."""
FormResult: TypeAlias = Literal["accept", "decline", "cancel"]
"""How a form was closed."""
Done: TypeAlias = Callable[[Mapping[str, str] | None], None]
"""Called with what is wrong, by the labels of fields, or with None once the form may close."""
Show: TypeAlias = Callable[[Sequence[str]], None]
"""Called with the values that a field may have."""
Complete: TypeAlias = Callable[[FormField, Written, Show], None]
"""Asks for the values that a field may have, with what is written in the form; calls back once, now or later."""
Entry: TypeAlias = "Input | Select[str] | _Choices"
"""What a field is written in."""
COMPLETE_SECONDS: Final = 0.15
"""How long a line has not changed before values for it are asked for."""
MOST_SHOWN: Final = 8
"""Values that are shown below a line."""


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
        SelectionList, SelectionList:focus {
            width: 1fr; max-height: 6; border: none; padding: 0; background: $boost; scrollbar-size-vertical: 1;
        }
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
        Binding("ctrl+@,ctrl+space", "next_value", "Next value", priority=True),
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
        complete: Complete | None = None,
    ) -> None:
        """`earlier` are earlier entries, latest first; `does` says what submitting does; `declines` offers a no."""
        super().__init__()
        self._heading, self._about, self._fields, self._submit = heading, about, fields, submit
        self._does, self._declines, self._at = does, declines, 0
        self._earlier: list[Written] = [{}, *earlier]
        self._completion = _Completion(self, complete) if complete is not None else None
        self._entries = [_entry(each) for each in fields]
        self._hints = [Static(Content(each.description), classes="hint") for each in fields]

    def compose(self) -> ComposeResult:
        """What it is for, and the fields."""
        with Vertical() as frame:
            frame.border_title = Content(self._heading)
            no = " · ctrl+n declines" if self._declines else ""
            recall = " · ctrl+↑ earlier" if len(self._earlier) > 1 else ""
            frame.border_subtitle = Content(f"ctrl+s {self._does}{recall}{no} · Escape cancels")
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

    def on_input_changed(self, event: Input.Changed) -> None:
        """Offer values for what is written."""
        if self._completion is not None:
            self._completion.later(event.input)

    def on_descendant_focus(self) -> None:
        """Offer values for a line that is gone to."""
        if self._completion is not None and isinstance(self.focused, Input):
            self._completion.later(self.focused)

    def action_next_value(self) -> None:
        """Write the next of the values that are offered."""
        if self._completion is not None:
            self._completion.write_next()

    def offer(self, entry: Input, words: str) -> None:
        """Show words on the values of a line below it; empty for what it is for."""
        at = self._entries.index(entry)
        field, hint = self._fields[at], self._hints[at]
        text = "\n".join(filter(None, (field.description, words)))
        hint.update(Content(text))
        hint.set_class(not text, "-empty")
        hint.set_class(False, "fault")

    def field_of(self, entry: Input) -> FormField:
        """The field that is written in a line."""
        return self._fields[self._entries.index(entry)]

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


class _Choices(SelectionList[str]):
    """Any number of choices: Space, Enter or a click takes one or leaves it."""

    def __init__(self, words: Sequence[str], first: Sequence[str]) -> None:
        super().__init__(*(Selection(Content(word), word, word in first) for word in words), compact=True)
        self._words = words

    @property
    def written(self) -> str:
        """What is chosen, in the order of the choices, as a list in JSON; empty for nothing."""
        taken = [word for word in self._words if word in self.selected]
        return json.dumps(taken, ensure_ascii=False) if taken else ""

    def write(self, text: str) -> None:
        """Choose what stands in such a list."""
        self.deselect_all()
        for word in chosen(text):
            if word in self._words:
                self.select(word)


class _Completion:
    """Asks for values of the line in focus once it does not change, one request at a time, and shows them."""

    def __init__(self, form: SchemaForm, complete: Complete) -> None:
        self._form, self._complete = form, complete
        self._timer: Timer | None = None
        self._asking = False
        self._offered: tuple[Input, Sequence[str]] | None = None
        self._written = ""

    def later(self, entry: Input) -> None:
        """Ask for the values of a line in a moment, unless it shows one of them."""
        if self._offered is not None and self._offered[0] is entry and entry.value == self._written:
            return
        self._clear()
        if self._timer is not None:
            self._timer.stop()
        self._timer = self._form.set_timer(COMPLETE_SECONDS, lambda: self._ask(entry))

    def write_next(self) -> None:
        """Write the next value into its line."""
        if self._offered is None:
            return
        entry, values = self._offered
        at = values.index(entry.value) + 1 if entry.value in values else 0
        self._written = entry.value = values[at % len(values)]
        entry.cursor_position = len(entry.value)

    def _ask(self, entry: Input) -> None:
        if self._asking or not entry.has_focus:
            return
        self._asking, text = True, entry.value
        self._complete(self._form.field_of(entry), self._form.written, lambda values: self._show(entry, text, values))

    def _show(self, entry: Input, text: str, values: Sequence[str]) -> None:
        self._asking = False
        if not self._form.is_attached:
            return
        if not entry.has_focus or entry.value != text:
            if isinstance(now := self._form.focused, Input):
                self._ask(now)
            return
        others = [each for each in values if each != text]
        if not others:
            return
        self._offered, self._written = (entry, others), text
        more = f" … {len(others) - MOST_SHOWN} more" if len(others) > MOST_SHOWN else ""
        self._form.offer(entry, f"{' · '.join(others[:MOST_SHOWN])}{more}   (→ takes it, ctrl+space the next)")
        if first := next((each for each in others if text and each.startswith(text)), ""):
            entry.post_message(SuggestionReady(text, first))

    def _clear(self) -> None:
        if self._offered is not None:
            self._form.offer(self._offered[0], "")
            self._offered = None


def _entry(field: FormField) -> Entry:
    if not field.choices:
        return Input(field.default, placeholder=field.hint, select_on_focus=False)
    words = [word for word, _ in field.choices]
    if field.kind is FieldKind.CHOICES:
        return _Choices(words, chosen(field.default))
    options = [(Content(word), word) for word in words]
    if field.default:
        return Select(options, value=field.default, allow_blank=not field.required, compact=True)
    return Select(options, prompt=field.hint, allow_blank=True, compact=True)


def _text(entry: Entry) -> str:
    if isinstance(entry, Input):
        return entry.value
    if isinstance(entry, _Choices):
        return entry.written
    return entry.value if isinstance(entry.value, str) else ""


def _write(entry: Entry, text: str) -> None:
    if isinstance(entry, _Choices):
        entry.write(text)
    elif isinstance(entry, Input) or text:
        entry.value = text
    else:
        entry.clear()
