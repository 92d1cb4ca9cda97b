"""Messages among agents while the server is killed, and how soon a team has its tasks."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from bench.plan import Plan, middle
from bench.table import Row
from fugue_tui.client import command_request
from fugue_tui.errors import SocketError

AGENTS: Final = 16
MEMBERS: Final = 8
_AGENT: Final = r"""#!{python}
import os, sys, tty
def report(state):
    os.write(1, b"\033]7501;state=" + state + b":app=agent\007")
tty.setraw(0)
name, text = sys.argv[1], b""
report(b"idle")
while char := os.read(0, 1):
    if char == b"\r":
        log = os.open(os.path.join({folder!r}, name), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        os.write(log, text + b"\n")
        os.close(log)
        text = b""
        report(b"working")
        report(b"done")
    else:
        text += char
"""
_CONFIG: Final = """
[session]
restore = "always"
rerun = "all"
save_seconds = 1
"""


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    yield from _kills(plan)
    yield _team(plan)


class _Workspace:
    """A workspace without a terminal, in directories of its own, that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._env = {**os.environ, **{name: str(folder / name[4:6].lower()) for name in _DIRECTORIES}}
        for name in ("FUGUE_SOCKET", "FUGUE_PANE", "FUGUE_WORKSPACE", "FUGUE_STATE"):
            self._env.pop(name, None)
        for name in _DIRECTORIES:
            Path(self._env[name]).mkdir(mode=0o700, parents=True, exist_ok=True)
        config = Path(self._env["XDG_CONFIG_HOME"], "fugue-tui", "config.toml")
        config.parent.mkdir(mode=0o700, exist_ok=True)
        config.write_text(_CONFIG)
        self._socket = str(Path(self._env["XDG_RUNTIME_DIR"], "fugue-tui", "bench.sock"))
        self._process: subprocess.Popen[bytes] | None = None
        agent = folder / "agent"
        (folder / "logs").mkdir(exist_ok=True)
        agent.write_text(_AGENT.format(python=sys.executable, folder=str(folder / "logs")))
        agent.chmod(0o755)
        self.agent = str(agent)

    def start(self) -> None:
        """Run it, and wait until it answers."""
        words = (sys.executable, "-m", "fugue_tui", "serve", "bench")
        self._process = subprocess.Popen(words, env=self._env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda: self.answers())

    def answers(self) -> bool:
        """Whether it can be asked."""
        try:
            return "json" in self.ask("list-panes")
        except (SocketError, OSError):
            return False

    def ask(self, *words: str) -> dict[str, Any]:
        """Run a command. Raises SocketError if the workspace does not answer."""
        return dict(command_request.ask(self._socket, words, 120.0))

    def result(self, *words: str) -> Any:
        """The result of a command that has to succeed."""
        answer = self.ask(*words)
        if answer["exit"]:
            raise RuntimeError(str(answer["text"]))
        return answer["json"]

    def kill(self) -> None:
        """Kill it at once."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()

    def logs(self) -> Mapping[str, list[str]]:
        """The lines that each agent was given."""
        return {file.name: file.read_text().splitlines() for file in (self.folder / "logs").iterdir()}


_DIRECTORIES: Final = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME")


def until(condition: Any, seconds: float = 90.0) -> bool:
    """Whether a condition holds within so many seconds."""
    end = time.monotonic() + seconds
    while not (found := condition()) and time.monotonic() < end:
        time.sleep(0.05)
    return bool(found)


def _kills(plan: Plan) -> Iterator[Row]:
    """Send messages to agents, and kill the server three times meanwhile."""
    count = plan.often(1000, 100)
    place = _Workspace(plan.folder)
    place.start()
    try:
        names = [f"a{number}" for number in range(AGENTS)]
        for name in names:
            place.result("start-agent", "--program", place.agent, "--name", name, "--place", "window",
                         "--arguments", name, "--wait", "0")  # fmt: skip
        until(lambda: len(place.result("list-agents")["agents"]) == AGENTS)
        time.sleep(3)  # The panes are saved.
        accepted, uncertain = dict[str, str](), set[str]()
        for number in range(count):
            if number in (count // 4, count // 2, 3 * count // 4):
                place.kill()
                place.start()
            name, text = names[number % AGENTS], f"<{number}>"
            try:
                place.result("send-message", "--to", name, "--text", text)
                accepted[text] = name
            except SocketError:
                uncertain.add(text)
        until(lambda: not _messages(place, "queued", "typing"))
        unconfirmed = {each["text"] for each in _messages(place, "unconfirmed")}
        seen = Counter(text for lines in place.logs().values() for line in lines for text in _texts(line))
        wrong = sum(text in line for name, lines in place.logs().items() for line in lines
                    for text in _texts(line) if accepted.get(text, name) != name)  # fmt: skip
    finally:
        place.kill()
    lost = [text for text in accepted if not seen[text] and text not in unconfirmed]
    doubled = sum(times > 1 for times in seen.values())
    typed = sum(bool(seen[each]) for each in accepted)
    note = f"{len(accepted)} accepted, {typed} typed, {len(unconfirmed)} unconfirmed"
    what = f"{count} messages among {AGENTS} agents, three kill -9: lost"
    yield Row("messages", what, "", len(lost), most=0, note=note)
    yield Row("messages", "the same: typed twice", "", doubled, most=0)
    yield Row("messages", "the same: to another agent", "", wrong, most=0)


def _messages(place: _Workspace, *states: str) -> list[dict[str, Any]]:
    words = [word for state in states for word in ("--states", state)]
    return place.result("list-messages", "--limit", "500", *words)["messages"]


def _texts(line: str) -> list[str]:
    return [f"<{part.partition('>')[0]}>" for part in line.split("<")[1:]]


def _team(plan: Plan) -> Row:
    """From `start-team` until all members have their tasks, beside a shell script that does it with tmux."""
    place = _Workspace(plan.folder / "team")
    file = place.folder / "eight.toml"
    members = "".join(
        f'[[members]]\nname = "m{number}"\nprogram = "{place.agent}"\narguments = ["m{number}"]\n'
        f'briefing = "task {number}"\n'
        for number in range(MEMBERS)
    )
    file.write_text(f'version = 1\nname = "eight"\nlayout = "tiled"\n{members}')
    ours, theirs = list[float](), list[float]()
    place.start()
    try:
        for turn in range(plan.often(5, 1)):
            before, began = _told(place), time.perf_counter()
            place.result("start-team", "--team", str(file), "--name", f"eight-{turn}")
            until(lambda before=before: _told(place) == before + MEMBERS)
            ours.append(1000 * (time.perf_counter() - began))
            place.result("stop-team", "--team", f"eight-{turn}")
            theirs.append(_by_tmux(place))
    finally:
        place.kill()
    return Row(
        "messages", f"start-team of {MEMBERS} until all are briefed", "ms", middle(ours), middle(theirs),
        samples={"fugue": ours, "tmux": theirs},
        note="tmux: a shell script that polls each terminal until its program reads keys",
    )  # fmt: skip


def _told(place: _Workspace) -> int:
    return sum(line.startswith("task") for lines in place.logs().values() for line in lines)


def _by_tmux(place: _Workspace) -> float:
    """The same by a shell script: panes are opened, and each gets its task once its program reads keys."""
    before = _told(place)
    script = "\n".join(
        [
            "set -e",
            "t='tmux -L fugue-bench -f /dev/null'",
            "$t new-session -d -x 160 -y 48 -s team sleep 1000",
            *(f"$t split-window -d -t team '{place.agent} t{number}'; $t select-layout -t team tiled"
              for number in range(MEMBERS)),
            f"for pane in $(seq 1 {MEMBERS}); do",
            "  tty=$($t display -p -t team:0.$pane '#{pane_tty}')",
            "  until stty -F $tty -a | grep -q -- -icanon; do sleep 0.05; done",
            '  $t send-keys -t team:0.$pane -l "task $pane"; $t send-keys -t team:0.$pane Enter',
            "done",
        ]
    )  # fmt: skip
    began = time.perf_counter()
    try:
        subprocess.run(("sh", "-c", script), check=True)
        until(lambda: _told(place) == before + MEMBERS)
        return 1000 * (time.perf_counter() - began)
    finally:
        subprocess.run(("tmux", "-L", "fugue-bench", "kill-server"), check=False)
