"""Automatic saving with real programs, a real store, and a clock that the test advances."""

import os
from collections.abc import Callable
from math import inf
from pathlib import Path
from threading import Event

import pytest
from msgspec.structs import replace
from tests.multiplexer.autosave_clock import DEADLINE, SETTINGS, Keeping
from tests.multiplexer.autosave_clock import keep as keep
from tests.multiplexer.conftest import Room

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.autosave.schedule import SOON
from fugue_tui.multiplexer.autosave.writer import MOST_ARGUMENTS
from fugue_tui.terminal.emulator.save_format import unpack
from fugue_tui.terminal.screen.pins import Point
from fugue_tui.terminal.shell_integration.saved_commands import LineFilter, read


def test_a_workspace_is_saved_soon_after_it_starts_with_all_that_is_seen(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    pane = room.opened("create-pane --command 'cd /; printf \"\\033]2;a title\\007here it is\"; exec cat'")
    room.shows(pane, "here it is")
    room.until(lambda: room.mux.terminals[pane].foreground == "cat")
    keeping = keep()
    keeping.wait()
    assert keeping.saved().workspace == room.mux.workspace
    assert keeping.saved().area == room.mux.layouts.area
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
    assert view == Point(terminal.scrollback.lines - 50)


def note(monkeypatch: pytest.MonkeyPatch, room: Room, pane: PaneId, taken: list[PaneId]) -> None:
    terminal = room.mux.terminals[pane]
    save = terminal.saved

    def saved(line_filter: LineFilter) -> bytes:
        taken.append(pane)
        return save(line_filter)

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
    assert again in room.mux.restored_panes
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


def test_work_that_is_cancelled_before_it_began_is_not_done(room: Room, keep: Callable[..., Keeping]) -> None:
    keeping, hold, done = keep(), Event(), list[str]()
    first = keeping.saver.ask(lambda recorder, wanted: hold.wait(DEADLINE))
    second = keeping.saver.ask(lambda recorder, wanted: done.append("second"))
    assert second.cancel()
    hold.set()
    assert first.result(DEADLINE)
    keeping.done()
    assert done == []


def test_a_workspace_that_is_renamed_is_saved_under_its_new_name_alone(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    room.cat()
    keeping = keep()
    keeping.wait()
    room.mux.assign(replace(room.mux.workspace, name="other"))
    keeping.wait()
    assert [entry.name for entry in keeping.store.names("auto")] == ["other"]


def test_of_a_program_with_a_megabyte_of_arguments_the_first_are_saved(
    room: Room, keep: Callable[..., Keeping]
) -> None:
    room.cat()
    pane = room.opened("create-pane --command 'exec tail -f /dev/null $(seq 100000)'")
    room.until(lambda: room.mux.terminals[pane].foreground == "tail")
    keeping = keep()
    keeping.wait()
    argv = keeping.seen(pane).argv
    assert argv[:3] == ("tail", "-f", "/dev/null")
    assert 10_000 < sum(map(len, argv)) <= MOST_ARGUMENTS
