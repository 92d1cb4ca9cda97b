"""Paste buffers: filled by every copy, named by commands, pasted as they are, and hidden from agents."""

import os
import stat
import time
from pathlib import Path

import pytest
from tests.control.commands.test_clipboard import copied, decisions
from tests.full_disk import full_disk
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.buffers import (
    DeleteBuffer,
    ListBuffers,
    LoadBuffer,
    PasteBuffer,
    SaveBuffer,
    SetBuffer,
    ShowBuffer,
)
from fugue_tui.control.core.command import Effect
from fugue_tui.control.dispatch.policy import Decision
from fugue_tui.errors import InvalidArgument, NotFound, Refused
from fugue_tui.multiplexer.clipboard import HEAVIEST, MOST, Clipboard, Copied, CopySource


def named(name: str, text: str) -> Copied:
    return Copied(text, CopySource.COMMAND, None, time.time(), name)


def test_every_copy_is_a_buffer_with_a_number_that_is_never_given_again(room: Room) -> None:
    pane = room.cat()
    copied(room, "one", pane)
    copied(room, "two\nlines\n", pane)
    room.run(SetBuffer(text="named", buffer="mine"))
    assert [(each.name, each.lines) for each in room.run(ListBuffers()).buffers] == [
        ("mine", 1), ("buffer1", 2), ("buffer0", 1),
    ]  # fmt: skip
    assert room.run(ShowBuffer()) == "two\nlines\n"
    assert room.run(ShowBuffer(buffer="mine")) == "named"
    assert room.run(DeleteBuffer()).name == "buffer1"
    assert room.mux.clipboard.text == "one"
    room.run(SetBuffer(text="three"))
    assert room.run(ListBuffers()).buffers[0].name == "buffer2"
    assert room.mux.clipboard.text == "three"
    with pytest.raises(NotFound, match="no buffer 'buffer1'"):
        room.run(ShowBuffer(buffer="buffer1"))


def test_copies_evict_copies_and_never_what_was_named() -> None:
    clipboard = Clipboard()
    clipboard.set(named("mine", "kept"))
    for number in range(MOST + 5):
        clipboard.add(Copied(f"text {number}", CopySource.SELECTION, None, 0.0))
    assert len(clipboard.entries) == MOST
    assert clipboard.find("mine").text == "kept"
    clipboard.set(named("mine", "a" * HEAVIEST))
    assert [each.name for each in clipboard.entries] == ["mine"]
    with pytest.raises(Refused, match="no room"):
        clipboard.set(named("other", "b"))
    with pytest.raises(NotFound, match="no buffer yet"):
        clipboard.newest()


@pytest.mark.parametrize("name", ["buffer7", "buffer", "a\nb", " "])
def test_ambiguous_names_are_refused(room: Room, name: str) -> None:
    if name == "buffer":
        assert room.run(SetBuffer(text="a", buffer=name)).name == name
        return
    with pytest.raises(InvalidArgument, match="cannot name a buffer"):
        room.run(SetBuffer(text="a", buffer=name))


def test_a_buffer_is_pasted_as_it_is_and_deleted_if_asked(room: Room) -> None:
    pane = room.cat()
    room.run(SetBuffer(text="first\nsecond", buffer="mine"))
    sent = room.run(PasteBuffer(pane=str(pane), buffer="mine", delete=True))
    assert sent.pasted
    assert "second" in room.shows(pane, "second")
    assert room.run(ListBuffers()).buffers == ()


def test_control_characters_are_never_in_a_buffer(room: Room, tmp_path: Path) -> None:
    (file := tmp_path / "text").write_text("a\x1b[201~b")
    with pytest.raises(InvalidArgument, match=r"U\+001B"):
        room.run(SetBuffer(text="a\x1bb"))
    with pytest.raises(InvalidArgument, match=r"U\+001B"):
        room.run(LoadBuffer(path=str(file)))
    assert room.run(ListBuffers()).buffers == ()


def test_a_buffer_is_written_to_a_new_private_file_and_read_back(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "text"
    room.run(SetBuffer(text="Grüße\n", buffer="mine"))
    assert room.run(SaveBuffer(path=str(file), buffer="mine")).bytes == 8
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with pytest.raises(Refused, match="File exists"):
        room.run(SaveBuffer(path=str(file), buffer="mine"))
    room.run(LoadBuffer(path=str(file)))
    assert room.mux.clipboard.text == "Grüße\n"
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(Refused):
        room.run(LoadBuffer(path=str(tmp_path / "pipe")))
    with pytest.raises(InvalidArgument, match="absolute"):
        room.run(LoadBuffer(path="text"))


def test_agents_need_the_permission_to_see_and_to_type(room: Room) -> None:
    mine, yours = room.cat(), room.cat()
    copied(room, "text", mine)
    for command in (ListBuffers(), ShowBuffer()):
        assert decisions(room, command, mine) == {Effect.CLIPBOARD: Decision.ASK}
    paste = decisions(room, PasteBuffer(pane=str(yours)), mine)
    assert paste == {Effect.CLIPBOARD: Decision.ASK, Effect.INPUT: Decision.ASK}
    for command in (SaveBuffer(path="/tmp/a"), LoadBuffer(path="/tmp/a")):
        assert set(decisions(room, command, mine).values()) == {Decision.REFUSE}


def test_an_agent_sees_and_pastes_no_secret(room: Room) -> None:
    pane = room.cat()
    copied(room, "export API_TOKEN=hunter2", pane)
    assert "hunter2" not in room.run(ListBuffers()).buffers[0].sample
    assert "hunter2" not in room.run(ShowBuffer(), agent(pane))
    assert "hunter2" in room.run(ShowBuffer())
    with pytest.raises(Refused, match="a secret"):
        room.run(PasteBuffer(pane=str(pane)), agent())


def test_a_buffer_that_does_not_fit_on_the_disk_leaves_no_file_in_the_way(room: Room, tmp_path: Path) -> None:
    room.mux.clipboard.add(Copied("kept", CopySource.COMMAND, None, 0.0))
    path = tmp_path / "buffer"
    with full_disk(), pytest.raises(Refused, match="buffer cannot be written: File too large"):
        room.run(SaveBuffer(path=str(path)))
    room.run(SaveBuffer(path=str(path)))
    assert path.read_text() == "kept"
