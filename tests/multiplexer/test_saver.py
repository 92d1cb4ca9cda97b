"""A workspace that saves itself: real programs, a real store, and a clock that the test moves."""

import errno
import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config import SessionSettings
from fugue_tui.errors import SaveError
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.recorder import Recorder
from fugue_tui.multiplexer.saver import Saver
from fugue_tui.multiplexer.timetable import FIRST_RETRY, SOON
from fugue_tui.store.store import Area, Store
from fugue_tui.terminal.pins import Place
from fugue_tui.terminal.remembered import Sift, read
from fugue_tui.terminal.saving import PORTABLE_LINES, unpack
from fugue_tui.workspace.save import decode
from fugue_tui.workspace.saved import PaneSeen, Saved

DEADLINE = 40.0
SETTINGS = SessionSettings()


class Keeping:
    """A workspace that is saved, and what a test needs to see of that."""

    def __init__(self, room: Room, root: Path, settings: SessionSettings) -> None:
        self.room, self.settings = room, settings
        self.store = Store(root)
        self.now = 5000.0
        self.recorder = Recorder(self.store, settings, lambda argv, pid, cwd: ("again", *argv[:1]))
        self.saver = Saver(room.mux, self.recorder, settings, lambda: self.now)
        self.news: list[str] = []
        self.saver.on_news.connect(self.news.append)

    def wait(self, seconds: float = SOON) -> None:
        """Let time pass, and what is due then be done."""
        self.now += seconds
        self.saver.equip(self.settings)
        self.room.until(lambda: self.saver.due > self.now)
        self.done()

    def done(self) -> None:
        """Wait until the saver's thread has done all that it was given."""
        asked = self.saver.ask(lambda recorder, wanted: None)
        self.room.until(asked.done)

    def change(self, settings: SessionSettings) -> None:
        """Go by other settings, and let what follows from that be done."""
        self.settings = settings
        self.saver.equip(settings)
        self.wait()

    def generation(self) -> int:
        """Counts the saves; 0 before the first."""
        return next((entry.generation for entry in self.store.names("auto")), 0)

    def saved(self, name: str = "test", area: Area = "auto") -> Saved:
        """What was saved last."""
        saved, faults = decode(self.store.get(area, name).manifest)
        assert not faults
        return saved

    def seen(self, pane: PaneId) -> PaneSeen:
        """What was saved of a pane."""
        return self.saved().seen[pane]

    def text(self, pane: PaneId) -> str:
        """The saved text of a pane, as far as every engine can show it."""
        return unpack(self.store.text(self.seen(pane).text)).portable.decode()


@pytest.fixture
def keep(room: Room, tmp_path: Path) -> Iterator[Callable[..., Keeping]]:
    made: list[Keeping] = []

    def start(settings: SessionSettings = SETTINGS) -> Keeping:
        keeping = Keeping(room, tmp_path / "state", settings)
        made.append(keeping)
        keeping.saver.start()
        return keeping

    yield start
    for each in made:
        each.saver.finish()


def test_a_workspace_is_saved_soon_after_it_starts_with_all_that_is_seen(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    pane = room.opened("create-pane --command 'cd /; printf \"\\033]2;a title\\007here it is\"; exec cat'")
    room.shows(pane, "here it is")
    room.until(lambda: room.mux.terminals[pane].foreground == "cat")
    keeping = keep()
    keeping.wait()
    assert keeping.saved().workspace == room.mux.workspace
    assert keeping.saved().area == room.mux.area
    seen = keeping.seen(pane)
    assert (seen.title, seen.cwd, seen.argv, seen.resume, seen.exit) == (
        "a title",
        "/",
        ("cat",),
        ("again", "cat"),
        None,
    )
    assert seen.size == room.mux.terminals[pane].size
    assert "here it is" in keeping.text(pane)


def test_a_change_of_the_structure_is_saved_soon(room: Room, keep: Callable[..., Keeping]) -> None:
    first = room.cat()
    keeping = keep()
    keeping.wait()
    second = room.cat("second")
    assert keeping.saver.due == keeping.now + SOON
    keeping.wait()
    assert keeping.saved().workspace.panes[second].name == "second"
    room.say(f"close-pane {second}")
    keeping.wait()
    assert set(keeping.saved().workspace.panes) == {first}


def test_output_and_focus_are_saved_after_a_while(room: Room, keep: Callable[..., Keeping]) -> None:
    pane, other = room.cat(), room.cat()
    keeping = keep()
    keeping.wait()
    room.mux.terminals[pane].write(b"a new line\r")
    room.shows(pane, "a new line")
    room.say(f"focus-pane {pane if room.mux.focused == other else other}")
    assert keeping.saver.due == keeping.now + SETTINGS.save_seconds
    keeping.wait(SETTINGS.save_seconds)
    assert "a new line" in keeping.text(pane)
    assert keeping.saved().workspace.windows == room.mux.workspace.windows


def test_a_workspace_in_which_nothing_happens_writes_nothing(room: Room, keep: Callable[..., Keeping]) -> None:
    room.cat()
    keeping = keep()
    keeping.wait()
    before = {path: path.stat().st_mtime_ns for path in Path(keeping.store.root).rglob("*")}
    for _ in range(3):
        keeping.wait(SETTINGS.save_seconds)
    assert {path: path.stat().st_mtime_ns for path in Path(keeping.store.root).rglob("*")} == before


def test_only_panes_that_changed_are_looked_at_again(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = room.cat(), room.cat()
    keeping = keep()
    keeping.wait()
    taken: list[PaneId] = []
    for pane in (first, second):
        note(monkeypatch, room, pane, taken)
    room.mux.terminals[second].write(b"more\r")
    room.shows(second, "more")
    keeping.wait(SETTINGS.save_seconds)
    assert taken == [second]


def test_a_view_that_is_scrolled_back_is_saved_after_a_while(room: Room, keep: Callable[..., Keeping]) -> None:
    pane = room.opened("create-pane --command 'seq 200; exec cat'")
    room.shows(pane, "200")
    keeping = keep()
    keeping.wait()
    room.mux.terminals[pane].scroll(50)
    keeping.wait(SETTINGS.save_seconds)
    terminal = room.mux.terminals[pane]
    view = read(unpack(keeping.store.text(keeping.seen(pane).text)).past).view
    assert view == Place(terminal.scrollback.lines - 50)


def note(monkeypatch: pytest.MonkeyPatch, room: Room, pane: PaneId, taken: list[PaneId]) -> None:
    terminal = room.mux.terminals[pane]
    save = terminal.saved

    def saved(sift: Sift) -> bytes:
        taken.append(pane)
        return save(sift)

    monkeypatch.setattr(terminal, "saved", saved)


def test_a_program_that_ended_is_saved_with_how(room: Room, keep: Callable[..., Keeping]) -> None:
    pane = room.opened("create-pane --command 'echo the end; exit 3'")
    room.ended(pane)
    keeping = keep()
    keeping.wait()
    seen = keeping.seen(pane)
    assert seen.exit is not None
    assert (seen.exit.code, seen.argv, seen.resume) == (3, (), ())
    assert "the end" in keeping.text(pane)


def test_a_pane_that_waits_to_run_again_is_saved_as_it_was(room: Room, keep: Callable[..., Keeping]) -> None:
    pane = room.opened("create-pane --command 'echo from before; exec cat'")
    room.shows(pane, "from before")
    room.until(lambda: room.mux.terminals[pane].foreground == "cat")
    keeping = keep()
    room.mux.saver = keeping.saver
    room.say("save-session one")
    (back,) = room.say("restore-session one").panes
    again = PaneId(back.pane[1:])
    assert again in room.mux.waiting
    keeping.wait()
    assert keeping.seen(again).argv == keeping.seen(again).resume[1:] == ("cat",)
    assert keeping.text(again).count("from before") == 1
    assert "press Enter" not in keeping.text(again)


def test_without_pane_history_no_text_is_saved_and_what_was_is_removed(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    pane = room.opened("create-pane --command 'echo secret words; exec cat'")
    room.shows(pane, "secret words")
    keeping = keep()
    keeping.wait()
    texts = Path(keeping.store.root) / "texts"
    assert keeping.seen(pane).text in os.listdir(texts)
    keeping.change(replace(SETTINGS, pane_history=False))
    assert not keeping.seen(pane).text
    keeping.store.tidy()
    assert not [name for name in os.listdir(texts) if not name.startswith(".")]


def test_secrets_in_the_environment_are_not_saved(room: Room, keep: Callable[..., Keeping]) -> None:
    pane = room.opened("create-pane --command cat")
    record = room.mux.workspace.panes[pane]
    panes = {pane: replace(record, env={"MY_TOKEN": "hunter2", "MY_WORD": "said"})}
    room.mux.assign(replace(room.mux.workspace, panes=panes))
    keeping = keep()
    keeping.wait()
    assert dict(keeping.saved().workspace.panes[pane].env) == {"MY_WORD": "said"}
    keeping.change(replace(SETTINGS, secrets=("*WORD*",)))
    assert dict(keeping.saved().workspace.panes[pane].env) == {"MY_TOKEN": "hunter2"}


def test_of_a_text_that_is_too_large_the_newest_lines_are_saved_and_that_is_told(
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
    assert len(keeping.text(pane).splitlines()) > 3750


def test_a_full_disk_is_told_once_tried_again_and_told_when_it_is_over(
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

    monkeypatch.setattr("fugue_tui.store.folder._write", refuse)
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
    keeping.saver.equip(keeping.settings)
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


def test_what_was_held_back_is_saved_once_it_is_released(room: Room, keep: Callable[..., Keeping]) -> None:
    room.cat()
    keeping = keep()
    keeping.saver.hold()
    keeping.saver.release()
    keeping.wait()
    assert keeping.generation() == 1


def test_what_is_switched_off_saves_nothing_until_it_is_switched_on(room: Room, keep: Callable[..., Keeping]) -> None:
    room.cat()
    keeping = keep(replace(SETTINGS, save=False))
    assert keeping.saver.due == inf
    keeping.done()
    assert keeping.generation() == 0
    keeping.change(SETTINGS)
    assert keeping.generation() == 1


def test_work_that_is_given_up_before_it_began_is_not_done(room: Room, keep: Callable[..., Keeping]) -> None:
    keeping, hold, done = keep(), Event(), list[str]()
    first = keeping.saver.ask(lambda recorder, wanted: hold.wait(DEADLINE))
    second = keeping.saver.ask(lambda recorder, wanted: done.append("second"))
    assert second.cancel()
    hold.set()
    assert first.result(DEADLINE)
    keeping.done()
    assert done == []


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


def test_a_workspace_that_is_renamed_is_saved_under_its_new_name_alone(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    room.cat()
    keeping = keep()
    keeping.wait()
    room.mux.assign(replace(room.mux.workspace, name="other"))
    keeping.wait()
    assert [entry.name for entry in keeping.store.names("auto")] == ["other"]


def test_a_pane_that_is_closed_while_it_is_saved_costs_nobody_anything(
    room: Room, keep: Callable[..., Keeping], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = room.cat("first"), room.cat("second")
    keeping = keep()
    terminal = room.mux.terminals[first]
    save = terminal.saved

    def saved(sift: Sift) -> bytes:
        room.mux.terminals[second].close()
        return save(sift)

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
