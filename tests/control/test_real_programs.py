"""Real programs in real shells: each is run, waited for, read, seen and understood as a person would."""

import json
import shlex
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.control.commands.test_screenshot import opened
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer import conftest
from tests.multiplexer.conftest import agent
from tests.output_analysis.conftest import Recorded, recorded

from fugue_tui.control.commands.analyze import DetectIntent, ParseOutput
from fugue_tui.control.commands.pane_info import GetPaneState, GetRunningProcess
from fugue_tui.control.commands.read_pane import Reading, ReadPane, Source
from fugue_tui.control.commands.screenshot import PictureFormat, Screenshot, ScreenshotPane
from fugue_tui.control.commands.send_keys import SendInput, SendKeys
from fugue_tui.control.commands.visual_diff import VisualDiff
from fugue_tui.control.commands.wait import PatternSpec, WaitForOutput, WaitResult
from fugue_tui.control.output.analysis import Structure, Verdict
from fugue_tui.control.output.last_command import CommandSource
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import Refused
from fugue_tui.imaging import png
from fugue_tui.imaging.palette import Theme
from fugue_tui.multiplexer.watch.wait import WaitOutcome
from fugue_tui.output_analysis.results import Location, Meaning, ParsedKind

pytestmark = pytest.mark.slow


each = pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
CELL = png.metrics(png.SIZE)
TESTS = """import pytest


@pytest.mark.parametrize("number", range(60))
def test_holds(number):
    assert number >= 0


def test_adds():
    total = sum([1, 2])
    assert total == 4


def test_opens():
    raise OSError("no such thing")
"""


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Real programs take their time on a busy machine."""
    monkeypatch.setattr(conftest, "DEADLINE", 60.0)


class At:
    """A shell in a pane, and what an agent does with it."""

    def __init__(self, shell: Shell) -> None:
        self.shell, self.room, self.pane = shell, shell.room, str(shell.pane)

    def wait(self, pattern: str, cursor: str | None = None, **fields: Any) -> WaitResult:
        said = PatternSpec(pattern, regex=True)
        return self.room.run(WaitForOutput(panes=(self.pane,), any_of=(said,), cursor=cursor, **fields), agent())

    def read(self, **fields: Any) -> Reading:
        return self.room.run(ReadPane(pane=self.pane, **fields), agent())

    def seen(self, **fields: Any) -> Screenshot:
        return self.room.run(ScreenshotPane(pane=self.pane, **fields), agent())

    def parsed(self) -> Structure:
        return self.room.run(ParseOutput(pane=self.pane), agent())

    def intent(self) -> Verdict:
        return self.room.run(DetectIntent(pane=self.pane), agent())

    def type(self, text: str) -> None:
        self.room.run(SendInput(pane=self.pane, text=text, submit=True), agent())

    def press(self, *keys: str) -> None:
        self.room.run(SendKeys(pane=self.pane, keys=keys), agent())

    def program(self, name: str, found: Recorded) -> str:
        """A program of that name in the shell's folder that prints a recording and ends like it."""
        (self.shell.home / f"{name}.out").write_text(found.output)
        script = f"#!/bin/sh\ncat '{self.shell.home}/{name}.out'\nexit {found.exit_code}\n"
        (self.shell.home / name).write_text(script)
        (self.shell.home / name).chmod(0o755)
        return f"./{found.command}"


@each
def test_a_test_run_with_failures(shell: Shell) -> None:
    at = At(shell)
    (shell.home / "test_sums.py").write_text(TESTS)
    (shell.home / "python").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n')
    (shell.home / "python").chmod(0o755)
    start = at.read().cursor
    command = "./python -m pytest -v -p no:cacheprovider -c /dev/null --rootdir . test_sums.py"
    later = shell.begin(
        command,
        env={"PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "COLUMNS": "80"},
        timeout=100.0,
        limit=100_000,
    )
    came = at.wait(r"\d+ failed, \d+ passed", cursor=start, stop_on=("INTERNALERROR",), timeout=100.0)
    assert (came.outcome, came.matched) == (WaitOutcome.MATCHED, "2 failed, 60 passed")
    ran = at.room.awaited(later)
    assert (ran.exit_code, ran.timed_out, ran.truncated) == (1, False, False)
    assert ran.text.count(" PASSED ") == 60

    assert at.read(source=Source.LAST_COMMAND, lines=1000).text == ran.text
    image = opened(at.seen().image)
    assert image.size == (81 * CELL.width, 24 * CELL.height)
    assert {Theme().ansi[1], Theme().ansi[9]} & {colour for _, colour in image.getcolors(1 << 16) or []}, "no red"
    assert "2 failed, 60 passed" in at.seen(format=PictureFormat.TEXT).text

    told = at.intent()
    assert (told.intent, told.exit_code, told.known_by) == (Meaning.TEST_FAILURE, 1, CommandSource.TRUSTED_MARKS)
    assert told.command == command
    assert told.context.failed_tests == ("test_sums.py::test_adds", "test_sums.py::test_opens")
    assert told.context.error_summary == "2 tests failed, 60 passed"
    assert {(place.file, place.line) for place in told.context.locations} == {
        ("test_sums.py", 11),
        ("test_sums.py", 15),
    }
    assert told.suggested_actions == ("./python -m pytest test_sums.py::test_adds -vv",)
    assert at.parsed().confidence < 0.7, "a test run is no table"


@each
def test_a_build_that_fails(shell: Shell) -> None:
    at, found = At(shell), recorded("intent/cargo-build-error")
    start = at.read().cursor
    ran = shell.run(at.program("cargo", found))
    assert (ran.exit_code, ran.text) == (101, found.output.rstrip("\n"))
    assert at.wait(r"could not compile `(\w+)`", cursor=start, timeout=40.0).outcome is WaitOutcome.MATCHED
    assert at.read(source=Source.LAST_COMMAND).text == found.output.rstrip("\n")
    assert "\nerror: could not compile `mux`" in at.seen(format=PictureFormat.TEXT).text
    told = at.intent()
    assert (told.intent, told.exit_code) == (Meaning.BUILD_ERROR, 101)
    assert told.context.locations[0] == Location("src/lib.rs", 1, 5, "unresolved import `serde`")
    assert told.context.counts["errors"] == 3
    assert at.parsed().type is ParsedKind.UNKNOWN


@each
def test_a_test_runner_of_npm(shell: Shell) -> None:
    at, found = At(shell), recorded("intent/vitest-failed")
    at.program("npx", found)
    ran = shell.run("./npx vitest run")
    assert (ran.exit_code, ran.text) == (1, found.output.strip("\n"))
    told = at.intent()
    assert told.intent is Meaning.TEST_FAILURE
    assert told.context.failed_tests == ("cart > fails when empty",)
    assert told.context.locations[0].file == "a.test.ts"
    assert "✓ adds up" in at.read(source=Source.LAST_COMMAND).text
    assert "Tests  1 failed | 1 passed (2)" in at.seen(format=PictureFormat.SVG).text


@each
def test_containers_that_are_listed(shell: Shell) -> None:
    at, found = At(shell), recorded("documented/docker-ps-seed")
    ran = shell.run(at.program("docker", found))
    assert (ran.exit_code, ran.text) == (0, found.output.rstrip("\n"))
    assert at.read(source=Source.LAST_COMMAND).text == ran.text
    assert f"\n{ran.text}" in at.seen(format=PictureFormat.TEXT).text
    parsed = at.parsed()
    told = json.loads(json.dumps(payload(ParseOutput, parsed)))
    assert {name: told[name] for name in ("type", "headers", "rows")} == {
        "type": "table",
        "headers": ["CONTAINER ID", "IMAGE", "STATUS", "PORTS"],
        "rows": [
            ["abc123", "nginx:latest", "Up 2 hours", "80/tcp"],
            ["def456", "postgres:16", "Up 5 hours", "5432/tcp"],
        ],
    }
    assert (parsed.command, parsed.known_by) == ("./docker ps", CommandSource.TRUSTED_MARKS)
    assert (at.intent().intent, at.intent().exit_code) == (Meaning.SUCCESS, 0)


@each
def test_an_interpreter_in_front(shell: Shell) -> None:
    at = At(shell)
    start = at.read().cursor
    python = f"{shlex.quote(sys.executable)} -q"
    at.type(f"env PYTHON_BASIC_REPL=1 PYTHONSTARTUP= {python}")
    came = at.wait(r"^>>> ", cursor=start, timeout=40.0)
    assert came.outcome is WaitOutcome.MATCHED
    with pytest.raises(Refused, match=r"no shell waits for a command in %1: python\S* .*send-input"):
        shell.run("echo no")
    at.type("print(6 * 7, '漢字')")
    answer = at.wait(r"^42 漢字\n>>> ", cursor=came.cursor, timeout=40.0)
    assert answer.outcome is WaitOutcome.MATCHED
    assert at.read(cursor=came.cursor).text.strip().splitlines() == ["print(6 * 7, '漢字')", "42 漢字", ">>>"]
    at.type("import json; print(json.dumps([{'a': 1}, {'a': 2}]))")
    assert at.wait(r"^\[\{.*\n>>> ", cursor=answer.cursor, timeout=40.0).outcome is WaitOutcome.MATCHED
    assert at.room.run(GetRunningProcess(pane=at.pane)).name.startswith("python")
    assert "42 漢字" in at.seen(format=PictureFormat.TEXT).text
    told = at.intent()
    assert (told.exit_code, told.known_by) == (None, CommandSource.TRUSTED_MARKS)
    assert told.intent is not Meaning.SUCCESS
    at.press("C-d")
    at.room.until(lambda: at.room.mux.terminals[shell.pane].shell.at_prompt)
    assert shell.run("echo back").text == "back"


@pytest.mark.skipif(shutil.which("vim") is None, reason="needs vim")
@each
def test_an_editor_in_front(shell: Shell, tmp_path: Path) -> None:
    at = At(shell)
    (shell.home / "notes.txt").write_text("first line\nsecond 漢字 line\n")
    start = at.read().cursor
    at.type("vim -u NONE -i NONE -n -N notes.txt")
    assert at.wait("second 漢字 line", cursor=start, idle_ms=3000, timeout=40.0).outcome is WaitOutcome.MATCHED
    at.room.shows(shell.pane, "~")
    state = at.room.run(GetPaneState(pane=at.pane))
    assert (state.alternate_screen, state.program) == (True, "vim")
    with pytest.raises(Refused, match=r"full-screen program vim runs there"):
        shell.run("echo no")
    screen = at.read()
    assert (screen.screen, screen.text.splitlines()[:3]) == ("alternate", ["first line", "second 漢字 line", "~"])
    image = opened(at.seen().image)
    assert image.size == (81 * CELL.width, 24 * CELL.height)
    changed = at.room.run(VisualDiff(pane=at.pane, keys=("d", "d")), agent())
    assert "row 1: “first line” became “second 漢字 line”" in changed.text
    assert at.intent().command.startswith("vim ")
    at.press(":", "w", "q", "Enter")
    at.room.until(lambda: at.room.mux.terminals[shell.pane].shell.at_prompt)
    assert (shell.home / "notes.txt").read_text() == "second 漢字 line\n"
    assert at.read().screen == "primary"
    assert shell.run("echo back").text == "back"


@each
def test_a_prompt_that_came_before_the_wait_is_found_with_the_blank_behind_it(shell: Shell) -> None:
    at = At(shell)
    start = at.read().cursor
    at.type("printf 'one\\nName: '; read -r x" if not shell.fish else "printf 'one\\n'; read -P 'Name: ' x")
    at.room.shows(shell.pane, "\none\nName:")
    at.room.until(lambda: at.room.caret(shell.pane)[0] == len("Name: "))
    for pattern in (r"^one\nName: ", r"^Name:\s$", r"^Name:$"):
        found = at.wait(pattern, cursor=start, timeout=3.0)
        assert found.outcome is WaitOutcome.MATCHED, pattern
