"""What keys do besides running a command: ask for names, choose from lists, show help, drag dividers."""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property, partial
from typing import TYPE_CHECKING

from textual.widget import Widget

from fugue_tui.control.commands.floating_panes import FloatPane
from fugue_tui.control.commands.panes import ResizePane
from fugue_tui.control.commands.server import KillServer
from fugue_tui.control.commands.user_priority import FreezeAgents, HandOverPane, ReleaseAgents, TakePane
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.keymap import Action, Binding
from fugue_tui.errors import FugueError
from fugue_tui.geometry import Axis, Rect, Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.solve import Divider
from fugue_tui.layout.tree import Node, Split, tiled
from fugue_tui.layout.undo_history import History
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.input.key_bindings import MODE_ACTIONS, KeyDispatch
from fugue_tui.tui.ui import view_model
from fugue_tui.tui.ui.agent_overview import AgentOverview
from fugue_tui.tui.ui.approval_prompt import ApprovalPrompt
from fugue_tui.tui.ui.messages import Messages
from fugue_tui.tui.ui.paste_buffers import PasteBuffers
from fugue_tui.tui.ui.window_actions import WindowActions
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.dialogs import Ask, Choose

if TYPE_CHECKING:
    from fugue_tui.tui.ui.drag_and_drop import DragAndDrop
    from fugue_tui.tui.ui.mcp_results import McpResults
    from fugue_tui.tui.ui.mcp_tools import McpTools
    from fugue_tui.tui.ui.menus import Menus
    from fugue_tui.tui.ui.search_everywhere import SearchEverywhere
    from fugue_tui.tui.ui.task_overview import TaskOverview


class Actions:
    """The actions of the user's keys. Main thread only."""

    def __init__(
        self, app: AppContext, keyboard: KeyDispatch, messages: Messages, own: Mapping[Action, Callable[[], object]]
    ) -> None:
        """`own` are actions of the app itself."""
        self._app = app
        windows = WindowActions(app, messages)
        self._keyboard = keyboard
        self.approvals = ApprovalPrompt(app)
        """The dialog in which the user answers agents."""
        self.agents = AgentOverview(app)
        """The tables of agents."""
        self._buffers = buffers = PasteBuffers(app)
        self.paste_newest = buffers.paste_newest
        """Pastes what was copied last."""
        self._before_drag: tuple[Window, History] | None = None
        self._recent = list[str]()
        """What was chosen in the palette, latest first."""
        self._table: dict[Action, Callable[[], object]] = {
            Action.HELP: self._show_help,
            Action.PALETTE: self._show_palette,
            Action.COMMAND_LINE: app.commands.prompt,
            Action.SCROLL: keyboard.start_copy_mode,
            Action.SCROLL_PAGE_UP: lambda: keyboard.start_copy_mode(page_up=True),
            Action.QUICK_SELECT: keyboard.start_quick_select,
            Action.PASTE: buffers.paste_newest,
            Action.CHOOSE_BUFFER: buffers.choose,
            Action.SHOW_BUFFERS: buffers.list,
            Action.DELETE_BUFFER: buffers.delete_newest,
            Action.REDRAW: app.repaint,
            Action.DETACH: self._detach_latest,
            Action.CHOOSE_CLIENT: self._choose_client,
            Action.QUIT: lambda: app.commands.confirm(KillServer()),
            Action.CHOOSE_WINDOW: partial(self._show_tree, "WINDOWS"),
            Action.CHOOSE_SESSION: partial(self._show_tree, "SESSIONS"),
            Action.CHOOSE_TREE: partial(self._show_tree, "EVERYTHING", typing=True),
            Action.SEARCH: lambda: self._search.open(),
            Action.RENAME_PANE: self._rename_pane,
            Action.RENAME_WINDOW: self._rename_window,
            Action.RENAME_SESSION: self._rename_session,
            Action.APPROVALS: self.approvals.open,
            Action.TASKS: lambda: self._tasks.open(),
            Action.HOLD_PANE: self._hold_pane,
            Action.FREEZE_AGENTS: self._freeze_agents,
            Action.PANE_NUMBERS: windows.show_numbers,
            Action.MOVE_WINDOW: windows.move_window,
            Action.FIND_WINDOW: windows.find,
            Action.WINDOW_NUMBER: windows.select_by_number,
            Action.JOIN_PANE: windows.join,
            Action.MESSAGES: windows.show_messages,
            Action.INFO: windows.show_info,
            Action.CLOCK: windows.show_clock,
            Action.PANE_MENU: self._show_pane_menu,
            Action.WINDOW_MENU: self._show_window_menu,
            Action.NEXT_ALERT: partial(windows.next_alert, 1),
            Action.PREVIOUS_ALERT: partial(windows.next_alert, -1),
            **own,
            **{action: partial(keyboard.set_mode, mode) for action, mode in MODE_ACTIONS.items()},
        }

    # What is imported only once it is used

    @cached_property
    def menus(self) -> "Menus":
        """The menus of the right button."""
        from fugue_tui.tui.ui.menus import Menus

        return Menus(self._app, self._buffers)

    @cached_property
    def drags(self) -> "DragAndDrop":
        """Panes and tabs that are dragged."""
        from fugue_tui.tui.ui.drag_and_drop import DragAndDrop

        return DragAndDrop(self._app)

    @cached_property
    def _tasks(self) -> "TaskOverview":
        from fugue_tui.tui.ui.task_overview import TaskOverview

        return TaskOverview(self._app)

    @cached_property
    def tools(self) -> "McpTools":
        """The palette of MCP servers' tools."""
        from fugue_tui.tui.ui.mcp_tools import McpTools

        return McpTools(self._app, lambda entry, answer, again: self._results.show(entry.name, answer, again))

    @cached_property
    def _results(self) -> "McpResults":
        from fugue_tui.tui.ui.mcp_results import McpResults

        return McpResults(self._app)

    @cached_property
    def _search(self) -> "SearchEverywhere":
        from fugue_tui.tui.ui.search_everywhere import SearchEverywhere

        return SearchEverywhere(self._app, self._keyboard.show_match)

    def _show_tree(self, scope: str, *, typing: bool = False) -> None:
        """Choose from a list of everything; `scope` is a name of `TreeScope`."""
        from fugue_tui.tui.ui.tree_chooser import TreeChooser
        from fugue_tui.tui.ui.tree_items import TreeScope

        TreeChooser(self._app).open(TreeScope[scope], typing=typing)

    # Actions

    def run(self, binding: Binding) -> None:
        """Run what a key is bound to."""
        following = binding.following
        if binding.action is not None:
            self._table[binding.action]()
            if following is not None:
                self.run(following)
        elif binding.command is not None:
            then: Callable[[object], None] | None = (lambda _: self.run(following)) if following is not None else None
            self._app.commands.confirm(binding.command, then=then)

    def content(self, pane: PaneId, what: str) -> Widget | None:
        """What is shown in a pane that runs no program; None if it is not known."""
        return self.agents.content(pane, what) or self._results.content(pane, what)

    def _show_palette(self) -> None:
        from fugue_tui.tui.ui.command_palette import Palette

        self._app.push_screen(Palette(self._keyboard.keymap, self.run, self._recent))

    def report_undo(self, text: str, reverting: str) -> None:
        """Show which panes were closed or what was undone, and the keys that bring the panes back."""
        keys = self._keyboard.keys_of(reverting)
        self._app.alert(f"{text}; {keys} brings it back" if keys else text)

    def _show_help(self) -> None:
        from fugue_tui.tui.ui.help_page import help_sections, help_title
        from fugue_tui_widgets.help_screen import HelpScreen

        keymap = self._keyboard.keymap
        self._app.push_screen(HelpScreen(help_title(keymap), help_sections(keymap, self._app.settings.keys)))

    def _show_pane_menu(self) -> None:
        if self._app.mux.focused is not None:
            self.menus.pane(self._app.mux.focused)

    def _show_window_menu(self) -> None:
        if self._app.mux.front is not None:
            self.menus.window(self._app.mux.front.id)

    # Agents

    def _hold_pane(self) -> None:
        """Take the focused pane over, or hand it over."""
        pane, lease = self._app.mux.focused, self._app.mux.lease
        if pane is None:
            return
        held = lease.is_taken(pane)
        command = HandOverPane(pane=str(pane)) if held else TakePane(pane=str(pane))
        text = f"agents may type in {pane} again" if held else f"{pane} is yours; the same keys hand it over to agents"
        self._app.commands.run(command, then=lambda _: self._app.alert(text))

    def _freeze_agents(self) -> None:
        """Refuse all input of agents, or accept it again."""
        frozen = self._app.mux.lease.frozen
        text = "agents may type again" if frozen else "agents may not type; the same keys release them"
        command = ReleaseAgents() if frozen else FreezeAgents()
        self._app.commands.run(command, then=lambda _: self._app.alert(text))

    # Detach

    def _detach_latest(self) -> None:
        """Detach the client that was used last."""
        latest = next((client for client in self._app.mux.clients.attached() if client.latest), None)
        if latest is not None:
            self._detach(latest.id)

    def _choose_client(self) -> None:
        """Choose a client to detach."""
        attached = self._app.mux.clients.attached()
        choices = [(str(client.id), client_words(client)) for client in attached]
        latest = next((str(client.id) for client in attached if client.latest), "")
        self._choose("detach a client", choices, latest, lambda client: self._detach(int(client)))

    def _detach(self, client: int) -> None:
        try:
            self._app.mux.clients.detach(client)
        except FugueError as error:
            self._app.warn(str(error))

    # Rename

    def _rename_pane(self) -> None:
        pane = self._app.mux.focused
        if pane is not None:
            self._rename("rename-pane", f"name of pane {pane}", self._app.mux.workspace.panes[pane].name)

    def _rename_window(self) -> None:
        window = self._app.mux.front
        if window is not None:
            self._rename("rename-window", "name of this window", view_model.window_label(self._app.mux, window))

    def _rename_session(self) -> None:
        window = self._app.mux.front
        if window is not None:
            self._rename("rename-session", "name of this session", window.session)

    def _rename(self, verb: str, title: str, name: str) -> None:
        def answered(answer: str | None) -> None:
            if answer is not None:
                self._app.commands.run_line([verb, f"--name={answer}"])

        self._app.push_screen(Ask(title, name), answered)

    def _choose(self, title: str, choices: list[tuple[str, str]], chosen: str, then: Callable[[str], None]) -> None:
        def answered(answer: str | None) -> None:
            if answer is not None:
                then(answer)

        self._app.push_screen(Choose(title, choices, chosen), answered)

    # The mouse

    def begin_drag(self) -> None:
        """Remember what undo returns to."""
        window = self._app.mux.front
        self._before_drag = (window, self._app.mux.layout_history.of(window.id)) if window is not None else None

    @property
    def is_dragging(self) -> bool:
        """Whether a drag has begun, and has not ended."""
        return self._before_drag is not None

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
        node: Node = tiled(window.layout)
        for index in (*divider.path, divider.index):
            if not isinstance(node, Split):
                return
            node = node.children[index]
        pane = last_pane(node, divider.axis)
        side = Side.RIGHT if divider.axis is Axis.HORIZONTAL else Side.DOWN
        self._app.commands.run(ResizePane(pane=str(pane), side=side, cells=cells), Origin(Interface.MOUSE))

    def drag_float(self, pane: PaneId, rect: Rect, sides: Collection[Side]) -> None:
        """Move a floating pane to a rectangle of the screen, or resize it by some of its borders."""
        mux, offset = self._app.mux, self._app.grid.region.offset
        if pane not in mux.workspace.panes:
            return
        bounds = mux.layouts.bounds(mux.window_of(pane))
        x, y = max(rect.x - offset.x - bounds.x, 0), max(rect.y - offset.y - bounds.y, 0)
        across = any(side.axis is Axis.HORIZONTAL for side in sides)
        place = FloatPane(
            pane=str(pane),
            x=x if across or not sides else None,
            y=y if not sides or Side.DOWN in sides else None,
            cols=rect.cols if across else None,
            rows=rect.rows if Side.DOWN in sides else None,
        )
        self._app.commands.run(place, Origin(Interface.MOUSE))


def client_words(client: AttachedTerminal) -> str:
    """A client in a line: its number, its device, its size, and whether it is read-only."""
    words = f"{client.id}  {clean(client.tty, 40) or 'terminal'}  {client.size.cols}x{client.size.rows}"
    return words + ("  read-only" if client.read_only else "")


def last_pane(node: Node, axis: Axis) -> PaneId:
    """The pane of a subtree that touches its right (or lower) border."""
    while isinstance(node, Split):
        node = node.children[-1 if node.axis is axis else 0]
    return node.pane
