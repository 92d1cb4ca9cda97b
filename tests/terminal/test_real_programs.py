"""Real programs on real engines, through the pump."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.terminal.conftest import DEADLINE, Witness

from fugue_tui.geometry import Size
from fugue_tui.terminal.engines import make_emulator
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.pty.spawn import Exit, Program
from fugue_tui.terminal.terminal import Terminal

pytestmark = pytest.mark.slow


SIZE = Size(60, 12)


@dataclass
class Live:
    """A terminal on a real engine."""

    terminal: Terminal
    witness: Witness

    def screen(self) -> list[str]:
        history = self.terminal.scrollback.lines
        return self.terminal.lines(history, history + SIZE.rows)

    def wait_for(self, text: str, seconds: float = DEADLINE) -> None:
        self.witness.wait(lambda: any(text in line for line in self.screen()), seconds)

    def wait_exit(self, seconds: float = DEADLINE) -> Exit:
        self.witness.wait(lambda: self.witness.exits, seconds)
        return self.witness.exits[0]


Run = Callable[..., Live]


@pytest.fixture(params=["ghostty", "pyte"])
def engine(request: pytest.FixtureRequest) -> str:
    """One engine and then the other."""
    return str(request.param)


@pytest.fixture
def run(engine: str, pump: IOLoop) -> Run:
    """Start a shell script, or `argv`."""

    def run(*argv: str) -> Live:
        witness = Witness()
        emulator = make_emulator(engine, SIZE, 1000)
        assert emulator.engine == engine
        program = Program(("sh", "-c", argv[0]) if len(argv) == 1 else argv)
        return Live(Terminal.spawn(program, SIZE, pump=pump, emulator=emulator, watcher=witness), witness)

    return run


def test_the_end_of_a_program_is_on_the_screen_when_its_end_is_reported(run: Run) -> None:
    live = run("seq 1 3000; printf 'last'; exit 5")
    assert live.wait_exit() == Exit(5)
    assert live.screen()[-1] == "last"
    assert live.screen()[-2] == "3000"


def test_characters_and_sequences_may_arrive_in_pieces(run: Run) -> None:
    pieces = ["\\342\\202", "\\254\\033[3", "1mred\\033", "[0m."]
    live = run("; sleep 0.02; ".join(f"printf '{piece}'" for piece in pieces))
    live.wait_exit()
    assert live.screen()[0] == "€red."


def test_a_program_that_asks_where_its_cursor_is_gets_the_answer(run: Run) -> None:
    live = run("stty raw -echo; printf 'abc\\r\\nde\\033[6n'; head -c 6 | od -An -c")
    live.wait_exit()
    assert "".join(live.screen()[1].split()).startswith("de033[2;3R")


def test_the_title_is_kept(run: Run) -> None:
    live = run("printf '\\033]2;work\\007'; exit 0")
    live.wait_exit()
    assert live.terminal.title == "work"


def test_keys_and_resizes_reach_an_interactive_shell(run: Run) -> None:
    live = run("bash", "--norc", "-i")
    live.terminal.write(b"PS1='> '; clear\r")
    live.terminal.resize(Size(50, 12))
    live.terminal.write(b"stty size\r")
    live.wait_for("12 50")
    live.terminal.paste("echo pas")
    live.terminal.write(b"ted\r")
    live.wait_for("> echo pasted")
    live.terminal.write(b"exit 4\r")
    assert live.wait_exit() == Exit(4)


def test_random_bytes_harm_nothing(run: Run, engine: str, tmp_path: Path) -> None:
    noise = tmp_path / "noise"
    noise.write_bytes(os.urandom(10_000_000 if engine == "ghostty" else 100_000))
    live = run(f"stty -echo; cat {noise}; printf '\\030\\033c'; echo the end; read line")
    live.wait_for("the end")


def test_a_flood_can_be_painted_and_stopped(run: Run) -> None:
    live = run("yes 'flood of words'")
    live.witness.wait(lambda: live.witness.changes > 20)
    for _ in range(30):
        live.terminal.seen.frame()
    live.terminal.write(b"\x03")
    live.wait_exit()
