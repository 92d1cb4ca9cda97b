"""What runs first may be over at once, fail, or not be there: the person is told which."""

from pathlib import Path

import pytest
from tests.e2e.conftest import Launch

from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


_WIDE = Size(150, 24)


def test_a_program_that_ends_well_at_once_ends_the_workspace(launch: Launch) -> None:
    running = launch("--", "true")
    assert running.host.wait_exit().code == 0
    while running.host.step(0.01):
        pass
    assert not running.host.emulator.modes.alternate_screen
    assert not running.socket.exists()


def test_a_program_that_fails_at_once_stays_with_what_it_said(launch: Launch) -> None:
    running = launch("--", "sh", "-c", "seq 1 5000; echo last words; exit 3")
    running.ready()
    running.host.wait_text("last words")
    (pane,) = running.ask("list-panes")["panes"]
    assert pane["exit"] == "exit 3"
    assert "4999" in running.ask("read-pane", "%1")["text"]
    running.host.send("\r")
    running.host.wait_until(lambda: running.ask("list-panes")["panes"][0]["pid"] != pane["pid"])


@pytest.mark.forked
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("/nowhere/vi",), "cannot start '/nowhere/vi': there is no such file"),
        (("no-such-program",), "no program 'no-such-program' on PATH"),
        (("/tmp",), "cannot start '/tmp': it is a directory"),
        (("./plain",), "cannot start './plain': it is not executable"),
        (("./strange",), "the interpreter that its first line names is missing"),
    ],
)
def test_a_first_program_that_cannot_start_is_one_line_in_the_shell(
    launch: Launch, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    (tmp_path / "plain").write_text("text")
    (tmp_path / "strange").write_text("#!/nowhere/sh\n")
    (tmp_path / "strange").chmod(0o755)
    words = tuple(word.replace("./", f"{tmp_path}/") for word in words)
    running = launch("--", *words)
    assert running.host.wait_exit().code == 1
    while running.host.step(0.01):
        pass
    told = "".join(running.host.text.split())  # A line may break anywhere, as the path has any length.
    assert "".join(said.replace("./", f"{tmp_path}/").split()) in told
    assert b"\x1b[?1049h" not in running.host.received
    assert b"Traceback" not in running.host.received
    assert not running.socket.exists()


@pytest.mark.forked
def test_a_line_that_the_shell_cannot_run_is_reported_in_the_pane(launch: Launch) -> None:
    running = launch("-e", "no-such-program --at-all")
    running.ready()
    running.host.wait_text("no-such-program", "not found")
    assert running.ask("list-panes")["panes"][0]["exit"] == "exit 127"


@pytest.mark.forked
def test_callers_get_the_reason_why_a_program_cannot_start(launch: Launch) -> None:
    running = launch("--", "cat")
    running.ready()
    for words in (("split-pane", "--", "no-such-program"), ("create-window", "--", "no-such-program")):
        done = running.shell(*words, "--workspace", running.name)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr == "fugue-tui: no program 'no-such-program' on PATH\n"
    done = running.shell("split-pane", "--cwd", "/nowhere", "--workspace", running.name)
    assert "no directory '/nowhere'" in done.stderr
    assert len(running.sessions()) == 1


def test_a_configured_shell_that_does_not_exist_is_reported_in_the_shell(launch: Launch) -> None:
    running = launch(config="[terminal]\nshell = ['no-such-shell']\n")
    assert running.host.wait_exit().code == 1
    assert b"no-such-shell" in running.host.received
    assert b"\x1b[?1049h" not in running.host.received


@pytest.mark.forked
@pytest.mark.parametrize("text", ["this is = not [toml", "\0\xff", "[ui]\nmouse = 'yes'\n[uix]\n"])
def test_a_configuration_that_is_wrong_is_told_on_the_screen_and_the_rest_holds(launch: Launch, text: str) -> None:
    running = launch("--", "cat", size=_WIDE, config=text)
    running.ready()
    running.host.wait_text("config.toml")
    running.host.send("alive\r")
    running.host.wait_text("alive")
    assert (running.room / "config.toml").read_text() == text


def test_nothing_is_kept_in_the_cache_directory(launch: Launch, room: Path) -> None:
    running = launch("--", "cat", env={"XDG_CACHE_HOME": str(room / "kept")})
    running.ready()
    running.host.send("alive\r")
    running.host.wait_text("alive")
    assert not (room / "kept").exists()


@pytest.mark.forked
def test_the_fifth_program_inherits_its_terminal_and_nothing_else(launch: Launch) -> None:
    running = launch("--", "cat")
    running.ready()
    for _ in range(3):
        running.ask("create-window", "--command", "cat")
    running.ask("create-window", "--focus", "--on-exit", "keep", "--", "ls", "-l", "/proc/self/fd")
    running.host.wait_text("0 ->", "1 ->", "2 ->", "3 ->")
    assert "4 ->" not in running.host.text
    assert running.log == ""
