"""Which divider is a pane's border on a side."""

from fugue_tui.errors import NotFound, Refused
from fugue_tui.geometry import Side
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import Node, Path, Split, at, path_to


def border(node: Node, pane: PaneId, side: Side) -> tuple[Path, int]:
    """The divider that moves when a pane is resized towards a side, as (path of its split, index before it).

    That is the pane's right or lower border, or the left or upper one where the pane reaches the window's edge, as in
    tmux. Raises NotFound or Refused.
    """
    way = path_to(node, pane)
    if way is None:
        raise NotFound(f"no pane {pane} in this layout; get-layout shows it")
    around = [(way[:end], way[end], at(node, way[:end])) for end in range(len(way) - 1, -1, -1)]
    for path, index, split in around:
        if isinstance(split, Split) and split.axis is side.axis and index < len(split.children) - 1:
            return path, index
    for path, index, split in around:
        if isinstance(split, Split) and split.axis is side.axis and index > 0:
            return path, index - 1
    raise Refused(f"pane {pane} has no border to move {side}: nothing lies beside it that way")
