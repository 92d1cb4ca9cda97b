"""Whatever is done to a workspace, in whatever order, every invariant stands."""

from contextlib import suppress
from itertools import count
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.hypothesis_profiles import examples

from fugue_tui.errors import NotFound, Refused
from fugue_tui.geometry import Axis, Rect
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import floating, presets
from fugue_tui.layout.tree import Float, Leaf, panes
from fugue_tui.workspace import edit
from fugue_tui.workspace.find import active_window, sessions, window_with
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.model import NO_WINDOW, SCRATCH, Pane, Window, Workspace

pytestmark = pytest.mark.slow


picks = st.integers(0, 1_000)
texts = st.text(max_size=12) | st.sampled_from(
    ["\x1b]0;x\x07", "a\nb", "\u202eevil", "x" * 10_000, "[@click=app.quit]"]
)


class AnyHistory(RuleBasedStateMachine):
    """One workspace, and every edit on any of its panes and windows."""

    def __init__(self) -> None:
        super().__init__()
        self.workspace = Workspace("work")
        self.numbers = count(1)
        self.seen: set[int] = set()

    def pane(self, pick: int) -> PaneId:
        order = sorted(self.workspace.panes)
        return order[pick % len(order)]

    def window(self, pick: int) -> Window:
        return self.workspace.windows[pick % len(self.workspace.windows)]

    def new(self, name: str = "") -> Pane:
        return Pane(PaneId(next(self.numbers)), name)

    def opened(self, name: str, session: str) -> tuple[Window, Pane]:
        pane = self.new()
        return Window(WindowId(next(self.numbers)), name, Leaf(pane.id), pane.id, session), pane

    @initialize(name=texts)
    def start(self, name: str) -> None:
        window, pane = self.opened(name, "0")
        self.workspace = edit.add_window(self.workspace, window, [pane])

    @rule(name=texts, session=st.sampled_from(["0", "dev", "ops"]), focus=st.booleans(), pick=st.none() | picks)
    def open_window(self, name: str, session: str, focus: bool, pick: int | None) -> None:
        window, pane = self.opened(name, session)
        after = None if pick is None or not self.workspace.windows else self.window(pick).id
        was = self.workspace.active
        self.workspace = edit.add_window(self.workspace, window, [pane], focus=focus, after=after)
        if not focus and was != NO_WINDOW:
            assert self.workspace.active == was

    @rule(pick=picks)
    def stack(self, pick: int) -> None:
        if not self.workspace.panes:
            return
        pane = self.pane(pick)
        window = window_with(self.workspace, pane)
        with suppress(Refused, NotFound):
            layout = layouts.stack(window.layout, pane)
            self.workspace = edit.set_layout(self.workspace, window.id, layout)

    @rule(pick=picks, hidden=st.booleans(), scratch=st.booleans())
    def float_pane(self, pick: int, hidden: bool, scratch: bool) -> None:
        if not self.workspace.panes:
            return
        pane = self.pane(pick)
        window = window_with(self.workspace, pane)
        rest = layouts.close(window.layout, pane)
        if rest is None:
            return
        if scratch:
            self.workspace = edit.update_pane(self.workspace, Pane(pane, tags=frozenset([SCRATCH])))
        layout = floating.added(rest, Float(pane, hidden=hidden), Rect(0, 0, 80, 24))
        self.workspace = edit.set_layout(self.workspace, window.id, layout)

    @precondition(lambda self: len(self.workspace.panes) < 40)
    @rule(pick=picks, axis=st.sampled_from(Axis), share=st.floats(0.1, 0.9), focus=st.booleans(), name=texts)
    def split(self, pick: int, axis: Axis, share: float, focus: bool, name: str) -> None:
        if not self.workspace.panes:
            return
        target, new = self.pane(pick), self.new(name)
        window = window_with(self.workspace, target)
        was = active_window(self.workspace).active
        layout = layouts.split(window.layout, target, new.id, axis, share)
        self.workspace = edit.add_panes(self.workspace, window.id, [new], layout, focus=new.id if focus else None)
        assert active_window(self.workspace).active == (new.id if focus else was)

    @precondition(lambda self: self.workspace.panes)
    @rule(pick=picks)
    def close_pane(self, pick: int) -> None:
        pane = self.pane(pick)
        was = active_window(self.workspace)
        self.workspace = edit.remove_pane(self.workspace, pane)
        assert pane not in self.workspace.panes
        if was.active != pane:
            assert active_window(self.workspace).active == was.active

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks)
    def close_window(self, pick: int) -> None:
        self.workspace = edit.close_window(self.workspace, self.window(pick).id)

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks)
    def close_session(self, pick: int) -> None:
        name = self.window(pick).session
        self.workspace = edit.close_session(self.workspace, name)
        assert name not in [session.name for session in sessions(self.workspace)]

    @precondition(lambda self: self.workspace.panes)
    @rule(pick=picks)
    def focus(self, pick: int) -> None:
        pane = self.pane(pick)
        self.workspace = edit.focus_pane(self.workspace, pane)
        assert active_window(self.workspace).active == pane

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks, zoomed=st.booleans())
    def zoom(self, pick: int, zoomed: bool) -> None:
        self.workspace = edit.zoom(self.workspace, self.window(pick).id, zoomed)

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks, name=texts)
    def rename(self, pick: int, name: str) -> None:
        self.workspace = edit.rename_pane(self.workspace, self.pane(pick), name)
        self.workspace = edit.rename_window(self.workspace, self.window(pick).id, name)

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks)
    def rename_session(self, pick: int) -> None:
        name = f"s{next(self.numbers)}"
        self.workspace = edit.rename_session(self.workspace, self.window(pick).session, name)
        assert self.window(pick).session == name

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks)
    def select_session(self, pick: int) -> None:
        name = self.window(pick).session
        self.workspace = edit.select_session(self.workspace, name)
        assert active_window(self.workspace).session == name

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks, name=st.sampled_from(presets.PRESETS))
    def rearrange(self, pick: int, name: str) -> None:
        window = self.window(pick)
        self.workspace = edit.set_layout(self.workspace, window.id, presets.rearrange(window.layout, name))

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks, other=picks)
    def move_pane(self, pick: int, other: int) -> None:
        pane, target = self.pane(pick), self.window(other)
        if pane in panes(target.layout):
            return
        layout = layouts.append(target.layout, pane)
        self.workspace = edit.move_pane(self.workspace, pane, target.id, layout)
        assert window_with(self.workspace, pane).id == target.id

    @precondition(lambda self: self.workspace.windows)
    @rule(pick=picks)
    def break_pane(self, pick: int) -> None:
        pane = self.pane(pick)
        window = Window(WindowId(next(self.numbers)), "", Leaf(pane), pane, "0")
        try:
            self.workspace = edit.break_pane(self.workspace, pane, window)
        except Refused:
            assert window_with(self.workspace, pane).layout == Leaf(pane)
        else:
            assert window_with(self.workspace, pane).id == window.id

    @invariant()
    def holds(self) -> None:
        check(self.workspace)


AnyHistory.TestCase.settings = settings(examples(60), stateful_step_count=40)
TestAnyHistory: Any = AnyHistory.TestCase
