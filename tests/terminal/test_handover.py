"""A terminal can be saved while its program runs, wait without one, and hand its screen to the one that starts."""

import os
import threading
from collections.abc import Callable, Iterator

import pytest
from tests.terminal.conftest import SCREEN, Spawn, Witness

from fugue_tui.errors import TerminalGone
from fugue_tui.geometry import Size
from fugue_tui.terminal.banner import write_end_line
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.input.keys import parse_key
from fugue_tui.terminal.input.mouse import Button, MouseAction, MouseKind
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Program
from fugue_tui.terminal.screen.cells import Modes, Run, Scrollback, Style
from fugue_tui.terminal.terminal import Terminal

SIZE = Size(30, 6)
Wait = Callable[..., Terminal]
OLD = b"".join(b"line %d\r\n" % number for number in range(1, 21)) + b"$ vim notes.txt\r\n"


@pytest.fixture(params=["ghostty", "pyte"])
def emulator(request: pytest.FixtureRequest) -> Emulator:
    """What shows an old text."""
    old, new = make_emulator(request.param, SIZE), make_emulator(request.param, SIZE)
    old.feed(OLD)
    new.recall(old.save())
    write_end_line(new, "press Enter to run: vim")
    return new


@pytest.fixture
def witness() -> Witness:
    return Witness(looks=False)


@pytest.fixture
def wait(pump: IOLoop, witness: Witness) -> Iterator[Wait]:
    made: list[Terminal] = []

    def wait(emulator: Emulator, title: str = "", cwd: str = "") -> Terminal:
        size = emulator.size
        made.append(Terminal.waiting(size, pump=pump, emulator=emulator, watcher=witness, title=title, cwd=cwd))
        return made[-1]

    yield wait
    for terminal in made:
        terminal.close()


def text(terminal: Terminal) -> list[str]:
    kept = terminal.scrollback.lines
    return terminal.lines(kept, kept + terminal.size.rows)


def test_a_waiting_terminal_shows_its_old_text_and_the_line_below(wait: Wait, emulator: Emulator) -> None:
    terminal = wait(emulator, title="vim", cwd="/srv")
    assert terminal.waits
    assert (terminal.pid, terminal.exit, terminal.title, terminal.cwd) == (0, None, "vim", "/srv")
    assert terminal.foreground == ""
    assert text(terminal)[2:] == ["line 20", "$ vim notes.txt", "── press Enter to run: vim ──", ""]
    damage, rows, cursor = terminal.seen.frame()
    assert len(damage.rows) == len(rows) == 6
    faint = emulator.engine == "ghostty"
    assert terminal.seen.row(4).runs == (Run("── press Enter to run: vim ──", Style(faint=faint), 29),)
    assert (cursor.x, cursor.y) == (0, 5)


def test_a_waiting_terminal_is_looked_at_like_any_other(wait: Wait, emulator: Emulator, witness: Witness) -> None:
    terminal = wait(emulator)
    terminal.seen.frame()
    terminal.scroll(3)
    witness.wait(lambda: witness.changes == 1)
    assert terminal.seen.refresh().rows
    assert terminal.scrollback == Scrollback(17, 3)
    assert [row.text for row in terminal.past(17)][:2] == ["line 1", "line 2"]
    terminal.resize(Size(40, 10))
    witness.wait(lambda: witness.changes == 2)
    assert "$ vim notes.txt" in text(terminal)
    assert terminal.modes == Modes(alternate_scroll=True)


def test_what_is_sent_to_a_waiting_terminal_is_refused_in_words(wait: Wait, emulator: Emulator) -> None:
    terminal = wait(emulator)
    before = text(terminal)
    with pytest.raises(TerminalGone, match=r"not started yet.*respawn-pane"):
        terminal.write(b"x")
    with pytest.raises(TerminalGone, match="not started yet"):
        terminal.paste("x")
    with pytest.raises(TerminalGone, match="not started yet"):
        terminal.interrupt(2)
    assert terminal.press(parse_key("Enter")) is False
    assert terminal.mouse(MouseAction(MouseKind.PRESS, Button.LEFT, 0, 0)) is False
    terminal.focus(True)
    assert text(terminal) == before


def test_waiting_takes_no_descriptors_and_no_threads(
    pump: IOLoop, wait: Wait, emulator: Emulator, open_files: Callable[[], int]
) -> None:
    files, threads = open_files(), threading.active_count()
    for _ in range(20):
        wait(make_emulator(emulator.engine, SIZE))
    assert (open_files(), threading.active_count()) == (files, threads)


def test_a_waiting_terminal_has_no_process(wait: Wait, emulator: Emulator) -> None:
    assert wait(emulator).pid not in process.ancestors(os.getpid())


def test_the_program_that_starts_goes_on_below_the_old_text(
    pump: IOLoop, wait: Wait, emulator: Emulator, witness: Witness
) -> None:
    waiting = wait(emulator, title="vim")
    waiting.scroll(5)
    handed = waiting.release().emulator
    program = Program(("sh", "-c", "printf 'hello\\n'; exec cat"))
    terminal = Terminal.spawn(program, waiting.size, pump=pump, emulator=handed, watcher=witness)
    witness.wait(lambda: "hello" in text(terminal))
    assert text(terminal)[2:] == ["$ vim notes.txt", "── press Enter to run: vim ──", "hello", ""]
    assert (terminal.waits, terminal.title, terminal.cwd) == (False, "", os.getcwd())
    assert terminal.pid > 0
    terminal.seen.refresh()  # Another change is told only after that.
    assert terminal.press(parse_key("x"))
    witness.wait(lambda: text(terminal)[-1] == "x")
    terminal.close()
    witness.wait(lambda: witness.exits)


def test_a_released_terminal_is_closed(wait: Wait, emulator: Emulator) -> None:
    terminal = wait(emulator)
    terminal.release()
    assert terminal.closed
    assert (terminal.saved(), text(terminal), terminal.past(3)) == (b"", [], [])
    with pytest.raises(TerminalGone, match="closed"):
        terminal.release()


def test_a_running_terminal_is_saved_whole(spawn: Spawn) -> None:
    pane = spawn("printf one; cat")
    pane.wait_for("one")
    assert pane.terminal.saved() == b"one"
    pane.terminal.close()
    pane.wait_exit()
    assert pane.terminal.saved() == b""


def test_changes_count_what_a_save_would_show(spawn: Spawn) -> None:
    terminal = (pane := spawn("printf one; cat")).terminal
    pane.wait_for("one")
    before = terminal.changes
    assert before >= 1
    terminal.seen.refresh()
    terminal.scroll(1)
    terminal.saved()
    assert terminal.changes == before
    terminal.write(b"two\n")
    pane.wait_for("two")
    assert terminal.changes > before
    before = terminal.changes
    terminal.resize(Size(SCREEN.cols, SCREEN.rows + 1))
    assert terminal.changes > before


def shown(cols: int, words: str) -> list[str]:
    emulator = make_emulator("ghostty", Size(cols, 5))
    write_end_line(emulator, words)
    lines = emulator.lines(0, 5)
    emulator.close()
    return lines[: lines.index("")]


@pytest.mark.parametrize("cols", [1, 2, 3, 11, 12, 13, 20, 26, 27, 80])
@pytest.mark.parametrize("words", ["restored, press Enter", "漢字漢字漢字漢字漢字", "é\u0301" * 20, "x"])
def test_the_line_is_one_line_at_every_width(cols: int, words: str) -> None:
    assert len(shown(cols, words)) == 1


def test_the_line_is_cut_to_the_width_there_is() -> None:
    assert shown(80, "restored, press Enter") == ["── restored, press Enter ──"]
    assert shown(27, "restored, press Enter") == ["── restored, press Enter ──"]
    assert shown(20, "restored, press Enter") == ["── restored, pre… ──"]
    assert shown(13, "漢字漢字漢字") == ["── 漢字漢… ──"]
    assert shown(8, "restored, press Enter") == ["restore…"]


def test_control_sequences_in_saved_text_are_not_executed() -> None:
    assert shown(60, "run: \x1b[2J\x1b]2;evil\x07vim\r\n\u202enotes\x07") == ["── run: vim notes ──"]


def test_a_line_that_is_begun_is_left_whole(emulator: Emulator) -> None:
    emulator.feed(b"half")
    write_end_line(emulator, "words")
    kept = emulator.scrollback.lines
    assert emulator.lines(kept, kept + 6)[-3:] == ["half", "── words ──", ""]
    assert emulator.caret == (0, 5)


def test_the_line_stays_whole_when_the_pane_is_wider_later(emulator: Emulator) -> None:
    emulator.resize(Size(60, 6))
    kept = emulator.scrollback.lines
    assert "── press Enter to run: vim ──" in emulator.lines(kept, kept + 6)


def test_every_view_begins_where_restored_text_was_scrolled_to(wait: Wait, emulator: Emulator) -> None:
    emulator.scroll(3)
    terminal = wait(emulator)
    one, other = terminal.seen_by(wait), terminal.seen_by(emulator)
    assert one.scrollback.offset == other.scrollback.offset == terminal.scrollback.offset == 3
    one.scroll_to_bottom()
    assert (one.scrollback.offset, other.scrollback.offset) == (0, 3)
    assert other.frame()[1] != one.frame()[1]
