"""Closed panes come back to where they were."""

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.workspace.test_edit import opened

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import presets
from fugue_tui.layout.tree import Leaf, panes
from fugue_tui.workspace import edit
from fugue_tui.workspace.find import active_window, window_of
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.model import Pane, Window, Workspace
from fugue_tui.workspace.reopen import reopen

ONE, TWO = map(WindowId, (1, 2))


def test_a_pane_has_its_place_its_zoom_and_the_focus_again() -> None:
    before = edit.zoom(edit.focus_pane(opened(3), PaneId(2)), ONE, True)
    after = edit.remove_pane(before, PaneId(2))
    assert reopen(after, before, after, [PaneId(2)]) == before


def test_a_window_has_its_tab_again() -> None:
    before = edit.select_window(opened(1, 2, 1), TWO)
    after = edit.close_window(before, TWO)
    assert reopen(after, before, after, [PaneId(2), PaneId(3)]) == before
    renamed = edit.rename_window(after, ONE, "other")
    back = reopen(renamed, before, after, [PaneId(2), PaneId(3)])
    assert [window.id for window in back.windows] == [1, 2, 3]
    assert back.active == TWO


def test_the_first_window_is_the_first_again_though_another_was_moved_away() -> None:
    before = opened(1, 1, 1)
    after = edit.close_window(before, ONE)
    now = edit.close_window(after, TWO)
    back = reopen(now, before, after, [PaneId(1)])
    assert [window.id for window in back.windows] == [1, 3]


def test_a_focus_that_was_moved_since_stays() -> None:
    before = edit.focus_pane(opened(3), PaneId(2))
    after = edit.remove_pane(before, PaneId(2))
    now = edit.zoom(edit.focus_pane(after, PaneId(3)), ONE, True)
    back = active_window(reopen(now, before, after, [PaneId(2)]))
    assert (back.active, back.zoomed, back.layout) == (PaneId(3), True, before.windows[0].layout)


def test_a_pane_that_was_opened_since_stays() -> None:
    before = opened(2)
    after = edit.remove_pane(before, PaneId(1))
    layout = layouts.split(window_of(after, ONE).layout, PaneId(2), PaneId(9), Axis.VERTICAL)
    now = edit.add_panes(after, ONE, [Pane(PaneId(9))], layout)
    back = reopen(now, before, after, [PaneId(1)])
    check(back)
    assert sorted(panes(active_window(back).layout)) == [1, 2, 9]


def test_a_window_comes_back_with_what_is_left_of_it() -> None:
    before = edit.focus_pane(opened(1, 3), PaneId(3))
    after = edit.close_window(before, TWO)
    back = reopen(after, before, after, [PaneId(2), PaneId(4)])
    check(back)
    assert sorted(panes(window_of(back, TWO).layout)) == [2, 4]
    assert back.active == TWO


@st.composite
def edits(draw: st.DrawFn, workspace: Workspace, new: int) -> Workspace:
    """Some change of a workspace, which closes nothing."""
    window = draw(st.sampled_from(workspace.windows))
    pane = draw(st.sampled_from(list(panes(window.layout))))
    match draw(st.sampled_from(("split", "window", "focus", "zoom", "preset", "break", "rename"))):
        case "split":
            layout = layouts.split(window.layout, pane, PaneId(new), draw(st.sampled_from(Axis)))
            return edit.add_panes(workspace, window.id, [Pane(PaneId(new))], layout, focus=PaneId(new))
        case "window":
            made = Window(WindowId(new), "", Leaf(PaneId(new)), PaneId(new), "main")
            return edit.add_window(workspace, made, [Pane(PaneId(new))], focus=draw(st.booleans()))
        case "focus":
            return edit.focus_pane(workspace, pane)
        case "zoom":
            return edit.zoom(workspace, window.id, not window.zoomed)
        case "preset":
            return edit.set_layout(workspace, window.id, presets.rearrange(window.layout, "main_left"))
        case "break" if len(list(panes(window.layout))) > 1:
            return edit.break_pane(workspace, pane, Window(WindowId(new), "", Leaf(pane), pane, "main"))
        case _:
            return edit.rename_pane(workspace, pane, f"name {new}")


@given(st.data())
def test_closings_are_undone_in_any_order_whatever_was_changed_meanwhile(data: st.DataObject) -> None:
    workspace = opened(*data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4)))
    closings: list[tuple[Workspace, Workspace]] = []
    for new in range(100, 100 + data.draw(st.integers(0, 12))):
        closes = edit.remove_pane(workspace, data.draw(st.sampled_from(sorted(workspace.panes))))
        if data.draw(st.booleans()) and closes.windows:
            closings.append((workspace, closes))
            workspace = closes
        else:
            workspace = data.draw(edits(workspace, new))
    lost = {pane for before, after in closings for pane in before.panes if pane not in after.panes}
    whole = set(workspace.panes) | lost
    for before, after in data.draw(st.permutations(closings)):
        workspace = reopen(workspace, before, after, [pane for pane in before.panes if pane not in after.panes])
        check(workspace)
    assert set(workspace.panes) == whole


@given(st.data())
def test_closings_that_are_undone_in_reverse_leave_no_trace(data: st.DataObject) -> None:
    first = workspace = opened(*data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=4)))
    for new in range(100, 104):
        first = workspace = data.draw(edits(workspace, new))
    closings: list[tuple[Workspace, Workspace]] = []
    while len(workspace.panes) > 1 and data.draw(st.booleans()):
        pane = data.draw(st.sampled_from(sorted(workspace.panes)))
        closings.append((workspace, edit.remove_pane(workspace, pane)))
        workspace = closings[-1][1]
    for before, after in reversed(closings):
        workspace = reopen(workspace, before, after, [pane for pane in before.panes if pane not in after.panes])
    assert workspace == first


def test_the_name_of_the_workspace_is_the_present_one() -> None:
    before = opened(2)
    after = edit.remove_pane(before, PaneId(1))
    assert reopen(replace(after, name="new"), before, after, [PaneId(1)]).name == "new"
