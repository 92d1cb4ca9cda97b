"""Keys that ask for a window or a pane, or show what they know of one."""

import time

from textual.screen import ModalScreen

from fugue_tui.control.commands.find_window import FindWindow, WindowMatches
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.geometry import Rect
from fugue_tui.layout.tree import panes
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui.messages import Messages
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.dialogs import Ask, Choose, Page
from fugue_tui_widgets.status_bar import StatusBar


class WindowActions:
    """Prompts, lists and numbers. Main thread only."""

    def __init__(self, app: AppContext, messages: Messages) -> None:
        self._app = app
        self._messages = messages

    def show_numbers(self) -> None:
        """Number the panes of the active window; a digit focuses one."""
        mux, offset = self._app.mux, self._app.grid.region.offset
        window = mux.front
        if window is None:
            return
        rects = mux.layouts.of(window).panes
        shown = [pane for pane in panes(window.layout) if pane in rects]
        from fugue_tui_widgets.pane_numbers import NumberedPane, PaneNumbers

        numbered = [
            NumberedPane(
                str(pane),
                number,
                Rect(rect.x + offset.x, rect.y + offset.y, rect.cols, rect.rows),
                f"{pane} {rect.cols}x{rect.rows}",
                pane == window.active,
            )
            for number, pane in enumerate(shown, 1)
            if (rect := rects[pane])
        ]
        self._push(PaneNumbers(numbered, ascii_only=mux.line_style() == "ascii"), "focus-pane")

    def join(self) -> None:
        """Choose a pane that is put beside the focused one: the marked one is offered first."""
        mux = self._app.mux
        choices = [
            (str(pane), f"{window.session}  {window_label(mux, window)}  {pane} {pane_label(mux, pane)}")
            for window in mux.workspace.windows
            if mux.front is None or window.id != mux.front.id
            for pane in panes(window.layout)
        ]
        if not choices:
            self._app.alert("no other window has a pane to join")
            return
        self._push(Choose("join a pane here", choices, str(mux.user_options.marked)), "join-pane")

    def move_window(self) -> None:
        """Ask for the number of the tab that the active window becomes."""
        tabs, window = self._tabs(), self._app.mux.front
        if window is not None:
            number = tabs.index(window) + 1
            self._push(Ask(f"move this window to tab (1 to {len(tabs)})", str(number)), "move-window", "--index")

    def select_by_number(self) -> None:
        """Ask for the number of a window."""

        def answered(answer: str | None) -> None:
            if answer:
                self._app.commands.run_line(["select-window", f":{answer.removeprefix(':')}"])

        self._app.push_screen(Ask("window number"), answered)

    def find(self) -> None:
        """Ask for a text, and go to the only window that has it, or list those that do."""

        def answered(answer: str | None) -> None:
            if answer:
                self._app.commands.run(FindWindow(text=answer), then=self._found)

        self._app.push_screen(Ask("find a window by its name, titles or visible text"), answered)

    def _found(self, matches: WindowMatches) -> None:
        choices = [(each.pane, f"{each.window} {each.name}  {each.pane} {each.text}") for each in matches.matches]
        if len({each.window for each in matches.matches}) == 1:
            self._app.commands.run_line(["focus-pane", choices[0][0]])
        elif choices:
            self._push(Choose("windows with that text", choices), "focus-pane")
        else:
            self._app.alert("no window has that in its name, its titles or its visible text")

    def next_alert(self, step: int) -> None:
        """Select the next window, or the previous one, whose tab is marked: a bell, output, silence, or an agent."""
        tabs = self._app.screen.query_one(StatusBar).content.tabs
        at = next((at for at, tab in enumerate(tabs) if tab.active), 0)
        after = [tabs[(at + step * by) % len(tabs)] for by in range(1, len(tabs))]
        found = next((tab for tab in after if tab.marks.strip("Z")), None)
        if found is None:
            self._app.alert("no other window of this session is marked")
        else:
            self._app.commands.run_line(["select-window", str(found.window)])

    def show_messages(self) -> None:
        """List the messages that were shown, the latest first."""
        self._app.push_screen(Page("messages", self._messages.past()))

    def show_info(self) -> None:
        """Say what the focused pane is, and where."""
        mux, window, pane = self._app.mux, self._app.mux.front, self._app.mux.focused
        if window is None or pane is None:
            return
        terminal, order = mux.terminals[pane], list(panes(window.layout))
        size = terminal.size
        parts = (
            f"{clean(window.session, 24)}:{self._tabs().index(window) + 1} {window_label(mux, window)} {window.id}",
            f"pane {order.index(pane) + 1} of {len(order)} {pane} {size.cols}x{size.rows}",
            f"history {count(terminal.scrollback.lines, 'line')}",
            f"pid {terminal.pid}" if mux.runs(pane) else "ended",
        )
        self._app.alert(" · ".join(parts))

    def show_clock(self) -> None:
        """Show the time."""
        self._app.alert(time.strftime("%H:%M · %A, %d %B %Y"))

    def _tabs(self) -> list[Window]:
        """The windows of the active session."""
        mux = self._app.mux
        return [each for each in mux.workspace.windows if mux.front is not None and each.session == mux.front.session]

    def _push(self, screen: ModalScreen[str | None], *verb: str) -> None:
        """Open a dialog, and run a command with its answer."""

        def answered(answer: str | None) -> None:
            if answer:
                self._app.commands.run_line([*verb, answer])

        self._app.push_screen(screen, answered)
