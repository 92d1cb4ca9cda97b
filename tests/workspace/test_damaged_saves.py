"""Whatever is damaged in a save, the rest is a sound workspace."""

import copy
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.hypothesis_profiles import examples
from tests.workspace.saved_workspaces import kept, sample, workspaces

from fugue_tui.errors import SaveError
from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES, Leaf, Split, depth, panes
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.save_codec import decode
from fugue_tui.workspace.save_reader import MOST_FAULTS, MOST_PANES

pytestmark = pytest.mark.slow


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=5)
    | st.sampled_from([1, 2, 3, 0, "\0", "\ud800"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)


def places(value: object) -> list[tuple[Any, Any]]:
    """Every (container, key) in a JSON value."""
    if not isinstance(value, dict | list):
        return []
    held = cast(Any, value)
    keys: list[Any] = list(held) if isinstance(value, dict) else list(range(len(held)))
    return [place for key in keys for place in ((held, key), *places(held[key]))]


@examples(200)
@given(st.data())
def test_whatever_is_damaged_the_rest_is_a_sound_workspace(data: st.DataObject) -> None:
    manifest = kept(data.draw(workspaces()))
    for _ in range(data.draw(st.integers(1, 4))):
        found = places(manifest)
        container, key = found[data.draw(st.integers(0, len(found) - 1))]
        match data.draw(st.sampled_from(["replace", "delete", "repeat", "exchange"])):
            case "replace":
                container[key] = data.draw(json_values)
            case "delete":
                del container[key]
            case "repeat" if type(key) is int:
                container.append(copy.deepcopy(container[key]))
            case _:
                other, place = found[data.draw(st.integers(0, len(found) - 1))]
                container[key] = copy.deepcopy(other[place])
    sound_or_refused(manifest)


@given(json_values)
def test_any_json_is_refused_or_gives_a_sound_workspace(value: Any) -> None:
    sound_or_refused(value)
    sound_or_refused({"version": 1, "head": value, "windows": value, "panes": value})


def sound_or_refused(manifest: Any) -> None:
    before = copy.deepcopy(manifest)
    try:
        saved, faults = decode(manifest)
    except SaveError:
        pass
    else:
        check(saved.workspace)
        assert all(fault.isprintable() for fault in faults)
        assert decode(kept(saved)) == (saved, [])
    assert repr(manifest) == repr(before)


def test_a_damaged_pane_is_left_out_and_its_siblings_keep_their_proportions() -> None:
    manifest = kept(sample(4))
    manifest["panes"][1]["argv"] = {"sh": 1}
    saved, faults = decode(manifest)
    assert faults == ['pane %2: argv: {"sh": 1} is not a list (text); it is left out']
    assert saved.workspace.windows[0].layout == Split(
        Axis.HORIZONTAL, tuple(map(Leaf, map(PaneId, (1, 3, 4)))), (1, 3, 4)
    )
    assert PaneId(2) not in saved.seen
    assert saved.last_pane == 4


def test_a_damaged_window_is_left_out_with_its_panes() -> None:
    manifest = kept(sample(1, 2, 1))
    manifest["windows"][1]["layout"] = "nonsense"
    saved, faults = decode(manifest)
    assert [window.id for window in saved.workspace.windows] == [1, 3]
    assert sorted(saved.workspace.panes) == [1, 4]
    assert [fault.split(":")[0] for fault in faults] == ["window @2", "window @2", "pane %2", "pane %3"]


def test_when_the_window_on_the_screen_is_lost_the_one_before_it_shows() -> None:
    manifest = kept(sample(1, 1, 1))
    manifest["windows"][0]["layout"] = None
    assert decode(manifest)[0].workspace.active == 2


def test_a_zoom_ends_with_the_pane_that_had_it() -> None:
    manifest = kept(sample(3))
    manifest["windows"][0]["zoomed"] = True
    assert decode(manifest)[0].workspace.windows[0].zoomed
    manifest["panes"][2]["env"] = ["A=b"]
    (window,) = decode(manifest)[0].workspace.windows
    assert (window.active, window.recent, window.zoomed) == (1, (2,), False)


def test_a_pane_in_two_windows_keeps_its_first_place() -> None:
    manifest = kept(sample(2, 2))
    manifest["windows"][1]["layout"]["children"] = [1, 4]
    saved, faults = decode(manifest)
    assert list(panes(saved.workspace.windows[0].layout)) == [1, 2]
    assert list(panes(saved.workspace.windows[1].layout)) == [4]
    assert any("pane %1 has another place" in fault for fault in faults)
    assert any("pane %3: no window" in fault for fault in faults)


def test_ids_that_repeat_are_taken_once() -> None:
    manifest = kept(sample(1, 1))
    manifest["panes"].append({**manifest["panes"][0], "argv": ["rm", "-rf", "/"]})
    manifest["windows"].append(copy.deepcopy(manifest["windows"][1]))
    saved, faults = decode(manifest)
    assert saved.workspace.panes[PaneId(1)].argv == ("sleep", "9")
    assert len(saved.workspace.windows) == 2
    assert any("another has its id" in fault for fault in faults)


def test_damaged_weights_make_equal_shares() -> None:
    for weights in ([1], [1, 0], [1, -2], [1, True], [1, 1.5], [1, 10**30], "12", None):
        manifest = kept(sample(2))
        manifest["windows"][0]["layout"]["weights"] = weights
        saved, faults = decode(manifest)
        assert saved.workspace.windows[0].layout == Split(Axis.HORIZONTAL, (Leaf(PaneId(1)), Leaf(PaneId(2))), (1, 1))
        assert len(faults) == 1


def test_too_deep_a_layout_is_cut_off_where_it_gets_too_deep() -> None:
    manifest = kept(sample(MAX_PANES))
    node: Any = MAX_PANES
    for pane in range(MAX_PANES - 1, 0, -1):
        node = {"axis": ("horizontal", "vertical")[pane % 2], "weights": [1, 1], "children": [pane, node]}
    manifest["windows"][0]["layout"] = node
    saved, faults = decode(manifest)
    assert depth(saved.workspace.windows[0].layout) <= MAX_DEPTH
    assert faults
    check(saved.workspace)


def test_a_window_takes_no_more_panes_than_a_window_may_have() -> None:
    manifest = kept(sample(MAX_PANES, 6))
    layout = manifest["windows"][0]["layout"]
    layout["children"].append(65)
    layout["weights"].append(1)
    manifest["windows"][1]["layout"]["children"] = [66, 67, 68, 69, 70, 70]
    saved, faults = decode(manifest)
    assert len(list(panes(saved.workspace.windows[0].layout))) == MAX_PANES
    assert any("more than 64 panes" in fault for fault in faults)


def test_a_million_panes_are_not_read() -> None:
    manifest = kept(sample(1))
    manifest["panes"] *= 1_000_000
    saved, faults = decode(manifest)
    assert faults[0] == f"1000000 panes were saved, the first {MOST_PANES} are read"
    assert len(faults) == MOST_FAULTS + 1
    assert len(saved.workspace.panes) == 1


def test_invalid_text_of_a_pane_is_dropped_but_the_pane_kept() -> None:
    manifest = kept(sample(1))
    manifest["panes"][0]["seen"]["size"] = [0, -4]
    saved, faults = decode(manifest)
    assert not saved.seen
    assert saved.workspace.panes[PaneId(1)].argv == ("sleep", "9")
    assert "its text is left out" in faults[0]


def test_names_are_restored_fit_to_show() -> None:
    manifest = kept(sample(1))
    manifest["windows"][0] |= {"name": "\x1b[31mred\x07", "session": "\u202e"}
    manifest["panes"][0] |= {"name": "a\nb" * 100}
    manifest["panes"][0]["seen"]["title"] = "\x1b]0;x\x07title"
    saved, _ = decode(manifest)
    check(saved.workspace)
    assert saved.workspace.windows[0].name == "red"
    assert saved.seen[PaneId(1)].title == "title"
