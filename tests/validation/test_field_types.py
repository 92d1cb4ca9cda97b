"""Values are what their annotations say, or the error says where, what and what is valid."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, field

from fugue_tui.errors import InvalidArgument
from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import Choice, Refined, Text, Unchecked


def _unkind(word: str) -> str:
    return "" if word.startswith("k") else "must start with k"


Key = Annotated[str, Refined(Text(), _unkind)]


class Entry(Struct, frozen=True):
    """Something in a file."""

    path: Annotated[str, Text(nul=False, escapes=True)]
    key: Key = "k"
    size: Annotated[tuple[int, int], Refined(Text(), make=len, words="a word such as ab")] | None = None
    theme: Literal["dark", "light", "dim"] = "dark"
    names: Annotated[Mapping[Key, int], Meta(min_length=0, max_length=2)] = field(default_factory=dict[str, int])
    rest: Annotated[Any, Unchecked()] = None


def test_of_many_words_the_similar_one_is_named_first() -> None:
    with pytest.raises(InvalidArgument) as caught:
        Choice.of(("nord", "dracula", "monokai", *map(str, range(9)))).check("draculla", "ui.theme")
    assert str(caught.value).startswith('ui.theme: "draculla" is not known; did you mean dracula? It is one of nord, ')


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({}, "it.path: is missing; expected text"),
        ({"path": "a\0b"}, "it.path: holds a NUL character"),
        ({"path": "\ud800"}, "it.path: holds half of a surrogate pair"),
        ({"path": "", "key": "x"}, "it.key: must start with k"),
        ({"path": "", "key": 3}, "it.key: 3 is not text"),
        ({"path": "", "size": 3}, "it.size: 3 is not a word such as ab"),
        ({"path": "", "theme": "drak"}, 'it.theme: "drak" is not one of dark, light, dim; did you mean dark?'),
        ({"path": "", "names": {"x": 1}}, "it.names.x: must start with k"),
        ({"path": "", "names": {"k\x1b\u202e": "x"}}, 'it.names.k\\x1b\\u202e: "x" is not a whole number'),
        ({"path": "", "names": {"k1": 1, "k2": 2, "k3": 3}}, "it.names: has 3 entries; expected from 0 to 2"),
        ({"path": "", "pth": 1}, "it.pth: no such key; did you mean path? it takes path, key"),
        ({"path": "", "zzz\x1b": 1}, "it.zzz\\x1b: no such key; it takes path, key"),
    ],
)
def test_an_error_says_where_what_and_what_is_valid(entries: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        Record(Entry).check(entries, "it")
    assert str(caught.value).startswith(said)


def test_valid_values_are_converted() -> None:
    deep: list[Any] = []
    for _ in range(2000):
        deep = [deep]
    found = Record(Entry).check({"path": "caf\udce9", "size": "ab", "names": {"k": 1}, "rest": deep}, "it")
    assert (found.path, found.size, found.names) == ("caf\udce9", 2, {"k": 1})
    assert found.rest is deep


def test_of_a_wrong_object_the_valid_entries_are_kept_and_every_fault_is_reported() -> None:
    given: dict[str, Any] = {"path": "p", "key": 3, "theme": "dim", "names": {"a": 1, "k": 2}, "tomorrow": 1}
    faults: list[str] = []
    assert Record(Entry, closed=False).salvage(given, "it", faults.append) == Entry("p", theme="dim", names={"k": 2})
    assert [fault.split(": ")[0] for fault in faults] == ["it.key", "it.names.a"]
    Record(Entry).salvage(given, "", faults.append)
    assert faults[-1].startswith("tomorrow: no such key")


@pytest.mark.parametrize("given", [3, None, [], {}, {"path": 3, "key": "k"}])
def test_without_a_required_entry_there_is_nothing_to_keep(given: Any) -> None:
    with pytest.raises(InvalidArgument):
        Record(Entry).salvage(given, "it", pytest.fail)


def test_an_open_object_may_have_more_than_is_known() -> None:
    assert Record(Entry, closed=False).check({"path": "p", "tomorrow": 1}, "it") == Entry("p")
