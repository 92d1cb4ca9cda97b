"""Workspaces to save, and what is left of them."""

import json
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from fugue_tui.config.model import SessionSettings
from fugue_tui.geometry import Axis, Size
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Float, Leaf, Node, Split, layered, stack
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.workspace import names
from fugue_tui.workspace.model import NO_WINDOW, OnExit, Pane, Window, Workspace
from fugue_tui.workspace.save_codec import encode
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace

SECRETS = SessionSettings().secrets

lines = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=8) | st.sampled_from(
    ["\x1b]0;x\x07", "a\nb", "\u202eevil", "caf\udce9", "[@click=app.quit]", "x" * 5_000]
)
words = lines.filter(bool)
argvs = st.lists(lines, max_size=3).map(lambda rest: ("sh", *rest)) | st.just(())
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 53), 1 << 53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | lines,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(lines, inner, max_size=3),
    max_leaves=6,
)
variables = st.dictionaries(words.filter(lambda name: "=" not in name), lines, max_size=3)


@st.composite
def trees(draw: st.DrawFn, held: list[PaneId], axis: Axis) -> Node:
    """A tree of those panes, whose outermost split lies along that axis."""
    if len(held) == 1:
        return Leaf(held[0])
    if draw(st.integers(0, 4)) == 0:
        return stack(held)
    cuts = sorted(draw(st.sets(st.integers(1, len(held) - 1), min_size=1, max_size=4)))
    parts = [held[start:end] for start, end in zip([0, *cuts], [*cuts, len(held)], strict=True)]
    children = tuple(draw(trees(part, axis.other)) for part in parts)
    return Split(axis, children, tuple(draw(st.integers(1, 10**12)) for _ in parts))


@st.composite
def floats(draw: st.DrawFn, pane: PaneId, *, shown: bool) -> Float:
    """A floating pane anywhere."""
    extents = st.integers(0, 10_000) | st.floats(0, 1)
    hidden = not shown and draw(st.booleans())
    place = draw(extents), draw(extents), draw(st.none() | extents), draw(st.none() | extents)
    return Float(pane, *place, hidden, draw(st.booleans()))


@st.composite
def records(draw: st.DrawFn, id: PaneId) -> Pane:
    """A pane as commands could have made it."""
    return Pane(
        id,
        names.clean(draw(lines)),
        draw(argvs),
        draw(lines),
        MappingProxyType(draw(variables)),
        draw(st.sampled_from(OnExit)),
        frozenset(draw(st.lists(lines, max_size=3))),
        MappingProxyType(draw(st.dictionaries(lines, values, max_size=2))),
        draw(st.just("") | lines),
    )


def sights() -> st.SearchStrategy[SavedPane]:
    """What could have been seen of a pane."""
    status = st.none() | st.integers(-1, 255)
    return st.builds(
        SavedPane,
        cwd=lines,
        title=lines.map(clean),
        argv=argvs,
        exit=st.none() | st.builds(Exit, status, status),
        size=sizes(),
        text=st.sampled_from(["", "ab" * 20, "cd" * 20]),
        resume=argvs,
    )


def sizes() -> st.SearchStrategy[Size]:
    return st.builds(Size, st.integers(1, 500), st.integers(1, 300))


@st.composite
def workspaces(draw: st.DrawFn) -> SavedWorkspace:
    """Any workspace that `check` passes, and anything seen of it."""
    counts = draw(st.lists(st.integers(1, 6), max_size=4))
    ids = [PaneId(id) for id in draw(st.permutations(range(1, sum(counts) + 3)))]
    windows, held = list[Window](), dict[PaneId, Pane]()
    for number, count in enumerate(counts, 1):
        mine, ids = ids[:count], ids[count:]
        held |= {id: draw(records(id)) for id in mine}
        active, *others = draw(st.permutations(mine))
        recent = tuple(others[: draw(st.integers(0, len(others)))])
        over = draw(st.integers(0, len(mine) - 1))
        tiles = draw(trees(mine[over:], draw(st.sampled_from(Axis))))
        layout = layered(tiles, [draw(floats(id, shown=id == active)) for id in mine[:over]])
        assert layout is not None
        session = draw(st.sampled_from(["main", "ops"]))
        flags = draw(st.booleans()), draw(st.booleans())
        windows.append(
            Window(
                WindowId(number * 3),
                names.clean(draw(lines)),
                layout,
                active,
                session,
                *flags,
                recent,
                draw(st.booleans()),
            )
        )
    order = draw(st.permutations([window.id for window in windows]))
    active = order[0] if order else NO_WINDOW
    workspace = Workspace(
        "work", tuple(draw(st.permutations(windows))), active, MappingProxyType(held), tuple(order[1:])
    )
    seen = {id: draw(sights()) for id in held if draw(st.booleans())}
    last = max(held, default=0) + draw(st.integers(0, 3)), max(order, default=0) + draw(st.integers(0, 3))
    time = draw(st.floats(0, 1e12))
    return SavedWorkspace(
        workspace, draw(sizes()), MappingProxyType(seen), time, draw(st.booleans()), int(last[0]), int(last[1])
    )


def kept(saved: SavedWorkspace, secrets: tuple[str, ...] = ()) -> Any:
    """What a file would hold."""
    return json.loads(json.dumps(encode(saved, secrets), allow_nan=False))


def sample(*counts: int) -> SavedWorkspace:
    """Windows @1, @2... of that many panes each, side by side, with weights 1, 2, 3..."""
    windows, held = list[Window](), dict[PaneId, Pane]()
    for number, count in enumerate(counts, 1):
        mine = [PaneId(len(held) + index + 1) for index in range(count)]
        held |= {id: Pane(id, f"pane {int(id)}", ("sleep", "9"), "/src") for id in mine}
        leaves = tuple(Leaf(id) for id in mine)
        layout = leaves[0] if count == 1 else Split(Axis.HORIZONTAL, leaves, tuple(range(1, count + 1)))
        windows.append(Window(WindowId(number), f"w{number}", layout, mine[-1], "main", recent=tuple(mine[:-1])))
    seen = {id: SavedPane(text="ab" * 20) for id in held}
    workspace = Workspace("work", tuple(windows), WindowId(1), held, tuple(window.id for window in windows[1:]))
    return SavedWorkspace(workspace, seen=seen, saved_at=1.5, last_pane=len(held), last_window=len(windows))
