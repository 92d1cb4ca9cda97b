"""The keys of paste buffers: paste the newest, choose one to paste, list them, delete the newest."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from fugue_tui.control.commands.buffers import BufferSet, DeleteBuffer, info
from fugue_tui.control.core.confirmation import count
from fugue_tui.sanitize import clean, clean_text
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input import synchronized_input
from fugue_tui_widgets.dialogs import Page

if TYPE_CHECKING:
    from fugue_tui_widgets.buffer_screen import BufferRow

NONE = "nothing was copied yet: select with the mouse or in copy mode"


class PasteBuffers:
    """Pastes into the focused pane. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def paste_newest(self) -> None:
        """Paste what was copied last, which no buffer may keep."""
        if self._app.clipboard:
            self._paste(self._app.clipboard)
        else:
            self._app.alert(NONE)

    def _paste(self, text: str) -> None:
        view, pane = self._app.focused_view, self._app.mux.focused
        if view is not None and pane is not None:
            self._app.mux.human_input(pane)
            view.paste(text)
            synchronized_input.paste(self._app, text)

    def choose(self) -> None:
        """Choose a buffer to paste."""
        from fugue_tui_widgets.buffer_screen import BufferScreen

        clipboard = self._app.mux.clipboard
        if not clipboard.entries:
            self._app.alert(NONE)
            return

        def chosen(name: str | None) -> None:
            found = next((each for each in clipboard.entries if each.name == name), None)
            if found is not None:
                self._paste(found.text)

        self._app.push_screen(BufferScreen(self._rows(), self._delete), chosen)

    def list(self) -> None:
        """Show a page with the buffers."""
        from textual.content import Content

        rows = self._rows()
        if not rows:
            self._app.alert(NONE)
            return
        lines = (f"{row.name}: {row.about}: {row.sample}" for row in rows)
        self._app.push_screen(Page("paste buffers", Content("\n".join(lines))))

    def delete_newest(self) -> None:
        """Delete the newest buffer."""

        def deleted(found: BufferSet) -> None:
            self._app.alert(f"deleted {found.name} of {count(found.characters, 'character')}")

        self._app.commands.run(DeleteBuffer(), then=deleted)

    def _delete(self, name: str) -> "Sequence[BufferRow]":
        self._app.commands.run(DeleteBuffer(buffer=name))
        return self._rows()

    def _rows(self) -> "list[BufferRow]":
        from fugue_tui_widgets.buffer_screen import BufferRow

        rows = list[BufferRow]()
        for each in self._app.mux.clipboard.entries:
            about = info(self._app.mux, each)
            size = count(about.lines, "line") if about.lines > 1 else count(about.characters, "character")
            where = f" {about.pane}" if about.pane else ""
            sample = clean(" ".join(each.text[:400].split()), 60)
            text = clean_text(each.text, max(len(each.text), 1))
            rows.append(BufferRow(clean(about.name), f"{about.at[11:16]}{where} {size}", sample, text))
        return rows
