"""What the policy asks the user about waits for the answer, and does then what was asked for and nothing else."""

import os
import shlex
from pathlib import Path
from subprocess import PIPE, Popen
from typing import Any

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.approvals import ApproveRequest
from fugue_tui.control.commands.panes import ClosePane, RenamePane
from fugue_tui.control.commands.send_keys import SendInput
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import grantee
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import Denied, FugueError, NotFound, Refused, Unanswered
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.approvals import DENIED_SECONDS, OF_ONE_CALLER, Request
from fugue_tui.multiplexer.access.grants import Scope

CLIENT = Origin(Interface.MCP, process="12@34", program="claude", executable="/usr/bin/claude")
OTHER = Origin(Interface.MCP, process="56@78", program="codex", executable="/usr/bin/codex")


class Asked:
    """An agent's call that waits for the user."""

    def __init__(self, room: Room, line: str, origin: Origin = CLIENT) -> None:
        self.room = room
        self.dispatcher = Dispatcher(room.mux)
        found: Any = self.dispatcher.run(parse(line), origin)
        assert isinstance(found, Deferred)
        self.later: Deferred[Any] = found
        before = len(room.mux.approvals.waiting())
        room.until(lambda: self.later.done or len(room.mux.approvals.waiting()) > before)

    @property
    def request(self) -> Request:
        return self.room.mux.approvals.waiting()[-1]

    def answer(self, scope: Scope = Scope.ONCE) -> Any:
        self.room.mux.approvals.approve(self.request.id, scope)
        return self.room.awaited(self.later)

    def error(self) -> FugueError:
        self.room.until(lambda: self.later.done)
        assert isinstance(self.later.error, FugueError)
        return self.later.error


def test_nothing_is_done_before_the_user_approves_it_and_then_once(room: Room) -> None:
    pane = room.cat("notes")
    asked = Asked(room, f"send-input {pane} --text hello --submit")
    question = asked.request.question
    assert question.what == f"send-input --pane {pane} --text hello --submit"
    assert question.grantee.words == "claude outside"
    assert question.where == f'your pane {pane} "notes"'
    assert question.scopes == (Scope.ONCE, Scope.PANE, Scope.SESSION, Scope.ALWAYS)
    room.drain(pane)
    assert "hello" not in room.text(pane)
    assert asked.answer().submitted
    room.shows(pane, "hello")
    assert room.mux.grants.all() == ()
    assert len(Asked(room, f"send-input {pane} --text again").room.mux.approvals.waiting()) == 1


def test_a_question_says_whose_a_pane_is_whatever_its_name_says(room: Room) -> None:
    yours, opened = room.cat('build" (opened by claude)'), room.opened("create-pane --command cat", OTHER)
    deeper = room.opened("create-pane --command cat", Origin(Interface.MCP, opened, inside=True))
    room.run(RenamePane(pane=str(opened), name="build (yours)"))
    room.run(RenamePane(pane=str(deeper), name="test (yours)"))
    expected = {
        yours: f'your pane {yours} "build\\" (opened by claude)"',
        opened: f'pane {opened}, which process 56 opened, "build (yours)"',
        deeper: f'pane {deeper}, which {opened} opened, "test (yours)"',
    }
    for pane, words in expected.items():
        assert Asked(room, f"close-pane {pane}").request.question.where == words


def test_a_program_cannot_say_more_in_a_question_than_its_name(room: Room) -> None:
    pane = room.cat("notes")
    liar = Origin(Interface.MCP, process="12@34", program='you wish, "vi"', executable="/usr/bin/you wish")
    assert Asked(room, f"close-pane {pane}", liar).request.question.grantee.words == r'"you wish, \"vi\"" outside'


@pytest.mark.parametrize("scope", [Scope.PANE, Scope.SESSION, Scope.ALWAYS])
def test_a_further_call_that_the_answer_covers_is_not_asked_about(room: Room, scope: Scope) -> None:
    pane, other = room.cat(), room.cat()
    Asked(room, f"send-input {pane} --text one").answer(scope)
    again = Dispatcher(room.mux).run(SendInput(pane=str(pane), text="two"), CLIENT)
    assert not isinstance(again, Deferred)
    elsewhere = Dispatcher(room.mux).run(SendInput(pane=str(other), text="three"), CLIENT)
    assert isinstance(elsewhere, Deferred) is (scope is Scope.PANE)
    assert isinstance(Dispatcher(room.mux).run(SendInput(pane=str(pane), text="four"), OTHER), Deferred)


def test_an_answer_lets_the_requests_proceed_that_it_covers(room: Room) -> None:
    pane = room.cat()
    first, second = Asked(room, f"send-input {pane} --text one"), Asked(room, f"send-input {pane} --text two")
    foreign = Asked(room, f"send-input {pane} --text three", OTHER)
    assert len(room.mux.approvals.waiting()) == 3
    room.mux.approvals.approve(room.mux.approvals.waiting()[0].id, Scope.SESSION)
    room.awaited(first.later)
    room.awaited(second.later)
    assert not foreign.later.done
    assert [request.question.grantee.words for request in room.mux.approvals.waiting()] == ["codex outside"]


def test_what_is_denied_is_not_done_and_not_asked_again_for_a_while(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"close-pane {pane}")
    room.mux.approvals.deny(asked.request.id)
    assert isinstance(asked.error(), Denied)
    assert pane in room.mux.workspace.panes
    assert isinstance(Asked(room, f"close-pane {pane}").error(), Denied)
    room.now += DENIED_SECONDS
    assert not Asked(room, f"close-pane {pane}").later.done


def test_without_an_answer_it_is_refused_by_a_code_of_its_own(room: Room) -> None:
    pane = room.cat()
    room.mux.permissions = McpSettings(ask_seconds=5)
    asked = Asked(room, f"close-pane {pane}")
    room.skip(6)
    error = asked.error()
    assert isinstance(error, Unanswered)
    assert error.code == "unanswered"
    assert (pane in room.mux.workspace.panes, room.mux.approvals.waiting()) == (True, ())


def test_a_caller_that_goes_takes_its_request_along(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"close-pane {pane}")
    asked.later.cancel()
    room.until(lambda: not room.mux.approvals.waiting())
    assert pane in room.mux.workspace.panes


def test_an_approval_holds_for_the_pane_that_was_asked_about_whatever_its_name_says_now(room: Room) -> None:
    build, precious = room.cat("build"), room.cat("precious")
    asked = Asked(room, "send-input build --text hello")
    room.run(RenamePane(pane=str(build), name="old"))
    room.run(RenamePane(pane=str(precious), name="build"))
    assert asked.answer().pane == str(build)
    room.shows(build, "hello")
    assert "hello" not in room.text(precious)


def test_an_approval_is_void_once_another_program_runs_there(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"send-input {pane} --text hello")
    room.mux.respawn(pane)
    room.mux.approvals.approve(asked.request.id)
    error = asked.error()
    assert type(error) is Refused
    assert "another program" in str(error)


def test_a_policy_that_is_stricter_by_then_refuses_what_was_approved(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"send-input {pane} --text hello")
    room.mux.permissions = McpSettings(input="refuse")
    room.mux.approvals.approve(asked.request.id)
    assert "[mcp] input = 'refuse'" in str(asked.error())


def test_a_policy_that_is_laxer_by_then_lets_it_proceed(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"send-input {pane} --text hello")
    room.mux.permissions = McpSettings(input="allow")
    room.mux.approvals.review()
    assert room.awaited(asked.later).pane == str(pane)


def test_what_is_wrong_is_said_at_once_and_the_user_is_not_asked(room: Room) -> None:
    room.cat()
    for line, error in (("close-pane %99", NotFound), ("close-pane build", Refused)):
        with pytest.raises(error):
            Dispatcher(room.mux).run(parse(line), CLIENT)
    assert room.mux.approvals.waiting() == ()


def test_one_caller_cannot_fill_the_inbox(room: Room) -> None:
    pane = room.cat()
    asked = [Asked(room, f"send-input {pane} --text {number}") for number in range(OF_ONE_CALLER)]
    error = Asked(room, f"send-input {pane} --text more").error()
    assert error.data["retry_after_ms"]
    assert not Asked(room, f"send-input {pane} --text mine", OTHER).later.done
    assert not any(each.later.done for each in asked)


@pytest.mark.parametrize(
    "origin", [CLIENT, Origin(Interface.CLI, PaneId(1), inside=True), Origin(Interface.CLI, inside=True)]
)
def test_no_agent_approves_whatever_the_policy_says(room: Room, origin: Origin) -> None:
    pane = room.cat()
    for permissions in (McpSettings(), McpSettings(trust="full"), McpSettings(admin="allow")):
        room.mux.permissions = McpSettings()
        asked = Asked(room, f"close-pane {pane}", OTHER)
        room.mux.permissions = permissions
        for line in (f"approve-request {asked.request.id}", f"deny-request {asked.request.id}", "revoke-grant 1"):
            with pytest.raises(Refused, match="only the user may do this"):
                Dispatcher(room.mux).run(parse(line), origin)
        asked.later.cancel()
        room.until(lambda: not room.mux.approvals.waiting())


def test_the_user_answers_by_command(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"send-input {pane} --text hello")
    (listed,) = room.say("list-approvals").requests
    assert (listed.command, listed.effects) == (f"send-input --pane {pane} --text hello", ("input",))
    room.say(f"approve-request {listed.id} --scope session")
    room.awaited(asked.later)
    (grant,) = room.say("list-grants").grants
    assert (grant.who, grant.scope, grant.effects) == ("claude outside", Scope.SESSION, ("input",))
    room.say(f"revoke-grant {grant.id}")
    assert room.say("list-grants").grants == ()
    with pytest.raises(NotFound, match="no request 77"):
        Dispatcher(room.mux).run(ApproveRequest(id=77), USER)


def test_the_secrets_of_a_request_are_listed_for_the_user_alone(room: Room) -> None:
    pane = room.opened("create-pane")
    asked = Asked(room, f"""execute-command {pane} --command true --env '{{"API_TOKEN": "zqxj"}}'""")
    (listed,) = room.say("list-approvals").requests
    assert "zqxj" in listed.command
    (listed,) = room.say("list-approvals", OTHER).requests
    assert "API_TOKEN" in listed.command
    assert "zqxj" not in listed.command
    asked.later.cancel()


def test_a_scope_that_is_not_offered_is_refused(room: Room) -> None:
    room.cat()
    asked = Asked(room, "delete-saved --name x")
    with pytest.raises(Refused, match="once, not for pane"):
        room.mux.approvals.approve(asked.request.id, Scope.PANE)


def test_hidden_characters_and_long_texts_are_shown(room: Room) -> None:
    pane = room.cat()
    hidden = Dispatcher(room.mux).run(SendInput(pane=str(pane), text="echo safe\u202e; rm -rf /"), CLIENT)
    long = Dispatcher(room.mux).run(SendInput(pane=str(pane), text="a" * 20_000 + "; rm -rf /"), CLIENT)
    room.until(lambda: len(room.mux.approvals.waiting()) == 2)
    first, second = (request.question.what for request in room.mux.approvals.waiting())
    assert "\\u202e" in first
    assert "a" * 20_000 + "; rm -rf /'" in second
    listed = room.say("list-approvals").requests[1].command
    assert "more characters" in listed
    assert listed.endswith("; rm -rf /'")
    assert room.mux.approvals.waiting()[1].question.scopes == (Scope.ONCE,)
    for later in (hidden, long):
        assert isinstance(later, Deferred)
        later.cancel()


def test_what_is_asked_and_answered_is_in_the_audit(room: Room) -> None:
    pane = room.cat()
    asked = Asked(room, f"close-pane {room.cat()}")
    asked.answer()
    room.until(lambda: len(list(asked.dispatcher.audit)) == 3)
    assert [entry.outcome for entry in asked.dispatcher.audit] == ["started", "approved", "done"]
    denied = Asked(room, f"close-pane {pane}")
    room.mux.approvals.deny(denied.request.id)
    denied.error()
    room.until(lambda: len(list(denied.dispatcher.audit)) == 2)
    assert [entry.outcome for entry in denied.dispatcher.audit] == ["started", "denied"]


def test_a_command_that_waits_reports_its_progress_and_is_cancelled_with_its_caller(room: Room) -> None:
    pane = room.opened("create-pane --command sh")
    asked = Asked(room, f"execute-command {pane} --command 'echo ready; cat'")
    room.mux.approvals.approve(asked.request.id)
    room.shows(pane, "ready")
    asked.later.cancel()
    room.until(lambda: room.mux.terminals[pane].foreground != "cat")


def test_closing_what_was_asked_about_fails_the_request(room: Room) -> None:
    room.cat()
    pane = room.cat()
    asked = Asked(room, f"send-input {pane} --text hello")
    room.run(ClosePane(pane=str(pane)))
    room.mux.approvals.approve(asked.request.id)
    assert isinstance(asked.error(), NotFound)


def test_what_is_typed_later_is_judged_again(room: Room) -> None:
    """A grant that is revoked, or a policy that is stricter by then, stops a command that waits for its turn."""
    pane = room.opened("create-pane --command sh")
    room.until(lambda: room.text(pane).strip())
    grant = room.mux.grants.add(Scope.SESSION, grantee(CLIENT), ["input", "run"])
    dispatcher = Dispatcher(room.mux)
    first: Any = dispatcher.run(parse(f"execute-command {pane} --command 'echo o\"\"ne; read -r line'"), CLIENT)
    room.shows(pane, "one")
    second: Any = dispatcher.run(parse(f"execute-command {pane} --command 'echo t\"\"wo'"), CLIENT)
    room.mux.grants.revoke(grant.id)
    room.run(SendInput(pane=str(pane), text="go", submit=True))
    room.until(lambda: second.done)
    assert "not allowed any more" in str(second.error)
    room.until(lambda: first.done)
    assert "two" not in room.text(pane)


def test_an_approval_is_void_once_a_step_would_run_in_another_pane(room: Room) -> None:
    """The name of a pane that was to be opened came to name the user's pane meanwhile."""
    pane = room.opened("create-pane --command sh")
    room.until(lambda: room.text(pane).strip())
    steps = f'[{{"pane": "{pane}", "command": "true"}}, {{"pane": "build", "command": "echo pw\\"\\"ned"}}]'
    later: Any = Dispatcher(room.mux).run(parse(["coordinate-panes", "--steps", steps]), CLIENT)
    room.until(lambda: room.mux.approvals.waiting())
    room.run(RenamePane(pane=str(pane), name="build"))
    room.mux.approvals.approve(room.mux.approvals.waiting()[0].id)
    room.until(lambda: later.done)
    assert "other panes now" in str(later.error)
    assert "pwned" not in room.text(pane)


def test_what_concerns_no_pane_is_allowed_just_once(room: Room) -> None:
    room.cat()
    assert Asked(room, "delete-saved --name x").request.question.scopes == (Scope.ONCE,)
    assert Scope.SESSION in Asked(room, "rename-workspace --name x", OTHER).request.question.scopes


def test_an_approval_of_a_file_holds_for_the_path_that_was_shown(room: Room, tmp_path: Path) -> None:
    """The caller moves to another directory while it waits, as a relative path would follow it."""
    pane = room.cat()
    shown, other = tmp_path.resolve() / "shown", tmp_path / "other"
    for folder in (shown, other):
        folder.mkdir()
    (tmp_path / "link").symlink_to(shown)
    script = ("sh", "-c", "read line; cd ../other; echo moved; read line")
    with Popen(script, cwd=shown, stdin=PIPE, stdout=PIPE) as caller:
        origin = Origin(Interface.CLI, pane, pid=caller.pid, inside=True, program="sh")
        direct, linked = (Asked(room, f"save-layout {name}", origin) for name in ("./a.toml", "../link/b.toml"))
        requests = room.mux.approvals.waiting()
        assert [each.question.what for each in requests] == [
            shlex.join(("save-layout", "--name", f"{shown}/{name}")) for name in ("a.toml", "b.toml")
        ]
        assert caller.stdin is not None
        assert caller.stdout is not None
        caller.stdin.write(b"go\n")
        caller.stdin.flush()
        assert caller.stdout.readline() == b"moved\n"
        (tmp_path / "link").unlink()
        (tmp_path / "link").symlink_to(other)
        for asked, request in zip((direct, linked), requests, strict=True):
            room.mux.approvals.approve(request.id)
            room.awaited(asked.later)
        caller.stdin.close()
    assert sorted(os.listdir(shown)) == ["a.toml", "b.toml"]
    assert os.listdir(other) == []
