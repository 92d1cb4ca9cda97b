"""A made-up home with a small project in it, so that pictures show nothing of the machine they are made on."""

import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

TIDES = '''\
"""High and low water from a handful of harmonic constituents."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from math import cos, radians


@dataclass(frozen=True)
class Constituent:
    """One wave of the tide."""

    name: str
    amplitude: float  # metres
    speed: float  # degrees an hour
    phase: float = 0.0

    def height(self, hours: float) -> float:
        return self.amplitude * cos(radians(self.speed * hours - self.phase))


M2 = Constituent("M2", 1.42, 28.984)
S2 = Constituent("S2", 0.46, 30.000)
K1 = Constituent("K1", 0.11, 15.041)


def height(hours: float, *waves: Constituent) -> float:
    """The water's height above its mean."""
    return sum(wave.height(hours) for wave in waves or (M2, S2, K1))


def high_waters(start: datetime, days: int = 1) -> list[datetime]:
    """When the water stops rising, to the minute."""
    found: list[datetime] = []
    for minute in range(days * 24 * 60):
        before, now, after = (height((minute + step) / 60) for step in (-1, 0, 1))
        if before < now >= after:
            found.append(start + timedelta(minutes=minute))
    return found
'''
TESTS = """\
from datetime import datetime

import pytest

from tides import K1, M2, S2, height, high_waters


@pytest.mark.parametrize("wave", [M2, S2, K1], ids=lambda wave: wave.name)
@pytest.mark.parametrize("hours", range(12))
def test_no_wave_is_higher_than_its_amplitude(wave, hours):
    assert abs(wave.height(hours)) <= wave.amplitude


def test_waves_add_up():
    assert height(0) == pytest.approx(M2.amplitude + S2.amplitude + K1.amplitude)


def test_there_are_about_two_high_waters_a_day():
    assert len(high_waters(datetime(2026, 6, 1), days=7)) == pytest.approx(13, abs=1)
"""
NOTES = """\
# Tides

When is the water high? `tides.py` adds up the waves that the moon and the sun make.

    python -m pytest -q
    python serve.py          # a table at http://localhost:8000

| wave | period  | comes from          |
|------|---------|---------------------|
| M2   | 12.42 h | the moon            |
| S2   | 12.00 h | the sun             |
| K1   | 23.93 h | the moon's tilt     |

Grüße aus Wismar · 潮の満ち引き · مد وجزر · 🌊🌙 · 👩‍🔬
"""
SERVE = "import time\n\nwhile True:\n    sum(range(20_000))\n    time.sleep(0.02)\n"
AGENT = """\
\x1b[1m> make room to work on
  high_waters\x1b[0m

\x1b[32m●\x1b[0m I'll put the editor on
  the left, and tests and
  a shell beside it.

\x1b[36m●\x1b[0m \x1b[1mfugue_create_layout\x1b[0m
  ⎿ 5 panes, 65/35

\x1b[36m●\x1b[0m \x1b[1mfugue_read_pane\x1b[0m %4
  ⎿ \x1b[32m38 passed\x1b[0m

\x1b[32m●\x1b[0m The tests pass. Shall I
  look for low water too?

\x1b[35m❯\x1b[0m """
HTOP = """\
htop_version=3.2.2
config_reader_min_version=3
fields=0 2 46 47 1
delay=5
show_program_path=0
highlight_base_name=1
header_layout={layout}
column_meters_0={left}
column_meter_modes_0={left_modes}
{more}sort_key=46
screen:Main=PID STATE PERCENT_CPU PERCENT_MEM Command
"""
MC = """\
[Layout]
command_prompt=false
xterm_title=false
free_space=false
message_visible=false

[Midnight-Commander]
use_internal_edit=true
"""

SERVER = '''\
from datetime import datetime

from mcp.server.mcpserver import MCPServer

import tides

server = MCPServer("tides")


@server.tool()
def height(hours: float) -> float:
    """The water's height above its mean, in metres."""
    return round(tides.height(hours), 2)


@server.tool()
def high_waters(day: str, days: int = 1) -> list[str]:
    """When the water is highest, from a day such as 2026-06-01."""
    return [f"{time:%a %H:%M}" for time in tides.high_waters(datetime.fromisoformat(day), days)]


@server.prompt()
def explain(wave: str) -> str:
    """Explain a wave and where it comes from."""
    return f"Explain the wave {wave}."


@server.resource("tides://waves")
def waves() -> str:
    """The waves that are added up."""
    return "M2, S2, K1"


server.run()
'''

KEY = "sk-ant-demo-0123456789abcdef"
LOW_WATERS = '''    return found


def low_waters(start: datetime, days: int = 1) -> list[datetime]:
    """When the water stops falling, to the minute."""
    return turns(start, days, falling=True)
'''


@contextmanager
def agents(socket: str) -> Generator[dict[str, str]]:
    """The command lines of the real Claude Code, Codex and Gemini CLI, whose models follow scripts. Claude Code knows
    the workspace at a socket."""
    from tests.mcp.scripted_models import Model, Turn, listening

    code = str(Path("tides.py").resolve())
    edit = {"file_path": code, "old_string": "    return found\n", "new_string": LOW_WATERS}
    claude = (
        Turn("I'll read the code, and what the tests beside it say.", "Read", {"file_path": code}),
        Turn("", "mcp__fugue__fugue_read_pane", {"pane": "tests"}),
        Turn("All 38 tests pass. High water is there; I'll add low water beside it.", "Edit", edit),
    )
    notes = "Three waves: M2 and S2 of moon and sun, and K1 of the moon's tilt. README.md says where each comes from."
    review = "serve.py computes the same table for each request: a cache of a minute would do."
    server = {"command": sys.executable, "args": ["-m", "fugue_tui", "mcp"], "env": {"FUGUE_SOCKET": socket}}
    config = json.dumps({"mcpServers": {"fugue": server}})
    words = ["claude", "--mcp-config", config, "--strict-mcp-config", "--permission-mode", "default"]
    words += ["--allowedTools", "mcp__fugue__*", "--", "The tests run in the pane beside you. Add low_waters."]
    models = (
        Model(claude, prompt="Add low_waters"),
        Model((), notes, prompt="Which waves"),
        Model((), review, prompt="Review serve.py"),
    )
    with listening(*models) as url:
        os.environ.update(
            ANTHROPIC_BASE_URL=url,
            ANTHROPIC_API_KEY=KEY,
            GEMINI_API_KEY=KEY,
            GOOGLE_GEMINI_BASE_URL=url,
            GEMINI_CLI_TRUST_WORKSPACE="true",
            MODEL_KEY=KEY,
            DISABLE_AUTOUPDATER="1",
            DISABLE_TELEMETRY="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            ENABLE_TOOL_SEARCH="false",
        )
        provider = f'{{name="scripted",base_url="{url}/v1",wire_api="responses",env_key="MODEL_KEY"}}'
        codex = ["codex", "-c", f"model_providers.scripted={provider}", "-c", 'model_provider="scripted"']
        codex += ["-c", "check_for_update_on_startup=false", "Review serve.py"]
        yield {
            "claude": "exec " + shlex.join(words),
            "codex": "exec " + shlex.join(codex),
            "gemini": "exec gemini -m gemini-2.5-flash -i 'Which waves are there?'",
        }


def _known_to_claude(home: Path) -> str:
    """The settings of a Claude Code that has shown its first dialogs."""
    project = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
    return json.dumps(
        {
            "hasCompletedOnboarding": True,
            "theme": "dark",
            "hasSeenAutoDefaultNotice": True,
            "fullscreenUpsellSeenCount": 3,
            "lastReleaseNotesSeen": "999.0.0",
            "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
            "projects": {str(home / "demo"): project},
        }
    )


@contextmanager
def home() -> Generator[Path]:
    """A home folder with a project, and an environment that knows no other."""
    with tempfile.TemporaryDirectory(prefix="demo-") as folder:
        home = Path(folder).resolve()
        _furnish(home)
        _environment(home)
        os.chdir(home / "demo")
        _commit()
        try:
            yield home
        finally:
            os.chdir("/")


def _furnish(home: Path) -> None:
    files = {
        "demo/tides.py": TIDES,
        "demo/test_tides.py": TESTS,
        "demo/README.md": NOTES,
        "demo/serve.py": SERVE,
        "demo/refresh.py": SERVE,
        "demo/.gitignore": "__pycache__/\n",
        "server.py": SERVER,
        "agent": AGENT,
        "shell": '#!/bin/sh\n[ $# = 0 ] || exec bash "$@"\nexec bash --noprofile --rcfile ~/.bashrc -i\n',
        ".bashrc": "PS1='\\[\\e[1;94m\\]\\w\\[\\e[0m\\] $ '\nHISTFILE=\nalias ls='ls --color'\n",
        ".vimrc": (
            "set nocompatible number background=dark termguicolors laststatus=2 ruler title viminfo= noswapfile\n"
            "syntax on\nsilent! colorscheme habamax\n"
            "if $DEMO_BACKGROUND == 'light'\n"
            "  set background=light\n  silent! colorscheme lunaperche\n  highlight Normal guibg=NONE\nendif\n"
        ),
        ".nanorc": 'include "/usr/share/nano/*.nanorc"\nset linenumbers\n',
        ".tmux.conf": "set -g status-right ''\nset -g default-terminal tmux-256color\nset -g escape-time 0\n",
        ".claude.json": _known_to_claude(home),
        ".codex/config.toml": f'[projects."{home / "demo"}"]\ntrust_level = "trusted"\n',
        ".gemini/settings.json": json.dumps(
            {
                "security": {"auth": {"selectedType": "gemini-api-key"}},
                "general": {"disableAutoUpdate": True, "disableUpdateNag": True},
                "privacy": {"usageStatisticsEnabled": False},
            }
        ),
        ".pythonrc": "import sys; sys.ps1 = '>>> '\n",
        ".config/mc/ini": MC,
        "narrow": HTOP.format(layout="one_100", left="CPU", left_modes="1", more=""),
        "wide": HTOP.format(
            layout="two_50_50",
            left="AllCPUs",
            left_modes="1",
            more="column_meters_1=Memory Swap\ncolumn_meter_modes_1=1 1\n",
        ),
    }
    for name, text in files.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (home / "shell").chmod(0o755)
    (home / "run").mkdir(mode=0o700)


def _environment(home: Path) -> None:
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "LD_LIBRARY_PATH") if name in os.environ}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ.clear()
    os.environ.update(
        **kept,
        PATH=path,
        HOME=str(home),
        SHELL=str(home / "shell"),
        LC_ALL="C.UTF-8",
        XDG_RUNTIME_DIR=str(home / "run"),
        XDG_CONFIG_HOME=str(home / ".config"),
        TMUX_TMPDIR=str(home / "run"),
        FUGUE_CONFIG=str(home / "config.toml"),
        LESSHISTFILE="-",
        PYTHONDONTWRITEBYTECODE="1",
        PAGER="less -R",
        EDITOR="vim",
    )
    for role in ("AUTHOR", "COMMITTER"):
        os.environ[f"GIT_{role}_NAME"] = "Ada"
        os.environ[f"GIT_{role}_EMAIL"] = "ada@example.org"


def _commit() -> None:
    """Give the project a past."""
    steps = (
        ("Add up waves", ["tides.py", ".gitignore"]),
        ("Test each wave", ["test_tides.py"]),
        ("Say what this is", ["README.md"]),
        ("Serve tables", ["serve.py", "refresh.py"]),
    )
    _git("init", "-q", "-b", "main")
    _git("config", "log.decorate", "false")
    for day, (subject, files) in enumerate(steps, 1):
        os.environ["GIT_AUTHOR_DATE"] = os.environ["GIT_COMMITTER_DATE"] = f"2026-06-0{day}T12:00:00+0000"
        _git("add", *files)
        _git("commit", "-q", "-m", subject)


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], check=True)


WORKERS: list[int] = []
"""The processes of the project that htop shows."""


@contextmanager
def workers(folder: Path) -> Generator[None]:
    """Some programs of the project at work."""
    words = (["python3", "serve.py"], ["python3", "refresh.py"], ["sleep", "infinity"], ["cat"])
    running = [
        subprocess.Popen(
            argv, executable=sys.executable if argv[0] == "python3" else None, cwd=folder, stdin=subprocess.PIPE
        )
        for argv in words
    ]
    WORKERS[:] = [each.pid for each in running]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.communicate()
