"""Configuration is applied as far as it is right, and every fault is named at once, with a way out."""

import re
import tomllib
from pathlib import Path
from types import MappingProxyType
from typing import get_args, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import fields
from tests.config.config_file import file as file

from fugue_tui.config import model
from fugue_tui.config.model import (
    Config,
    KeySettings,
    McpSettings,
    SecuritySettings,
    TerminalSettings,
    UiSettings,
    default_text,
    load,
    parse,
    read,
    show,
    stamp,
)
from fugue_tui.config.values import key_fault, toml
from fugue_tui.control.core.command import Effect
from fugue_tui.errors import ConfigError
from fugue_tui.sanitize import clean
from fugue_tui.terminal.input.keys import parse_key

ROOT = Path(__file__).parents[2]


def test_no_file_means_the_defaults(file: Path) -> None:
    assert load(file) == Config()


def test_what_is_set_is_applied_and_the_rest_stays_default(file: Path) -> None:
    file.write_text('[terminal]\nshell = ["fish", "-l"]\n[keys.bindings]\nx = "close-pane"\n"ctrl+t" = ""\n')
    expected = Config(
        terminal=TerminalSettings(shell=("fish", "-l")),
        keys=KeySettings(bindings=MappingProxyType({"x": "close-pane", "ctrl+t": ""})),
    )
    assert load(file) == expected


def test_all_faults_are_reported_together_with_file_and_key(file: Path) -> None:
    file.write_text("[terminal]\nscrolback = 3\nengine = 'gostty'\n[ui]\nmouse = 1\n[trminal]\n")
    with pytest.raises(ConfigError) as caught:
        load(file)
    assert caught.value.faults == (
        f"{file}: terminal.scrolback: no such key; did you mean scrollback? it takes engine, "
        "scrollback, shell, term, shell_integration, clipboard, images, image_memory, on_exit",
        f'{file}: terminal.engine: "gostty" is not ghostty or pyte; did you mean ghostty?',
        f"{file}: ui.mouse: 1 is not true or false",
        f"{file}: trminal: no such key; did you mean terminal? it takes terminal, keys, hooks, ui, status, session, "
        "mcp, agents, claude",
    )


def test_reading_applies_what_is_right_beside_the_faults(file: Path) -> None:
    file.write_text("[ui]\nstatus = false\nmouse = 'no'\n")
    found = read(file)
    assert found.config == Config(ui=UiSettings(status=False))
    assert len(found.faults) == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("[ui]\nmouse = ", "config.toml:2:9: Invalid value"),
        ("[ui]\nmouse = true\nmouse = false", "config.toml:3:14: Cannot overwrite a value"),
        ('[ui]\ntheme = "a\0"', "config.toml:2:11: Illegal character '\\x00'"),
        ("ui = 3", "config.toml: ui: 3 is not a section, written [ui]"),
        (
            "[terminal]\nscrollback = 1.5",
            "config.toml: terminal.scrollback: 1.5 is not a whole number from 0 to 1000000",
        ),
        (
            "[terminal]\nscrollback = true",
            "config.toml: terminal.scrollback: true is not a whole number from 0 to 1000000",
        ),
        ("[terminal]\nscrollback = -1", "config.toml: terminal.scrollback: -1 is not a whole number from 0 to 1000000"),
        ("[terminal]\nterm = 2026-01-01", "config.toml: terminal.term: a date is not text"),
        (
            "[terminal]\nshell = 'sh'",
            'config.toml: terminal.shell: "sh" is not a list of strings, such as ["bash", "-l"]',
        ),
        ("[terminal]\nshell = [1]", "config.toml: terminal.shell[0]: 1 is not text"),
        ("[keys]\nprefix = 'crtl+a'", "config.toml: keys.prefix: 'crtl' is no modifier; did you mean ctrl?"),
        ("[keys]\nprefix = 'ctrl+entr'", "config.toml: keys.prefix: 'entr' is no key; did you mean enter?"),
        ("[keys]\nbindings = {x = 3}", "config.toml: keys.bindings.x: 3 is not a command line or a list of them"),
        (
            "[keys]\nbindings = {PageUp = 'scroll'}",
            "config.toml: keys.bindings.PageUp: 'PageUp' is no key; did you mean pageup?",
        ),
        (
            "[mcp]\ntoolsets = ['default', 'layuot']",
            "config.toml: mcp.toolsets: no set 'layuot'; there are default, layout, sessions, saving, reading, seeing, "
            "running, agents, servers, other, all; did you mean layout?",
        ),
        ("[keys]\nbindings = 'x'", 'config.toml: keys.bindings: "x" is not a table of command lines'),
    ],
)
def test_a_config_fault_names_the_key_and_the_reason(text: str, fault: str) -> None:
    assert parse(text).faults == (fault,)


def test_a_binding_that_is_wrong_drops_only_itself() -> None:
    found = parse(
        "[keys.bindings]\n'|' = 'split-pane'\nPageUp = 'scroll'\n'hyper+x' = ''\nx = 3\ny = ''\nz = ['a', 'b']\n"
    )
    assert [fault.split(": ")[1] for fault in found.faults] == [
        "keys.bindings.PageUp",
        "keys.bindings.hyper+x",
        "keys.bindings.x",
    ]
    assert found.config.keys.bindings == {"|": "split-pane", "y": "", "z": ("a", "b")}


@pytest.mark.parametrize("text", ["x = " + "[" * 100_000, "x = " + "9" * 5_000, "[" * 50, "\x1b = 1", "= =", '"""'])
def test_faults_contain_no_control_characters(text: str) -> None:
    (fault,) = parse(text).faults
    assert fault.isprintable()


@pytest.mark.parametrize(
    "setting",
    [
        "[terminal]\nshell = ['./sh']",
        "[terminal]\nshell = ['bin/sh']",
        "[terminal]\nshell = ['']",
        '[terminal]\nshell = ["sh", "a\\u0000b"]',
        "[terminal]\nterm = 'tmux-256color'",
        "[terminal]\nterm = 'screen'",
        "[terminal]\nterm = '../x'",
        "[mcp]\nsocket = 'here.sock'",
        "[keys.bindings]\n'hyper+x' = ''",
    ],
)
def test_values_that_could_harm_are_refused(setting: str) -> None:
    found = parse(setting)
    assert len(found.faults) == 1
    assert found.config == Config()


@pytest.mark.parametrize("key", ["ctrl+b", "+", "ctrl++", "alt+left", "ctrl+shift+f5", "%", "é", "A", "kp_0", "-"])
def test_keys_are_accepted_as_they_are_written(key: str) -> None:
    assert parse(f'[keys]\nprefix = "{key}"').faults == ()


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["ctrl", "alt", "shift", "super", "+", "-", "b", "B", "é", "f5", "left", "C", "^"])).map(
        "".join
    )
)
def test_every_key_that_is_accepted_is_one_that_can_be_bound(key: str) -> None:
    if not key_fault(key):
        parse_key(key)


def test_every_named_key_can_be_set() -> None:
    for name in ("enter", "tab", "escape", "pageup", "delete", "f1", "f24", "kp_9"):
        assert key_fault(f"ctrl+alt+{name}") == ""
        assert parse_key(f"ctrl+alt+{name}").name == name


def test_the_written_default_file_changes_nothing() -> None:
    assert parse(default_text()) == model.ConfigResult()


def test_the_written_default_file_names_every_key_with_its_default() -> None:
    lines = [line[1:] if line.startswith("#") and line[1] != " " else line for line in default_text().splitlines()]
    assert parse("\n".join(lines)) == model.ConfigResult()
    table = tomllib.loads("\n".join(lines))
    keys = {f"{section}.{key}" for section, entries in table.items() for key in entries}
    declared = {f"{name}.{key.name}" for name, kind in get_type_hints(Config).items() for key in fields(kind)}
    assert keys == declared
    assert set(table["mcp"]["security"]) == {key.name for key in fields(SecuritySettings)}


def _argv(rest: list[str]) -> tuple[str, ...]:
    return "/bin/sh", *rest


WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
CONFIGS = st.builds(
    Config,
    terminal=st.builds(
        TerminalSettings,
        engine=st.sampled_from(["ghostty", "pyte"]),
        scrollback=st.integers(0, 1_000_000),
        shell=st.builds(_argv, st.lists(WORDS)),
        term=st.just("xterm"),
        clipboard=st.sampled_from(["ask", "on", "off"]),
        on_exit=st.sampled_from(["close", "keep"]),
    ),
    keys=st.builds(
        KeySettings,
        prefix=st.sampled_from(["ctrl+a", '"', "\\"]),
        focus_with_alt_arrows=st.booleans(),
        bindings=st.dictionaries(st.sampled_from(["a", '"', "ctrl+é", "."]), WORDS).map(MappingProxyType),
    ),
    ui=st.builds(UiSettings, theme=st.sampled_from(get_args(model.Theme)), which_key_delay_ms=st.integers(0, 10_000)),
    mcp=st.builds(
        McpSettings,
        socket=WORDS.map(lambda word: f"/{word}"),
        enabled=st.booleans(),
        security=st.builds(SecuritySettings, max_panes=st.integers(1, 10_000)),
    ),
)


@pytest.mark.slow
@given(CONFIGS)
def test_what_is_shown_reads_back_the_same(shown: Config) -> None:
    assert parse(show(shown)) == model.ConfigResult(shown)


RAW = st.none() | st.booleans() | st.integers() | st.floats() | WORDS
KEYS = [name for kind in get_type_hints(Config).values() for name in get_type_hints(kind)]


@pytest.mark.slow
@given(
    st.dictionaries(
        st.sampled_from([*get_type_hints(Config), "other"]),
        RAW | st.dictionaries(st.sampled_from(KEYS) | WORDS, RAW | st.lists(RAW) | st.dictionaries(WORDS, RAW)),
    )
)
def test_any_values_give_a_whole_configuration_and_clean_faults(table: dict[str, object]) -> None:
    text = "\n".join(f"{toml(name)} = {toml(value)}" for name, value in table.items()).replace("None", "1979-05-27")
    found = parse(text)
    assert all(clean(fault, 10_000) == fault for fault in found.faults)
    assert parse(show(found.config)) == model.ConfigResult(found.config)


def test_no_key_is_read_and_then_ignored() -> None:
    folders = [ROOT / "app", ROOT / "widgets", ROOT / "mcp_server"]
    files = [file for folder in folders for file in folder.rglob("*.py") if not file.stem.startswith("config")]
    sources = "\n".join(file.read_text() for file in files)
    keys = set(KEYS) - set(Effect)
    assert [key for key in keys if not re.search(rf"\.{key}\b", sources)] == []


def test_the_themes_exist_in_textual_or_follow_the_terminal() -> None:
    from textual.theme import BUILTIN_THEMES

    assert set(get_args(model.Theme)) - {"auto", "dark", "light"} <= set(BUILTIN_THEMES)


def test_the_environment_names_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("FUGUE_CONFIG", str(tmp_path / "mine.toml"))
    assert model.path() == tmp_path / "mine.toml"
    monkeypatch.delenv("FUGUE_CONFIG")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert model.path().name == "config.toml"
    assert model.path().parent.name == "fugue-tui"


def test_a_stamp_changes_with_the_file(file: Path) -> None:
    stamps = [stamp(file)]
    file.write_text("[ui]\n")
    stamps.append(stamp(file))
    file.write_text("[ui]\nstatus = true\n")
    stamps.append(stamp(file))
    replacement = file.with_suffix(".new")
    replacement.write_text("[ui]\nstatus = true\n")
    replacement.replace(file)
    stamps.append(stamp(file))
    assert len(set(stamps)) == 4
    assert stamps[0] is None
    assert stamp(file) == stamps[-1]


def test_the_section_of_agents_that_speak_to_fugue_is_honoured(tmp_path: Path) -> None:
    found = parse(f"[claude.communication]\nmcp_enabled = false\nmcp_socket = '{tmp_path}/a.sock'\nprefer = 'sideband'")
    assert found.faults == ()
    assert (found.config.mcp.enabled, found.config.mcp.socket) == (False, f"{tmp_path}/a.sock")
    assert found.config.claude.communication.prefer == "sideband"
    both = parse(f"[mcp]\nsocket = '{tmp_path}/b.sock'\n[claude.communication]\nmcp_socket = '{tmp_path}/a.sock'")
    assert both.config.mcp.socket == f"{tmp_path}/b.sock"


def test_what_is_done_about_agents_is_checked_as_a_whole() -> None:
    found = parse('[agents]\nnotify = "bell"\n[agents.monitor]\nidle = ["nudge"]\nidle_after = 60\n')
    assert found.faults == ()
    assert (found.config.agents.notify, found.config.agents.monitor.idle_after) == ("bell", 60.0)
    faulty = parse('[agents.monitor]\ngone = ["nudge"]\n')
    assert "agents.monitor: gone: nudge is of no use there" in faulty.faults[0]
    assert not faulty.config.agents.monitor.active
