"""What keys and the palette do besides running a command as it stands: ask, confirm, choose, explain."""

import os
import tempfile
from base64 import b64decode
from collections.abc import Callable
from typing import Any

from textual.content import Content

from fugue_tui.control.commands.panes import ResizePane
from fugue_tui.control.commands.server import KillServer
from fugue_tui.control.core.answers import ImageAnswer
from fugue_tui.control.core.command import USER, Command, Door, Effect, Origin
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.keymap import Action, Binding
from fugue_tui.control.schema import command_line
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Axis, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Divider
from fugue_tui.layout.tree import Node, Split, panes
from fugue_tui.layout.undo_history import History
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.command_runner import result_text
from fugue_tui.tui.input.key_bindings import KeyDispatch
from fugue_tui.tui.ui import view_model
from fugue_tui.tui.ui.command_palette import Palette
from fugue_tui.tui.ui.help_page import help_page
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.dialogs import Ask, Choose, Confirm, Page

_PALETTE = Origin(Door.PALETTE)


class Actions:
    """The actions of the user's keys. Main thread only."""

    def __init__(self, app: AppContext, keyboard: KeyDispatch) -> None:
        self._app = app
        self._keyboard = keyboard
        self._before_drag: tuple[Window, History] | None = None
        self._table: dict[Action, Callable[[], None]] = {
            Action.HELP: self.help,
            Action.PALETTE: self.palette,
            Action.COMMAND_LINE: self.command_line,
            Action.SCROLL: self.read_back,
            Action.PASTE: self.paste,
            Action.REDRAW: self.redraw,
            Action.DETACH: self.detach,
            Action.CHOOSE_CLIENT: self.choose_client,
            Action.QUIT: self.quit,
            Action.CHOOSE_WINDOW: self.choose_window,
            Action.CHOOSE_SESSION: self.choose_session,
            Action.RENAME_PANE: self.rename_pane,
            Action.RENAME_WINDOW: self.rename_window,
            Action.RENAME_SESSION: self.rename_session,
        }

    def bound(self, binding: Binding) -> None:
        """Do what a key is bound to."""
        if binding.action is not None:
            self._table[binding.action]()
        elif binding.command is not None:
            self._run(binding.command, USER)

    def run_words(self, line: list[str] | str) -> None:
        """Run a command as it would be typed; show what it says."""
        try:
            command = command_line.command(line)
        except FugueError as error:
            self._app.alert(str(error))
            return
        if command.effect is Effect.READ:
            self._run(command, _PALETTE, lambda result: self._show(command, result))
        else:
            self._run(command, _PALETTE)

    def _run(self, command: Command[Any], origin: Origin, then: Callable[[Any], None] | None = None) -> None:
        """Run a command; after a yes if it destroys what is in use."""
        try:
            asked = command.confirmation(self._app.mux, origin)
        except FugueError as error:
            self._app.alert(str(error))
            return
        if asked is None:
            self._app.commands.run(command, origin, then)
        else:
            self._confirm(asked.question, lambda: self._app.commands.run(asked.command, origin, then))

    def _show(self, command: Command[Any], result: Any) -> None:
        if isinstance(result, ImageAnswer) and result.image:
            self._app.alert(_written(command.verb, result))
        elif result is not None:
            self._app.open_dialog(Page(command.verb, Content(result_text(command, result))))

    def command_line(self, text: str = "") -> None:
        """Ask for a command, as on the command line."""
        self._ask("command", text, self.run_words)

    def help(self) -> None:
        """Every key and every command."""
        self._app.open_dialog(Page("fugue-tui", help_page(self._keyboard.keymap)))

    def palette(self) -> None:
        """The palette over every command."""
        self._app.open_dialog(Palette())

    def read_back(self) -> None:
        """Scroll the focused pane by keys."""
        self._keyboard.read_back()

    def paste(self) -> None:
        """Paste what was copied last into the focused pane."""
        view, pane = self._app.focused_view, self._app.mux.focused
        if not self._app.clipboard:
            self._app.alert("nothing was copied yet; select with the mouse, or by keys in copy mode")
        elif view is not None and pane is not None:
            self._app.mux.human_input(pane)
            view.paste(self._app.clipboard)

    def redraw(self) -> None:
        """Paint everything anew."""
        self._app.repaint()

    # Leaving and ending things

    def detach(self) -> None:
        """Leave the workspace running; the terminal that was used last gets itself back."""
        used = next((each for each in self._app.mux.clients.attached() if each.latest), None)
        if used is not None:
            self._send_away(used.id)

    def choose_client(self) -> None:
        """Choose a terminal to send away."""
        attached = self._app.mux.clients.attached()
        choices = [(str(each.id), client_words(each)) for each in attached]

        def answered(answer: str | None) -> None:
            if answer is not None:
                self._send_away(int(answer))

        latest = next((str(each.id) for each in attached if each.latest), "")
        self._app.open_dialog(Choose("send a terminal away", choices, latest), answered)

    def _send_away(self, client: int) -> None:
        try:
            self._app.mux.clients.detach(client)
        except FugueError as error:
            self._app.alert(str(error))

    def quit(self) -> None:
        """End every program and leave, after a question."""
        self._run(KillServer(), USER)

    # Naming

    def rename_pane(self) -> None:
        """Ask for the focused pane's name."""
        pane = self._app.mux.focused
        if pane is not None:
            name = self._app.mux.workspace.panes[pane].name
            self._rename("rename-pane", f"name of pane {pane}", name)

    def rename_window(self) -> None:
        """Ask for the front window's name."""
        window = self._app.mux.front
        if window is not None:
            self._rename("rename-window", "name of this window", view_model.window_label(self._app.mux, window))

    def rename_session(self) -> None:
        """Ask for the front session's name."""
        window = self._app.mux.front
        if window is not None:
            self._rename("rename-session", "name of this session", window.session)

    def _rename(self, verb: str, title: str, present: str) -> None:
        self._ask(title, present, lambda text: self.run_words([verb, f"--name={text}"]))

    # Choosing

    def choose_window(self) -> None:
        """Choose a window of any session from a list."""
        workspace = self._app.mux.workspace
        choices = [
            (str(each.id), f"{each.session}  {each.id} {view_model.window_label(self._app.mux, each)}  {_count(each)}")
            for each in workspace.windows
        ]
        self._choose("windows", choices, str(workspace.active), "select-window", "--window")

    def choose_session(self) -> None:
        """Choose a session from a list."""
        windows = self._app.mux.workspace.windows
        names = list(dict.fromkeys(each.session for each in windows))
        counts = [sum(each.session == name for each in windows) for name in names]
        choices = [(name, f"{name}  {count(number, 'window')}") for name, number in zip(names, counts, strict=True)]
        front = self._app.mux.front
        self._choose("sessions", choices, front.session if front else "", "select-session", "--session")

    def _choose(self, title: str, choices: list[tuple[str, str]], chosen: str, verb: str, flag: str) -> None:
        def answered(answer: str | None) -> None:
            if answer is not None:
                self.run_words([verb, flag, answer])

        self._app.open_dialog(Choose(title, choices, chosen), answered)

    def _ask(self, title: str, text: str, then: Callable[[str], None]) -> None:
        def answered(answer: str | None) -> None:
            if answer is not None:
                then(answer)

        self._app.open_dialog(Ask(title, text), answered)

    def _confirm(self, question: str, then: Callable[[], object]) -> None:
        def answered(answer: bool | None) -> None:
            if answer:
                then()

        self._app.open_dialog(Confirm(question), answered)

    # The mouse

    def begin_drag(self) -> None:
        """Remember what undo goes back to."""
        window = self._app.mux.front
        self._before_drag = (window, self._app.mux.layout_history.of(window.id)) if window is not None else None

    def end_drag(self) -> None:
        """Make the whole drag one step of undo, if it changed anything."""
        if self._before_drag is None:
            return
        window, history = self._before_drag
        self._before_drag = None
        if self._app.mux.layout_history.of(window.id) != history:
            self._app.mux.layout_history.merge(window.id, history, window.layout)

    def drag(self, divider: Divider, cells: int) -> None:
        """Move a divider by some cells: the border of the pane before it."""
        window = self._app.mux.front
        if window is None:
            return
        node: Node = window.layout
        for index in (*divider.path, divider.index):
            if not isinstance(node, Split):
                return
            node = node.children[index]
        pane = last_pane(node, divider.axis)
        side = Side.RIGHT if divider.axis is Axis.HORIZONTAL else Side.DOWN
        self._app.commands.run(ResizePane(pane=str(pane), side=side, cells=cells), Origin(Door.MOUSE))


def client_words(client: AttachedTerminal) -> str:
    """A terminal in a line: its number, its device, its size, and whether it only looks on."""
    told = f"{client.id}  {clean(client.tty, 40) or 'terminal'}  {client.size.cols}x{client.size.rows}"
    return told + ("  read-only" if client.read_only else "")


def last_pane(node: Node, axis: Axis) -> PaneId:
    """The pane of a subtree that touches its right (or lower) border."""
    while isinstance(node, Split):
        node = node.children[-1 if node.axis is axis else 0]
    return node.pane


def _written(verb: str, result: ImageAnswer) -> str:
    """What is said of a picture, which is written to a file of its own: a status bar cannot show it."""
    try:
        kind = result.media_type.rpartition("/")[2]
        descriptor, path = tempfile.mkstemp(prefix="fugue-tui-", suffix=f".{kind.partition('+')[0]}")
        with os.fdopen(descriptor, "wb") as file:
            file.write(b64decode(result.image))
    except OSError as error:
        return f"{verb}: {error.filename or 'the file'} cannot be written: {error.strerror}"
    return f"{verb}: written to {path}"


def _count(window: Window) -> str:
    return count(len(list(panes(window.layout))), "pane")
