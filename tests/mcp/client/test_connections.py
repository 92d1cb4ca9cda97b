"""Servers that are started, called, that end, hang, flood, and come back."""

import os
import sys
import threading
from pathlib import Path

import pytest
from tests.mcp.client.conftest import Servers, script, small

from fugue_tui.config.servers import ServerSettings
from fugue_tui.control.commands.call_server import CallServer, CompleteArgument, GetPrompt, ReadResource
from fugue_tui.control.commands.mcp_servers import ConnectServer, DisconnectServer, ListServers
from fugue_tui.control.commands.read_pane import ReadPane
from fugue_tui.control.commands.share_directory import ShareDirectory
from fugue_tui.control.commands.show_servers import SaveResult, ShowResource, ShowResult, ShowServerLog
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.errors import InvalidArgument, NotFound, Refused, SaveError, ServerFailed, TimedOut
from fugue_tui.multiplexer.mcp_servers.model import ElicitationAnswer, ServerState
from fugue_tui.multiplexer.mcp_servers.servers import RESTARTS, answer
from fugue_tui.validation.json_form import fields

pytestmark = pytest.mark.slow
ERAS = pytest.mark.parametrize(("flags", "protocol"), [((), "2026-07-28"), (("--legacy",), "2025-11-25")])


@ERAS
def test_a_server_is_started_when_it_is_first_used_and_lists_what_it_offers(
    servers: Servers, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))
    assert [each.state for each in servers.room.run(ListServers()).servers] == ["off"]
    assert servers.call("echo", text="hi", times=2).text == "hihi"
    info = servers.room.run(ListServers(server="small")).servers[0]
    assert (info.state, info.title, info.protocol, info.instructions) == ("connected", "small 7", protocol, "Use echo.")
    effects = {each.name: each.effect for each in info.tools}
    assert (effects["echo"], effects["remove"], effects["weather"]) == ("read", "destroy", "run")
    assert [(each.name, each.arguments) for each in info.prompts] == [("review", ("code!", "style"))]
    assert {each.uri for each in info.resources} == {"small://note", "small://count", "small://greeting/{name}"}


@ERAS
def test_results_are_text_structures_and_images(servers: Servers, flags: tuple[str, ...], protocol: str) -> None:
    servers.use(small=small(*flags))
    weather = servers.call("weather", city="Rome", unit="F")
    assert weather.structured == {"city": "Rome", "degrees": 70.7}
    assert weather.brief.structured is None, "the text says the same"
    picture = servers.call("picture")
    assert picture.media_type == "image/png"
    assert picture.image.startswith("iVBOR")
    failed = servers.call("fail")
    assert (failed.is_error, failed.exit_status) == (True, 1)
    assert servers.room.run(ReadResource(server="small", uri="small://greeting/Ann")).text == "hello Ann"
    prompt = servers.room.run(GetPrompt(server="small", prompt="review", arguments={"code": "x = 1"}))
    assert prompt.text == "user: Review short: x = 1"


@ERAS
def test_a_server_completes_arguments_of_prompts_and_templates(
    servers: Servers, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))

    def values(argument: str, value: str, prompt: str = "review", uri: str = "", **others: str) -> tuple[str, ...]:
        query = CompleteArgument(
            server="small", argument=argument, value=value, prompt=prompt, uri=uri, arguments=others
        )
        return servers.room.run(query).values

    assert values("style", "sh") == ("short", "shortest")
    assert values("style", "sh", code="x") == ("short", "shortest", "short for x")
    assert values("name", "A", "", "small://greeting/{name}") == ("Ann", "Anna"), "without control characters"
    assert values("code", "") == ()
    with pytest.raises(InvalidArgument, match="give either prompt or uri"):
        values("style", "", "review", "small://greeting/{name}")


def test_what_a_server_says_is_cleaned(servers: Servers) -> None:
    servers.use(small=small())
    assert servers.call("escapes").text == "redtxt"


@ERAS
def test_progress_is_reported_and_a_cancelled_call_is_cancelled_at_the_server(
    servers: Servers, tmp_path: Path, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))
    later = CallServer(server="small", tool="steps", arguments={"count": 3}).run(servers.room.mux, USER)
    assert isinstance(later, Deferred)
    reports = list[tuple[str, float | None]]()
    later.on_progress(lambda progress: reports.append((progress.text, progress.fraction)))
    assert servers.room.awaited(later).text == "done"
    servers.room.until(lambda: len(reports) == 3)
    assert reports[-1] == ("step 3", 1.0)
    flag = tmp_path / "flag"
    hanging = CallServer(server="small", tool="hang", arguments={"flag": str(flag)}).run(servers.room.mux, USER)
    assert isinstance(hanging, Deferred)
    servers.room.until(lambda: os.path.exists(f"{flag}-began"))
    hanging.cancel()
    servers.room.until(lambda: os.path.exists(f"{flag}-cancelled"))
    assert servers.call("echo", text="still here").text == "still here"


def test_a_call_may_take_only_so_long(servers: Servers, tmp_path: Path) -> None:
    servers.use(small=small(call_seconds=1))
    with pytest.raises(TimedOut, match="small did not answer within 1 s"):
        servers.call("hang", flag=str(tmp_path / "flag"))


def test_a_crash_fails_the_call_and_the_server_is_started_again_with_back_off(servers: Servers) -> None:
    servers.use(small=small())
    room, status = servers.room, servers.room.mux.mcp_servers.status("small")
    with pytest.raises(ServerFailed, match="small has ended: it ended with exit code 3"):
        servers.call("crash")
    servers.reaches(ServerState.WAITING)
    assert "going down" in status.error
    assert "again in 1 s" in status.error
    room.skip(1.1)
    servers.reaches(ServerState.CONNECTED)
    with pytest.raises(ServerFailed):
        servers.call("crash")
    servers.reaches(ServerState.WAITING)
    assert "again in 2 s" in status.error, "it has crashed twice in a row"
    assert servers.call("echo", text="used").text == "used", "a use does not wait for that"


def test_a_server_that_crashes_all_the_time_is_left_alone(servers: Servers) -> None:
    servers.use(small=small())
    servers.call("echo", text="x")
    status = servers.room.mux.mcp_servers.status("small")
    status.crashes = RESTARTS
    with pytest.raises(ServerFailed):
        servers.call("crash")
    servers.reaches(ServerState.FAILED)
    assert "7 times in a row" in status.error


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (script("echo oh no >&2; exit 3"), "broken: it ended with exit code 3; it says: oh no"),
        (ServerSettings(command="/no/such/program"), "'/no/such/program' cannot be started: No such file"),
        (script("sleep 600", start_seconds=1), "it was not ready within 1 s"),
        (script("echo not JSON; while read line; do :; done", start_seconds=1), "it was not ready within 1 s"),
        (script("true", cwd="/no/such/directory"), "cwd: /no/such/directory is no directory"),
        (script("true", env={"A": "${NOT_SET_ANYWHERE}"}), "NOT_SET_ANYWHERE} is not set"),
        (script("tr '\\0' x </dev/zero", start_seconds=60), "a message of more than 16 MiB"),
    ],
)
def test_what_cannot_be_started_says_why(servers: Servers, settings: ServerSettings, reason: str) -> None:
    servers.use(broken=settings)
    with pytest.raises((ServerFailed, TimedOut)) as failure:
        servers.room.run(ConnectServer(server="broken"))
    assert reason in str(failure.value)
    assert servers.room.run(ListServers()).servers[0].state == "failed"


def test_a_disconnected_server_has_ended_with_its_children(servers: Servers, tmp_path: Path) -> None:
    pid = tmp_path / "pid"
    servers.use(small=script(f"sleep 600 & echo $! >{pid}; exec {sys.executable} {small().args[0]}"))
    servers.call("echo", text="x")
    assert servers.room.run(DisconnectServer(server="small")).state == "off"
    servers.room.gone(int(pid.read_text()))


def test_a_flood_of_notifications_and_lines_is_bounded(servers: Servers) -> None:
    servers.use(small=small())
    assert servers.call("flood", count=1_000).text == "flooded"
    assert servers.call("stderr", lines=20_000).text == "written"
    log = servers.room.mux.mcp_servers.log
    servers.room.until(lambda: log("small")[-1].text == "line 19999")
    assert len(log("small")) == 1_000


def test_a_server_gets_no_secrets_but_those_that_are_given_to_it(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEPLOY_TOKEN", "secret")
    monkeypatch.setenv("HARMLESS", "plain")
    servers.use(small=small(env={"GIVEN_TOKEN": "${DEPLOY_TOKEN}"}))
    values = [servers.call("environment", name=name).text for name in ("DEPLOY_TOKEN", "HARMLESS", "GIVEN_TOKEN")]
    assert values == ["unset", "plain", "secret"]


@ERAS
def test_a_new_tool_is_noticed(servers: Servers, flags: tuple[str, ...], protocol: str) -> None:
    servers.use(small=small(*flags))
    with pytest.raises(NotFound, match="has no tool 'grown'"):
        servers.call("grown")
    servers.call("grow")
    servers.room.run(DisconnectServer(server="small"))
    with pytest.raises(NotFound, match="did you mean grow"):
        servers.call("grown")


def test_a_changed_definition_ends_the_server_and_a_disabled_one_is_refused(servers: Servers) -> None:
    servers.use(small=small())
    servers.call("echo", text="x")
    servers.use(small=small(enabled=False))
    assert servers.room.run(ListServers()).servers[0].state == "disabled"
    with pytest.raises(Refused, match="small is disabled"):
        servers.call("echo", text="x")
    with pytest.raises(NotFound, match="no MCP server 'smal'; did you mean small"):
        servers.call("echo", "smal")


def test_a_server_of_other_workspaces_is_not_there(servers: Servers) -> None:
    servers.use(small=small(workspaces=("other",)), mine=small(workspaces=("test",)))
    assert [each.server for each in servers.room.run(ListServers()).servers] == ["mine"]


def test_nothing_is_loaded_or_started_before_the_first_use(servers: Servers) -> None:
    servers.use(small=small())
    servers.room.run(ListServers())
    assert all(thread.name != "mcp-client" for thread in threading.enumerate())


@ERAS
def test_a_question_waits_for_the_user_and_its_answer_reaches_the_tool(
    servers: Servers, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))
    room, questions = servers.room, servers.room.mux.mcp_servers.questions
    for given, said in (
        (ElicitationAnswer("accept", {"name": "Ann", "age": 41}), "hello Ann, 41"),
        (ElicitationAnswer("decline"), "decline"),
    ):
        later = CallServer(server="small", tool="greet").run(room.mux, USER)
        assert isinstance(later, Deferred)
        room.until(lambda: questions, playing=True)
        question = questions[0]
        assert question.elicitation.message == "Who are you?"
        assert [each.label for each in fields(question.elicitation.schema)] == ["name", "age"]
        answer(question, given)
        assert room.awaited(later).text == said
        room.until(lambda: not questions)


def test_a_question_of_a_cancelled_call_is_withdrawn(servers: Servers) -> None:
    servers.use(small=small())
    room, questions = servers.room, servers.room.mux.mcp_servers.questions
    later = CallServer(server="small", tool="greet").run(room.mux, USER)
    assert isinstance(later, Deferred)
    room.until(lambda: questions)
    later.cancel()
    room.until(lambda: not questions)


@ERAS
def test_the_directories_that_the_user_shares_are_the_roots(
    servers: Servers, tmp_path: Path, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))
    room = servers.room
    pane = room.opened(f"create-pane --command cat --cwd {tmp_path}")
    assert servers.call("roots").structured["result"] == ""
    assert room.run(ShareDirectory(pane=str(pane))).directories == (str(tmp_path),)
    assert servers.call("roots").structured["result"] == tmp_path.as_uri()
    room.run(ShareDirectory(pane=str(pane), share=False))
    assert servers.call("roots").structured["result"] == ""


@ERAS
def test_a_model_is_asked_only_by_the_program_that_the_configuration_names(
    servers: Servers, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(
        refused=small(*flags),
        small=small(*flags, sampling=("/bin/sh", "-c", "grep -o 'What is 6 . 7' >&2; echo 42")),
    )
    assert servers.call("think", question="What is 6 * 7?").text == "the model says 42"
    with pytest.raises(ServerFailed, match=r"refused: .*[Ss]ampling"):
        servers.call("think", "refused", question="?")


@ERAS
def test_logging_messages_and_changes_of_resources_arrive(
    servers: Servers, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))
    room = servers.room
    pane = room.run(ShowResource(server="small", uri="small://count"))
    assert room.run(ReadPane(pane=pane.id)).text == "count 0"
    servers.call("count")
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 1")
    log = room.run(ShowServerLog(server="small"))
    servers.call("note", text="a note")
    room.until(lambda: "info: a note" in room.run(ReadPane(pane=log.id)).text)
    room.say(f"close-pane {pane.id}")
    assert room.mux.mcp_servers.shown.panes == {}


@ERAS
def test_a_resource_is_read_again_once_a_server_that_crashed_is_back(
    servers: Servers, flags: tuple[str, ...], protocol: str
) -> None:
    servers.use(small=small(*flags))
    room = servers.room
    pane = room.run(ShowResource(server="small", uri="small://count"))
    servers.call("count")
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 1")
    with pytest.raises(ServerFailed):
        servers.call("crash")
    servers.reaches(ServerState.WAITING)
    room.skip(1.1)
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 0")
    servers.call("count")
    room.until(lambda: room.run(ReadPane(pane=pane.id)).text == "count 1")


def test_a_result_is_kept_in_a_pane_and_saved(servers: Servers, tmp_path: Path) -> None:
    servers.use(small=small())
    room = servers.room
    room.cat()
    found = servers.call("weather", city="Rome")
    pane = room.run(ShowResult(result=found.result))
    assert '"city": "Rome"' in room.run(ReadPane(pane=pane.id)).text
    picture = servers.call("picture")
    saved = room.run(SaveResult(result=picture.result, output=str(tmp_path / "a.png")))
    assert (tmp_path / "a.png").read_bytes()[:4] == b"\x89PNG"
    assert saved.bytes == (tmp_path / "a.png").stat().st_size
    with pytest.raises(SaveError, match="File exists"):
        room.run(SaveResult(result=picture.result, output=str(tmp_path / "a.png")))
