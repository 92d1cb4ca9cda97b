"""Ten tasks of agents over MCP: calls, characters that the model receives, and seconds.

The reference is libtmux-mcp, found on PATH or by LIBTMUX_MCP; install it in an environment of its own. Both get
the calls that their tools' descriptions suggest to a model, and every task checks that it was done. A wait of
libtmux-mcp does not find what was printed before it began, so that it ends by its time-out after fast programs.
"""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from bench.agent import Agent
from bench.plan import Plan
from bench.subjects import PROMPT, Stage, TmuxStage
from bench.table import Row

MOST_CALLS: Final = 40
MOST_CHARACTERS: Final = 14_000
MOST_SECONDS: Final = 15
PORT: Final = 18_437
SETS: Final = "inspect,manage,execute,teardown"
"""Of libtmux-mcp: all."""
PROGRAMS: Final = {
    "test_it.py": "import unittest\n\n\nclass It(unittest.TestCase):\n    def test_sum(self):\n"
    "        self.assertEqual(1 + 1, 3)\n\n    def test_more(self):\n        pass\n",
    "ask.sh": "printf 'Continue? [y/n] '; read answer; stty -echo; printf 'Password: '; read secret; stty echo; "
    "echo; echo welcome $answer\n",
    "log.sh": "for i in 1 2 3 4 5 6 7 8; do echo line $i; sleep 0.1; done; echo ERROR: disk full; exec sleep 60\n",
    "stubborn.sh": "trap '' INT TERM; echo ready; while :; do sleep 0.1; done\n",
    "notes.txt": "first\n",
}


class Calls:
    """Makes the calls of one task and counts them."""

    def __init__(self, agent: Agent) -> None:
        self._agent, self.count, self.characters = agent, 0, 0

    def __call__(self, tool: str, **arguments: Any) -> str:
        """The text of a result; an error's text too."""
        return self.at_once((tool, arguments))[0]

    def at_once(self, *calls: tuple[str, Mapping[str, Any]]) -> list[str]:
        """The texts of the results of concurrent calls."""
        texts = [_text(result) for result in self._agent.answers(calls)]
        self.count += len(texts)
        self.characters += sum(map(len, texts))
        return texts


Done = Callable[[Calls, Path], bool]


class Task(NamedTuple):
    """A task with both ways to do it, each of which says whether it was done."""

    name: str
    fugue: Done
    tmux: Done


class Cost(NamedTuple):
    """What a task took."""

    calls: int
    characters: int
    seconds: float
    done: bool


def measure(plan: Plan) -> Iterator[Row]:
    """A row a task, and the sums with their targets."""
    ours, theirs = _fugue(plan), _libtmux(plan)
    for task in TASKS:
        note = f"fugue {_shown(ours[task.name])}" + (f"; libtmux-mcp {_shown(theirs[task.name])}" if theirs else "")
        yield Row("tasks", task.name, "calls", ours[task.name].calls, _calls(theirs.get(task.name)), note=note)
    missing = "" if theirs else "without libtmux-mcp, which is not on PATH"
    for index, (unit, most) in enumerate((("calls", MOST_CALLS), ("characters", MOST_CHARACTERS), ("s", MOST_SECONDS))):
        mine, other = (sum(cost[index] for cost in costs.values()) for costs in (ours, theirs))
        yield Row("tasks", f"all ten, {unit}", unit, mine, other or None, most=most, note=missing)
    failed = sum(not cost.done for cost in ours.values())
    yield Row("tasks", "not done", "tasks", failed, sum(not cost.done for cost in theirs.values()), most=0)


def _calls(cost: Cost | None) -> float | None:
    return cost.calls if cost else None


def _shown(cost: Cost) -> str:
    return f"{cost.calls}, {cost.characters:,} chars, {cost.seconds:.1f} s{'' if cost.done else ', not done'}"


def _fugue(plan: Plan) -> dict[str, Cost]:
    with plan.fugue.bare(plan.folder) as stage:
        stage.host.until_text(PROMPT)
        return _costs(plan, stage, Agent(stage.env), lambda task: task.fugue)


def _libtmux(plan: Plan) -> dict[str, Cost]:
    """The same with libtmux-mcp; empty without it."""
    program = os.environ.get("LIBTMUX_MCP") or shutil.which("libtmux-mcp")
    if not program:
        return {}
    with plan.tmux.bare(plan.folder) as stage:
        stage.host.until_text(PROMPT)
        env = {**stage.env, "LIBTMUX_SOCKET": cast("TmuxStage", stage).name, "LIBTMUX_TOOLSETS": SETS}
        return _costs(plan, stage, Agent(env or stage.env, [program]), lambda task: task.tmux)


def _costs(plan: Plan, stage: Stage, connected: Agent, way: Callable[[Task], Done]) -> dict[str, Cost]:
    folder = plan.folder / "tasks"
    folder.mkdir(exist_ok=True)
    with connected as agent:
        agent.list_tools()
        found: dict[str, Cost] = {}
        for task in TASKS:
            for name, text in PROGRAMS.items():
                (folder / name).write_text(text)
            calls, began = Calls(agent), time.monotonic()
            done = way(task)(calls, folder)
            found[task.name] = Cost(calls.count, calls.characters, time.monotonic() - began, done)
            stage.host.run(0.1)
        return found


def _text(result: Mapping[str, Any]) -> str:
    return "\n".join(part["text"] for part in result["content"] if "text" in part)


def _field(text: str, name: str) -> str:
    """A field of an answer in JSON."""
    return str(json.loads(text)[name])


# Fugue


def _shell(calls: Calls, folder: Path) -> str:
    """A new shell's pane in a window of its own."""
    return _field(calls("fugue_split_pane", place="window", cwd=str(folder)), "id")


def _tests(calls: Calls, folder: Path) -> bool:
    ran = calls("fugue_run_command", command="python3 -m unittest -q", cwd=str(folder), intent=True, keep="never")
    return "test_sum" in ran and '"exit_code":1' in ran


def _server(calls: Calls, folder: Path) -> bool:
    pane = _shell(calls, folder)
    calls("fugue_send_input", pane=pane, text=f"python3 -m http.server {PORT}", submit=True, wait_for=["Serving HTTP"])
    page = calls("fugue_run_command", command=f"curl -s localhost:{PORT}/notes.txt", keep="never")
    return "first" in page and '"ended":true' in calls("fugue_interrupt_pane", pane=pane)


def _vim(calls: Calls, folder: Path) -> bool:
    pane = _shell(calls, folder)
    calls("fugue_send_input", pane=pane, text="vi notes.txt", submit=True, wait_for=['notes.txt"'])
    steps = [{"text": "Gosecond"}, {"key": "Escape"}, {"text": ":wq"}, {"key": "Enter"}]
    calls("fugue_send_input", pane=pane, steps=steps, wait_for=["written"])
    return "second" in calls("fugue_execute_command", pane=pane, command="cat notes.txt")


def _python(calls: Calls, folder: Path) -> bool:
    pane = _shell(calls, folder)
    asked = {"pane": pane, "submit": True, "wait_for": [">>> "]}
    calls("fugue_send_input", text="python3 -q", **asked)
    calls("fugue_send_input", text="x = 6 * 7", **asked)
    answer = calls("fugue_send_input", text="print(x)", **asked)
    calls("fugue_send_input", pane=pane, keys=["C-d"])
    return "42" in answer


def _questions(calls: Calls, folder: Path) -> bool:
    pane = _shell(calls, folder)
    calls("fugue_send_input", pane=pane, text="sh ask.sh", submit=True, wait_for=["[y/n]"])
    asked = calls("fugue_send_input", pane=pane, text="y", submit=True, wait_for=["Password:"])
    calls("fugue_interrupt_pane", pane=pane)  # A password is the user's to type.
    return '"outcome":"matched"' in asked


def _search(calls: Calls, folder: Path) -> bool:
    return "first" in calls("fugue_search_panes", pattern="first")


def _layout(calls: Calls, folder: Path) -> bool:
    row: dict[str, Any] = {"direction": "horizontal", "splits": [{"pane": {}}, {"pane": {}}]}
    right: dict[str, Any] = {"direction": "vertical", "splits": [{"layout": row}, {"layout": row}]}
    tree: dict[str, Any] = {
        "direction": "horizontal",
        "splits": [{"ratio": 0.65, "pane": {}}, {"ratio": 0.35, "layout": right}],
    }
    return len(json.loads(calls("fugue_create_layout", layout=tree))["panes"]) == 5


def _log(calls: Calls, folder: Path) -> bool:
    pane = _shell(calls, folder)
    ended = calls(
        "fugue_send_input", pane=pane, text="sh log.sh", submit=True, wait_for=["READY", "ERROR:"], timeout=10
    )
    calls("fugue_interrupt_pane", pane=pane)
    return "disk full" in ended


def _parallel(calls: Calls, folder: Path) -> bool:
    each = {"command": "sleep 1; echo done", "place": "window", "keep": "never"}
    return all('"exit_code":0' in text for text in calls.at_once(*[("fugue_run_command", each)] * 2))


def _hung(calls: Calls, folder: Path) -> bool:
    pane = _shell(calls, folder)
    calls("fugue_send_input", pane=pane, text="sh stubborn.sh", submit=True, wait_for=["ready"])
    calls("fugue_execute_command", pane=pane, command="echo next")
    ended = calls("fugue_interrupt_pane", pane=pane, escalate=True, wait=0.5)
    return '"sigkill"' in ended and "next" in calls("fugue_execute_command", pane=pane, command="echo next")


# libtmux-mcp


def _tmux_shell(calls: Calls, folder: Path) -> str:
    return _field(calls("split_window", start_directory=str(folder), direction="below"), "pane_id")


def _tmux_close(calls: Calls, pane: str, done: bool) -> bool:
    """Close the pane, as there is no room for another ten."""
    calls("kill_pane", pane_id=pane)
    return done


def _typed(calls: Calls, pane: str, text: str, *wanted: str) -> str:
    """Type a line and wait for a text."""
    calls("send_keys", pane_id=pane, keys=text)
    return calls("wait_for_text", pane_id=pane, patterns=list(wanted), timeout=2)


def _tmux_tests(calls: Calls, folder: Path) -> bool:
    pane = _tmux_shell(calls, folder)
    ran = calls("run_command", pane_id=pane, command="python3 -m unittest -q", timeout=30)
    return _tmux_close(calls, pane, "test_sum" in ran)


def _tmux_server(calls: Calls, folder: Path) -> bool:
    pane, other = _tmux_shell(calls, folder), _tmux_shell(calls, folder)
    _typed(calls, pane, f"python3 -m http.server {PORT}", "Serving HTTP")
    page = calls("run_command", pane_id=other, command=f"curl -s localhost:{PORT}/notes.txt", timeout=10)
    calls("send_keys", pane_id=pane, keys="C-c", enter=False)
    _tmux_close(calls, other, done=True)
    return _tmux_close(calls, pane, "first" in page)


def _tmux_vim(calls: Calls, folder: Path) -> bool:
    pane = _tmux_shell(calls, folder)
    _typed(calls, pane, "vi notes.txt", 'notes.txt"')
    for keys, enter in (("Gosecond", False), ("Escape", False), (":wq", True)):
        calls("send_keys", pane_id=pane, keys=keys, enter=enter)
    calls("wait_for_text", pane_id=pane, patterns=["written"], timeout=2)
    return _tmux_close(calls, pane, "second" in calls("run_command", pane_id=pane, command="cat notes.txt"))


def _tmux_python(calls: Calls, folder: Path) -> bool:
    pane = _tmux_shell(calls, folder)
    _typed(calls, pane, "python3 -q", ">>> ")
    _typed(calls, pane, "x = 6 * 7", ">>> ")
    _typed(calls, pane, "print(x)", "42")
    return _tmux_close(calls, pane, "42" in calls("capture_pane", pane_id=pane))


def _tmux_questions(calls: Calls, folder: Path) -> bool:
    pane = _tmux_shell(calls, folder)
    _typed(calls, pane, "sh ask.sh", "[y/n]")
    _typed(calls, pane, "y", "Password:")
    return _tmux_close(calls, pane, "Password:" in calls("capture_pane", pane_id=pane))


def _tmux_search(calls: Calls, folder: Path) -> bool:
    return bool(calls("search_panes", pattern="first"))


def _tmux_layout(calls: Calls, folder: Path) -> bool:
    left = _field(calls("create_window"), "window_id")
    right = _field(calls("split_window", window_id=left, direction="right", size="35%"), "pane_id")
    below = _field(calls("split_window", pane_id=right, direction="below"), "pane_id")
    for pane in (right, below):
        calls("split_window", pane_id=pane, direction="right")
    return "5" in calls("get_window_info", window_id=left)


def _tmux_log(calls: Calls, folder: Path) -> bool:
    pane = _tmux_shell(calls, folder)
    ended = _typed(calls, pane, "sh log.sh", "READY", "ERROR:")
    calls("send_keys", pane_id=pane, keys="C-c", enter=False)
    return _tmux_close(calls, pane, "ERROR" in ended)


def _tmux_parallel(calls: Calls, folder: Path) -> bool:
    panes = [_tmux_shell(calls, folder) for _ in range(2)]
    texts = calls.at_once(
        *(("run_command", {"pane_id": pane, "command": "sleep 1; echo done", "timeout": 10}) for pane in panes)
    )
    return all(_tmux_close(calls, pane, "done" in text) for pane, text in zip(panes, texts, strict=True))


def _tmux_hung(calls: Calls, folder: Path) -> bool:
    pane = _tmux_shell(calls, folder)
    _typed(calls, pane, "sh stubborn.sh", "ready")
    calls("send_keys", pane_id=pane, keys="C-c", enter=False)
    calls("capture_pane", pane_id=pane)
    calls("respawn_pane", pane_id=pane)
    return _tmux_close(calls, pane, "next" in calls("run_command", pane_id=pane, command="echo next", timeout=10))


TASKS: Final = (
    Task("run tests and report", _tests, _tmux_tests),
    Task("start a server, fetch, stop it", _server, _tmux_server),
    Task("edit a file in vi", _vim, _tmux_vim),
    Task("ask a Python prompt", _python, _tmux_python),
    Task("answer a question, meet a password", _questions, _tmux_questions),
    Task("find a text in all panes", _search, _tmux_search),
    Task("65/35 and quadrants", _layout, _tmux_layout),
    Task("follow a log until its error", _log, _tmux_log),
    Task("two commands at once", _parallel, _tmux_parallel),
    Task("end a program that ignores signals", _hung, _tmux_hung),
)
