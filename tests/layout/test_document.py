"""Layout files: what a person writes is read, what is written reads back the same, every fault is told where it is."""

import tomllib
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui import trusted_files
from fugue_tui.config.values import toml
from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId
from fugue_tui.layout.apportion import whole
from fugue_tui.layout.document import MAX_DOCUMENT_PANES, MAX_WINDOWS, Document, WindowSpec, read
from fugue_tui.layout.document_writer import FINEST, ratios, to_json, to_toml
from fugue_tui.layout.presets import PRESETS
from fugue_tui.layout.spec import spec_of
from fugue_tui.layout.spec_types import PaneSpec, SplitSpec
from fugue_tui.layout.tree import Node, Split, panes

pytestmark = pytest.mark.slow


BY_HAND = """
name = "shop"

[[windows]]
name = "code"
focus = true
direction = "horizontal"
splits = [
    { ratio = 0.65, pane = { name = "editor", command = "vim ." } },
    { ratio = 0.35, direction = "vertical", splits = [
        { pane = { name = "server", command = ["npm", "run", "dev"], cwd = "web", env = { PORT = "3000" } } },
        { pane = { name = "shell", focus = true, tags = ["spare"], on_exit = "keep" } },
    ] },
]

[[windows]]
name = "data"
zoom = true

[windows.pane]
command = "psql shop"

[[windows]]
name = "team"
session = "agents"
preset = "main-left"
main_share = 0.7

[[windows.panes]]
name = "leader"
command = "claude"

[[windows.panes]]
name = "worker"

[[windows]]
"""


def from_toml(text: str) -> Document:
    return read(trusted_files.toml(text))


def test_a_file_written_by_hand_says_what_it_seems_to_say() -> None:
    found = from_toml(BY_HAND)
    editor = PaneSpec("vim .", name="editor")
    server = PaneSpec(("npm", "run", "dev"), "web", "server", MappingProxyType({"PORT": "3000"}))
    shell = PaneSpec(name="shell", on_exit="keep", tags=("spare",), focus=True)
    right = SplitSpec(Axis.VERTICAL, (server, shell), (1, 1))
    team = (PaneSpec("claude", name="leader"), SplitSpec(Axis.VERTICAL, (PaneSpec(name="worker"), PaneSpec()), (1, 1)))
    assert found == Document(
        (
            WindowSpec(SplitSpec(Axis.HORIZONTAL, (editor, right), (13, 7)), "code", focus=True),
            WindowSpec(PaneSpec("psql shop"), "data", zoom=True),
            WindowSpec(SplitSpec(Axis.HORIZONTAL, team, (7, 3)), "team", "agents"),
            WindowSpec(PaneSpec()),
        ),
        "shop",
    )
    assert len(found.panes) == 8


def test_what_is_written_has_the_shape_of_the_tree() -> None:
    written = to_toml(from_toml(BY_HAND), ["Saved from shop."])
    assert written.startswith("# A workspace for fugue-tui:")
    assert "# Saved from shop.\nversion = 1\n" in written
    assert (
        '    { ratio = 0.35, direction = "vertical", splits = [\n'
        '        { pane = { name = "server", command = ["npm", "run", "dev"], cwd = "web", '
        'env = { PORT = "3000" } } },\n'
    ) in written
    assert '\n[windows.pane]\ncommand = "psql shop"\n' in written
    assert from_toml(written) == from_toml(BY_HAND)


@pytest.mark.parametrize(
    ("weights", "shown"),
    [
        ((1, 1, 1), None),
        ((13, 7), [0.65, 0.35]),
        ((1, 2), [1, 2]),
        ((1, 999), [0.001, 0.999]),
        ((65, 54), [65, 54]),
        ((10**9, 10**9 + 1), [0.5, 0.5]),
        ((1, 10**11), [0.0001, 0.9999]),
    ],
)
def test_ratios_are_as_tidy_as_they_can_be(weights: tuple[int, ...], shown: list[float] | None) -> None:
    assert ratios(weights) == shown


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_can_be_named(preset: str) -> None:
    given: Any = {"windows": [{"preset": preset, "panes": [{"name": name} for name in "abcde"]}]}
    found = read(given)
    assert sorted(pane.name for pane in found.panes) == list("abcde")


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0="), min_size=1, max_size=8)
ON_EXIT: list[Literal["", "close", "keep"]] = ["", "close", "keep"]


@st.composite
def pane_specs(draw: st.DrawFn) -> PaneSpec:
    program = (draw(TEXT.filter(bool)), *draw(st.lists(TEXT, max_size=3)))
    return PaneSpec(
        draw(st.sampled_from([program, draw(TEXT)])),
        draw(TEXT),
        draw(TEXT),
        MappingProxyType(draw(st.dictionaries(NAMES, TEXT, max_size=3))),
        draw(st.sampled_from(ON_EXIT)),
        tuple(dict.fromkeys(draw(st.lists(st.sampled_from(["a", "b c", "☃", "'\"#"]), max_size=3)))),
    )


@st.composite
def documents_of(draw: st.DrawFn, trees: st.SearchStrategy[Node]) -> Document:
    windows = draw(st.lists(window_specs(trees), min_size=1, max_size=3))
    return Document(tuple(windows), draw(TEXT), draw(TEXT))


@st.composite
def window_specs(draw: st.DrawFn, trees: st.SearchStrategy[Node]) -> WindowSpec:
    tree = draw(trees)
    order = {pane: PaneId(number) for number, pane in enumerate(panes(tree), 1)}
    places = [draw(pane_specs()) for _ in order]
    return WindowSpec(spec_of(_renumbered(tree, order), places), draw(TEXT), draw(TEXT), zoom=draw(st.booleans()))


def _renumbered(node: Node, order: dict[PaneId, PaneId]) -> Node:
    if isinstance(node, Split):
        return Split(node.axis, tuple(_renumbered(child, order) for child in node.children), node.weights)
    return type(node)(order[node.pane])


@pytest.mark.parametrize("text", ["\n", "a\nb", "'", "\x7f", '"', "", "a b", "ä", "\t"])
def test_any_text_can_be_a_name_and_a_value(text: str) -> None:
    table = {text: [text, {text: text}]}
    assert tomllib.loads(f"x = {toml(table)}") == {"x": table}


@given(st.data())
def test_whatever_is_written_reads_back_the_same(
    layouts: Callable[..., st.SearchStrategy[Node]], data: st.DataObject
) -> None:
    document = data.draw(documents_of(layouts(most=6)))
    assert from_toml(to_toml(document)) == document
    assert read(trusted_files.json(to_json(document))) == document


@given(st.lists(st.integers(1, 10**11), min_size=2, max_size=8))
def test_ratios_finer_than_anyone_writes_stay_within_a_cell(weights: list[int]) -> None:
    spec = SplitSpec(Axis.HORIZONTAL, tuple(PaneSpec() for _ in weights), whole(weights))
    once = from_toml(to_toml(Document((WindowSpec(spec),))))
    assert from_toml(to_toml(once)) == once
    found = once.windows[0].layout
    assert isinstance(found, SplitSpec)
    if sum(spec.weights) <= FINEST:
        assert found == spec
    for before, after in zip(spec.weights, found.weights, strict=True):
        assert abs(before / sum(spec.weights) - after / sum(found.weights)) <= len(weights) / FINEST


def test_control_characters_and_quotes_survive_the_writing() -> None:
    for nasty in ("a\nb\n", "'''", "it's\n'", '"""\n\\', "\x1b[31m\x7f\n", "tab\there\n", "\r\nx", "\u2028\n"):
        document = Document((WindowSpec(PaneSpec(nasty, name="x")),))
        assert from_toml(to_toml(document)) == document


def window_with(**entries: Any) -> dict[str, Any]:
    return {"windows": [{"pane": {}}, entries]}


def deep(levels: int) -> dict[str, Any]:
    layout: dict[str, Any] = {"pane": {}}
    for _ in range(levels):
        layout = {"direction": "vertical", "splits": [{"layout": layout}, {}]}
    return layout


FAULTS: list[tuple[Any, str]] = [
    ([], "file: [] is not an object"),
    ({}, "windows: is missing; expected a list of windows, each written [[windows]]"),
    ({"windows": []}, "windows: has 0 entries; expected from 1 to 64"),
    ({"windows": {}}, "windows: {} is not a list of windows, each written [[windows]]"),
    ({"windows": [{}], "nam": "x"}, "nam: no such key; did you mean name?"),
    ({"windows": [{}], "version": 2}, "version: 2 is newer than this fugue-tui reads (1); update it"),
    ({"windows": [{}], "version": 0}, "version: 0 is not a whole number from 1 to 1"),
    ({"windows": [{}], "version": True}, "version: true is not a whole number from 1 to 1"),
    ({"windows": [{}], "name": 3}, "name: 3 is not text"),
    ({"windows": [{}], "name": "x" * 65}, "name: 65 characters; expected at most 64"),
    ({"windows": [{}] * (MAX_WINDOWS + 1)}, "windows: has 65 entries; expected from 1 to 64"),
    ({"windows": [{"preset": "tiled", "panes": [{}] * 60}] * 5}, "windows: too many panes; a file holds at most 256"),
    ({"windows": [{"focus": True}, {"focus": True}]}, "windows[1].focus: windows[0] has the focus already"),
    ({"windows": [3]}, "windows[0]: 3 is not an object"),
    (window_with(nmae="x"), "windows[1].nmae: no such key; did you mean name?"),
    (window_with(name="\ud800"), "windows[1].name: holds half of a surrogate pair"),
    (window_with(zoom="yes"), 'windows[1].zoom: "yes" is not true or false'),
    (window_with(pane={}, direction="vertical"), "windows[1]: has a pane and splits; give one of them"),
    (window_with(splits=[{}]), "windows[1].direction: is missing"),
    (
        window_with(direction="across", splits=[{}]),
        'windows[1].direction: "across" is not horizontal (side by side)',
    ),
    (window_with(layout={}), 'windows[1].layout: needs a "pane"'),
    (window_with(layout={"pane": {}}, pane={}), "windows[1]: has a layout and more"),
    (window_with(layout=deep(40)), "too deep; at most 32 splits lie inside one another"),
    (
        window_with(direction="vertical", splits=[{"ratio": 0}, {}]),
        "windows[1].splits[0].ratio: 0 is not a number above 0",
    ),
    (
        window_with(direction="vertical", splits=[{"ratio": float("nan")}]),
        "windows[1].splits[0].ratio: NaN is not a number",
    ),
    (window_with(pane={"comand": "x"}), "windows[1].pane.comand: no such key; did you mean command?"),
    (window_with(pane={"tags": "x"}), 'windows[1].pane.tags: "x" is not a list (text)'),
    (window_with(pane={"tags": ["\x1b[31m"]}), "windows[1].pane.tags[0]: must be 1 to 64 printable characters"),
    (window_with(pane={"env": {"A": 3}}), "windows[1].pane.env.A: 3 is not text"),
    (window_with(pane={"focus": 1}), "windows[1].pane.focus: 1 is not true or false"),
    (window_with(preset="main_lfet"), "windows[1]: preset: no preset 'main_lfet'"),
    (window_with(preset="tiled"), "windows[1].panes: is missing; tiled opens as many panes as are named"),
    (window_with(preset="tiled", pane={}), "windows[1].pane: goes with no preset"),
    (window_with(panes=[{}]), "windows[1].preset: is missing; there are single"),
    (window_with(preset="tiled", panes=[{}] * 65), "windows[1].panes[64]: too many panes; a window holds at most 64"),
    (
        window_with(preset="tiled", panes=[{"cmd": 1}]),
        "windows[1].panes[0].cmd: no such key; did you mean cwd? it takes command",
    ),
    (window_with(preset="main_left", main_share=1), "windows[1].main_share: 1 is not a number from 0.1 to 0.9"),
    (
        window_with(preset="tiled", panes=[{"focus": True}, {"focus": True}]),
        "windows[1].panes[1].focus: another pane of this window has the focus already",
    ),
]


@pytest.mark.parametrize(("value", "said"), FAULTS)
def test_every_fault_is_reported_where_it_is(value: Any, said: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read(value)
    assert said in str(caught.value)


def test_as_many_panes_as_a_file_holds_are_read() -> None:
    panes: list[Any] = [{}] * 64
    document = read({"windows": [{"preset": "tiled", "panes": panes}] * 4})
    assert len(document.panes) == MAX_DOCUMENT_PANES


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["windows", "pane", "splits", "direction", "preset", "panes", "ratio", "layout", "x"]),
            inner,
        )
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_value_is_read_or_refused(value: Any) -> None:
    try:
        assert read({"windows": [value]}).panes
    except InvalidArgument as error:
        told = str(error)
    else:
        told = "read"
    assert told


def test_the_example_that_people_are_shown_is_right() -> None:
    page = (Path(__file__).parents[2] / "docs" / "layouts.md").read_text()
    example = page[page.index("    version = 1") : page.index("| key |")]
    shown = from_toml(dedent(example))
    assert [pane.name for pane in shown.panes] == ["editor", "server", "tests", "leader", "worker", "", ""]
    assert from_toml(to_toml(shown)) == shown


def test_the_toml_is_toml_for_others_too() -> None:
    assert tomllib.loads(to_toml(from_toml(BY_HAND)))["windows"][0]["splits"][0]["ratio"] == 0.65
