"""Several readers of one screen each see every change, whoever refreshed it."""

from fugue_tui.terminal.screen.cells import Damage
from fugue_tui.terminal.screen.readers import Readers, merged

EVERYTHING = Damage(full=True, rows=(0, 1, 2, 3))


class Reader:
    """One of them."""


def test_the_first_reading_sees_everything_and_the_next_what_changed() -> None:
    readers, one = Readers(), Reader()
    assert readers.take(one, Damage(rows=(1,)), 4) == EVERYTHING
    assert readers.take(one, Damage(rows=(2,)), 4) == Damage(rows=(2,))


def test_what_one_reader_has_refreshed_the_other_sees_later() -> None:
    readers, one, two = Readers(), Reader(), Reader()
    for reader in (one, two):
        readers.take(reader, Damage(), 4)
    assert readers.take(one, Damage(rows=(1,)), 4) == Damage(rows=(1,))
    assert readers.take(one, Damage(rows=(3,)), 4) == Damage(rows=(3,))
    assert readers.take(two, Damage(rows=(0,)), 4) == Damage(rows=(0, 1, 3))
    assert readers.take(two, Damage(), 4) == Damage()
    assert readers.take(one, Damage(), 4) == Damage(rows=(0,))


def test_one_that_only_sees_the_refresh_of_now_takes_nothing_away() -> None:
    readers, one = Readers(), Reader()
    readers.take(one, Damage(), 4)
    assert readers.take(None, Damage(rows=(2,)), 4) == Damage(rows=(2,))
    assert readers.take(one, Damage(), 4) == Damage(rows=(2,))


def test_a_reader_that_is_gone_is_forgotten() -> None:
    readers, one, two = Readers(), Reader(), Reader()
    for reader in (one, two):
        readers.take(reader, Damage(), 4)
    readers.take(two, Damage(rows=(2,)), 4)
    del two, reader
    assert readers.take(one, Damage(), 4) == Damage(rows=(2,))
    assert readers.take(one, Damage(rows=(1,), shift=1), 4) == Damage(rows=(1,), shift=1)


def test_a_scroll_with_other_changes_is_a_change_of_everything() -> None:
    assert merged(Damage(rows=(3,), shift=1), Damage(rows=(0,)), 4) == EVERYTHING
    assert merged(Damage(rows=(0,)), Damage(rows=(3,), shift=1), 4) == EVERYTHING
    assert merged(Damage(), Damage(rows=(3,), shift=1), 4) == Damage(rows=(3,), shift=1)
