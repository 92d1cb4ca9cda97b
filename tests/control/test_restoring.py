"""What was saved comes back: layout and text at once, programs by themselves or when somebody wants them."""

import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config import SessionSettings
from fugue_tui.control.comeback import Restored
from fugue_tui.control.command import PERSON, Command, Origin
from fugue_tui.control.input import SendInput
from fugue_tui.control.later import Later, is_later
from fugue_tui.control.restoring import RestoreSession, RestoreSnapshot, StartPane
from fugue_tui.control.saving import CreateSnapshot, SaveSession
from fugue_tui.control.words import command
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused
from fugue_tui.geometry import Size
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.recorder import Recorder
from fugue_tui.multiplexer.saver import Saver
from fugue_tui.store.store import Store
from fugue_tui.terminal.pump import Pump

CLAUDE = ("claude", "--resume", "55aaf438-dbb1-4436-b382-2636d65746bd")


class Life(Room):
    """One life of a workspace, which can save and restore."""

    def __init__(self, pump: Pump, state: Path, *, engine: str = "pyte", area: Size = Size(81, 24)) -> None:
        super().__init__(pump, area)
        self.launcher.engine = engine
        self.launcher.shell = ("/bin/sh",)
        self.resume: Callable[[tuple[str, ...], int, str], tuple[str, ...]] = lambda argv, pid, cwd: ()
        settings = SessionSettings(save=False)
        recorder = Recorder(Store(state), settings, lambda argv, pid, cwd: self.resume(argv, pid, cwd))
        self.saver = self.mux.saver = Saver(self.mux, recorder, settings)
        self.saver.start()

    def done(self, said: Command[Any] | str, origin: Origin = PERSON) -> Any:
        """Run a command and wait for its answer."""
        answer: Any = (command(said) if isinstance(said, str) else said).run(self.mux, origin)
        if is_later(answer):
            later: Later[Any] = answer
            self.until(lambda: later.over)
            return later.result()
        return answer

    def typed(self, pane: int, line: str) -> None:
        """Type a line, and Enter."""
        self.run(SendInput(pane=f"%{pane}", text=line, submit=True))

    def flat(self, pane: int) -> str:
        """What is on a pane's screen, however it is wrapped."""
        return self.text(PaneId(pane)).replace("\n", "")

    def restored(self, name: str = "it", origin: Origin = PERSON) -> Restored:
        """Bring a saved session back."""
        found = self.done(RestoreSession(name=name), origin)
        assert isinstance(found, Restored)
        return found


NewLife = Callable[..., Life]


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[NewLife]:
    """Starts lives that share what is saved."""
    monkeypatch.setenv("PS1", "$ ")
    pump = Pump()
    pump.start()
    lives: list[Life] = []

    def live(**wanted: Any) -> Life:
        lives.append(Life(pump, tmp_path / "state", **wanted))
        return lives[-1]

    yield live
    for each in lives:
        each.saver.finish()
        each.mux.close()
    pump.stop()


@pytest.fixture
def saved(live: NewLife, tmp_path: Path) -> Life:
    """A life with two windows, a shell and a few programs, saved as `it`."""
    first = live()
    first.say(f"create-window --name work --cwd '{tmp_path}'")
    first.typed(1, "echo once' 'upon")
    first.shows(PaneId(1), "once upon")
    first.opened("split-pane --name log --command 'echo the log; exec cat'")
    first.shows(PaneId(2), "the log")
    first.opened("split-pane --direction vertical --ratio 0.25 --command 'echo failed; exit 3'")
    first.ended(PaneId(3))
    first.say("create-window --name other --command 'echo elsewhere; exec cat'")
    first.shows(PaneId(4), "elsewhere")
    first.done(SaveSession(name="it"))
    return first


def state(life: Life, pane: int | str) -> tuple[bool, str | None]:
    """Whether a pane's program runs, and what it waits for."""
    info = next(each for each in life.say("list-panes").panes if each.id == f"%{pane}")
    return life.mux.runs(PaneId(int(pane))), info.waits


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_layout_text_and_names_come_back(saved: Life, live: NewLife, engine: str) -> None:
    life = live(engine=engine)
    result = life.restored()
    assert result.faults == ()
    before, after = saved.mux.workspace, life.mux.workspace
    ids = {PaneId(each.was[1:]): PaneId(each.pane[1:]) for each in result.panes}
    assert [window.name for window in after.windows] == ["work", "other"]
    for old, new in zip(before.windows, after.windows, strict=True):
        assert [ids[pane] for pane in panes(old.layout)] == list(panes(new.layout))
        assert saved.mux.frame(old).panes == {
            old_id: life.mux.frame(new).panes[ids[old_id]] for old_id in panes(old.layout)
        }
    assert life.mux.workspace.panes[ids[PaneId(2)]].name == "log"
    for pane, words in ((1, "once upon"), (2, "the log"), (3, "failed"), (4, "elsewhere")):
        assert words in life.text(ids[PaneId(pane)])
        assert "restored, saved" in life.text(ids[PaneId(pane)])


def test_only_shells_start_by_themselves(saved: Life, live: NewLife) -> None:
    life = live()
    life.restored()
    assert [state(life, pane)[0] for pane in (1, 2, 3, 4)] == [True, False, False, False]
    life.typed(1, "echo I' 'live")
    assert "once upon" in life.shows(PaneId(1), "I live")
    assert "press Enter to run again: echo the log" in life.flat(2)
    life.run(StartPane(pane="log"))
    life.shows(PaneId(2), "exec cat\nthe log")
    life.say("send-input log --text again --submit")
    life.shows(PaneId(2), "again\nagain")
    assert life.mux.terminals[PaneId(2)].lines(0, 1) == ["the log"]
    assert "had ended: exit 3" in life.text(PaneId(3))


def test_everything_or_nothing_starts_by_itself_if_that_is_wanted(saved: Life, live: NewLife) -> None:
    eager, shy = live(), live()
    eager.mux.rerun, shy.mux.rerun = "all", "never"
    eager.restored()
    shy.restored()
    assert [state(eager, pane)[0] for pane in (1, 2, 3, 4)] == [True, True, False, True]
    assert not any(state(shy, pane)[0] for pane in (1, 2, 3, 4))
    assert "press Enter to start a shell" in shy.text(PaneId(1))


def test_an_agent_that_restores_starts_no_more_than_a_person_would(saved: Life, live: NewLife) -> None:
    life = live()
    life.restored(origin=agent())
    assert [state(life, pane)[0] for pane in (1, 2, 3, 4)] == [True, False, False, False]


def test_into_a_running_workspace_it_comes_beside_what_is_open(saved: Life, live: NewLife) -> None:
    life = live()
    mine = life.cat("mine")
    result = life.restored(origin=agent())
    assert life.mux.focused == mine
    assert [each.was for each in result.panes] == ["%1", "%2", "%3", "%4"]
    assert [each.pane for each in result.panes] == ["%2", "%3", "%4", "%5"]
    assert result.windows == ("@2", "@3")
    assert [window.session for window in life.mux.workspace.windows] == ["test", "test-2", "test-2"]
    life.restored()
    assert len(life.open) == 9
    assert life.mux.front is not None
    assert life.mux.front.session == "test-3"
    assert life.mux.focused not in (mine, *(PaneId(number) for number in range(2, 6)))


def test_ids_that_are_kept_free_come_back(saved: Life, live: NewLife) -> None:
    life = live()
    life.mux.keep_free(4, 2)
    fresh = life.cat()
    assert fresh == PaneId(5)
    assert [each.pane for each in life.restored().panes] == ["%1", "%2", "%3", "%4"]
    assert life.cat() == PaneId(6)


def test_a_shell_starts_where_it_worked_and_a_directory_that_is_gone_is_told(live: NewLife, tmp_path: Path) -> None:
    first, place = live(), tmp_path / "deep" / "er"
    place.mkdir(parents=True)
    first.say("create-window")
    first.typed(1, f"cd {place}; echo the''re")
    first.shows(PaneId(1), "there")
    first.done(SaveSession(name="it"))
    life = live(area=Size(200, 24))
    life.restored()
    life.typed(1, "pwd; echo s''o")
    assert f"{place}\nso" in life.shows(PaneId(1), "so")
    shutil.rmtree(tmp_path / "deep")
    late = live(area=Size(200, 24))
    late.restored()
    late.typed(1, "pwd; echo s''o")
    assert f"{tmp_path}\nso" in late.shows(PaneId(1), "so")
    assert f"{place} is gone; it runs in {tmp_path}" in late.text(PaneId(1))


def test_a_program_that_is_gone_waits_and_says_why(live: NewLife, tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\necho tool runs; exec cat\n")
    tool.chmod(0o755)
    first = live()
    first.opened(f"create-pane --command '[\"{tool}\"]'")
    first.shows(PaneId(1), "tool runs")
    first.done(SaveSession(name="it"))
    tool.unlink()
    life = live()
    life.restored()
    with pytest.raises(FugueError, match="no such file"):
        life.run(StartPane(pane="%1"))
    assert "cannot start" in life.text(PaneId(1))
    assert state(life, 1)[0] is False


def test_a_shell_says_what_ran_in_it(live: NewLife) -> None:
    first = live()
    first.say("create-window")
    first.typed(1, "sleep 1234")
    first.until(lambda: first.mux.terminals[PaneId(1)].foreground == "sleep")
    first.done(SaveSession(name="it"))
    life = live()
    life.restored()
    assert "was running: sleep 1234" in life.text(PaneId(1))
    assert state(life, 1) == (True, None)


def test_an_agent_in_a_shell_is_offered_with_its_own_conversation(live: NewLife) -> None:
    first = live()
    first.resume = lambda argv, pid, cwd: ("echo", "my conversation") if argv[:1] == ("sleep",) else ()
    first.say("create-window")
    first.typed(1, "sleep 1234")
    first.until(lambda: first.mux.terminals[PaneId(1)].foreground == "sleep")
    first.done(SaveSession(name="it"))
    resumed, plain = live(), live()
    for life in (resumed, plain):
        life.restored()
        assert state(life, 1) == (False, "echo 'my conversation'")
        assert "Escape to start only a shell" in life.flat(1)
    resumed.run(StartPane(pane="%1"))
    resumed.shows(PaneId(1), "\nmy conversation")
    resumed.typed(1, "echo and' a 'shell")
    resumed.shows(PaneId(1), "and a shell")
    plain.run(StartPane(pane="%1", shell=True))
    plain.typed(1, "echo a' 'shell")
    assert "\nmy conversation" not in plain.shows(PaneId(1), "a shell")


def test_what_waits_is_saved_again_as_it_was(saved: Life, live: NewLife) -> None:
    second = live()
    second.restored()
    second.done(SaveSession(name="twice"))
    third = live()
    third.restored("twice")
    assert state(third, 2) == (False, "echo the log; exec cat")
    assert third.text(PaneId(2)).count("restored, saved") == 1


MARKED = r"""printf '\033]133;A\007$ \033]133;B\007make it --token=hunter2\n'
printf '\033]133;C\007it is\nmade\n\033]133;D;3\007\033]133;A\007$ \033]133;B\007'
exec cat"""


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_commands_and_what_they_printed_come_back(live: NewLife, tmp_path: Path, engine: str) -> None:
    first = live(engine=engine)
    (tmp_path / "marked").write_text(MARKED)
    first.opened(f"create-pane --command 'sh {tmp_path}/marked'")
    first.until(lambda: first.say("list-commands %1").total == 1)
    first.done(SaveSession(name="it"))
    life = live(engine=engine)
    life.restored()
    (command,) = life.say("list-commands %1").commands
    assert (command.number, command.line, command.exit_code) == (1, "make it --token=[withheld]", 3)
    assert life.say("read-pane %1 --source last_command").text == "it is\nmade"
    assert life.say("snapshot-pane %1").last_command == command
    life.run(StartPane(pane="%1"))
    life.until(lambda: life.say("list-commands %1").total == 2)
    assert [each.number for each in life.say("list-commands %1").commands] == [1, 2]
    life.done(SaveSession(name="again"))
    late = live(engine=engine)
    late.restored("again")
    assert [each.number for each in late.say("list-commands %1").commands] == [1, 2]


def test_commands_that_wait_to_be_started_again_are_saved_again(live: NewLife, tmp_path: Path) -> None:
    first = live()
    (tmp_path / "marked").write_text(MARKED)
    first.opened(f"create-pane --command 'sh {tmp_path}/marked'")
    first.until(lambda: first.say("list-commands %1").total == 1)
    first.done(SaveSession(name="it"))
    second, third = live(), live()
    second.restored()
    second.done(SaveSession(name="again"))
    third.restored("again")
    assert third.say("read-pane %1 --source last_command").text == "it is\nmade"


@pytest.mark.parametrize("engine", ["pyte", "ghostty"])
def test_a_pane_that_was_scrolled_back_shows_the_same_again(live: NewLife, engine: str) -> None:
    first = live(engine=engine)
    first.say("create-window")
    first.typed(1, "seq -f 'line %g' 100; echo s''een")
    first.shows(PaneId(1), "seen")
    first.opened("create-pane --command 'for n in $(seq 100); do echo line $n; done; echo seen; exec cat'")
    first.shows(PaneId(2), "seen")
    for pane in (PaneId(1), PaneId(2)):
        first.mux.terminals[pane].scroll(40)
    tops = {pane: top(first, pane) for pane in (PaneId(1), PaneId(2))}
    assert tops[PaneId(1)].startswith("line ")
    first.done(SaveSession(name="it"))
    life = live(engine=engine)
    life.restored()
    life.until(lambda: life.mux.runs(PaneId(1)))
    assert {pane: top(life, pane) for pane in tops} == tops
    life.typed(1, "echo I' 'live")
    life.shows(PaneId(1), "I live")
    assert top(life, PaneId(1)) == tops[PaneId(1)]
    life.run(StartPane(pane="%2"))
    assert life.mux.terminals[PaneId(2)].scrollback.offset == 0


def top(life: Life, pane: PaneId) -> str:
    """The line at the top of a pane's view."""
    terminal = life.mux.terminals[pane]
    terminal.refresh()
    return terminal.row(0).text.rstrip()


def test_secrets_that_were_not_saved_are_told(live: NewLife) -> None:
    first = live()
    first.opened('create-pane --env \'{"GITHUB_TOKEN": "s3cret", "PLAIN": "p1ain"}\' --command \'exec cat\'')
    first.done(SaveSession(name="it"))
    life = live()
    life.restored()
    assert "not saved, as secrets: GITHUB_TOKEN" in life.text(PaneId(1))
    assert dict(life.mux.workspace.panes[PaneId(1)].env) == {"PLAIN": "p1ain"}


def test_a_snapshot_comes_back_in_a_window_of_its_own_and_runs_nothing(saved: Life) -> None:
    saved.done(CreateSnapshot(pane="%1", name="then"))
    saved.typed(1, "clear")
    result = saved.done(RestoreSnapshot(name="then"))
    assert len(result.panes) == 1
    pane = PaneId(result.panes[0].pane[1:])
    assert "once upon" in saved.text(pane)
    assert not saved.mux.runs(pane)
    assert saved.mux.runs(PaneId(1))


def test_a_snapshot_takes_the_place_of_a_pane_that_has_ended_but_of_no_other(saved: Life) -> None:
    saved.done(CreateSnapshot(pane="%2", name="then"))
    with pytest.raises(Refused, match="kill=true"):
        saved.run(RestoreSnapshot(name="then", pane="%4"))
    saved.done(RestoreSnapshot(name="then", pane="%3"))
    assert "the log" in saved.text(PaneId(3))
    assert state(saved, 3) == (False, "echo the log; exec cat")
    old = saved.mux.terminals[PaneId(4)].pid
    saved.done(RestoreSnapshot(name="then", pane="%4", kill=True))
    saved.gone(old)
    saved.run(StartPane(pane="%4"))
    saved.shows(PaneId(4), "the log")


def test_of_a_snapshot_of_all_a_pane_takes_its_own(saved: Life) -> None:
    saved.done(CreateSnapshot(name="all"))
    saved.done(RestoreSnapshot(name="all", pane="%3"))
    assert "failed" in saved.text(PaneId(3))
    saved.say("close-pane %3")
    strange = saved.opened("create-pane --on-exit keep --command 'exit 1'")
    saved.ended(strange)
    with pytest.raises(InvalidArgument, match="not in the snapshot"):
        saved.done(RestoreSnapshot(name="all", pane=str(strange)))


def test_what_was_never_saved_is_not_found(live: NewLife) -> None:
    life = live()
    life.cat()
    for said, told in (
        (RestoreSession(name="nothing"), "no session is saved as nothing; list-saved"),
        (RestoreSnapshot(name="nothing"), "no snapshot is saved as nothing; list-saved"),
        (RestoreSession(), "did not run before"),
    ):
        with pytest.raises(NotFound, match=told):
            life.done(said)
    with pytest.raises(InvalidArgument):
        life.done(RestoreSession(name="../etc/passwd"))
    assert len(life.open) == 1


def damage(file: Path, how: str) -> None:
    """Spoil a file."""
    data = bytearray(file.read_bytes())
    if how == "flip":
        data[len(data) // 2] ^= 0x10
    file.write_bytes(b"" if how == "empty" else data[: len(data) // 2] if how == "cut" else data)
    if how == "link":
        file.unlink()
        file.symlink_to("/etc/passwd")
    if how == "gone":
        file.unlink()


@pytest.mark.parametrize("how", ["flip", "cut", "empty", "link", "gone"])
def test_a_damaged_text_costs_its_own_pane_and_is_told(saved: Life, live: NewLife, tmp_path: Path, how: str) -> None:
    victim = next(
        file
        for file in (tmp_path / "state" / "texts").iterdir()
        if not file.name.startswith(".") and b"the log" in _portable(Store(tmp_path / "state").text(file.name))
    )
    damage(victim, how)
    life = live()
    result = life.restored()
    assert len(result.faults) == 1
    assert result.faults[0].startswith("%2: its text is left out")
    assert "its text was damaged and is left out" in life.flat(2)
    assert "once upon" in life.text(PaneId(1))
    assert state(life, 2) == (False, "echo the log; exec cat")


def test_swapped_texts_are_noticed(saved: Life, live: NewLife, tmp_path: Path) -> None:
    one, two, *_ = sorted(file for file in (tmp_path / "state" / "texts").iterdir() if not file.name.startswith("."))
    first, second = one.read_bytes(), two.read_bytes()
    one.write_bytes(second)
    two.write_bytes(first)
    life = live()
    assert len(life.restored().faults) == 2
    assert len(life.open) == 4


def test_a_damaged_manifest_gives_way_to_the_copy_before_it(saved: Life, live: NewLife, tmp_path: Path) -> None:
    saved.done(SaveSession(name="it", overwrite=True))
    damage(tmp_path / "state" / "named" / "it.json", "flip")
    life = live()
    result = life.restored()
    assert len(result.panes) == 4
    assert any("kept as it.json.bad" in fault for fault in result.faults)


def test_sixty_four_dense_panes_come_back_and_the_main_thread_is_never_long_away(live: NewLife) -> None:
    first = live(engine="ghostty", area=Size(160, 60))
    first.launcher.scrollback = 2000
    first.say("create-window --command 'seq 3000; exec cat'")
    for number in range(2, 65):
        first.say(f"create-window --command 'seq {number} 3000; exec cat'")
    for number in range(1, 65):
        first.shows(PaneId(number), "3000")
    first.done(SaveSession(name="it"))
    life = live(engine="ghostty", area=Size(160, 60))
    life.launcher.scrollback = 2000
    answer = RestoreSession(name="it").run(life.mux, PERSON)
    longest, start = 0.0, time.monotonic()
    while not answer.over:
        call = life.calls.get(timeout=30)
        before = time.monotonic()
        call()
        longest = max(longest, time.monotonic() - before)
    took = time.monotonic() - start
    assert answer.result().faults == ()
    assert len(life.open) == 64
    assert all("3000" in life.text(pane) for pane in life.open)
    assert took < 30
    assert longest < 2


def test_a_fault_of_the_reading_itself_reaches_who_asked(
    saved: Life, live: NewLife, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = live()

    def blank(size: Size) -> None:
        raise MemoryError("no memory for a terminal")

    monkeypatch.setattr(life.mux, "blank", blank)
    with pytest.raises(MemoryError):
        life.restored()
    assert not any(thread.name.startswith("reader") for thread in threading.enumerate())


def _portable(text: bytes) -> bytes:
    from fugue_tui.terminal.saving import unpack

    return unpack(text).portable
