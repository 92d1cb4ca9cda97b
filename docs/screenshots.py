"""Makes the pictures in this folder with the program itself: `python docs/screenshots.py [NAME...]`.

Each picture is the real app over real programs in a made-up home with a small project; nothing of the machine it runs
on is in it. A picture whose program is not installed is left out, with a message.
"""

import asyncio
import json
import os
import shutil
import subprocess
import sys
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS.parent))

import demo  # noqa: E402
from camera import COLOURS, LIGHT, Camera  # noqa: E402


def main(wanted: list[str]) -> int:
    """Make the pictures with these names, or all."""
    unknown = [name for name in wanted if name not in PICTURES]
    if unknown:
        print(f"no picture {unknown[0]}; there are {', '.join(PICTURES)}", file=sys.stderr)
        return 2
    with demo.home() as home, demo.workers(home / "demo"):
        for name in wanted or PICTURES:
            program, make = PICTURES[name]
            if shutil.which(program) is None:
                print(f"{name}: left out, {program} is not installed", file=sys.stderr)
                continue
            light = name.endswith("-light")
            os.environ["DEMO_BACKGROUND"], colours = ("light", LIGHT) if light else ("dark", COLOURS)
            asyncio.run(make(Camera(DOCS / f"{name}.svg", str(home / "run" / "demo.sock"), colours)))
            print(f"docs/{name}.svg")
    return 0


# The pictures


def _htop(config: str) -> list[str]:
    return ["sh", "-c", f"HTOPRC=~/{config} exec htop -p {','.join(map(str, demo.WORKERS))}"]


def _pane(name: str, ratio: float, command: str | list[str] | None = None) -> dict[str, Any]:
    return {"ratio": ratio, "pane": {"name": name, **({"command": command} if command else {})}}


def _demo(*right: dict[str, Any]) -> str:
    """An editor on the left, and panes one above the other or as a grid on the right."""
    layout = {
        "direction": "horizontal",
        "splits": [
            _pane("editor", 0.5, ["vim", "+18", "tides.py"]),
            {"ratio": 0.5, "layout": {"direction": "vertical", "splits": list(right)}},
        ],
    }
    return json.dumps(layout)


def _row(ratio: float, *panes: dict[str, Any]) -> dict[str, Any]:
    return {"ratio": ratio, "layout": {"direction": "horizontal", "splits": list(panes)}}


TESTS = ["sh", "-c", "python3 -m pytest -q --color=yes --no-header -p no:cacheprovider; exec cat"]


@asynccontextmanager
async def _demo_workspace(camera: Camera) -> AsyncGenerator[None]:
    rows = (
        _row(0.5, _pane("shell", 0.5), _pane("htop", 0.5, _htop("narrow"))),
        _pane("tests", 0.5, TESTS),
    )
    async with camera.workspace("create-layout", "--name", "tides", "--layout", _demo(*rows), cols=164, rows=42):
        await camera.until("Constituent")
        await camera.until("$", pane=2)
        await camera.type("ls", pane=2)
        await camera.until("tides.py", pane=2)
        await camera.type("git log --oneline", pane=2)
        await camera.until("Serve", pane=2)
        await camera.until("python3 s", pane=3)
        await camera.until_busy(pane=3)
        await camera.until("passed", pane=4)
        yield


async def _front(camera: Camera) -> None:
    """FEAT-045's request, to a real Claude Code: it reads the tests that run in a pane, and asks before it edits."""
    with demo.agents(camera.socket) as lines:
        rows = (
            _pane("claude", 0.7, ["sh", "-c", lines["claude"]]),
            _row(0.3, _pane("tests", 0.5, TESTS), _pane("shell", 0.5)),
        )
        call = ("create-layout", "--name", "tides", "--layout", _demo(*rows))
        async with camera.workspace(*call, cols=164, rows=46, served=True):
            await camera.until("Constituent")
            await camera.until("$", pane=4)
            await camera.type("git log --oneline", pane=4)
            await camera.until("make this edit", pane=2)
            await camera.until_asked(pane=2)
            await camera.until("passed", pane=3)
            camera.command("create-window", "--name", "notes", "--no-focus")


async def _agents(camera: Camera) -> None:
    """Real agents of three makers, in the states that they show."""
    with demo.agents(camera.socket) as lines:
        left = (_pane("coder", 0.75, ["sh", "-c", lines["claude"]]), _pane("tests", 0.25, TESTS))
        right = (
            _pane("reviewer", 0.5, ["sh", "-c", lines["codex"]]),
            _pane("writer", 0.5, ["sh", "-c", lines["gemini"]]),
        )
        columns = [{"ratio": 0.5, "layout": {"direction": "vertical", "splits": list(each)}} for each in (left, right)]
        layout = {"direction": "horizontal", "splits": columns}
        call = ("create-layout", "--name", "tides", "--layout", json.dumps(layout))
        async with camera.workspace(*call, cols=164, rows=46, served=True):
            await camera.until("make this edit")
            await camera.until_asked()
            await camera.until("a cache of a minute", pane=3)
            await camera.until("moon's tilt", pane=4)


async def _which_key(camera: Camera) -> None:
    async with _demo_workspace(camera):
        await camera.press("ctrl+b")
        camera.app.show_keys(camera.app.keyboard.hints())


async def _help(camera: Camera) -> None:
    async with _demo_workspace(camera):
        await camera.press("ctrl+b", "question_mark")


async def _palette(camera: Camera) -> None:
    async with _demo_workspace(camera):
        await camera.press("ctrl+b", "p", *"layout")
        await camera.pilot.pause(0.5)


async def _floating(camera: Camera) -> None:
    async with _demo_workspace(camera):
        await camera.press("ctrl+b", "b")
        await camera.pilot.pause(0.5)
        await camera.until("$", pane=5)
        await camera.type("git diff --stat HEAD~1", pane=5)
        await camera.until("changed", pane=5)


async def _stacked(camera: Camera) -> None:
    rows = (_pane("shell", 0.3), _pane("htop", 0.3, _htop("narrow")), _pane("tests", 0.4, TESTS))
    async with camera.workspace("create-layout", "--name", "tides", "--layout", _demo(*rows), cols=130, rows=32):
        await camera.until("Constituent")
        await camera.until("passed", pane=4)
        camera.command("stack-panes", "--pane", "%4")
        camera.command("focus-pane", "%4")


async def _agent_list(camera: Camera) -> None:
    """Three real agents in a window, and the list of them over another."""
    with demo.agents(camera.socket) as lines:
        names = {"coder": "claude", "reviewer": "codex", "writer": "gemini"}
        panes = [_pane(name, 1 / 3, ["sh", "-c", lines[program]]) for name, program in names.items()]
        layout = {"direction": "horizontal", "splits": panes}
        call = ("create-layout", "--name", "agents", "--layout", json.dumps(layout))
        async with camera.workspace(*call, cols=130, rows=32, served=True):
            await camera.until("make this edit")
            await camera.until_asked()
            await camera.until("a cache of a minute", pane=2)
            await camera.until("moon's tilt", pane=3)
            await camera.press("ctrl+b", "A")
            await camera.pilot.pause(0.5)


async def _tasks(camera: Camera) -> None:
    async with _demo_workspace(camera):
        for title in ("Add low water", "Test low water", "Cache the table of serve.py", "Explain K1 in README.md"):
            camera.command("add-task", "--title", title)
            await camera.pilot.pause(0.2)
        camera.command("claim-task", "--number", "1")
        await camera.press("ctrl+b", "t")
        await camera.pilot.pause(0.5)


async def _tools(camera: Camera) -> None:
    """What an MCP server offers."""
    from fugue_tui.config.model import McpSettings
    from fugue_tui.config.servers import ServerSettings
    from fugue_tui_mcp.client.pool import ConnectionPool

    program = str(Path.home() / "server.py")
    server = ServerSettings(command=sys.executable, args=(program,), env={"PYTHONPATH": os.getcwd()})
    async with _demo_workspace(camera):
        camera.mux.connect_mcp = ConnectionPool
        camera.mux.permissions = McpSettings(servers={"tides": server})
        camera.mux.on_permissions()
        connected = camera.command("connect-server", "--server", "tides")
        await camera.until_true(lambda: connected.done, 1)
        await camera.press("ctrl+b", "k")
        await camera.pilot.pause(1.0)


async def _replay(camera: Camera) -> None:
    async with _demo_workspace(camera):
        cast = Path("log.cast")
        header = {"version": 2, "width": 40, "height": 8}
        lines = subprocess.run(
            ["git", "log", "--oneline", "--color"], check=True, capture_output=True, text=True
        ).stdout
        events = [[0.5 * at, "o", f"{line}\r\n"] for at, line in enumerate(lines.splitlines(), 1)]
        cast.write_text("".join(json.dumps(each) + "\n" for each in [header, *events, [8, "o", "\r\n"]]))
        try:
            camera.command("replay-recording", "log.cast", "--pane", "%2", "--direction", "vertical")
            await camera.until("Add up waves", pane=5)
        finally:
            cast.unlink()


async def _go_to(camera: Camera) -> None:
    async with _demo_workspace(camera):
        await camera.press("ctrl+b", "g")
        await camera.pilot.pause(0.5)


async def _search(camera: Camera) -> None:
    async with _demo_workspace(camera):
        await camera.press("ctrl+b", "slash", *"tides")
        await camera.pilot.pause(1.0)


async def _vim(camera: Camera) -> None:
    async with camera.workspace("create-window", "--", "vim", "-O", "tides.py", "test_tides.py"):
        await camera.until("Constituent", "parametrize")
        await camera.press(*"/amplitude", "enter")


async def _htop_picture(camera: Camera) -> None:
    async with camera.workspace("create-window", "--", *_htop("wide")):
        await camera.until("serve.py", "F10")
        await camera.until_busy()


async def _less(camera: Camera) -> None:
    async with camera.workspace("create-window", "--", "sh", "-c", "git log -p --color README.md | less -R"):
        await camera.until("Grüße")


async def _nano(camera: Camera) -> None:
    async with camera.workspace("create-window", "--", "nano", "tides.py"):
        await camera.until("Constituent", "Exit")


async def _mc(camera: Camera) -> None:
    async with camera.workspace("create-window", "--", "mc", "-u"):
        await camera.until("tides.py", "Quit")
        await camera.press("down", "down", "down")


async def _python(camera: Camera) -> None:
    async with camera.workspace("create-window", "--", "python3", "-q"):
        await camera.until(">>>")
        for line in (
            "from datetime import datetime; from tides import *",
            "[f'{time:%a %H:%M}' for time in high_waters(datetime(2026, 6, 1), 3)]",
            "for hour in range(13): print(f'{hour:2}', '▒' * round(height(hour) * 10 + 22))",
            "",
            "print('e\\u0301', '日本', '👩‍🔬', '🌊')",
        ):
            await camera.type(line)
            await camera.settled()


async def _tmux(camera: Camera) -> None:
    try:
        async with camera.workspace("create-window", "--", "tmux", "new-session", "-s", "demo"):
            await camera.until("$", "[demo]")
            subprocess.run(["tmux", "split-window", "-h", "nano tides.py"], check=True)
            await camera.until("Constituent")
            subprocess.run(["tmux", "select-pane", "-L"], check=True)
            await camera.type("git log --oneline")
            await camera.until("Serve")
    finally:
        subprocess.run(["tmux", "kill-server"], check=False)


async def _nested(camera: Camera) -> None:
    call = ("create-window", "--", "fugue-tui", "inner", "--foreground")
    async with camera.workspace(*call):
        await camera.until("inner", "$")
        await camera.press("ctrl+b", "percent_sign")
        await camera.until("$", pane=2)
        await camera.type("less README.md", pane=2)
        await camera.until("M2", pane=2)
        await camera.press("alt+left")
        await camera.type("git log --oneline")
        await camera.until("Serve")
        await camera.press("ctrl+b", "ctrl+b", "quotation_mark")
        await camera.until("%2")


async def _workspace(camera: Camera, name: str, *words: tuple[int, str], **commands: str | list[str]) -> None:
    """One of the workspaces that come along, with other commands where the machine would show."""
    call = ("load-workspace", name, "--commands", json.dumps(commands))
    async with camera.workspace(*call, cols=130, rows=32):
        for pane, word in words:
            await camera.until(word, pane=pane)


async def _debug_session(camera: Camera) -> None:
    Path("tides.log").write_text("".join(f"12:0{n} high water {n * 12 + 1} min late\n" for n in range(9)))
    Path("pyproject.toml").write_text("")
    try:
        code = "vim +26 tides.py"
        await _workspace(camera, "debug-session", (1, "Constituent"), (2, "12:08"), (3, "pdb"), code=code)
    finally:
        Path("tides.log").unlink()
        Path("pyproject.toml").unlink()


async def _full_stack(camera: Camera) -> None:
    scripts = {"scripts": {"dev": "vite", "test": "vitest"}}
    Path("web").mkdir()
    Path("web", "package.json").write_text(json.dumps(scripts))
    Path("Cargo.toml").write_text("")
    try:
        await _workspace(camera, "full-stack", (1, "npm run dev"), (2, "cargo run"), (3, "$"), (4, "cargo test"))
    finally:
        shutil.rmtree("web")
        Path("Cargo.toml").unlink()


async def _agent_team(camera: Camera) -> None:
    leader = ["sh", "-c", "cat ~/agent; exec cat"]
    worker = ["sh", "-c", "tail -n 8 ~/agent; exec cat"]
    await _workspace(camera, "agent-team-3", (1, "low water"), leader=leader, worker1=worker, worker2=worker)


async def _monitoring(camera: Camera) -> None:
    logs = ["sh", "-c", "git log --format='%ad demo[%h]: %s' --date=format:'%b %d %H:%M:%S'; exec cat"]
    metrics = ["sh", "-c", "printf ' 12:00:00 up 3 days\nload average: 0.42, 0.31, 0.27\n'; exec cat"]
    await _workspace(
        camera, "monitoring", (1, "serve.py"), (2, "Serve"), (3, "load"),
        processes=_htop("narrow"), logs=logs, metrics=metrics,
    )  # fmt: skip


Make = Callable[[Camera], Coroutine[Any, Any, None]]
PICTURES: dict[str, tuple[str, Make]] = {
    "screenshot": ("claude", _front),
    "agents": ("gemini", _agents),
    "which-key": ("vim", _which_key),
    "help": ("vim", _help),
    "palette": ("vim", _palette),
    "help-light": ("vim", _help),
    "palette-light": ("vim", _palette),
    "floating": ("git", _floating),
    "stacked": ("vim", _stacked),
    "agent-list": ("gemini", _agent_list),
    "tasks": ("vim", _tasks),
    "tools": ("vim", _tools),
    "replay": ("vim", _replay),
    "go-to": ("vim", _go_to),
    "search": ("vim", _search),
    "vim": ("vim", _vim),
    "htop": ("htop", _htop_picture),
    "less": ("less", _less),
    "nano": ("nano", _nano),
    "mc": ("mc", _mc),
    "python": ("python3", _python),
    "tmux": ("tmux", _tmux),
    "nested": ("bash", _nested),
    "debug-session": ("vim", _debug_session),
    "full-stack": ("git", _full_stack),
    "agent-team-3": ("git", _agent_team),
    "monitoring": ("htop", _monitoring),
}
"""Each picture's name, the program it needs, and how it is made."""


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
