"""The invariants of a workspace. Tests check them after every step."""

from collections.abc import Iterable

from fugue_tui.geometry import Axis
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES, Layers, Leaf, Node, depth, floats, panes, shown_panes, tiled
from fugue_tui.workspace.model import NO_WINDOW, Window, Workspace
from fugue_tui.workspace.names import clean


def check(workspace: Workspace) -> None:
    """Raise AssertionError with the violated invariant."""
    _check_ids(workspace)
    _check_focus(workspace)
    for window in workspace.windows:
        _check_window(window)
    for pane in workspace.panes.values():
        _must(pane.name == clean(pane.name), f"pane {pane.id} has an unclean name")


def _check_ids(workspace: Workspace) -> None:
    windows = [window.id for window in workspace.windows]
    _must(_unique(windows), f"window ids repeat: {windows}")
    placed = [pane for window in workspace.windows for pane in panes(window.layout)]
    _must(_unique(placed), f"a pane is in two places: {placed}")
    _must(set(placed) == set(workspace.panes), f"layouts hold {placed}, the workspace {list(workspace.panes)}")
    wrong = [key for key, pane in workspace.panes.items() if key != pane.id]
    _must(not wrong, f"panes are filed under other ids: {wrong}")


def _check_focus(workspace: Workspace) -> None:
    windows = {window.id for window in workspace.windows}
    if windows:
        _must(workspace.active in windows, f"the active window {workspace.active} is gone")
    else:
        _must(workspace.active == NO_WINDOW, f"an empty workspace has an active window {workspace.active}")
    _check_recent(workspace.recent, windows - {workspace.active}, "the workspace")


def _check_window(window: Window) -> None:
    held = set(panes(window.layout))
    _must(window.active in held, f"window {window.id}: the active pane {window.active} is not in it")
    _check_recent(window.recent, held - {window.active}, f"window {window.id}")
    _must(window.active in shown_panes(window.layout), f"window {window.id}: the active pane {window.active} is hidden")
    _must(len(held) <= MAX_PANES, f"window {window.id} has {len(held)} panes")
    _must(window.name == clean(window.name), f"window {window.id} has an unclean name")
    _must(bool(window.session), f"window {window.id} is in no session")
    _must(window.session == clean(window.session), f"window {window.id} has an unclean session")
    _check_tree(tiled(window.layout), f"window {window.id}")
    over = isinstance(window.layout, Layers)
    _must(bool(floats(window.layout)) == over, f"window {window.id} has layers and no floating pane")


def _check_tree(node: Node, where: str) -> None:
    """Every split has two or more children, none along its own axis, with a positive whole weight each."""
    _must(depth(node) <= MAX_DEPTH, f"{where}: the layout is {depth(node)} deep")
    waiting = [node]
    while waiting:
        split = waiting.pop()
        if isinstance(split, Leaf):
            continue
        _must(len(split.children) >= 2, f"{where}: a split has {len(split.children)} children")
        _must(len(split.children) == len(split.weights), f"{where}: a split's weights are {split.weights}")
        _must(all(type(weight) is int and weight > 0 for weight in split.weights), f"{where}: weights {split.weights}")
        flat = all(isinstance(child, Leaf) or child.stacked or child.axis is not split.axis for child in split.children)
        whole = split.axis is Axis.VERTICAL and all(isinstance(child, Leaf) for child in split.children)
        _must(whole or not split.stacked, f"{where}: a stack holds a split, or is {split.axis}")
        _must(flat, f"{where}: a {split.axis} split lies in another")
        waiting.extend(split.children)


def _check_recent(recent: tuple[int, ...], others: Iterable[int], where: str) -> None:
    _must(_unique(recent), f"{where} remembers a thing twice: {recent}")
    _must(set(recent) <= set(others), f"{where} remembers what is active or gone: {recent}")


def _unique(values: Iterable[int]) -> bool:
    listed = list(values)
    return len(set(listed)) == len(listed)


def _must(true: bool, broken: str) -> None:
    if not true:
        raise AssertionError(broken)
