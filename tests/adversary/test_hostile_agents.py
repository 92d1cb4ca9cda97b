"""Hostile names, texts and files of agents, teams, messages and tasks are refused before anything is opened or kept."""

import os
from pathlib import Path
from typing import Any

import pytest
from tests.control.agents.test_agent_monitor import Fleet
from tests.control.agents.test_start_agent import fleet as fleet
from tests.control.agents.test_start_agent import log
from tests.control.agents.test_start_agent import program as program
from tests.control.agents.test_teams import START, write
from tests.multiplexer.conftest import agent

from fugue_tui.control.agents.team_file import load
from fugue_tui.control.commands.messages import PublishMessage, SendMessage, SubscribeTopic
from fugue_tui.control.commands.start_agent import StartAgent
from fugue_tui.control.commands.tasks import AddTask
from fugue_tui.control.commands.teams import StartTeam
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import ConfigError, InvalidArgument
from fugue_tui.ids import PaneId

HIDDEN = ("\x1b]0;title\x07", "\u202e\u2066", "\u200b", " \n ")
"""Texts of which nothing can be seen."""
AGENT = agent(PaneId(1))
LONE = "a\ud800b"
"""A text that no program can be given."""


def refused(fleet: Fleet, command: Any, message: str, origin: Origin = AGENT) -> None:
    """A command is refused, and opens nothing."""
    before = fleet.mux.workspace.panes.keys()
    with pytest.raises(InvalidArgument, match=message):
        fleet.room.run(command, origin)
    assert fleet.mux.workspace.panes.keys() == before


@pytest.mark.parametrize("text", HIDDEN)
def test_what_has_nothing_visible_is_no_name(fleet: Fleet, program: Path, text: str) -> None:
    file, folder, caller = str(write(program)), str(program.parent), agent(fleet.room.cat())
    for command, where in (
        (StartAgent(program=str(program), role=text), "role"),
        (StartAgent(program=str(program), team=text), "team"),
        (StartTeam(team=file, variables={"task": "x"}, name=text, cwd=folder), "name"),
        (SubscribeTopic(topic=text), "topic"),
        (PublishMessage(topic=text, text="x"), "topic"),
        (AddTask(title="x", team=text), "team"),
        (SendMessage(to=("shell",), text=text), "text"),
    ):
        refused(fleet, command, f"{where}: nothing printable is left of it", caller)


def test_what_no_program_can_be_given_is_an_error_of_the_caller(fleet: Fleet, program: Path) -> None:
    name, caller = str(program), agent(fleet.room.cat())
    for command, where in (
        (StartAgent(program=name, model=LONE), "command: U[+]D800"),
        (StartAgent(program=name, arguments=(LONE,)), "command: U[+]D800"),
        (StartAgent(program=LONE), "command: U[+]D800"),
        (StartAgent(program=name, env={"A": LONE}), "env: 'A' cannot be set"),
        (StartAgent(program=name, env={LONE: "a"}), "env: 'a.ud800b' cannot be set"),
        (StartAgent(program=name, briefing=LONE), "briefing: U[+]D800"),
        (SendMessage(to=("shell",), text=LONE), "text: U[+]D800"),
    ):
        refused(fleet, command, where, caller)


@pytest.mark.parametrize("name", ["active", "@1", ":1", "2"])
def test_a_team_is_not_called_as_a_target(fleet: Fleet, program: Path, name: str) -> None:
    command = parse(START.format(file=write(program), folder=program.parent) + f" --name '{name}'")
    refused(fleet, command, "would be read as a target")


@pytest.mark.parametrize("name", ["all", "user", "nobody", "left", "3"])
def test_no_member_is_called_as_something_else(program: Path, name: str) -> None:
    file = write(program, f'[[members]]\nname = "{name}"\n')
    with pytest.raises(ConfigError, match="would be read as"):
        load(str(file), "/")


@pytest.mark.parametrize("value", ["x\x1b[201~\rrm -r .\r", "\x03", "a\0b"])
def test_a_variable_presses_no_keys_in_the_agents_of_a_team(fleet: Fleet, program: Path, value: str) -> None:
    command = StartTeam(team=str(write(program)), variables={"task": value}, cwd=str(program.parent))
    refused(fleet, command, r"members.lead.briefing: U\+")
    assert not log(program)


def test_a_variable_makes_no_briefing_too_long(fleet: Fleet, program: Path) -> None:
    command = StartTeam(team=str(write(program)), variables={"task": "x" * 20_000}, cwd=str(program.parent))
    refused(fleet, command, "members.lead.briefing: .* characters are too many")


def test_a_pipe_is_no_briefing_and_no_team(fleet: Fleet, program: Path) -> None:
    pipe = program.with_name("pipe")
    os.mkfifo(pipe)
    command = StartAgent(program=str(program), briefing_file=str(pipe))
    refused(fleet, command, "pipe: is not a regular file", Origin(Interface.CLI))
    file = write(program)
    file.with_name("one.md").unlink()
    os.mkfifo(file.with_name("one.md"))
    refused(fleet, parse(START.format(file=file, folder=file.parent)), "is not a regular file", Origin(Interface.CLI))
    with pytest.raises(ConfigError, match="not a regular file"):
        load(str(pipe), "/")


def test_markup_is_text(fleet: Fleet, program: Path) -> None:
    name = "[b]x[/b]"
    started = fleet.room.run(StartAgent(program=str(program), name=name, role=name, team=name, wait=0.0))
    assert started.name == name
    fleet.becomes(PaneId(started.pane[1:]), "idle")
    assert fleet.room.say("list-agents").agents[0].role == name
