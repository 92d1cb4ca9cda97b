"""The schedule of automatic saves."""

from math import inf

from fugue_tui.multiplexer.autosave.schedule import FIRST_RETRY, LAST_RETRY, SOON, SaveSchedule


def test_a_change_of_the_structure_is_saved_soon_and_with_those_that_follow() -> None:
    table = SaveSchedule(30)
    table.done(100)
    assert table.due == 130
    table.changed(110)
    table.changed(110.9)
    assert table.due == 110 + SOON


def test_what_changes_all_the_time_is_not_saved_all_the_time() -> None:
    table, now, saves = SaveSchedule(30), 0.0, 0
    table.changed(now)
    while now < 60:
        now += 0.01
        table.changed(now)
        if table.due <= now:
            table.started()
            table.done(now)
            saves += 1
    assert 59 <= saves / SOON <= 60


def test_a_change_while_saving_is_saved_next() -> None:
    table = SaveSchedule(30)
    table.changed(10)
    table.started()
    table.changed(12)
    table.done(13)
    assert table.due == 13 + SOON


def test_faults_are_tried_again_ever_more_rarely() -> None:
    table, waits = SaveSchedule(30), list[float]()
    for _ in range(50):
        table.changed(100)
        table.failed(100)
        waits.append(table.due - 100)
    assert waits[:3] == [FIRST_RETRY, FIRST_RETRY * 2, FIRST_RETRY * 4]
    assert waits[-1] == LAST_RETRY
    table.started()
    table.done(200)
    assert table.due == 230


def test_what_is_switched_off_is_never_due() -> None:
    table = SaveSchedule(30, on=False)
    table.changed(1)
    assert table.due == inf
    table.on = True
    assert table.due < inf


def test_a_short_interval_holds_for_the_structure_too() -> None:
    table = SaveSchedule(0.01)
    table.done(5)
    table.changed(6)
    assert table.due == 6.01
