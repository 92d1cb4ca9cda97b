"""Exports the windows of a running workspace as a layout document."""

import os
from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from fugue_tui.errors import Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout.document import Document, WindowSpec
from fugue_tui.layout.spec import layers_of
from fugue_tui.layout.spec_types import PaneSpec
from fugue_tui.layout.tree import Layers, Layout, Leaf, Node, floats, panes, tiled
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty.spawn import login_shell
from fugue_tui.workspace.model import Pane, Window
from fugue_tui.workspace.secret_filter import SecretFilter

_LINE: Final = 3
"""Words of an argv that runs a line: the shell, -c and the line."""


def directory(mux: Multiplexer, pane: Pane) -> str:
    """The directory to restart a pane in: of a program its first, of a shell its current one."""
    return (pane.cwd if pane.argv else "") or mux.cwd(pane.id) or os.getcwd()


def shared_directory(mux: Multiplexer, windows: Iterable[Window]) -> str:
    """The common parent directory of all panes in some windows, to open them under another; empty if that is the home
    directory, its parent or the root."""
    found = [panes(window.layout) for window in windows]
    where = {directory(mux, mux.workspace.panes[pane]) for order in found for pane in order}
    if len(where) == 1 or not all(map(os.path.isabs, where)):
        return where.pop() if len(where) == 1 else ""
    around = os.path.commonpath(where)
    return "" if around in ("/", os.path.expanduser("~"), os.path.dirname(os.path.expanduser("~"))) else around


class LayoutExport:
    """One export of windows, for a file whose paths are relative to `base`."""

    def __init__(self, mux: Multiplexer, base: str) -> None:
        self.mux, self.base = mux, base
        self.secrets = SecretFilter(mux.secrets)
        self.left_out: list[str] = []
        """What is left out of the document, and why."""

    def document(self, windows: Sequence[Window], name: str) -> Document:
        """The current windows. Raises Refused for what cannot be written as text."""
        same = len({window.session for window in windows}) == 1
        return Document(tuple(self._window(window, same, len(windows) > 1) for window in windows), name)

    def _window(self, window: Window, same_session: bool, several: bool) -> WindowSpec:
        order = list(panes(window.layout))
        specs = [self._pane(self.mux.workspace.panes[pane], window) for pane in order]
        numbers = {pane: PaneId(number) for number, pane in enumerate(order, 1)}
        return WindowSpec(
            layers_of(_numbered(window.layout, numbers), specs),
            window.name if window.named else "",
            "" if same_session or window.session == self.mux.workspace.name else window.session,
            several and window.id == self.mux.workspace.active,
            window.zoomed,
        )

    def _pane(self, pane: Pane, window: Window) -> PaneSpec:
        first = next(panes(window.layout))
        return PaneSpec(
            self._command(pane),
            self._cwd(pane),
            pane.name,
            MappingProxyType({name: value for name, value in pane.env.items() if self._is_saved(name, value, pane)}),
            "" if pane.on_exit is self.mux.on_exit else pane.on_exit.value,
            tuple(sorted(pane.tags)),
            pane.id == window.active != first,
        )

    def _cwd(self, pane: Pane) -> str:
        """A pane's directory as written to the file."""
        where = directory(self.mux, pane)
        if _is_text(where):
            return _short(where, self.base)
        self.left_out.append(f"the directory of pane {pane.id}, which is not text")
        return ""

    def _command(self, pane: Pane) -> str | tuple[str, ...]:
        """A pane's command without secrets."""
        if pane.content:
            self.left_out.append(f"the {clean(pane.content)} that pane {pane.id} shows; a shell takes their place")
        command = _command(pane)
        terminal = self.mux.terminals[pane.id]
        if not command and terminal.foreground_group not in (0, terminal.pid):
            ran = clean(terminal.foreground, 40) or "a program"
            self.left_out.append(f"{ran}, which runs in the shell of pane {pane.id}; a command is saved with its pane")
        saved = self.secrets.line(command) if isinstance(command, str) else self.secrets.words(command)
        if saved != command:
            self.left_out.append(f"a part of the command of pane {pane.id}, which may be secret")
        return saved

    def _is_saved(self, name: str, value: str, pane: Pane) -> bool:
        secret = self.secrets.secret(name)
        if secret or not _is_text(name + value):
            why = "which may be secret" if secret else "which is not text"
            self.left_out.append(f"the variable {clean(name)} of pane {pane.id}, {why}")
            return False
        return True


def _numbered(layout: Layout, numbers: dict[PaneId, PaneId]) -> Layout:
    """A layout with its panes renumbered."""
    over = (replace(each, pane=numbers[each.pane]) for each in floats(layout))
    node = _numbered_node(tiled(layout), numbers)
    return Layers(node, tuple(over)) if isinstance(layout, Layers) else node


def _numbered_node(node: Node, numbers: dict[PaneId, PaneId]) -> Node:
    if isinstance(node, Leaf):
        return Leaf(numbers[node.pane])
    return replace(node, children=tuple(_numbered_node(child, numbers) for child in node.children))


def _command(pane: Pane) -> str | tuple[str, ...]:
    """A pane's command as it was requested: a line, or a program and its arguments."""
    argv = pane.argv
    if not all(map(_is_text, argv)):
        raise Refused(f"the command of pane {pane.id} is not text, and no file could hold it; leave its window out")
    is_line = len(argv) == _LINE and argv[:2] == (login_shell(os.environ), "-c") and bool(argv[2].strip())
    return argv[2] if is_line else argv or ""


def _short(where: str, base: str) -> str:
    """A directory as a file names it: empty for the base itself, relative inside it, with ~ inside the home."""
    if where == base:
        return ""
    if base not in ("", "/") and where.startswith(f"{base}/"):
        inside = where[len(base) + 1 :]
        return f"./{inside}" if inside.startswith("~") else inside
    home = os.path.expanduser("~")
    if home != "/" and (where == home or where.startswith(f"{home}/")):
        return f"~{where[len(home) :]}"
    return where


def _is_text(text: str) -> bool:
    return not any("\ud800" <= char <= "\udfff" for char in text)
