"""Faults of the saver: full disks, bugs, failing jobs, an exit while the disk hangs."""

import errno
import os
from collections.abc import Callable
from math import inf
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from msgspec.structs import replace
from tests.multiplexer.autosave_clock import DEADLINE, SETTINGS, Keeping
from tests.multiplexer.autosave_clock import keep as keep
from tests.multiplexer.conftest import Room

from fugue_tui.errors import SaveError
from fugue_tui.multiplexer.autosave.schedule import FIRST_RETRY, SOON
from fugue_tui.terminal.emulator.save_format import PORTABLE_LINES
from fugue_tui.terminal.shell_integration.saved_commands import LineFilter


def test_of_a_text_that_is_too_large_the_newest_lines_are_saved_and_that_is_reported(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    room.launcher.scrollback = 20_000
    pane = room.opened("create-pane --command 'od -An -x -N 60000 /dev/urandom; echo end; exec cat'")
    room.shows(pane, "end")
    keeping = keep(replace(SETTINGS, history_kib=16))
    keeping.wait()
    assert 100 < len(keeping.text(pane).splitlines()) <= PORTABLE_LINES
    assert "end" in keeping.text(pane)
    keeping.wait(SETTINGS.save_seconds)
    told = "of pane %1 only the newest lines are saved: its text has more than 16 KiB; raise [session] history_kib"
    room.until(lambda: keeping.news)
    assert keeping.news == [told]
    keeping.change(SETTINGS)
    emulator = room.mux.blank(room.mux.terminals[pane].size)
    emulator.recall(keeping.store.text(keeping.seen(pane).text))
    assert sum(map(bool, emulator.lines(0, 20_000))) > 3750


def test_a_full_disk_is_reported_once_tried_again_and_told_when_it_is_over(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    room.cat()
    keeping = keep()
    keeping.wait()
    good, generation = keeping.saved(), keeping.generation()
    full = fill_the_disk(monkeypatch)
    room.cat()
    waits: list[float] = []
    keeping.wait()
    for _ in range(3):
        waits.append(keeping.saver.due - keeping.now)
        keeping.wait(waits[-1])
    assert waits == [FIRST_RETRY, FIRST_RETRY * 2, FIRST_RETRY * 4]
    assert len(keeping.news) == 1
    assert "not saved: " in keeping.news[0]
    assert "No space left on device; make room" in keeping.news[0]
    assert keeping.news[0].endswith("; trying again")
    assert keeping.saver.fault
    assert (keeping.saved(), keeping.generation()) == (good, generation)
    full.clear()
    keeping.wait(keeping.saver.due - keeping.now)
    room.until(lambda: len(keeping.news) == 2)
    assert keeping.news[1] == "the workspace is saved again"
    assert keeping.saved().workspace == room.mux.workspace
    assert not keeping.saver.fault


def fill_the_disk(monkeypatch: pytest.MonkeyPatch) -> Event:
    """The disk is full while the event is set."""
    full, write = Event(), os.write
    full.set()

    def refuse(fd: int, data: bytes) -> None:
        if full.is_set():
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        assert write(fd, data) == len(data)

    monkeypatch.setattr("fugue_tui.store.private_dir._write", refuse)
    return full


def test_a_bug_in_saving_ends_nothing(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    room.cat()
    keeping = keep()
    monkeypatch.setattr(keeping.recorder, "record", broken)
    keeping.wait()
    room.until(lambda: keeping.news)
    assert "internal error: ZeroDivisionError" in keeping.news[0]
    monkeypatch.undo()
    keeping.wait(FIRST_RETRY)
    assert keeping.saved().workspace == room.mux.workspace


def broken(*given: Any, **named: Any) -> tuple[str, ...]:
    raise ZeroDivisionError


def test_the_end_is_saved_at_once(room: Room, keep: Callable[..., Keeping]) -> None:
    pane = room.cat()
    keeping = keep()
    keeping.wait()
    room.mux.terminals[pane].write(b"last words\r")
    room.shows(pane, "last words")
    assert keeping.saver.finish()
    assert not keeping.saved().ended
    assert "last words" in keeping.text(pane)
    with pytest.raises(SaveError, match="being left"):
        keeping.saver.ask(lambda recorder, wanted: None).result(0)


def test_what_ends_before_it_was_ever_saved_is_saved(room: Room, tmp_path: Path) -> None:
    room.cat()
    keeping = Keeping(room, tmp_path / "state", SETTINGS)
    assert keeping.saver.finish()
    assert keeping.saved().workspace == room.mux.workspace


def test_nothing_is_left_of_a_workspace_whose_last_pane_was_closed(room: Room, keep: Callable[..., Keeping]) -> None:
    pane = room.cat()
    keeping = keep()
    keeping.wait()
    assert keeping.generation() == 1
    room.say(f"close-pane {pane}")
    assert room.empty
    assert keeping.saver.finish()
    assert keeping.store.names("auto") == []


def test_a_disk_that_hangs_does_not_hold_up_the_end(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    room.cat()
    keeping = keep()
    hangs, go_on = Event(), Event()

    def hang(*given: Any, **named: Any) -> tuple[str, ...]:
        hangs.set()
        assert go_on.wait(DEADLINE)
        return ()

    monkeypatch.setattr(keeping.recorder, "record", hang)
    keeping.now += SOON
    keeping.saver.configure(keeping.settings)
    room.until(hangs.is_set)
    assert not keeping.saver.finish(0.05)
    go_on.set()
    assert keeping.saver.finish()


def test_what_is_held_back_is_not_saved_even_at_the_end(room: Room, keep: Callable[..., Keeping]) -> None:
    room.cat()
    keeping = keep()
    keeping.saver.hold()
    assert keeping.saver.due == inf
    assert keeping.saver.finish()
    assert keeping.generation() == 0


def test_what_breaks_keeps_nothing_else_from_being_done(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    room.cat()
    keeping = keep()
    keeping.wait()
    monkeypatch.setattr(keeping.recorder, "forget", broken)
    keeping.change(replace(SETTINGS, pane_history=False))
    assert keeping.generation() == 2


def test_work_that_fails_fails_for_whoever_asked_alone(room: Room, keep: Callable[..., Keeping]) -> None:
    keeping = keep()
    with pytest.raises(ZeroDivisionError):
        keeping.saver.ask(lambda recorder, wanted: 1 // 0).result(DEADLINE)
    assert keeping.saver.ask(lambda recorder, wanted: "well").result(DEADLINE) == "well"


def test_a_pane_that_is_closed_while_it_is_saved_costs_nobody_anything(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = room.cat("first"), room.cat("second")
    keeping = keep()
    terminal = room.mux.terminals[first]
    save = terminal.saved

    def saved(line_filter: LineFilter) -> bytes:
        room.mux.terminals[second].close()
        return save(line_filter)

    monkeypatch.setattr(terminal, "saved", saved)
    keeping.wait()
    assert set(keeping.saved().seen) == {first, second}
    assert keeping.seen(first).text
    assert not keeping.seen(second).text


def test_a_workspace_that_is_left_on_purpose_says_so_even_if_nothing_changed(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    room.cat()
    keeping = keep()
    keeping.wait()
    assert not keeping.saved().ended
    keeping.saver.finish(ended=True)
    assert keeping.saved().ended
