"""The rules for titles and screens, on recordings of the real programs and as files of the user."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from fugue_tui.control.agents.program_rules import SHIPPED, ProgramRules, load, load_shipped, parse
from fugue_tui.errors import ConfigError
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.agents.state import AgentState, BlockedBy
from fugue_tui.terminal.emulator.events import StatusReport
from fugue_tui.terminal.emulator.protocol import Emulator
from fugue_tui.terminal.engines import make_emulator

RECORDINGS = Path(__file__).parents[2] / "recordings" / "agents"
STATES = ("idle", "blocked", "working", "idle")
PARTS = {
    "aider_0_86_2": (1446, 4147, 1966, 4873),
    "claude_2_1_197": (2273, 4271, 7881, 8935),
    "claude_2_1_328": (1378, 3950, 5396, 5934),
    "codex_0_169_0": (8335, 12783, 16353, 19298),
    "gemini_0_61_0": (3550, 10939, 63996),
    "opencode_1_18_33": (14643, 41093, 22630, 61404),
}
"""Where in the recording of a task the program is idle, asks for permission, works, and is done."""
WORDS = {
    "aider_0_86_2": "Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]:",
    "opencode_1_18_33": "△ Permission required",
}
"""What it says then, if that is no question."""


def played(name: str, engine: str) -> list[tuple[Emulator, list[StatusReport]]]:
    data, stops = (RECORDINGS / f"{name}.vt").read_bytes(), PARTS[name]
    parts = list[tuple[Emulator, list[StatusReport]]]()
    for stop in stops:
        emulator = make_emulator(engine, Size(80, 30))
        emulator.feed(data[:stop])
        parts.append((emulator, [each for each in emulator.take_events() if isinstance(each, StatusReport)]))
    return parts


def rows(emulator: Emulator) -> list[str]:
    lines = emulator.scrollback.lines
    found = [row.rstrip() for row in emulator.lines(lines, lines + 30)]
    while not found[-1]:
        found.pop()
    return found[-24:]


@pytest.mark.parametrize("engine", ["ghostty", "pyte"])
@pytest.mark.parametrize("name", PARTS)
def test_screens_of_real_programs_show_their_states(name: str, engine: str) -> None:
    rules = load_shipped(name.partition("_")[0])
    shown = [rules.screen(rows(emulator)) for emulator, _ in played(name, engine)]
    assert tuple(each.state.value for each in shown if each) == STATES[: len(shown)]
    assert shown[1] is not None
    assert shown[1].kind is BlockedBy.PERMISSION
    assert shown[1].words == WORDS.get(name, shown[1].words)
    assert name in WORDS or shown[1].words.endswith("?")


@pytest.mark.parametrize(
    ("program", "text", "state"),
    [
        ("aider", "f.txt b.txt\nask multi> what is", "idle"),
        ("aider", "> make it\n\n  █░     Waiting for gpt-5", "working"),
        ("aider", "> make it\n\n> a quotation in the middle\nof an answer", None),
        (
            "aider",
            "> make it\nAdd f.txt to the chat? (Y)es/(N)o/(A)ll/(S)kip all/(D)on't ask again\n[Yes]: n",
            "blocked",
        ),
        ("aider", "> make it\nRun shell command? (Y)es/(N)o [Yes]: y\n\nRunning make", None),
        ("claude", " Do you want to make this edit to\n tides.py?\n ❯ 1. Yes\n   2. No", "blocked"),
        ("claude", " Do you want to make tea\n or coffee\n or water?\n ❯ 1. Yes\n   2. No", "idle"),
        ("opencode", "  ┃  Which one?\n  ⇆ tab  ↑↓ select  enter confirm  esc dismiss", "blocked"),
        ("opencode", "   ■■⬝⬝  esc again to interrupt      tab agents  ctrl+p commands", "working"),
        ("qwen", "  Allow execution of: 'touch'?\n  › 1. Yes, allow once\n", "blocked"),
        ("qwen", "  ⠼ Resolving... (0s · esc to cancel)\n>   Type your message or @path/to/file", "working"),
        ("qwen", ">   Type your message or @path/to/file\n  ➜ demo · git:(master)", "idle"),
    ],
)
def test_further_screens_show_their_states(program: str, text: str, state: str | None) -> None:
    found = load_shipped(program).screen([80 * "─", *text.splitlines()])
    assert (found.state.value if found else None) == state


@pytest.mark.parametrize(
    ("name", "states"),
    [
        ("claude_2_1_197", ("idle", "idle", "working", "idle")),
        ("codex_0_169_0", (None, "blocked", "working", None)),
        ("gemini_0_61_0", ("idle", "blocked", "working")),
    ],
)
def test_titles_of_real_programs_show_their_states(name: str, states: tuple[str | None, ...]) -> None:
    rules = load_shipped(name.partition("_")[0])
    shown = [rules.title(emulator.title) for emulator, _ in played(name, "ghostty")]
    assert tuple(each.state.value if each else None for each in shown) == states


@pytest.mark.parametrize("name", ["claude_2_1_328", "codex_0_169_0"])
def test_newer_programs_report_their_states(name: str) -> None:
    reports = played(name, "ghostty")
    assert [each[-1].state for _, each in reports] == ["idle", "blocked", "working", "done"]
    assert reports[1][1][-1].kind == "permission"


def test_text_that_is_no_dialog_shows_nothing() -> None:
    for program in SHIPPED:
        rules = load_shipped(program)
        assert rules.screen(["total 12", "drwxr-xr-x 2 a a 4096 x", "$ make", "cc -o a a.c"]) is None
        assert rules.title("~/project") is None
        assert rules.notification("3 tests failed") is None


def test_notifications_show_what_is_needed() -> None:
    said = load_shipped("claude").notification("Claude Code: Claude needs your permission to use Bash")
    assert said is not None
    assert (said.state, said.kind, said.words) == (
        AgentState.BLOCKED,
        BlockedBy.PERMISSION,
        "needs your permission to use Bash",
    )
    waits = load_shipped("claude").notification("Claude is waiting for your input")
    assert waits is not None
    assert waits.state is AgentState.IDLE


def test_rules_of_the_user_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config.toml"))
    assert load("unknown") == ProgramRules()
    (tmp_path / "agents").mkdir()
    mine = '[[screen]]\nname = "mine"\nstate = "error"\npattern = "out of tokens"\n'
    for program in ("claude", "unknown"):
        (tmp_path / "agents" / f"{program}.toml").write_text(mine)
        found = load(program).screen(["we are out of tokens"])
        assert found is not None
        assert replace(found, words="") == replace(found, state=AgentState.ERROR, rule="mine", words="")
    assert load("claude").screen(["esc to interrupt"]) == load_shipped("claude").screen(["esc to interrupt"])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[screen]]\nname = 'x'\nstate = 'busy'\npattern = 'a'", "x.toml: Invalid enum value 'busy'"),
        ("[[screen]]\nname = 'x'\nstate = 'idle'", "x.toml: Object missing required field `pattern`"),
        ("[[screen]]\nname = 'x'\nstate = 'idle'\npattern = '('", "x.toml: screen 'x': missing )"),
        ("[[screens]]\nname = 'x'", "x.toml: Object contains unknown field `screens`"),
        ("[[screen", "x.toml:1"),
    ],
)
def test_faults_of_a_rule_file_are_reported(text: str, words: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text, "x.toml")
    assert words in str(caught.value)


def test_a_file_that_others_may_write_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "config.toml"))
    (tmp_path / "agents").mkdir()
    own = tmp_path / "agents" / "claude.toml"
    own.write_text("")
    own.chmod(0o666)
    with pytest.raises(ConfigError, match=r"claude\.toml"):
        load("claude")
