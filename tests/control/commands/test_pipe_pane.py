"""What a pane prints goes to a program or a file byte for byte, and no receiver ever delays the pane."""

import os
import random
import stat
from pathlib import Path

import pytest
from tests.control.tmux.test_run_tmux_command import tmux
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.pipe_pane import LogPane, PipedPane, PipeEnds, PipePane
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.output.pane_titles import pane_title
from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.terminal.output_pipe import MOST_KEPT

AGENT = Origin(Interface.MCP, pane=PaneId(1))
GO = "stty raw -echo; printf ready; read -r line; "
"""Shell words that wait for Enter, so that a pipe can be opened before there is any output."""


def waiting(room: Room, line: str) -> PaneId:
    """Open a pane that runs a line once `go` was called."""
    pane = PaneId(room.say(f'create-pane --command "{GO}{line}"').id[1:])
    room.shows(pane, "ready")
    return pane


def go(room: Room, pane: PaneId) -> None:
    """Have a pane go on."""
    room.mux.terminals[pane].write(b"\n")


def ended(room: Room, pane: PaneId) -> None:
    """Wait until the pipe of a pane has ended."""
    room.until(lambda: room.mux.pipes.of(pane) is None)


def written(path: Path) -> bytes:
    """What a file holds; b"" if the program that makes it has not started yet."""
    return path.read_bytes() if path.exists() else b""


def recorded(path: Path) -> bytes:
    """A file with every byte, sequences, tags and parts of characters, in an order that never changes."""
    rng = random.Random(7)
    parts = [bytes(range(256)), b"\x1b[31mred\x1b[m\x1b]0;title\x07", "漢字é".encode(), b"\xe6\xbc", b"\r\n\n\r\t"]
    parts += [b'<fugue:notify text="x" />', b"\x1bPtmux;\x1b\x1b]52;c;?\x07\x1b\\", b"\x1b[?1049h", b"\x1b[?1049l"]
    data = b"".join(rng.choice(parts) for _ in range(4000))
    path.write_bytes(data)
    return data


def test_every_byte_reaches_the_program(room: Room, tmp_path: Path) -> None:
    wanted, copy = recorded(tmp_path / "recorded"), tmp_path / "copy"
    pane = waiting(room, f"cat {tmp_path}/recorded")
    assert room.run(PipePane(line=f"cat > {copy}")) == PipedPane("%1", f"cat > {copy}")
    go(room, pane)
    ended(room, pane)
    room.until(lambda: written(copy) == wanted)


def test_every_byte_reaches_the_file_with_tags_parsed_too(room: Room, tmp_path: Path) -> None:
    wanted, copy = recorded(tmp_path / "recorded"), tmp_path / "copy"
    copy.write_bytes(b"before\n")
    pane = waiting(room, f"cat {tmp_path}/recorded")
    room.mux.terminals[pane].parse_tags("secret")
    room.run(LogPane(file=str(copy)))
    go(room, pane)
    ended(room, pane)
    assert copy.read_bytes() == b"before\n" + wanted


def test_the_secret_of_prompt_marks_is_not_passed_on_however_it_is_read(room: Room, tmp_path: Path) -> None:
    pane = room.cat()
    terminal = room.mux.terminals[pane]
    room.run(LogPane(file=str(tmp_path / "log")))
    mark = b"\x1b]133;A;fugue=0123456789abcdef;status=0\x07"
    for piece in (mark, *(bytes([byte]) for byte in mark), b"\x1b[1mtext\x1b", b"[m", b"\x1b]0;open"):
        terminal.receive(memoryview(piece))
    room.run(LogPane())
    wanted = b"\x1b]133;A;status=0\x07" * 2 + b"\x1b[1mtext\x1b[m\x1b]0;open"
    room.until(lambda: (tmp_path / "log").read_bytes() == wanted)


def test_a_new_file_is_the_owners_alone(room: Room, tmp_path: Path) -> None:
    room.cat()
    before = os.umask(0)
    try:
        room.run(LogPane(file=str(tmp_path / "log")))
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "log").stat().st_mode) == 0o600


def test_log_pane_chooses_a_file_and_stops_when_called_again(
    room: Room, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    pane = room.cat()
    path = Path(room.run(LogPane()).to)
    assert path.parent == tmp_path
    assert path.name.startswith("fugue-test-1-")
    assert "logged" in pane_title(room.mux, pane).state
    assert room.say("list-panes").panes[0].piped_to == str(path)
    room.say("send-input --text hello --submit")
    room.shows(pane, "hello")
    room.until(lambda: b"hello" in path.read_bytes())
    assert room.run(LogPane()) == PipedPane("%1", "")
    assert "logged" not in pane_title(room.mux, pane).state
    assert room.say("list-panes").panes[0].piped_to == ""


def test_toggle_stops_an_open_pipe_and_another_line_replaces_it(room: Room, tmp_path: Path) -> None:
    pane = room.cat()
    room.run(PipePane(line="cat > /dev/null"))
    assert room.run(PipePane(line=f"cat > {tmp_path}/two")).to == f"cat > {tmp_path}/two"
    room.say("send-input --text hello --submit")
    room.shows(pane, "hello")
    assert room.run(PipePane(line="cat > /dev/null", toggle=True)).to == ""
    room.until(lambda: b"hello" in written(tmp_path / "two"))
    assert room.run(PipePane(line="cat > /dev/null", toggle=True)).to == "cat > /dev/null"
    assert room.run(PipePane()).to == ""
    with pytest.raises(Refused, match="nothing is piped from %1"):
        room.run(PipePane())


def test_a_receiver_that_reads_nothing_delays_no_flood_and_keeps_little(room: Room) -> None:
    said: list[str] = []
    pane = waiting(room, "head -c 12000000 /dev/zero | tr '\\\\0' 'x'; printf '\\r\\ndone'; exec cat")
    room.run(PipePane(line="exec sleep 600"))
    room.mux.pipes.on_message.connect(said.append)
    piped = room.mux.pipes.of(pane)
    assert piped is not None
    child = piped.pipe._child  # pyright: ignore[reportPrivateUsage]
    assert child is not None
    try:
        go(room, pane)
        room.shows(pane, "done")
        assert piped.pipe.dropped >= 12_000_000 - 2 * MOST_KEPT - (1 << 20)
        room.until(lambda: said)
        assert said == ["exec sleep 600 is slower than %1: a part of its output is left out"]
        assert "piped, " in pane_title(room.mux, pane).state
        assert "KiB lost" in pane_title(room.mux, pane).state
    finally:
        child.kill()
    room.until(lambda: len(said) == 2)
    ended(room, pane)


def test_the_whole_of_a_flood_is_accounted_for(room: Room, tmp_path: Path) -> None:
    pane = waiting(room, "seq 1 400000")
    room.run(PipePane(line=f"cat > {tmp_path}/copy"))
    piped = room.mux.pipes.of(pane)
    assert piped is not None
    go(room, pane)
    ended(room, pane)
    wanted = "".join(f"{number}\n" for number in range(1, 400_001)).encode()
    room.until(lambda: (tmp_path / "copy").stat().st_size + piped.pipe.dropped == len(wanted))
    assert piped.pipe.dropped or (tmp_path / "copy").read_bytes() == wanted


def test_the_end_of_the_receiver_ends_the_pipe(room: Room) -> None:
    pane = room.cat()
    room.run(PipePane(line="exit 3"))
    ended(room, pane)
    room.say("send-input --text hello --submit")
    room.shows(pane, "hello")


def test_a_full_disk_is_reported(room: Room) -> None:
    said: list[str] = []
    pane = room.cat()
    room.mux.pipes.on_message.connect(said.append)
    room.run(LogPane(file="/dev/full"))
    room.say("send-input --text hello --submit")
    ended(room, pane)
    assert said == [
        "the output of %1 goes to /dev/full",
        "the pipe of %1 to /dev/full has ended: No space left on device",
    ]


def test_it_ends_with_the_pane(room: Room, tmp_path: Path) -> None:
    room.cat()
    room.say("create-pane --command cat")
    room.run(PipePane(line=f"cat > /dev/null; echo over > {tmp_path}/over", pane="%2"))
    room.say("close-pane %2")
    room.until(lambda: (tmp_path / "over").exists())
    ended(room, PaneId(2))


def test_what_the_line_prints_is_typed_if_wanted(room: Room) -> None:
    pane = room.cat()
    room.run(PipePane(line="printf 'typed by a pipe\\n'", connect=PipeEnds.INPUT))
    room.shows(pane, "typed by a pipe\ntyped by a pipe")
    ended(room, pane)


def test_an_agent_never_types_by_a_pipe(room: Room) -> None:
    room.cat()
    with pytest.raises(Refused, match="only the user and scripts may type by a pipe"):
        room.run(PipePane(line="echo x", connect=PipeEnds.BOTH), AGENT)


@pytest.mark.parametrize(
    ("path", "words"), [("/", "Is a directory"), ("/nowhere/log", "No such file"), ("a\0b", "NUL character")]
)
def test_a_file_that_cannot_be_written_is_reported_and_the_open_pipe_stays(room: Room, path: str, words: str) -> None:
    pane = room.cat()
    room.run(PipePane(line="cat > /dev/null"))
    with pytest.raises(Exception, match=words):
        room.run(LogPane(file=path))
    assert room.mux.pipes.of(pane) is not None


def test_a_pane_that_runs_nothing_has_no_pipe(room: Room) -> None:
    room.cat()
    room.say("create-pane --command 'sh -c \"exit 3\"'")
    room.until(lambda: PaneId(2) in room.mux.exits)
    with pytest.raises(Refused, match="the program in %2 has ended; respawn-pane runs it again"):
        room.run(LogPane(pane="%2"))
    with pytest.raises(NotFound):
        room.run(LogPane(pane="%9"))


def test_tmuxs_words_do_the_same(room: Room, tmp_path: Path) -> None:
    pane = room.cat()
    tmux(room, "pipe-pane")
    tmux(room, "pipe-pane", "-o", "-t", "%1", f"cat >> {tmp_path}/log-#{{pane_id}}")
    room.say("send-input --text hello --submit")
    room.shows(pane, "hello")
    room.until(lambda: (tmp_path / "log-%1").exists() and b"hello" in (tmp_path / "log-%1").read_bytes())
    tmux(room, "pipe-pane", "-o", "-t", "%1", "cat > /dev/null")
    assert room.mux.pipes.of(pane) is None


@pytest.mark.parametrize("line", ["#{pane_title}", "'#{pane_title}'", '"#{pane_title}"', "#{=9999:pane_title}"])
@pytest.mark.parametrize("title", ["$(touch {})", ";touch {};", "';touch {};'", '";touch {};"'])
def test_what_a_program_chose_runs_nothing_in_tmuxs_line(room: Room, tmp_path: Path, line: str, title: str) -> None:
    (tmp_path / "title").write_text(f"\033]0;{title.format(tmp_path / 'bad')}\007ready")
    pane = room.opened(f"create-pane --command 'cat {tmp_path}/title -'")
    room.until(lambda: "touch" in room.mux.terminals[pane].title)
    tmux(room, "pipe-pane", f"cat > /dev/null; echo {line} > {tmp_path}/said")
    tmux(room, "pipe-pane")
    room.until(lambda: (tmp_path / "said").exists() and "touch" in (tmp_path / "said").read_text())
    assert not (tmp_path / "bad").exists()
