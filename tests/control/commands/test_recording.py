"""`record-pane` and `record-window`: what a recording holds, and how it ends."""

import os
from pathlib import Path

import pytest
from tests.control.real_shells import start
from tests.control.wait_helpers import enter, sh
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings, SecuritySettings
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import NotFound, Refused
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.recording.pane_recorder import BURST
from fugue_tui.recording.asciicast import Cast, EventCode, decode
from fugue_tui.terminal.engines import make_emulator


def read(path: Path) -> Cast:
    return decode(path.read_bytes())


def screen(cast: Cast, engine: str = "ghostty") -> str:
    """The screen at the end of a recording, as a terminal that plays it shows it."""
    emulator = make_emulator(engine, cast.header.size, 100)
    for event in cast.events:
        if event.code is EventCode.OUTPUT:
            emulator.feed(event.data.encode())
        elif event.code is EventCode.RESIZE:
            emulator.resize(Size(*map(int, event.data.split("x"))))
    first = emulator.scrollback.lines
    return "\n".join(emulator.lines(first, first + emulator.size.rows)).rstrip("\n")


def test_a_recording_shows_what_the_pane_showed(room: Room, tmp_path: Path) -> None:
    pane, path = sh(room, r"printf '\033[31mr\303\251d\033[0m wide \344\270\255'; read x; exit 3"), tmp_path / "a.cast"
    started = room.say(f"record-pane --output {path}")
    assert (started.source, started.path) == (str(pane), str(path))
    enter(room, pane)
    room.shows(pane, "wide 中")
    room.say("resize-pane --pane %1 --cols 81")
    ended = room.say("stop-recording")
    assert [each.path for each in ended.recordings] == [str(path)]
    cast = read(path)
    assert cast.header.size == Size(81, 24)
    assert screen(cast) == room.text(pane)
    assert os.stat(path).st_mode & 0o777 == 0o600
    assert room.say("list-recordings").recordings == ()


def test_a_relative_path_starts_from_the_directory_of_the_caller(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    room.cat()
    monkeypatch.chdir(tmp_path)
    shell = Origin(Interface.CLI, pid=os.getpid())
    info = room.say("record-pane --output a.cast", shell)
    assert info.path == str(tmp_path / "a.cast")
    room.say("stop-recording")
    (tmp_path / "b.md").write_text("text")
    for line in ("replay-recording a.cast", "show-file b.md"):
        assert parse(line).started(room.mux, shell)[0].command[-1] == str(tmp_path / line.split()[1])


def test_the_exit_of_the_program_is_recorded_and_a_new_program_goes_on(room: Room, tmp_path: Path) -> None:
    pane, path = sh(room, "exit 3"), tmp_path / "a.cast"
    room.say(f"record-pane --output {path} --format v2")
    enter(room, pane)
    room.ended(pane)
    room.say(f"respawn-pane --pane {pane}")
    room.shows(pane, "go")
    room.say("stop-recording")
    cast = read(path)
    assert [event.data for event in cast.events if event.code is EventCode.EXIT] == ["3"]
    assert screen(cast) == room.text(pane)


def test_a_new_size_is_recorded_in_its_place(room: Room, tmp_path: Path) -> None:
    pane, path = room.cat(), tmp_path / "a.cast"
    room.say(f"record-pane --output {path}")
    room.say("split-pane --direction horizontal --command cat")
    room.mux.terminals[pane].write(b"after the split")
    room.shows(pane, "after the split")
    room.say(f"stop-recording {pane}")
    cast = read(path)
    assert [event.data for event in cast.events if event.code is EventCode.RESIZE] == ["40x24"]
    assert screen(cast) == room.text(pane)


def test_a_flood_is_recorded_as_what_the_screen_shows(room: Room, tmp_path: Path) -> None:
    count = BURST // 4
    pane, path = sh(room, f"yes abcdefg | head -n {count}; printf 'the end'"), tmp_path / "a.cast"
    room.say(f"record-pane --output {path}")
    enter(room, pane)
    room.shows(pane, "the end")
    room.say("stop-recording")
    cast = read(path)
    assert screen(cast) == room.text(pane)
    assert path.stat().st_size < count * 8


def test_commands_and_what_agents_type_are_markers_without_secrets(room: Room, tmp_path: Path) -> None:
    pane, path = start(room, "bash", tmp_path).pane, tmp_path / "a.cast"
    room.say(f"record-pane --output {path}")
    room.until(lambda: read(path).events)
    room.say(f"send-input {pane} --text 'false; TOKEN=hunter2 false' --submit", agent())
    room.until(lambda: any("exit status" in marker.data for marker in read(path).markers))
    room.say("stop-recording")
    markers = [marker.data for marker in read(path).markers]
    assert any(label.startswith("$ false") for label in markers)
    assert "exit status 1" in markers
    assert "agent: test typed" in markers
    assert not any("hunter2" in label for label in markers)
    assert "133;C" in path.read_text()
    assert "fugue=" not in path.read_text()


def test_what_is_typed_is_recorded_by_consent_and_never_where_it_is_hidden(room: Room, tmp_path: Path) -> None:
    room.cat()
    with pytest.raises(Refused, match="only the user"):
        room.say(f"record-pane --output {tmp_path / 'no.cast'} --input", agent())
    assert not (tmp_path / "no.cast").exists()
    pane = room.opened("create-pane -- sh -c 'stty -echo; echo hidden; read x; stty echo; echo shown; cat'")
    room.shows(pane, "hidden")
    path = tmp_path / "a.cast"
    room.say(f"record-pane --pane {pane} --output {path} --input")
    room.mux.terminals[pane].write(b"password\n")
    room.shows(pane, "shown")
    room.mux.terminals[pane].write(b"typed")
    room.shows(pane, "typed")
    room.say(f"stop-recording {pane}")
    typed = "".join(event.data for event in read(path).events if event.code is EventCode.INPUT)
    assert typed == "typed"


def test_a_full_file_is_kept_and_another_begun(room: Room, tmp_path: Path) -> None:
    pane, path = room.cat(), tmp_path / "a.cast"
    room.say(f"record-pane --output {path} --megabytes 0.1 --older 1")
    older = tmp_path / "a.cast.1"
    room.until(lambda: room.mux.terminals[pane].write(b"x" * 4_000 + b"\n") and older.exists())
    room.mux.terminals[pane].write(b"last\n")
    room.shows(pane, "last")
    room.say("stop-recording")
    assert screen(read(path)) == room.text(pane)
    assert older.stat().st_size >= 100_000
    assert read(older).events


def test_no_file_is_overwritten_and_a_pane_is_recorded_once(room: Room, tmp_path: Path) -> None:
    room.cat()
    path = tmp_path / "a.cast"
    path.write_text("mine")
    with pytest.raises(Refused, match="exists already"):
        room.say(f"record-pane --output {path}")
    with pytest.raises(Refused, match="cannot be written"):
        room.say(f"record-pane --output {tmp_path / 'no' / 'a.cast'}")
    (tmp_path / "link.cast").symlink_to(tmp_path / "b.cast")
    with pytest.raises(Refused, match="exists already"):
        room.say(f"record-pane --output {tmp_path / 'link.cast'}")
    room.say(f"record-pane --output {tmp_path / 'c.cast'}")
    with pytest.raises(Refused, match=r"recorded already.*c\.cast"):
        room.say(f"record-pane --output {tmp_path / 'd.cast'}")
    assert path.read_text() == "mine"
    assert not (tmp_path / "d.cast").exists()
    room.say("stop-recording --all")
    with pytest.raises(NotFound, match="is not recorded"):
        room.say("stop-recording")


def test_a_file_that_a_full_one_would_replace_is_kept(room: Room, tmp_path: Path) -> None:
    room.cat()
    (tmp_path / "a.cast.2").write_text("mine")
    with pytest.raises(Refused, match=r"a\.cast\.2 exists already"):
        room.say(f"record-pane --output {tmp_path / 'a.cast'} --older 2")
    assert [each.name for each in tmp_path.iterdir()] == ["a.cast.2"]
    room.say(f"record-pane --output {tmp_path / 'a.cast'} --older 1")
    room.say("stop-recording")


def test_where_programs_are_limited_an_agents_recording_is_as_that_of_cat(room: Room, tmp_path: Path) -> None:
    """A shell that reads the file would run what the pane has printed."""
    room.cat()
    lines = (f"record-pane --output {tmp_path / 'a'}", f"record-window --output {tmp_path / 'b'}")
    room.mux.permissions = McpSettings(trust="full", security=SecuritySettings(allowed_commands=("git",)))
    for line in lines:
        with pytest.raises(Refused, match="allowed_commands"):
            Dispatcher(room.mux).run(parse(line), agent())
    assert not list(tmp_path.iterdir())
    room.mux.permissions = McpSettings(trust="full", security=SecuritySettings(allowed_commands=("cat",)))
    for line in lines:
        later = Dispatcher(room.mux).run(parse(line), agent())
        assert is_deferred(later)
        room.awaited(later)
    assert len(list(tmp_path.iterdir())) == 2


def test_closing_the_pane_ends_its_recording(room: Room, tmp_path: Path) -> None:
    room.cat()
    pane, path = room.cat(), tmp_path / "a.cast"
    room.mux.terminals[pane].write(b"last words")
    room.shows(pane, "last words")
    room.say(f"record-pane --pane {pane} --output {path}")
    room.say(f"close-pane --pane {pane}")
    assert room.say("list-recordings").recordings == ()
    room.until(lambda: "last words" in screen(read(path)))


def test_a_full_disk_ends_the_recording_and_says_why(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pane, path = room.cat(), tmp_path / "a.cast"
    faults = list[tuple[str, str]]()
    room.mux.recordings.on_fault.connect(lambda source, why: faults.append((source, why)))
    room.say(f"record-pane --output {path}")
    room.until(lambda: read(path).events)
    fd = os.open("/dev/full", os.O_WRONLY)
    recorder = room.mux.recordings._active[str(pane)]  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(recorder._writer.file, "_fd", fd)  # pyright: ignore
    room.mux.terminals[pane].write(b"more\n")
    room.until(lambda: faults)
    assert faults == [(str(pane), "No space left on device")]
    assert room.say("list-recordings").recordings == ()
    assert room.mux.terminals[pane].write(b"the pane goes on\n")
    room.shows(pane, "the pane goes on")


def test_a_window_is_recorded_with_its_frame(room: Room, tmp_path: Path) -> None:
    one = room.cat("one")
    other, path = room.cat("other"), tmp_path / "a.cast"
    room.say(f"record-window --output {path}")
    room.until(lambda: read(path).events)
    room.mux.terminals[one].write(b"in the first one")
    room.mux.terminals[other].write(b"in the other one")
    room.until(lambda: "in the other one" in screen(read(path)) and "in the first one" in screen(read(path)))
    room.say("close-pane %2")
    room.until(lambda: "in the other one" not in screen(read(path)))
    room.say("stop-recording @1")
    assert "in the first one" in screen(read(path))


def test_what_was_recorded_is_in_the_file_a_moment_later(room: Room, tmp_path: Path) -> None:
    pane, path = room.cat(), tmp_path / "a.cast"
    room.say(f"record-pane --output {path}")
    room.mux.terminals[pane].write(b"before the crash")
    room.until(lambda: "before the crash" in screen(read(path)))


def test_the_end_of_the_workspace_completes_the_files(room: Room, tmp_path: Path) -> None:
    pane, path = room.cat(), tmp_path / "a.cast"
    room.say(f"record-pane --output {path}")
    room.mux.terminals[pane].write(b"at the end")
    room.shows(pane, "at the end")
    room.mux.recordings.close()
    assert screen(read(path)) == "at the end"


def test_an_agent_is_asked_before_it_records_a_pane_of_the_user(room: Room, tmp_path: Path) -> None:
    pane = room.cat()
    for line in (f"record-pane {pane} --output {tmp_path / 'a'}", f"record-window --output {tmp_path / 'b'}"):
        later = Dispatcher(room.mux).run(parse(line), agent())
        assert is_deferred(later)
        room.until(lambda: room.mux.approvals.waiting())
        assert room.mux.approvals.waiting()[0].question.panes == (pane,)
        later.cancel()
        room.until(lambda: not room.mux.approvals.waiting())
    assert not list(tmp_path.iterdir())


def test_a_recording_that_cannot_be_read_opens_no_pane(room: Room, tmp_path: Path) -> None:
    sh(room, "read x")
    with pytest.raises(NotFound, match=r"gone\.cast: no such file or directory"):
        room.say(f"replay-recording {tmp_path}/gone.cast")
    with pytest.raises(Refused, match="is not a regular file"):
        room.say(f"replay-recording {tmp_path}")
    assert len(room.mux.workspace.panes) == 1


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_recording_of_someone_else_opens_no_pane(room: Room, tmp_path: Path) -> None:
    sh(room, "read x")
    (path := tmp_path / "a.cast").write_text("")
    path.chmod(0)
    with pytest.raises(Refused, match="permission denied"):
        room.say(f"replay-recording {path}")
    assert len(room.mux.workspace.panes) == 1
