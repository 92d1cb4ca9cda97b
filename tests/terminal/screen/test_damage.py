"""Comparing two pictures."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.terminal.screen.cells import Damage
from fugue_tui.terminal.screen.damage import compare

ROWS = st.lists(st.sampled_from([b"", b"a", b"b", b"c", b"d"]), min_size=1, max_size=8)


@pytest.mark.slow
@given(ROWS, ROWS)
def test_damage_turns_the_old_picture_into_the_new(old: list[bytes], new: list[bytes]) -> None:
    damage = compare(old, new)
    shown = old[damage.shift :] + [b"?"] * damage.shift if len(old) == len(new) else [b"?"] * len(new)
    for y in damage.rows:
        shown[y] = new[y]
    assert shown == new
    assert list(damage.rows) == sorted(set(damage.rows))
    assert not damage.full or damage.rows == tuple(range(len(new)))


@given(st.integers(1, 7))
def test_a_scroll_is_found(lines: int) -> None:
    old = [b"line %d" % number for number in range(10)]
    new = [b"line %d" % number for number in range(lines, 10 + lines)]
    assert compare(old, new) == Damage(rows=tuple(range(10 - lines, 10)), shift=lines)


def test_a_new_screen_is_no_scroll() -> None:
    old = [b"old %d" % number for number in range(6)]
    new = [b"new %d" % number for number in range(6)]
    assert compare(old, new) == Damage(full=True, rows=tuple(range(6)))
