"""Teams: their files, their start as one, who may type to whom, and their end."""

from pathlib import Path
from typing import Any

import pytest
from tests.control.agents.test_agent_monitor import Fleet
from tests.control.agents.test_start_agent import fleet as fleet
from tests.control.agents.test_start_agent import log, started
from tests.control.agents.test_start_agent import program as program
from tests.multiplexer.conftest import agent

from fugue_tui.config.model import McpSettings
from fugue_tui.config.monitor import Action, MonitorRules
from fugue_tui.control.agents import team_file
from fugue_tui.control.agents.team_file import filled, load
from fugue_tui.control.commands.teams import StartedTeam, members
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import ConfigError, FugueError, InvalidArgument, NotFound, Refused, SaveError
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.agents.journal import Journal

TEAM = """\
version = 1
name = "blue"
layout = "main_left"
[variables]
task = ""
tone = "short"
[[members]]
name = "lead"
role = "lead"
program = "{program}"
briefing = "lead: {{task}} {{tone}} {{other}}"
talks_to = ["worker"]
[[members]]
name = "one"
role = "worker"
program = "{program}"
arguments = ["--as", "{{task}}"]
briefing_file = "one.md"
talks_to = ["lead"]
[[members]]
name = "two"
role = "worker"
program = "{program}"
{more}
"""
START = """start-team {file} --variables '{{"task": "do it"}}' --cwd {folder}"""


def write(program: Path, more: str = "") -> Path:
    """A team file of three stand-ins."""
    file = program.with_name("blue.toml")
    file.write_text(TEAM.format(program=program, more=more))
    file.with_name("one.md").write_text("from a file")
    return file


def start(fleet: Fleet, file: Path, origin: Origin | None = None) -> Any:
    line = START.format(file=file, folder=file.parent)
    return started(fleet, line, origin or Origin(Interface.CLI))


@pytest.mark.parametrize("name", ["pair", "lead-and-workers", "review-board", "agent-team-3"])
def test_the_shipped_teams_are_sound(name: str) -> None:
    team, _ = load(name, "")
    values = dict.fromkeys(team.variables, "x")
    assert all(len(each.briefing) > 50 for each in filled(team, values).members)
    assert all("{" not in each.briefing for each in filled(team, values).members)
    assert team.name == name
    assert name in team_file.names()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("version = 2", "version: 2 is not known"),
        ('name = "a b"', "name"),
        ('layout = "round"', "layout: no preset 'round'"),
        ("colour = 1", "colour"),
        ("members = []", "members"),
    ],
)
def test_a_faulty_file_is_named_with_what_is_wrong(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "x.toml"
    head = {"version": "version = 1", "name": 'name = "x"', "members": '[[members]]\nname = "a"'}
    head[text.split()[0]] = text
    members = head.pop("members")
    file.write_text("\n".join([*head.values(), members]))
    with pytest.raises(ConfigError, match=message) as error:
        load(str(file), "")
    assert str(file) in str(error.value)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ('talks_to = ["nobody"]', "two.talks_to: no member has the name or role nobody"),
        ('briefing = "a"\nbriefing_file = "b"', "two: briefing or briefing_file"),
        ('[[members]]\nname = "one"', "two are called one"),
        ('briefing = "b"\nafter = ["nobody"]', "two.after: no member has the name or role nobody"),
        ('briefing = "b"\nafter = ["two"]', "two.after: it cannot wait for itself"),
        ('after = ["one"]', "two.after: it has no briefing that could wait"),
        (
            'briefing = "b"\nafter = ["three"]\n[[members]]\nname = "three"\nbriefing = "b"\nafter = ["worker"]',
            "members: two, three wait for each other",
        ),
        ('monitor = { gone = ["nudge"] }', "members.two.monitor: gone: nudge is of no use"),
        ('monitor = { idle = ["dance"] }', "members.two.monitor"),
        ("monitor = { idle_afte = 3 }", "idle_afte"),
        ("rules = { times = 4 }", "rules: is no key"),
    ],
)
def test_faults_of_members_are_named(program: Path, more: str, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        load(str(write(program, more)), "")


def test_variables_are_put_in_and_missing_ones_are_asked_for(program: Path) -> None:
    team, _ = load(str(write(program)), "")
    with pytest.raises(InvalidArgument, match="give task"):
        filled(team, {})
    with pytest.raises(InvalidArgument, match="no nonsense; it has task, tone"):
        filled(team, {"nonsense": "x"})
    lead, one, _ = filled(team, {"task": "{tone} it"}).members
    assert lead.briefing == "lead: {tone} it short {other}"
    assert one.arguments == ("--as", "{tone} it")


def test_members_have_the_rules_of_their_team_with_their_own(program: Path) -> None:
    file = write(program, 'monitor = { idle = ["tell"], times = 1 }\n[monitor]\nidle = ["nudge"]\nidle_after = 60\n')
    lead, one, two = load(str(file), "")[0].members
    assert lead.rules == one.rules == MonitorRules(idle=(Action.NUDGE,), idle_after=60.0)
    assert two.rules == MonitorRules(idle=(Action.TELL,), idle_after=60.0, times=1)


@pytest.mark.parametrize("name", ["pair", "lead-and-workers", "review-board"])
def test_the_shipped_teams_are_not_monitored(name: str) -> None:
    assert not any(each.rules.active for each in load(name, "")[0].members)


def test_a_team_that_is_unknown_is_refused_with_those_that_are_there() -> None:
    with pytest.raises(NotFound, match="agent-team-3, lead-and-workers, pair, review-board"):
        load("nope", "")


def test_members_come_after_those_that_they_wait_for(program: Path) -> None:
    more = 'briefing = "b"\nafter = ["lead", "late"]\n[[members]]\nname = "late"\nbriefing = "b"\nafter = ["one"]'
    team, _ = load(str(write(program, more)), "")
    assert team.order() == {"lead": [], "one": [], "late": ["one"], "two": ["lead", "late"]}


@pytest.mark.slow
def test_a_member_after_others_gets_its_task_once_those_have_done_theirs(fleet: Fleet, program: Path) -> None:
    found = start(fleet, write(program, 'briefing = "last"\nafter = ["lead", "one"]'))
    assert [each.name for each in found.members] == ["lead", "one", "two"]
    assert found.members[2].briefing == "waiting"
    fleet.room.until(lambda: len(log(program)) == 3)
    assert log(program)[-1] == "last\r"
    assert started(fleet, "team-status").teams[0].members[2].after == ()


@pytest.mark.slow
def test_team_status_says_whom_a_task_waits_for(fleet: Fleet, program: Path) -> None:
    lead = 'arguments = ["--trust"]\nbriefing = "lead'
    file = write(program, 'briefing = "last"\nafter = ["lead"]')
    file.write_text(file.read_text().replace('briefing = "lead', lead))
    start(fleet, file)
    assert [each.after for each in started(fleet, "team-status").teams[0].members] == [(), (), ("lead",)]


@pytest.mark.slow
def test_a_team_starts_in_a_window_of_its_own_each_with_its_task(fleet: Fleet, program: Path) -> None:
    shell = fleet.mux.focused
    found = start(fleet, write(program))
    assert (found.team, [each.briefing for each in found.members]) == ("blue", ["delivered", "delivered", "none"])
    fleet.room.until(lambda: len(log(program)) == 2)
    assert sorted(log(program)) == ["from a file\r", "lead: do it short {other}\r"]
    window = next(each for each in fleet.mux.workspace.windows if str(each.id) == found.window)
    assert window.name == "blue"
    assert [fleet.mux.workspace.panes[pane].name for pane in panes(window.layout)] == ["lead", "one", "two"]
    rects = fleet.mux.layouts.of(window).panes
    first, second, third = panes(window.layout)
    assert rects[second].x == rects[third].x > rects[first].x
    assert fleet.mux.focused == shell
    status = started(fleet, "team-status").teams[0]
    assert [(each.name, each.role) for each in status.members] == [
        ("lead", "lead"),
        ("one", "worker"),
        ("two", "worker"),
    ]
    with pytest.raises(Refused, match="runs already"):
        start(fleet, program.with_name("blue.toml"))
    ended = started(fleet, "stop-team blue")
    assert [each.ended for each in ended.members] == [True] * 3
    assert [str(each) for each in fleet.mux.workspace.panes] == [str(shell)]
    with pytest.raises(NotFound, match="no team blue runs"):
        started(fleet, "stop-team blue")


@pytest.mark.slow
def test_members_type_to_those_that_the_file_names_and_to_no_others(fleet: Fleet, program: Path) -> None:
    found = start(fleet, write(program))
    lead, one, two = (PaneId(each.pane[1:]) for each in found.members)
    fleet.mux.permissions = McpSettings()

    def asks(sender: PaneId, receiver: PaneId, interface: Interface = Interface.MCP) -> bool:
        command = parse(f"send-message {receiver} --text hello")
        later = Dispatcher(fleet.mux).run(command, Origin(interface, sender, inside=True))
        assert is_deferred(later)
        fleet.room.until(lambda: later.done or bool(fleet.mux.approvals.waiting()))
        waits = not later.done
        later.cancel()
        return waits

    assert not asks(lead, one)
    assert not asks(lead, two)
    assert not asks(one, lead)
    assert asks(one, two)
    assert asks(two, lead)
    started(fleet, f"respawn-pane {one} --command cat")
    assert asks(one, lead)


def test_a_team_is_started_whole_or_not_at_all(fleet: Fleet, program: Path) -> None:
    file = write(program, '[[members]]\nname = "three"\nprogram = "/nowhere/agent"\n')
    before = fleet.mux.workspace.panes.keys()
    with pytest.raises(FugueError, match="nowhere"):
        start(fleet, file)
    assert fleet.mux.workspace.panes.keys() == before
    file = write(program)
    file.with_name("one.md").unlink()
    with pytest.raises(InvalidArgument, match=r"one\.md"):
        start(fleet, file)
    assert fleet.mux.workspace.panes.keys() == before


def test_a_full_disk_is_an_error_of_each_member_that_has_no_task(fleet: Fleet, program: Path, tmp_path: Path) -> None:
    boxes = fleet.mux.mailboxes
    boxes.journal = Journal(tmp_path, "main", boxes.records)
    (tmp_path / "mail").mkdir(mode=0o755)
    found = start(fleet, write(program))
    assert [(each.state, each.briefing) for each in found.members[:2]] == [("error", "none")] * 2
    words = f"{found.members[0].pane} has no task, which brief-agent gives it: messages cannot be saved"
    assert found.members[0].words.startswith(words)
    assert [each.pane for each in found.members] == [str(pane) for pane in members(fleet.mux, "blue")]
    with pytest.raises(SaveError, match="has no task, which brief-agent gives it: messages cannot be saved"):
        started(fleet, f"start-agent {program} --briefing 'do it'")


def test_its_programs_are_judged_before_it_starts(fleet: Fleet, program: Path) -> None:
    command = parse(START.format(file=write(program), folder=program.parent))
    assert [each.command for each in command.started(fleet.mux, agent())] == [
        (str(program),),
        (str(program), "--as", "do it"),
        (str(program),),
    ]


def test_a_member_that_ends_at_once_does_not_hide_the_others(fleet: Fleet, program: Path) -> None:
    found = start(fleet, write(program, 'arguments = ["--fail"]'))
    assert [(each.name, each.state == "error") for each in found.members] == [
        ("lead", False), ("one", False), ("two", True)
    ]  # fmt: skip
    assert "has ended (exit 1)" in found.members[2].words


def test_of_two_starts_of_one_team_at_once_one_is_refused_and_leaves_the_other_alone(
    fleet: Fleet, program: Path
) -> None:
    command = parse(START.format(file=write(program), folder=program.parent))
    starts = [command.run(fleet.mux, Origin(Interface.CLI)) for _ in range(2)]
    found, refused = list[StartedTeam](), list[str]()
    for each in starts:
        try:
            found.append(fleet.room.awaited(each))
        except Refused as error:
            refused.append(str(error))
    assert [len(each.members) for each in found] == [3]
    assert [words.partition(";")[0] for words in refused] == ["the team blue runs already"]
    assert len(members(fleet.mux, "blue")) == 3


def test_a_second_team_of_one_file_starts_in_another_session(fleet: Fleet, program: Path) -> None:
    file = write(program)
    first = start(fleet, file).members[0].pane
    line = START.format(file=file, folder=file.parent) + " --name green"
    with pytest.raises(Refused, match=f"{first} is called lead already, .* from a pane of another session"):
        started(fleet, line)
    fleet.room.say("create-session other --command cat")
    fleet.room.say("select-session other")
    found = started(fleet, line)
    assert [each.name for each in found.members] == ["lead", "one", "two"]
    assert {each.pane for each in found.members} == {str(pane) for pane in members(fleet.mux, "green")}
