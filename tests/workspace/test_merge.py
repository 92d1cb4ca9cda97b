"""The windows of one workspace come into another, and nothing of either is lost or mixed up."""

from itertools import count
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as some

from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Leaf, Split, panes
from fugue_tui.workspace import edit
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.merge import MergeResult, merge
from fugue_tui.workspace.model import Pane, Window, Workspace


def workspace(*sessions: str, first: int = 1, count: int = 2) -> Workspace:
    """One window a session, each of some panes side by side; the last window is in front."""
    result = Workspace("w")
    number = first
    for at, session in enumerate(sessions, first):
        ids = [PaneId(number + more) for more in range(count)]
        number += count
        layout = Leaf(ids[0]) if count == 1 else Split(Axis.HORIZONTAL, tuple(map(Leaf, ids)), (1,) * count)
        window = Window(WindowId(at), f"of {session}", layout, ids[-1], session, recent=tuple(ids[:-1]))
        records = [Pane(pane, name=f"p{int(pane)}", argv=("cat", str(int(pane)))) for pane in ids]
        result = edit.add_window(result, window, records, focus=True)
    return result


def merged(own: Workspace, other: Workspace) -> MergeResult:
    """Both, with new ids from 100."""
    panes_from, windows_from = count(100), count(100)
    return merge(own, other, lambda: PaneId(next(panes_from)), lambda: WindowId(next(windows_from)))


def test_its_own_windows_stay_as_they_are_and_in_front() -> None:
    own = workspace("dev", "ops")
    result = merged(own, workspace("dev", "mail")).workspace
    check(result)
    assert result.windows[:2] == own.windows
    assert result.active == own.active


def test_every_pane_keeps_its_place_and_its_record_under_its_new_id() -> None:
    other = workspace("mail", "logs", count=3)
    found = merged(workspace("dev"), other)
    for old, new in zip(other.windows, found.workspace.windows[1:], strict=True):
        assert found.windows[old.id] == new.id
        assert [found.panes[pane] for pane in panes(old.layout)] == list(panes(new.layout))
        assert (found.panes[old.active], old.name) == (new.active, new.name)
    for old, new in found.panes.items():
        assert found.workspace.panes[new].argv == other.panes[old].argv
        assert found.workspace.panes[new].id == new


def test_a_session_whose_label_is_taken_gets_a_number() -> None:
    found = merged(workspace("dev", "dev-2"), workspace("dev", "mail"))
    assert [window.session for window in found.workspace.windows] == ["dev", "dev-2", "dev-3", "mail"]


def test_into_an_empty_workspace_the_window_that_was_in_front_comes_to_the_front() -> None:
    other = workspace("dev", "ops")
    found = merged(Workspace("new"), other)
    check(found.workspace)
    assert found.workspace.active == found.windows[other.active]
    assert found.workspace.name == "new"


@pytest.mark.slow
@given(
    some.lists(some.text(min_size=1, max_size=90), max_size=4),
    some.lists(some.text(min_size=1, max_size=90), max_size=4),
)
def test_whatever_the_labels_are_the_result_is_sound(mine: list[str], theirs: list[str]) -> None:
    own = workspace(*(label for label in mine if label.isprintable() and label.strip()))
    other = workspace(*(label for label in theirs if label.isprintable() and label.strip()))
    result = merged(own, other).workspace
    check(result)
    assert len(result.panes) == len(own.panes) + len(other.panes)
    assert isinstance(result.panes, MappingProxyType)
