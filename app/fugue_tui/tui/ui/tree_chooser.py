"""Choosing a pane, a window, a session or another workspace from one list with a filter and a live preview."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from fugue_tui.client.workspaces import workspaces
from fugue_tui.control.commands.clients import SwitchWorkspace
from fugue_tui.control.commands.move import MarkPane
from fugue_tui.control.commands.panes import ClosePane, FocusPane, RenamePane
from fugue_tui.control.commands.sessions import KillSession, RenameSession, SelectSession
from fugue_tui.control.commands.windows import CloseWindow, RenameWindow, SelectWindow
from fugue_tui.control.core.command import USER, Command
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.output.miniature import miniature
from fugue_tui.control.output.pane_titles import pane_label
from fugue_tui.control.output.screenshot import capture_pane
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.imaging.screen import Screen, plain
from fugue_tui.layout.tree import panes
from fugue_tui.sanitize import clean
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.terminal.screen.highlight import highlight
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui.tree_items import (
    SESSION,
    WORKSPACE,
    Facts,
    Item,
    TreeScope,
    facts,
    items,
    labels,
    other_workspaces,
    ranked,
    rows,
)
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.dialogs import Ask, Confirm

if TYPE_CHECKING:
    from fugue_tui_widgets.cell_preview import Shown
    from fugue_tui_widgets.finder_screen import FinderScreen

_TYPING: Final = ("Enter goes there", "Escape closes", "Tab other lists", "Alt+letter goes there", "↑ ↓ choose")
_LISTED: Final = (
    *("Enter goes there", "Escape closes", "/ filters", "x closes", ", renames", "m marks", "Tab other lists"),
    "digit, Alt+letter go there",
)


class TreeChooser:
    """Opens the list. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app

    def open(self, scope: TreeScope, *, typing: bool) -> None:
        """List a scope; keys are typed into the filter at first if `typing`."""
        from fugue_tui_widgets.finder_screen import FinderModel, FinderScreen, Scope

        scopes = (
            Scope("everything", "all"),
            Scope("panes", "panes"),
            Scope("windows", "windows"),
            Scope("sessions", "sessions"),
            Scope("workspaces", "others"),
        )
        model = FinderModel("name, directory, command", scopes, _TYPING, _LISTED)
        choice = _Choice(self._app)
        choice.screen = FinderScreen(model, choice, scope=scope, typing=typing)
        self._app.push_screen(choice.screen, lambda _: choice.end())


class _Choice:
    """One list, as the owner of its screen."""

    screen: "FinderScreen"

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._text, self._scope = "", TreeScope.EVERYTHING
        self._known = dict[PaneId, Facts]()
        self._others: Sequence[Item] | None = None
        self._listed: Sequence[Item] = ()
        self._keys = dict[str, str]()
        self._workspace: object = None
        self._tasks = set[asyncio.Task[None]]()
        self._reads = self._previewing = False
        self._previewed: object = None
        self._target = ""
        self._ended = False

    # What is listed

    def changed(self, text: str, scope: int) -> None:
        """List what matches, with the best match or where the user is under the cursor."""
        moved = text != self._text or scope != self._scope or not self._listed
        self._text, self._scope = text, TreeScope(scope)
        self._fill(self._first if moved else None)
        if self._others is None:
            self._others = ()
            self._spawn(self._read_others())

    def _first(self) -> str:
        """The key that the cursor goes to."""
        if self._text or not self._listed:
            return self._listed[0].key if self._listed else ""
        front, here = self._app.mux.front, ""
        if front is not None:
            of_scope = {TreeScope.SESSIONS: f"{SESSION}{front.session}", TreeScope.PANES: str(front.active)}
            here = of_scope.get(self._scope, str(front.id))
        return next((item.key for item in self._listed if item.key == here), self._listed[0].key)

    def _fill(self, first: Callable[[], str] | None = None) -> None:
        """Show the rows; what must be read for them is read on another thread, and shown when it is there."""
        mux, self._workspace = self._app.mux, self._app.mux.workspace
        if not self._reads and not self._ended:
            self._reads = True
            self._spawn(self._read_facts())
        found = items(mux, self._scope, self._known)
        if self._scope in (TreeScope.EVERYTHING, TreeScope.WORKSPACES):
            found += self._others or ()
        self._listed = ranked(found, self._text)
        self._keys = labels(self._listed)
        width = self.screen.list_width
        title = f"go to: {len(self._listed)} of {len(found)}" if self._text else f"go to: {len(found)}"
        if self._scope is TreeScope.WORKSPACES and not found:
            title = "go to: no other workspace runs or is saved"
        self.screen.show_rows(rows(self._listed, self._keys, width), title, first() if first is not None else "")

    def _spawn(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _read_facts(self) -> None:
        try:
            known = await asyncio.to_thread(facts, dict(self._app.mux.terminals))
        finally:
            self._reads = False
        if known != self._known and not self._ended:
            self._known = known
            self._reads = True
            self._fill()
            self._reads = False

    async def _read_others(self) -> None:
        found = await asyncio.to_thread(workspaces, self._app.mux.workspace.name)
        self._others = other_workspaces(found)
        if self._others and not self._ended:
            self._fill()

    # The preview

    def preview(self, key: str) -> None:
        """Show what the chosen pane or window shows now."""
        if self._ended:
            return
        if self._app.mux.workspace is not self._workspace:
            self._fill()
        if not self._previewing and (size := self.screen.preview_size) is not None:
            state = (key, size, self._changes(key))
            if state != self._previewed:
                self._previewing, self._previewed = True, state
                self._spawn(self._show_preview(key, self._reader(key, Size(size.width, size.height))))

    async def _show_preview(self, key: str, read: "Callable[[], Shown]") -> None:
        try:
            shown = await asyncio.to_thread(read)
        finally:
            self._previewing = False
        if not self._ended:
            self.screen.show_preview(shown)
            if self.screen.key != key:
                self.preview(self.screen.key)

    def _changes(self, key: str) -> object:
        """What is another value once there is something else to show."""
        mux, window, pane = self._app.mux, self._window(key), self._pane(key)
        shown = [pane] if pane is not None else list(panes(window.layout)) if window is not None else []
        return [(each, mux.terminals[each].changes) for each in shown], window

    def _reader(self, key: str, size: Size) -> "Callable[[], Shown]":
        from fugue_tui_widgets.cell_preview import Shown

        mux, window, pane = self._app.mux, self._window(key), self._pane(key)
        if pane is not None:
            mux.contents.refresh(pane)
            captured = capture_pane(mux, pane)
            title = f"{pane} {pane_label(mux, pane)}"
            return lambda: _screen(captured.make, title)
        if window is not None:
            make = miniature(mux, window, size)
            title = f"{window_label(mux, window)} · {count(len(list(panes(window.layout))), 'pane')}"
            return lambda: Shown(make(), title=title)
        lines = _about(next((item for item in self._listed if item.key == key), None))
        return lambda: Shown(plain(lines, size.cols).rows)

    def _pane(self, key: str) -> PaneId | None:
        return next((pane for pane in self._app.mux.terminals if str(pane) == key), None)

    def _window(self, key: str) -> Window | None:
        """The window of a key: itself, or the one that a session shows when it is selected."""
        workspace = self._app.mux.workspace
        by_use = [workspace.active, *workspace.recent]
        latest = sorted(workspace.windows, key=lambda each: by_use.index(each.id) if each.id in by_use else len(by_use))
        return next((each for each in latest if key in (str(each.id), f"{SESSION}{each.session}")), None)

    # What keys do

    def chosen(self, key: str) -> None:
        """Go there."""
        self._target = key
        self.screen.dismiss()

    def end(self) -> None:
        """The screen was closed: go to what was chosen."""
        self._ended = True
        key, run = self._target, self._app.commands.run
        if key.startswith("%"):
            run(FocusPane(pane=key))
        elif key.startswith("@"):
            run(SelectWindow(window=key))
        elif key.startswith(SESSION):
            run(SelectSession(session=key.removeprefix(SESSION)))
        elif key.startswith(WORKSPACE):
            run(SwitchWorkspace(name=key.removeprefix(WORKSPACE)), then=lambda _: None)

    def pressed(self, press: str, key: str) -> None:
        """Choose by a digit or a letter, close, rename or mark."""
        if press in self._keys:
            self.chosen(self._keys[press])
        elif press == "M":
            self._run(MarkPane(clear=True))
        elif key.startswith(WORKSPACE) and press in ("x", "comma", "m"):
            self._app.alert(f"{key.removeprefix(WORKSPACE)} is another workspace: that is for its own list")
        elif press == "x":
            self._close(key)
        elif press == "comma":
            self._rename(key)
        elif press == "m" and (window := self._window(key)) is not None:
            self._run(MarkPane(pane=str(window.active)))
        elif press == "m" and key:
            self._run(MarkPane(pane=key))

    def _run(self, command: Command[Any]) -> None:
        self._app.commands.run(command, then=lambda _: None if self._ended else self._fill())

    def _close(self, key: str) -> None:
        """Close what is chosen, after a question."""
        if not key:
            return
        command: Command[Any]
        if key.startswith("%"):
            command, words = ClosePane(pane=key), f"pane {key}"
        elif key.startswith("@"):
            command, words = CloseWindow(window=key), f"window {key}"
        else:
            name = key.removeprefix(SESSION)
            command, words = KillSession(session=name), f"session {clean(name, 24)}"
        asked = command.confirmation(self._app.mux, USER)
        question, confirmed = (asked.question, asked.command) if asked is not None else (f"Close {words}?", command)
        self._app.push_screen(Confirm(question), lambda yes: self._run(confirmed) if yes else None)

    def _rename(self, key: str) -> None:
        """Ask for another name of what is chosen."""
        mux, window, make = self._app.mux, self._window(key), _renames(key)
        if key.startswith("@") and window is not None:
            title, name = f"name of window {key}", window_label(mux, window)
        elif key.startswith(SESSION):
            title, name = "name of the session", key.removeprefix(SESSION)
        elif (pane := self._pane(key)) is not None:
            title, name = f"name of pane {key}", mux.workspace.panes[pane].name
        else:
            return
        self._app.push_screen(Ask(title, name), lambda answer: None if answer is None else self._run(make(answer)))


def _renames(key: str) -> Callable[[str], Command[Any]]:
    """Makes the command that gives something a name."""
    if key.startswith("@"):
        return lambda name: RenameWindow(window=key, name=name)
    if key.startswith("%"):
        return lambda name: RenamePane(pane=key, name=name)
    return lambda name: RenameSession(session=key.removeprefix(SESSION), name=name)


def _screen(make: Callable[[], Screen], title: str) -> "Shown":
    """A pane's screen, with its cursor."""
    from fugue_tui_widgets.cell_preview import Shown

    screen = make()
    read: list[Row] = list(screen.rows)
    cursor = screen.cursor
    if cursor is not None and cursor.visible and cursor.y < len(read):
        read[cursor.y] = highlight(read[cursor.y], cursor.x, cursor.x + 1)
    last = max((y for y, row in enumerate(read) if row.text), default=0)
    y = cursor.y if cursor is not None else last
    return Shown(read[: max(last, y) + 1], y, 0, title)


def _about(item: Item | None) -> list[str]:
    """What is known of another workspace."""
    if item is None:
        return ["nothing here"]
    state = "It runs" if item.where == "runs" else "It does not run, and is restored when it is started"
    return [f"workspace {item.name}", "", f"{state}: {item.does}.", "", f"    fugue-tui {item.name}"]
