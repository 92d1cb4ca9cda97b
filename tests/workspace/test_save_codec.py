"""A workspace comes back as it was saved; a damaged one as far as it can be read, and secrets not at all."""

import copy
from typing import Any

import pytest
from hypothesis import given
from msgspec.structs import replace
from tests.workspace.saved_workspaces import SECRETS, kept, sample, workspaces

from fugue_tui.errors import SaveError
from fugue_tui.workspace.invariants import check
from fugue_tui.workspace.save_codec import VERSION, Migration, decode, encode, migrate
from fugue_tui.workspace.save_model import SavedWorkspace

pytestmark = pytest.mark.slow


@given(workspaces())
def test_every_workspace_is_restored_as_it_was(saved: SavedWorkspace) -> None:
    check(saved.workspace)
    assert decode(kept(saved)) == (saved, [])


@given(workspaces())
def test_what_was_restored_without_its_secrets_is_restored_the_same_again(saved: SavedWorkspace) -> None:
    once, faults = decode(kept(saved, SECRETS))
    check(once.workspace)
    assert decode(kept(once, SECRETS)) == (once, faults) == (once, [])


@given(workspaces())
def test_encoding_makes_plain_json_values(saved: SavedWorkspace) -> None:
    waiting: list[Any] = [encode(saved)]
    while waiting:
        value = waiting.pop()
        assert type(value) in (dict, list, str, int, float, bool, type(None))
        waiting += value.values() if type(value) is dict else value if type(value) is list else []


def test_ids_are_never_reused_after_restoring() -> None:
    manifest = kept(replace(sample(2), last_pane=17, last_window=9))
    assert (decode(manifest)[0].last_pane, decode(manifest)[0].last_window) == (17, 9)
    for lie in (0, -1, "x", None, 10**40):
        saved, _ = decode({**manifest, "last_pane": lie, "last_window": lie})
        assert (saved.last_pane, saved.last_window) == (2, 1)


def test_unknown_keys_are_passed_over() -> None:
    saved = sample(2)
    manifest = kept(saved)
    for entry in (
        manifest,
        manifest["head"],
        *manifest["windows"],
        *manifest["panes"],
        manifest["windows"][0]["layout"],
    ):
        entry["of_tomorrow"] = {"a": [1]}
    assert decode(manifest) == (saved, [])


@pytest.mark.parametrize("version", [None, "1", True, 1.0, -1, 0, 999, float("nan")])
def test_a_version_that_cannot_be_read_is_refused(version: object) -> None:
    manifest = kept(sample(1))
    before = copy.deepcopy({**manifest, "version": version})
    given = {**manifest, "version": version}
    with pytest.raises(SaveError):
        decode(given)
    assert repr(given) == repr(before)


def test_a_newer_version_is_refused_with_the_way_out() -> None:
    with pytest.raises(
        SaveError, match=r"newer fugue-tui saved this workspace \(version 2, this one reads 1\); upgrade"
    ):
        decode({**kept(sample(1)), "version": VERSION + 1})


def test_older_versions_are_brought_up_step_by_step() -> None:
    def renamed(manifest: dict[str, Any]) -> dict[str, Any]:
        return {**manifest, "windows": manifest["tabs"]}

    saved = sample(2)
    manifest = kept(saved)
    old = {key: value for key, value in manifest.items() if key != "windows"}
    old |= {"version": VERSION - 1, "tabs": manifest["windows"]}
    assert decode(old, {VERSION - 1: renamed}) == (saved, [])
    steps: dict[int, Migration] = {
        0: lambda m: {**m, "a": 1},
        1: lambda m: {**m, "b": m["a"] + 1},
        2: lambda m: {**m, "c": m["b"] + 1},
    }
    assert migrate({"version": 0}, steps, to=3) == {"version": 3, "a": 1, "b": 2, "c": 3}


def test_an_older_version_that_is_damaged_is_refused() -> None:
    with pytest.raises(SaveError, match="version 0 is damaged"):
        decode({"version": 0}, {0: lambda manifest: {**manifest, "windows": manifest["tabs"]}})


def test_a_workspace_none_of_whose_windows_is_whole_is_refused() -> None:
    with pytest.raises(SaveError, match="none of its windows is whole"):
        decode({**kept(sample(2)), "panes": []})
