"""Agents are started, briefed, restarted and ended; their worktrees go only if nothing is lost."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.control.agents.test_agent_monitor import Fleet
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.agents import messenger, program_rules, worktrees
from fugue_tui.control.agents.messenger import Messenger
from fugue_tui.control.commands import start_agent
from fugue_tui.control.core.changes import until
from fugue_tui.control.core.command import USER, Effect, Origin
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.agents.mailboxes import Mailboxes, MessageState

PROGRAM = """\
#!{python}
import os, signal, sys, termios, tty

def report(state):
    sys.stdout.write("\\033]7501;state=" + state + ":app=stand-in\\007")
    sys.stdout.flush()

def key():
    return os.read(0, 1)

def draw():
    if "--draws" in sys.argv:
        shown = text.replace(b"\\033[200~", b"").replace(b"\\033[201~", b"").strip().replace(b"\\n", b"\\r\\n  ")
        os.write(1, "\\033[2J\\033[H❯ old\\r\\n❯ ".encode() + shown)

print(*sys.argv[1:])
if "--fail" in sys.argv:
    sys.exit("no key")
tty.setraw(0)
report("working")
sys.stdout.write("\\033[?2004h")
if "--trust" in sys.argv:
    report("blocked:kind=permission:msg=VHJ1c3Q/")
    while key() != b"y":
        pass
report("idle")
text, pasting, asked = b"", False, 0
draw()
while True:
    char = key()
    asked = asked + 1 if char == b"\\003" else 0
    if asked >= (9 if "--stubborn" in sys.argv else 2):
        break
    text += char
    pasting = pasting or text.endswith(b"\\033[200~")
    if text.endswith(b"\\033[201~"):
        pasting = False
    draw()
    if char == b"\\r" and "--deaf" in sys.argv:
        sys.argv.remove("--deaf")
        text = text[:-1]
        continue
    if char == b"\\r" and not pasting:
        with open({log!r}, "ab") as file:
            file.write(text + b"|")
        text = b""
        report("working")
        report("done")
report("clear")
"""


@pytest.fixture
def fleet(room: Room, monkeypatch: pytest.MonkeyPatch) -> Fleet:
    """A workspace in which agents are found as soon as they print."""
    monkeypatch.setattr(messenger, "ANSWER_SECONDS", 0.0)
    monkeypatch.setattr(messenger, "RETRY_SECONDS", 0.02)
    monkeypatch.setattr(messenger, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr("fugue_tui.control.agents.agent_finder.SECONDS", (0.01, 0.1, 0.1))
    found = Fleet(room)
    found.finder.start()
    Messenger(room.mux)
    room.cat("shell")
    return found


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A stand-in for an agent."""
    path = tmp_path / "standin"
    path.write_text(PROGRAM.format(python=sys.executable, log=str(tmp_path / "log")))
    path.chmod(0o755)
    return path


def started(fleet: Fleet, line: str, origin: Origin = USER) -> Any:
    return fleet.room.run(parse(line), origin)


def log(program: Path) -> list[str]:
    """What the stand-in was given, each up to Enter."""
    file = program.with_name("log")
    return file.read_bytes().decode().split("|")[:-1] if file.exists() else []


def test_an_agent_gets_its_briefing_whole(fleet: Fleet, program: Path) -> None:
    text = "first\n\n  second with $HOME\nthird"
    words = f"--name worker --role coder --team blue --briefing '{text}' --model m"
    found = started(fleet, f"start-agent {program} {words}")
    assert (found.briefing, found.name) == ("delivered", "worker")
    fleet.room.until(lambda: log(program))
    assert log(program) == [f"\x1b[200~{text}\x1b[201~\r"]
    pane = PaneId(found.pane[1:])
    record = fleet.mux.workspace.panes[pane]
    assert record.argv == (str(program), "--model", "m")
    assert (record.metadata["role"], record.metadata["team"], record.metadata["agent"]) == ("coder", "blue", "standin")
    (agent,) = started(fleet, "list-agents").agents
    assert (agent.program, agent.model, agent.cost) == ("standin", "m", None)
    (usage,) = started(fleet, f"explain-agent {pane}").usage
    assert (usage.model, usage.source) == ("m", "start-agent")
    started(fleet, f"report-agent --pane {pane} --model n")
    found = started(fleet, f"explain-agent {pane}").usage
    assert [(each.model, each.source) for each in found] == [("n", "hook"), ("m", "start-agent")]
    assert started(fleet, "list-agents").agents[0].model == "n"


def test_an_agent_that_has_answered_before_its_briefing_is_marked_is_not_waited_for(
    fleet: Fleet, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messenger, "ANSWER_SECONDS", 1_000.0)
    mark = Mailboxes.set_state

    async def mark_late(boxes: Mailboxes, number: int, state: MessageState) -> None:
        agents = fleet.mux.agents
        if state is MessageState.DELIVERED:
            await until(
                lambda: [each.state.value for each in agents.statuses.values()] == ["done"], 60, agents.on_change
            )
        await mark(boxes, number, state)

    monkeypatch.setattr(Mailboxes, "set_state", mark_late)
    found = started(fleet, f"start-agent {program} --briefing go")
    assert (found.briefing, found.state) == ("delivered", "done")


def test_enter_is_pressed_again_if_the_agent_has_not_heard_it(
    fleet: Fleet, program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(messenger, "ENTER_SECONDS", 0.1)
    claude = program_rules.load_shipped("claude")
    monkeypatch.setattr(program_rules, "load", lambda name: claude)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    found = started(fleet, f"start-agent {program} --arguments=--draws --arguments=--deaf --briefing 'one\ntwo'")
    assert found.briefing == "delivered"
    fleet.room.until(lambda: log(program), lambda: fleet.room.text(PaneId(found.pane[1:])))
    started(fleet, f"send-message {found.pane} --text three")
    fleet.room.until(lambda: len(log(program)) == 2)
    assert log(program) == ["\x1b[200~one\ntwo\x1b[201~\r", "[message 2 from the user] three\r"]


@pytest.mark.parametrize(
    ("program", "rows", "holds"),
    [
        ("claude", ["❯ do it now,", "──"], True),
        ("claude", ["❯\u00a0do it", "  now"], True),
        ("claude", ["❯ [Pasted text #1 +9 lines]"], True),
        ("claude", ["❯ do it now, and tell", "● done", "❯"], False),
        ("claude", ['❯ Try "edit"'], False),
        ("claude", ["do it"], False),
        ("claude", [], False),
        ("codex", ["› do it"], True),
        ("codex", ["› do it", "• done", "› Ask Codex to do anything"], False),
        ("gemini", ["▄▄▄", " > do it now, and", "   tell", "▀▀▀"], True),
        ("gemini", [" > do it", "✦ done", " >   Type your message or", "@path/to/file"], False),
        ("unknown", ["> do it"], False),
    ],
)
def test_what_is_left_in_the_input_is_known(program: str, rows: list[str], holds: bool) -> None:
    assert program_rules.load_shipped(program).holds(rows, "do it now, and tell") is holds


def test_gemini_is_at_its_input_in_a_narrow_pane_too() -> None:
    rules = program_rules.load_shipped("gemini")
    assert rules.takes_input([" >   Type your message or @path/to/file"])
    assert rules.takes_input([" >   Type your", "     message or @path/", "     to/file"])
    assert not rules.takes_input([" > do it"])


def test_a_dialog_is_reported_and_the_briefing_follows_its_answer(fleet: Fleet, program: Path) -> None:
    found = started(fleet, f"start-agent {program} --arguments=--trust --briefing hello")
    assert (found.briefing, found.state, found.words) == ("waiting", "blocked", "Trust?")
    assert log(program) == []
    started(fleet, f"send-input {found.pane} --text y")
    fleet.room.until(lambda: log(program))
    assert log(program) == ["hello\r"]


def test_a_briefing_comes_from_a_file_beside_the_agent(fleet: Fleet, program: Path, tmp_path: Path) -> None:
    (tmp_path / "task.md").write_text("from a file\n")
    found = started(fleet, f"start-agent {program} --cwd {tmp_path} --briefing-file task.md")
    assert found.briefing == "delivered"
    fleet.room.until(lambda: log(program) == ["from a file\r"])
    panes = len(fleet.mux.workspace.panes)
    for wrong in ("--briefing-file nothing.md", "--briefing-file task.md --briefing x", "--briefing 'a\x1bb'"):
        with pytest.raises(InvalidArgument, match="briefing"):
            started(fleet, f"start-agent {program} --cwd {tmp_path} {wrong}")
    assert len(fleet.mux.workspace.panes) == panes


def test_without_a_briefing_the_agent_is_waited_for(fleet: Fleet, program: Path) -> None:
    found = started(fleet, f"start-agent {program}")
    assert (found.briefing, found.state, found.message) == ("none", "idle", None)


def test_an_agent_that_ends_at_once_is_an_error_that_says_how(fleet: Fleet, program: Path) -> None:
    with pytest.raises(Refused, match=r"has ended \(exit 1\)"):
        started(fleet, f"start-agent {program} --arguments=--fail --briefing hello", agent())
    with pytest.raises(FugueError, match="nowhere"):
        started(fleet, "start-agent /nowhere/agent")


def test_an_agent_is_briefed_again(fleet: Fleet, program: Path) -> None:
    found = started(fleet, f"start-agent {program} --name worker")
    assert started(fleet, "brief-agent worker --briefing 'next task'").briefing == "delivered"
    fleet.room.until(lambda: log(program) == ["next task\r"])
    with pytest.raises(Refused, match="your own pane"):
        started(fleet, "brief-agent active --briefing x", agent(PaneId(found.pane[1:])))


def test_an_agent_ends_by_ctrl_c_or_by_a_signal(fleet: Fleet, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_agent, "_PAUSE", 0.1)
    found = started(fleet, f"start-agent {program}", agent())
    ended = started(fleet, f"stop-agent {found.pane} --close")
    assert (ended.ended, ended.steps, ended.closed) == (True, ("ctrl+c",), True)
    found = started(fleet, f"start-agent {program} --arguments=--stubborn", agent())
    ended = started(fleet, f"stop-agent {found.pane}")
    assert ended.ended
    assert "sigint" in ended.steps
    with pytest.raises(NotFound, match="no agent"):
        started(fleet, f"stop-agent {found.pane}")


def test_an_agent_is_restarted_in_its_pane(fleet: Fleet, program: Path) -> None:
    found = started(fleet, f"start-agent {program} --briefing one --name worker")
    pane = PaneId(found.pane[1:])
    pids = {fleet.mux.terminals[pane].pid}
    again = started(fleet, f"restart-agent {pane} --briefing two")
    pids.add(fleet.mux.terminals[pane].pid)
    assert (again.pane, again.name, again.briefing) == (str(pane), "worker", "delivered")
    assert again.note == "it has no conversation to continue, so it began anew"
    assert len(pids) == 2
    fleet.room.until(lambda: log(program) == ["one\r", "two\r"])


def test_what_starts_and_types_is_judged_as_that(fleet: Fleet, program: Path) -> None:
    command = parse(f'start-agent {program} --env \'{{"A": "b"}}\' --arguments=-x')
    assert command.effects == {Effect.RUN}
    (one,) = command.started(fleet.mux, USER)
    assert one.command == (str(program), "-x")
    assert one.env == {"A": "b"}
    assert parse("brief-agent %1 --briefing x").targets(fleet.mux, agent()) == (PaneId(1),)


def test_a_call_that_is_cancelled_leaves_the_agent_and_its_briefing(fleet: Fleet, program: Path) -> None:
    later: Any = parse(f"start-agent {program} --arguments=--trust --briefing hello").run(fleet.mux, USER)
    assert isinstance(later, Deferred)
    fleet.room.until(lambda: len(fleet.mux.mailboxes.messages) == 1)
    later.cancel()
    fleet.room.until(lambda: later.done)
    assert started(fleet, "list-messages").messages[0].state == "queued"


# Worktrees


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one commit."""
    path = tmp_path / "repo"
    path.mkdir()
    git(path, "init", "-q", "-b", "main")
    (path / "a").write_text("a")
    commit(path, "first")
    return path


def git(path: Path, *words: str) -> str:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    return subprocess.run(("git", "-C", path, *identity, *words), capture_output=True, text=True, check=True).stdout


def commit(path: Path, message: str) -> None:
    git(path, "add", "-A")
    git(path, "commit", "-qm", message)


def test_an_agent_starts_in_a_worktree_of_its_own(fleet: Fleet, program: Path, repository: Path) -> None:
    found = started(fleet, f"start-agent {program} --cwd {repository} --worktree fix-1", agent())
    path = repository.with_name("repo.worktrees") / "fix-1"
    assert found.worktree == str(path)
    assert git(path, "rev-parse", "--abbrev-ref", "HEAD").strip() == "fix-1"
    (path / "new").write_text("x")
    ended = started(fleet, f"stop-agent {found.pane} --remove-worktree")
    assert "files that are not committed" in ended.note
    assert path.exists()


def test_a_worktree_goes_with_its_branch_if_nothing_is_lost(repository: Path) -> None:
    path, added = worktrees.add(str(repository), "one")
    assert added
    assert worktrees.add(path, "one") == (path, False)
    path = Path(path)
    assert worktrees.remove(str(path)) == ""
    assert not path.exists()
    assert git(repository, "branch", "--list", "one") == ""


def test_worktrees_of_a_submodule_and_of_a_bare_repository_are_beside_them(repository: Path) -> None:
    above, bare = repository.with_name("above"), repository.with_name("bare.git")
    git(repository.parent, "init", "-q", str(above))
    git(above, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(repository), "sub")
    git(repository.parent, "clone", "-q", "--bare", str(repository), str(bare))
    assert worktrees.add(str(above / "sub"), "one").path == str(above / "sub.worktrees" / "one")
    assert worktrees.add(str(above / "sub.worktrees" / "one"), "two").path == str(above / "sub.worktrees" / "two")
    assert worktrees.add(str(bare), "one").path == str(bare.with_name("bare.git.worktrees") / "one")


def test_commits_that_are_nowhere_else_keep_a_worktree(repository: Path) -> None:
    path = Path(worktrees.add(str(repository), "one").path)
    (path / "b").write_text("b")
    commit(path, "second")
    assert "commits that are on no other branch" in worktrees.remove(str(path))
    git(repository, "merge", "-q", "one")
    assert worktrees.remove(str(path)) == ""


def test_ignored_files_keep_a_worktree(repository: Path) -> None:
    (repository / ".gitignore").write_text(".env")
    commit(repository, "second")
    path = Path(worktrees.add(str(repository), "one").path)
    (path / ".env").write_text("KEY=1")
    assert "that git ignores" in worktrees.remove(str(path))
    assert (path / ".env").read_text() == "KEY=1"


def test_a_branch_of_the_users_stays(repository: Path) -> None:
    git(repository, "branch", "mine")
    path = worktrees.add(str(repository), "mine").path
    assert worktrees.remove(path) == ""
    assert git(repository, "branch", "--list", "mine").strip() == "mine"


def test_an_agent_that_cannot_be_started_leaves_no_worktree(fleet: Fleet, repository: Path) -> None:
    with pytest.raises(FugueError, match="nowhere"):
        started(fleet, f"start-agent /nowhere/agent --cwd {repository} --worktree one")
    assert not (repository.with_name("repo.worktrees") / "one").exists()
    assert git(repository, "branch", "--list", "one") == ""


@pytest.mark.parametrize("name", ["../x", "a b", "-x", "x.lock", "a..b", ""])
def test_names_that_are_no_branches_are_refused(repository: Path, name: str) -> None:
    with pytest.raises(InvalidArgument):
        worktrees.add(str(repository), name)


def test_without_a_repository_git_says_why(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="not a git repository"):
        worktrees.add(str(tmp_path), "x")


def test_another_directory_in_its_place_is_left_alone(repository: Path) -> None:
    (repository.with_name("repo.worktrees") / "one").mkdir(parents=True)
    with pytest.raises(Refused):
        worktrees.add(str(repository), "one")
