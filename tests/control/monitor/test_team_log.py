"""What a team did is recorded in the audit log, and reported while it runs and after it was stopped."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.control.agents.test_agent_monitor import Fleet
from tests.control.agents.test_start_agent import fleet as fleet
from tests.control.agents.test_start_agent import program as program
from tests.control.agents.test_start_agent import started

from fugue_tui.control.commands.execute_command import ExecuteCommand
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.commands.team_report import TeamReport, escaped
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.dispatch.audit import Audit, gap
from fugue_tui.control.dispatch.audit_entry import AREA, AuditEntry
from fugue_tui.control.dispatch.team_summary import TeamSummary
from fugue_tui.control.monitor.team_log import TeamLog
from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId
from fugue_tui.store.append_log import AppendLog

TEAM = """\
version = 1
name = "blue"
[monitor]
idle = ["nudge", "tell"]
[[members]]
name = "lead"
role = "lead"
program = "{program}"
talks_to = ["worker"]
[[members]]
name = "worker"
program = "{program}"
worktree = "feature"
[members.monitor]
idle = []
gone = ["restart"]
"""


def git(directory: Path, *words: str) -> None:
    config = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    subprocess.run(("git", "-C", str(directory), *config, *words), check=True, capture_output=True)


@pytest.fixture
def audit(fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Audit]:
    """The audit log on disk, in which teams are recorded."""
    monkeypatch.setenv("FUGUE_STATE", str(tmp_path / "state"))
    audit = Audit(AppendLog(tmp_path / "state", AREA, fleet.mux.workspace.name, gap=gap))
    TeamLog(fleet.mux, audit).start()
    yield audit
    audit.close()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def team(fleet: Fleet, program: Path, repository: Path) -> Any:
    file = program.with_name("blue.toml")
    file.write_text(TEAM.format(program=program))
    return started(fleet, f"start-team {file} --cwd {repository}", Origin(Interface.CLI))


def report(fleet: Fleet, format: str = "json") -> TeamReport:
    return started(fleet, f"team-report blue --format {format}")


@pytest.mark.slow
def test_people_read_a_report_as_text_and_agents_get_its_structure(
    fleet: Fleet, audit: Audit, program: Path, repository: Path
) -> None:
    found = team(fleet, program, repository)
    inside = Origin(Interface.MCP, PaneId(found.members[0].pane[1:]), inside=True)
    for origin, is_text in ((Origin(Interface.CLI), True), (inside, False)):
        made = started(fleet, "team-report blue", origin)
        assert made.text.startswith("# ") is is_text
        assert [each.name for each in made.members] == ["lead", "worker"]
    assert report(fleet).for_terminal.startswith("{")


@pytest.mark.slow
def test_a_team_is_reported_while_it_runs_and_after_it_was_stopped(
    fleet: Fleet, audit: Audit, program: Path, repository: Path
) -> None:
    started(fleet, "add-task before --team blue")
    started(fleet, "update-task 1 --state done")
    found = team(fleet, program, repository)
    assert found.monitor == ("lead: idle for 300 s: nudge, tell", "worker: gone for 5 s: restart")
    lead, worker = (PaneId(each.pane[1:]) for each in found.members)
    inside = Origin(Interface.MCP, lead, inside=True)
    started(fleet, f"send-message {worker} --text hello", inside)
    tree = Path(fleet.mux.workspace.panes[worker].cwd)
    (tree / "made|up.txt").write_text("x")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "Add <b>it</b>\n\n| a | b |")
    shell = fleet.room.run(CreatePane(command=("bash",), cwd=str(repository), env={"HOME": str(repository)}), inside)
    pane = PaneId(shell.id[1:])
    fleet.room.until(lambda: fleet.mux.terminals[pane].shell.at_prompt)
    for line in ("echo '==== 2 failed, 3 passed in 0.10s ===='; false # pytest", "exit 3"):
        fleet.room.run(ExecuteCommand(pane=str(pane), command=line, timeout=20.0), inside)
    fleet.room.until(lambda: sum(each.kind == "command" for each in audit) >= 2)
    for words in ("it --team blue", "ours --team blue", "theirs --team red", f"anyones --owner {worker}"):
        started(fleet, f"add-task {words}")
    started(fleet, "claim-task 2", inside)
    started(fleet, "update-task 2 --state done", inside)
    running = report(fleet)
    assert (running.tasks.open, running.tasks.claimed, running.tasks.done, running.tasks.failed) == (2, 0, 1, 0)
    assert [(each.name, each.role, each.running) for each in running.members] == [
        ("lead", "lead", True),
        ("worker", "", True),
    ]
    assert running.ended is None
    first, second = running.members
    assert (first.sent, first.received, second.sent, second.received) == (1, 0, 0, 1)
    assert first.commands[0].command.startswith("echo")
    assert first.commands[0].exit_code == 1
    assert second.files == ("A made|up.txt",)
    assert second.commits[0].endswith("Add <b>it</b>")
    started(fleet, "stop-team blue")
    stopped = report(fleet)
    assert stopped.ended is not None
    assert [each.running for each in stopped.members] == [False, False]
    assert stopped.members[1].commits == second.commits
    text = report(fleet, "markdown").text
    assert "Tasks: 1 done, 0 failed, 0 claimed, 2 open." in text
    assert "made\\|up\\.txt" in text
    assert "Add \\<b\\>it\\<\\/b\\>" in text or "Add \\<b\\>it\\</b\\>" in text
    assert all(line.count("|") - line.count("\\|") in (0, 10) for line in text.splitlines())


@pytest.mark.slow
def test_what_is_removed_with_a_worktree_is_reported(
    fleet: Fleet, audit: Audit, program: Path, repository: Path
) -> None:
    found = team(fleet, program, repository)
    tree = Path(fleet.mux.workspace.panes[PaneId(found.members[1].pane[1:])].cwd)
    git(tree, "commit", "-q", "--allow-empty", "-m", "done")
    git(repository, "merge", "-q", "feature")
    started(fleet, "stop-team blue --remove-worktrees")
    assert not tree.exists()
    assert report(fleet).members[1].commits[0].endswith(" done")


def test_a_team_that_never_was_is_named(fleet: Fleet, audit: Audit) -> None:
    with pytest.raises(NotFound, match="no team blue is in the audit log"):
        report(fleet)


# The summary


NUDGE = {"condition": "idle", "action": "nudge"}


def entry(at: float, kind: str, command: str = "", pane: str = "%1", **facts: Any) -> AuditEntry:
    return AuditEntry(time=at, kind=kind, command=command, panes=(pane,), facts={"team": "blue", **facts})


def joined(at: float, pane: str, box: str) -> AuditEntry:
    return entry(at, "team", "joined", pane, name=box, role="", box=box, cwd="/x")


def test_time_is_counted_by_state_also_over_a_restart_of_the_workspace() -> None:
    summary = TeamSummary("blue")
    summary.add(
        [
            joined(100.0, "%1", "a"),
            entry(100.0, "agent", "working"),
            entry(130.0, "agent", "blocked"),
            entry(135.0, "agent", "done"),
            entry(140.0, "agent", "working"),
            AuditEntry(time=150.0, kind="end"),
            AuditEntry(time=500.0, kind="start"),
            joined(510.0, "%7", "a"),
            entry(510.0, "agent", "idle", "%7"),
        ]
    )
    summary.finish(520.0)
    (member,) = summary.members.values()
    assert member.seconds == {"working": 40.0, "blocked": 5.0, "idle": 15.0}
    assert (member.pane, member.joined, member.left) == ("%7", 100.0, None)


def test_a_team_of_the_same_name_is_another_once_all_have_left() -> None:
    summary = TeamSummary("blue")
    both = [
        joined(1.0, "%1", "a"),
        joined(1.0, "%2", "b"),
        entry(5.0, "team", "left", "%1"),
        entry(6.0, "team", "left", "%2"),
    ]
    summary.add([*both, joined(10.0, "%3", "c")])
    assert list(summary.members) == ["c"]


def test_approvals_interventions_and_costs_are_counted() -> None:
    summary = TeamSummary("blue")

    def call(at: float, id: str, decision: str, outcome: str) -> AuditEntry:
        return AuditEntry(time=at, kind="call", id=id, pane="%1", command="x", decision=decision, outcome=outcome)

    summary.add(
        [
            joined(1.0, "%1", "a"),
            call(2.0, "", "allow", "done"),
            call(3.0, "1", "ask", "started"),
            call(4.0, "1", "approved (once)", "approved"),
            call(5.0, "1", "approved (once)", "done"),
            call(6.0, "2", "ask", "started"),
            call(7.0, "2", "ask", "denied"),
            AuditEntry(
                time=8.0, kind="monitor", panes=("%1",), outcome="done", facts={"condition": "idle", "action": "nudge"}
            ),
            entry(9.0, "agent", "working", cost=1.5),
            entry(10.0, "agent", "working", cost=0.5),
        ]
    )
    (member,) = summary.members.values()
    assert (member.calls, member.asked, member.approved, member.denied) == (3, 2, 1, 1)
    assert [(each.condition, each.action, each.outcome) for each in member.interventions] == [("idle", "nudge", "done")]
    assert member.dollars == 2.0


@pytest.mark.parametrize(
    "text", ["| a |", "# head", "[x](y)", "<script>", "`code`\n# head", "a\\", "1. one", "a\u2028# b"]
)
def test_nothing_that_others_write_is_markup(text: str) -> None:
    found = escaped(text)
    assert "\n" not in found
    bare = found.replace("\\\\", "")
    assert all(bare[at - 1] == "\\" for at, letter in enumerate(bare) if letter in "|#[]()<>`")
