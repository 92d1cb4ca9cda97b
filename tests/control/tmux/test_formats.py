"""Formats expand as tmux(1) says."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.control.tmux.formats import LONGEST, expand

VALUES = {"pane_id": "%3", "pane_active": "1", "zoomed": "0", "session_name": "main", "path": "/a/b c", "n": ""}


def expanded(text: str) -> str:
    return expand(text, lambda name: VALUES.get(name, ""))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("#{pane_id}", "%3"),
        ("#S:#D", "main:%3"),
        ("a #{unknown} b", "a  b"),
        ("##{pane_id}", "#{pane_id}"),
        ("#[fg=blue]x", "#[fg=blue]x"),
        ("#{?pane_active,yes,no}", "yes"),
        ("#{?zoomed,yes,no}", "no"),
        ("#{?n,yes,no}", "no"),
        ("#{?zoomed,a,pane_active,b,c}", "b"),
        ("#{?pane_active,#{?zoomed,a,#{session_name}},no}", "main"),
        ("#{?pane_active,a#,b,no}", "a,b"),
        ("#{==:#{session_name},main}", "1"),
        ("#{!=:#{session_name},main}", "0"),
        ("#{&&:#{pane_active},#{zoomed}}", "0"),
        ("#{||:#{pane_active},#{zoomed}}", "1"),
        ("#{=2:session_name}", "ma"),
        ("#{=-2:session_name}", "in"),
        ("#{b:path}", "b c"),
        ("#{d:path}", "/a"),
        ("#{q:path}", "/a/b\\ c"),
        ("#{l:#{pane_id}}", "#{pane_id}"),
        ("#{s/a/b/:session_name}", ""),
        ("#{pane_id", "#{pane_id"),
        ("#", "#"),
        ("#x", "#x"),
    ],
)
def test_formats_expand(text: str, value: str) -> None:
    assert expanded(text) == value


@given(st.text(alphabet="#{}?,:=&|aSpane_id!<>-1", max_size=200))
def test_no_format_fails(text: str) -> None:
    assert len(expanded(text)) <= LONGEST


def test_deep_and_long_formats_are_bounded() -> None:
    deep = "#{?pane_active," * 50 + "x" + ",y}" * 50
    assert len(expanded(deep)) <= len(deep)
    assert len(expand("#S" * 10_000, lambda name: "x" * 1000)) <= LONGEST


def test_a_conditional_of_many_branches_takes_linear_time() -> None:
    start = time.process_time()
    assert expand("#{?" + "," * 200_000 + "}", lambda name: "") == ""
    assert time.process_time() - start < 5
