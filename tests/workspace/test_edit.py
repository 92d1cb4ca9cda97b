"""Where the focus goes, what a name becomes, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout import edit as layouts
from fugue_tui.layout import presets
from fugue_tui.layout.tree import Leaf, Split, panes
from fugue_tui.workspace import edit
from fugue_tui.workspace.find import active_window, pane_of, session_of, sessions, window_of, window_with
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.model import NO_WINDOW, Pane, Window, Workspace
from fugue_tui.workspace.names import MAX_NAME, clean


def opened(*counts: int, session: str = "main") -> Workspace:
    """A workspace of windows @1, @2... with that many panes each, numbered %1, %2... over all."""
    workspace, number = Workspace("work"), 1
    for index, count in enumerate(counts, start=1):
        ids = [PaneId(pane) for pane in range(number, number + count)]
        number += count
        window = Window(WindowId(index), f"w{index}", presets.apply("tiled", ids), ids[0], session)
        workspace = edit.add_window(workspace, window, [Pane(pane) for pane in ids])
    check(workspace)
    return workspace


def focused(workspace: Workspace) -> tuple[WindowId, PaneId]:
    return workspace.active, active_window(workspace).active


def test_the_first_window_takes_the_focus_and_the_others_only_when_asked() -> None:
    workspace = opened(1, 1)
    assert workspace.active == WindowId(1)
    pane = Pane(PaneId(9))
    third = Window(WindowId(3), "", Leaf(pane.id), pane.id, "main")
    assert edit.add_window(workspace, third, [pane]).active == WindowId(1)
    assert edit.add_window(workspace, third, [pane], focus=True).active == WindowId(3)


def test_a_window_can_open_right_after_another() -> None:
    pane = Pane(PaneId(9))
    third = Window(WindowId(3), "", Leaf(pane.id), pane.id, "main")
    workspace = edit.add_window(opened(1, 1), third, [pane], after=WindowId(1))
    assert [window.id for window in workspace.windows] == [1, 3, 2]


def test_a_new_pane_leaves_the_focus_and_the_zoom_alone() -> None:
    workspace = edit.zoom(opened(2), WindowId(1), True)
    window = window_of(workspace, WindowId(1))
    layout = layouts.split(window.layout, PaneId(2), PaneId(3), Axis.VERTICAL)
    unasked = edit.add_panes(workspace, window.id, [Pane(PaneId(3))], layout)
    assert focused(unasked) == (WindowId(1), PaneId(1))
    assert active_window(unasked).zoomed
    asked = edit.add_panes(workspace, window.id, [Pane(PaneId(3))], layout, focus=PaneId(3))
    assert active_window(asked).active == PaneId(3)
    assert not active_window(asked).zoomed


def test_a_closed_pane_gives_the_focus_back_to_the_one_before() -> None:
    workspace = opened(4)
    for pane in (2, 4, 3):
        workspace = edit.focus_pane(workspace, PaneId(pane))
    order: list[int] = []
    while workspace.windows:
        order.append(active_window(workspace).active)
        workspace = edit.remove_pane(workspace, PaneId(order[-1]))
        check(workspace)
    assert order == [3, 4, 2, 1]


def test_without_a_memory_the_next_pane_takes_the_focus_and_after_the_last_the_previous() -> None:
    workspace = opened(3)
    assert active_window(edit.remove_pane(workspace, PaneId(1))).active == PaneId(2)
    last = replace(workspace.windows[0], active=PaneId(3))
    workspace = replace(workspace, windows=(last,))
    assert active_window(edit.remove_pane(workspace, PaneId(3))).active == PaneId(2)


@pytest.mark.slow
@given(st.integers(2, 6).flatmap(lambda count: st.permutations(range(1, count + 1))))
def test_panes_close_in_every_order_and_the_focus_stays_on_a_live_one(order: list[int]) -> None:
    workspace = opened(len(order))
    for pane in order[:-1]:
        workspace = edit.remove_pane(workspace, PaneId(pane))
        check(workspace)
        assert active_window(workspace).active in workspace.panes
    workspace = edit.remove_pane(workspace, PaneId(order[-1]))
    check(workspace)
    assert (workspace.windows, workspace.active, dict(workspace.panes)) == ((), NO_WINDOW, {})


def test_closing_another_pane_keeps_the_zoom_and_closing_the_zoomed_one_ends_it() -> None:
    workspace = edit.zoom(opened(3), WindowId(1), True)
    assert active_window(edit.remove_pane(workspace, PaneId(2))).zoomed
    assert not active_window(edit.remove_pane(workspace, PaneId(1))).zoomed


def test_focusing_another_pane_ends_the_zoom() -> None:
    workspace = edit.zoom(opened(2), WindowId(1), True)
    assert active_window(edit.focus_pane(workspace, PaneId(1))).zoomed
    assert not active_window(edit.focus_pane(workspace, PaneId(2))).zoomed


def test_focusing_a_pane_shows_its_window_and_activating_it_does_not() -> None:
    workspace = opened(1, 2)
    assert focused(edit.focus_pane(workspace, PaneId(3))) == (WindowId(2), PaneId(3))
    quiet = edit.activate_pane(workspace, PaneId(3))
    assert quiet.active == WindowId(1)
    assert window_of(quiet, WindowId(2)).active == PaneId(3)


def test_after_a_window_the_latest_of_its_session_shows() -> None:
    workspace = opened(1, 1, 1)
    pane = Pane(PaneId(9))
    other = Window(WindowId(4), "", Leaf(pane.id), pane.id, "other")
    workspace = edit.add_window(workspace, other, [pane])
    for window in (2, 4, 3):
        workspace = edit.select_window(workspace, WindowId(window))
    workspace = edit.close_window(workspace, WindowId(3))
    assert workspace.active == WindowId(2)
    workspace = edit.close_window(workspace, WindowId(2))
    assert workspace.active == WindowId(1)
    assert edit.close_window(workspace, WindowId(1)).active == WindowId(4)


def test_a_session_is_its_windows_and_goes_with_them() -> None:
    workspace = opened(1, 1)
    pane = Pane(PaneId(9))
    other = Window(WindowId(3), "", Leaf(pane.id), pane.id, "dev")
    workspace = edit.add_window(workspace, other, [pane])
    assert [session.name for session in sessions(workspace)] == ["main", "dev"]
    assert session_of(workspace, "main").active
    assert not session_of(workspace, "dev").active
    assert [session.name for session in sessions(edit.close_session(workspace, "main"))] == ["dev"]
    assert [session.name for session in sessions(edit.close_window(workspace, WindowId(3)))] == ["main"]


def test_selecting_a_session_shows_its_latest_window() -> None:
    workspace = opened(1, 1)
    pane = Pane(PaneId(9))
    workspace = edit.add_window(workspace, Window(WindowId(3), "", Leaf(pane.id), pane.id, "dev"), [pane])
    workspace = edit.select_window(edit.select_window(workspace, WindowId(2)), WindowId(3))
    assert edit.select_session(workspace, "main").active == WindowId(2)
    assert edit.select_session(workspace, "dev").active == WindowId(3)


def test_a_session_cannot_take_anothers_name_or_lose_its_own() -> None:
    pane = Pane(PaneId(9))
    workspace = edit.add_window(opened(1), Window(WindowId(2), "", Leaf(pane.id), pane.id, "dev"), [pane])
    with pytest.raises(Refused, match="a session 'main' already"):
        edit.rename_session(workspace, "dev", "main")
    with pytest.raises(InvalidArgument, match="needs a name"):
        edit.rename_session(workspace, "dev", " \x1b\n")
    assert edit.rename_session(workspace, "dev", "dev") == workspace


def test_a_pane_moves_to_another_window_and_takes_its_emptied_window_away() -> None:
    workspace = opened(1, 2)
    layout = layouts.append(window_of(workspace, WindowId(2)).layout, PaneId(1))
    workspace = edit.move_pane(workspace, PaneId(1), WindowId(2), layout)
    check(workspace)
    assert [window.id for window in workspace.windows] == [2]
    assert workspace.active == WindowId(2)
    assert pane_of(workspace, PaneId(1)) == Pane(PaneId(1))


def test_a_pane_breaks_out_into_a_window_of_its_own_but_not_twice() -> None:
    workspace = opened(2, 1)
    new = Window(WindowId(7), "out", Leaf(PaneId(2)), PaneId(2), "main")
    workspace = edit.break_pane(workspace, PaneId(2), new)
    check(workspace)
    assert [window.id for window in workspace.windows] == [1, 7, 2]
    with pytest.raises(Refused, match="to itself already"):
        edit.break_pane(workspace, PaneId(2), replace(new, id=WindowId(8)))


def test_a_layout_with_other_panes_is_never_accepted() -> None:
    workspace = opened(2)
    for layout in (Leaf(PaneId(1)), presets.apply("tiled", [PaneId(1), PaneId(2), PaneId(3)])):
        with pytest.raises(AssertionError, match="the layout holds"):
            edit.set_layout(workspace, WindowId(1), layout)


def test_what_does_not_exist_is_named_with_a_way_out() -> None:
    workspace = opened(1)
    with pytest.raises(NotFound, match="no pane %9; list-panes"):
        edit.focus_pane(workspace, PaneId(9))
    with pytest.raises(NotFound, match="no window @9; list-windows"):
        edit.close_window(workspace, WindowId(9))
    with pytest.raises(NotFound, match="no session 'x'; list-sessions"):
        edit.select_session(workspace, "x")


@pytest.mark.parametrize(
    ("given_name", "shown"),
    [
        ("editor", "editor"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07", ""),
        ("two\nlines\tand  spaces ", "two lines and  spaces"),
        ("\u202eevil\u202c\u2066x\u200b\U000e0041", "evilx"),
        ("[@click=app.quit]x[/]", "[@click=app.quit]x[/]"),
        ("日本 é 🎉 \ue0b0", "日本 é 🎉 \ue0b0"),
        ("\ud800x\x9bm", "x"),
        ("x" * 10_000, "x" * (MAX_NAME - 1) + "…"),
    ],
)
def test_names_come_out_literal_and_harmless(given_name: str, shown: str) -> None:
    assert clean(given_name) == shown
    workspace = edit.rename_pane(opened(1), PaneId(1), given_name)
    assert pane_of(workspace, PaneId(1)).name == shown
    check(workspace)


@given(st.text(st.characters(codec=None), max_size=200))
def test_cleaning_a_name_twice_changes_nothing_more(name: str) -> None:
    once = clean(name)
    assert clean(once) == once
    assert len(once) <= MAX_NAME


def broken(workspace: Workspace) -> list[tuple[Workspace, str]]:
    window = workspace.windows[0]
    one, two = PaneId(1), PaneId(2)

    def with_window(changed: Window) -> Workspace:
        return replace(workspace, windows=(changed, *workspace.windows[1:]))

    nested = Split(Axis.VERTICAL, (Leaf(two),), (1,))
    return [
        (replace(workspace, active=WindowId(9)), "the active window @9 is gone"),
        (replace(workspace, windows=()), "layouts hold"),
        (replace(workspace, windows=(window, window)), "window ids repeat"),
        (replace(workspace, panes={one: Pane(one), two: Pane(PaneId(3))}), "filed under other ids"),
        (replace(workspace, recent=(WindowId(1),)), "the workspace remembers what is active"),
        (with_window(replace(window, active=PaneId(9))), "the active pane %9 is not in it"),
        (with_window(replace(window, recent=(two, two))), "remembers a thing twice"),
        (with_window(replace(window, name="a\x1b")), "unclean name"),
        (with_window(replace(window, session="")), "in no session"),
        (with_window(replace(window, layout=Split(Axis.HORIZONTAL, (Leaf(one), nested), (1, 1)))), "1 children"),
        (with_window(replace(window, layout=Split(Axis.VERTICAL, (Leaf(one), nested), (1, 1)))), "lies in another"),
        (with_window(replace(window, layout=Split(Axis.VERTICAL, (Leaf(one), Leaf(two)), (1, 0)))), "weights"),
        (with_window(replace(window, layout=Split(Axis.VERTICAL, (Leaf(one), Leaf(one)), (1, 1)))), "two places"),
    ]


@pytest.mark.parametrize("index", range(13))
def test_check_names_what_is_broken(index: int) -> None:
    workspace, reason = broken(opened(2))[index]
    with pytest.raises(AssertionError, match=reason):
        check(workspace)


def test_the_window_with_a_pane_is_found() -> None:
    workspace = opened(2, 3)
    assert [window_with(workspace, PaneId(pane)).id for pane in range(1, 6)] == [1, 1, 2, 2, 2]
    assert list(panes(window_with(workspace, PaneId(4)).layout)) == [3, 4, 5]
