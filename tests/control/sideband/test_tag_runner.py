"""Tags that panes print: which run, as whom, how often, and what they answer."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import CommunicationSettings, McpSettings
from fugue_tui.control.agents.agent_finder import AgentFinder
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.sideband import tag_runner
from fugue_tui.control.sideband.tag_runner import SPAWNED, TagRunner
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.multiplexer.events.pane_events import PaneEvent, SidebandUsed
from fugue_tui.terminal.emulator.events import Notification


class Desk:
    """A workspace with a sideband, and what is seen of it."""

    def __init__(self, room: Room) -> None:
        self.room, self.mux = room, room.mux
        self.mux.permissions = McpSettings()
        self.dispatcher = Dispatcher(room.mux)
        self.finder = AgentFinder(room.mux)
        self.interface = TagRunner(self.dispatcher)
        self.notes = list[tuple[PaneId, str]]()
        self.notifications = list[str]()
        self.mux.on_event.connect(self._on_event)

    def _on_event(self, pane: PaneId, event: PaneEvent) -> None:
        if isinstance(event, SidebandUsed) and event.note:
            self.notes.append((pane, event.note))
        if isinstance(event, Notification):
            self.notifications.append(event.body)

    def granted(self, words: str = "") -> PaneId:
        """A pane that the user trusts."""
        pane = self.room.cat()
        self.room.say(f"grant-sideband {pane} {words}")
        return pane

    def prints(self, pane: PaneId, text: str) -> None:
        """Have a pane print something, and handle it."""
        self.mux.terminals[pane].receive(memoryview(text.encode()))
        self.room.drain(pane)

    def said(self, pane: PaneId, text: str) -> str:
        """What a tag did, as its pane's frame shows it."""
        count = len(self.notes)
        self.prints(pane, text)
        self.room.until(lambda: len(self.notes) > count, lambda: text)
        assert self.notes[count][0] == pane
        return self.notes[count][1]

    @property
    def audited(self) -> list[tuple[str, str, str]]:
        entries = (entry for entry in self.dispatcher.audit if entry.interface == "sideband")
        return [(entry.command, entry.outcome, entry.reason) for entry in entries]

    @property
    def ran(self) -> list[str]:
        """The commands of tags that ran, with or without success."""
        return [command for command, _, _ in self.audited if not command.startswith("fugue")]

    def answer(self, pane: PaneId, name: str = "reply") -> Any:
        file = Path(self.mux.sideband.reply_file(pane, name))
        self.room.until(file.exists)
        return json.loads(file.read_text())


@pytest.fixture
def desk(room: Room, private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(private_dir))
    room.mux.sideband._folder = str(private_dir / "fugue-tui" / "replies")  # pyright: ignore[reportPrivateUsage]
    return Desk(room)


def test_an_ordinary_pane_is_not_parsed(desk: Desk) -> None:
    pane = desk.room.cat()
    desk.prints(pane, "<fugue:spawn command='cat' />\r\n\x1b]7770;fugue:list\x07")
    assert "<fugue:spawn" in desk.room.text(pane)
    assert (len(desk.mux.workspace.panes), desk.audited, desk.notes) == (1, [], [])
    state = desk.room.say(f"get-status {pane}").state
    assert state.sideband == "not parsed: it is no agent, and grant-sideband was not run for it"


def test_a_tag_opens_a_pane_beside_the_one_that_printed_it_and_takes_no_focus(desk: Desk) -> None:
    pane = desk.granted()
    other = desk.room.cat()
    assert desk.said(pane, "<fugue:spawn direction='vertical' command='cat' name='build' />\r\n") == "fugue:spawn"
    [new] = set(desk.mux.workspace.panes) - {pane, other}
    assert desk.mux.workspace.panes[new].name == "build"
    assert desk.mux.focused == other
    assert "fugue" not in desk.room.text(pane)
    assert not desk.mux.sideband.status(new, "build").parsed
    [(command, outcome, reason)] = desk.audited
    assert (command.split()[0], outcome, reason) == ("split-pane", "done", "")
    desk.prints(new, "<fugue:list />\r\n")
    assert len(desk.audited) == 1


def test_list_and_read_answer_in_a_private_file(desk: Desk) -> None:
    pane = desk.granted()
    desk.said(pane, "<fugue:list reply='env' />\r\n")
    answer = desk.answer(pane)
    assert answer["ok"]
    assert answer["result"]["panes"][0]["id"] == str(pane)
    file = Path(desk.mux.sideband.reply_file(pane))
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.parent.stat().st_mode & 0o777 == 0o700
    desk.prints(pane, "some words\r\n")
    desk.said(pane, f"<fugue:read target='{pane}' reply='file' id='r1' />\r\n")
    assert "some words" in json.dumps(desk.answer(pane, "r1"))
    note = desk.said(pane, "<fugue:read target='%9' reply='file' id='r2' />\r\n")
    assert note.startswith("fugue:read was refused: ")
    assert desk.answer(pane, "r2")["error"]["code"] == "not_found"
    assert "id" in desk.said(pane, f"<fugue:read target='{pane}' reply='file' id='../x' />\r\n")


def test_an_answer_is_typed_only_where_the_user_granted_that(desk: Desk) -> None:
    pane = desk.granted()
    assert "--typing" in desk.said(pane, "<fugue:list reply='type' />\r\n")
    desk.room.say(f"grant-sideband {pane} --typing")
    desk.said(pane, "<fugue:list reply='type' id='2' />\r\n")
    desk.room.shows(pane, '{"ok": true')


def test_every_tag_does_what_it_says(desk: Desk) -> None:
    pane = desk.granted()
    desk.said(pane, "<fugue:spawn direction='horizontal' command='cat' />\r\n")
    new = PaneId(2)
    assert (
        desk.said(pane, f"<fugue:input target='{new}' submit='true'>hello &lt;you&gt;</fugue:input>\r\n")
        == "fugue:input"
    )
    desk.room.shows(new, "hello <you>\nhello <you>")
    desk.said(pane, f"<fugue:control action='rename' target='{new}' name='other' />\r\n")
    assert desk.mux.workspace.panes[new].name == "other"
    width = desk.mux.terminals[new].size.cols
    desk.said(pane, f"<fugue:control action='resize' target='{new}' side='left' cells='5' />\r\n")
    assert desk.mux.terminals[new].size.cols != width
    desk.said(pane, "<fugue:focus target='other' />\r\n")
    assert desk.mux.focused == new
    desk.said(pane, f"<fugue:control action='zoom' target='{new}' zoomed='true' />\r\n")
    assert desk.mux.window_of(new).zoomed
    desk.said(pane, "<fugue:notify title='build' text='done' />\r\n")
    desk.said(pane, "<fugue:notify>done too</fugue:notify>\r\n")
    assert desk.notifications == ["done", "done too"]
    desk.said(pane, f"<fugue:control action='close' target='{new}' />\r\n")
    assert new not in desk.mux.workspace.panes


def test_a_canvas_shows_a_file_beside_the_pane(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Some notes\n\nWith words.")
    pane = desk.room.opened(f"create-pane --command cat --cwd {tmp_path}")
    desk.room.say(f"grant-sideband {pane}")
    assert desk.said(pane, "<fugue:canvas type='markdown' path='notes.md' />\r\n") == "fugue:canvas"
    [new] = set(desk.mux.workspace.panes) - {pane}
    assert desk.mux.workspace.panes[new].name == "notes.md"
    desk.room.shows(new, "With words.")
    desk.mux.terminals[new].write(b"q")
    desk.room.ended(new)


@pytest.mark.parametrize(
    ("tag", "reason"),
    [
        ("<fugue:read />", "the attribute target is missing"),
        ("<fugue:spawn shell='x' />", "no attribute 'shell'; there are command, cwd, direction, focus, id, key, name"),
        ("<fugue:spawn focus='yes' />", "focus is 'yes'; it is true or false"),
        (
            "<fugue:control action='explode' target='%1' />",
            "action is 'explode'; there are resize, close, zoom, rename",
        ),
        ("<fugue:list>x</fugue:list>", "it has no text"),
        ("<fugue:list reply='mail' />", "reply is 'mail'; it is env, file or type"),
        ("<fugue:spawn direction='sideways' />", "direction"),
        ("<fugue:list key='guess' />", "the key is not that of"),
    ],
)
def test_a_tag_that_makes_no_sense_is_refused_with_a_reason(desk: Desk, tag: str, reason: str) -> None:
    pane = desk.granted()
    assert reason in desk.said(pane, tag + "\r\n")
    [(_, outcome, audited)] = desk.audited
    assert outcome == "refused"
    assert reason in audited


def test_a_tag_does_to_other_panes_only_what_the_user_approves_and_ends_none(desk: Desk) -> None:
    theirs = desk.room.cat("theirs")
    pane = desk.granted()
    for tag in (f"<fugue:control action='close' target='{each}' />" for each in (theirs, pane)):
        assert "may end only panes that it opened" in desk.said(pane, tag + "\r\n")
    desk.mux.permissions = replace(McpSettings(), trust="full")
    assert "may end only" in desk.said(pane, f"<fugue:control action='close' target='{theirs}' id='again' />\r\n")
    assert desk.said(pane, f"<fugue:input target='{theirs}' submit='true'>rm</fugue:input>\r\n") == "fugue:input waits"
    [request] = desk.mux.approvals.waiting()
    desk.mux.approvals.approve(request.id, Scope.ONCE)
    desk.room.shows(theirs, "rm\nrm")


def test_a_tag_runs_once_however_often_it_is_drawn(desk: Desk) -> None:
    pane = desk.granted()
    for _ in range(10):
        desk.prints(pane, "<fugue:notify text='one' />\r\n<fugue:notify text='two' id='a' />\r\n")
    assert desk.notifications == ["one", "two"]
    desk.room.now += 61
    desk.prints(pane, "<fugue:notify text='one' />\r\n<fugue:notify text='three' id='a' />\r\n")
    assert desk.notifications == ["one", "two", "one"]
    desk.room.now += 61
    desk.mux.terminals[pane].resize(replace(desk.mux.terminals[pane].size, cols=33))
    desk.prints(pane, "<fugue:notify text='one' />\r\n")
    assert desk.notifications == ["one", "two", "one"]


def test_too_many_tags_are_refused_and_the_limit_recovers(desk: Desk) -> None:
    pane = desk.granted()
    for number in range(2_000):
        desk.mux.terminals[pane].receive(memoryview(b"<fugue:notify text='%d' />\r\n" % number))
    desk.room.drain(pane)
    desk.room.until(lambda: any("too fast" in note for _, note in desk.notes))
    assert len(desk.notifications) <= 10
    assert any("too fast" in reason for _, _, reason in desk.audited)
    desk.room.now += 20
    desk.prints(pane, "<fugue:notify text='after' />\r\n")
    assert desk.notifications[-1] == "after"


def test_a_tag_that_came_too_fast_may_be_printed_again(desk: Desk) -> None:
    pane, other = desk.granted(), desk.granted()
    desk.prints(pane, "".join(f"<fugue:list window='{number}' id='{number}' />\r\n" for number in range(12)))
    desk.prints(other, "<fugue:list window='other' />\r\n")
    desk.room.until(lambda: (pane, "2 tags came too fast") in desk.notes)
    assert sorted(desk.ran) == sorted(f"list-panes --window {each}" for each in (*range(10), "other"))
    desk.room.now += 20
    again = "".join(f"<fugue:list window='{number}' id='{number}' />\r\n" for number in (1, 11))
    desk.room.until(lambda: desk.prints(pane, again) or "list-panes --window 11" in desk.ran)
    assert len(desk.ran) == 12


def test_panes_opened_by_tags_are_limited_in_number_and_depth(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tag_runner, "SPAWNED", 2)
    pane = desk.granted()
    for number in range(2):
        assert desk.said(pane, f"<fugue:spawn command='cat' place='window' id='{number}' />\r\n") == "fugue:spawn"
    assert "2 panes open by tags" in desk.said(pane, "<fugue:spawn command='cat' id='3' />\r\n")
    assert "2 panes open by tags" in desk.said(pane, "<fugue:canvas path='README.md' />\r\n")
    desk.said(pane, "<fugue:control action='close' target='%2' />\r\n")
    assert desk.said(pane, "<fugue:spawn command='cat' place='window' id='4' />\r\n") == "fugue:spawn"
    last = pane
    for depth in range(2):
        last = max(desk.mux.workspace.panes)
        desk.room.say(f"grant-sideband {last}")
        assert desk.said(last, f"<fugue:spawn command='cat' place='window' id='d{depth}' />\r\n") == "fugue:spawn"
    last = max(desk.mux.workspace.panes)
    desk.room.say(f"grant-sideband {last}")
    assert "no more may" in desk.said(last, "<fugue:spawn command='cat' place='window' />\r\n")
    assert SPAWNED > 2


def test_a_grant_ends_after_its_time_with_its_program_and_by_revoking(desk: Desk) -> None:
    pane = desk.granted("--for 30")
    assert desk.room.say(f"get-status {pane}").state.sideband == "parsed: granted by the user for 30 s"
    desk.room.now += 31
    desk.prints(pane, "<fugue:notify text='late' />\r\n")
    assert desk.notifications == []
    desk.interface.refresh()
    desk.prints(pane, "<fugue:notify text='later' />\r\n")
    assert "later" in desk.room.text(pane)
    pane = desk.granted()
    desk.room.say(f"revoke-sideband {pane}")
    desk.prints(pane, "<fugue:list />\r\n")
    assert "fugue:list" in desk.room.text(pane)
    pane = desk.granted()
    desk.room.say(f"respawn-pane {pane}")
    desk.prints(pane, "<fugue:list />\r\n")
    assert not desk.mux.sideband.status(pane, "").parsed


def test_one_switch_turns_all_off_and_on_again(desk: Desk) -> None:
    pane = desk.granted()
    assert not desk.room.say("toggle-sideband").enabled
    desk.prints(pane, "<fugue:notify text='one' />\r\n")
    assert desk.notifications == []
    assert desk.room.say("toggle-sideband").enabled
    desk.prints(pane, "\r\n<fugue:notify text='two' />\r\n")
    assert desk.notifications == ["two"]
    desk.mux.sideband.settings = CommunicationSettings(sideband_enabled=False)
    desk.mux.on_permissions()
    desk.prints(pane, "\r\n<fugue:notify text='three' />\r\n")
    assert desk.notifications == ["two"]


def test_keys_and_names_of_the_configuration(desk: Desk) -> None:
    desk.mux.sideband.settings = CommunicationSettings(require_key=True, panes=("trusted",))
    pane = desk.room.cat("trusted")
    desk.interface.refresh()
    key = desk.mux.sideband.key(pane)
    assert "require_key" in desk.said(pane, "<fugue:list />\r\n")
    assert desk.said(pane, f"<fugue:list key='{key}' />\r\n") == "fugue:list"
    assert not any(key in part for entry in desk.audited for part in entry)


def test_where_mcp_is_connected_tags_are_text_unless_they_are_preferred(desk: Desk) -> None:
    pane = desk.granted()
    desk.mux.sideband.mcp_session(pane, 1)
    desk.prints(pane, "<fugue:notify text='one' />\r\n")
    assert desk.notifications == []
    desk.mux.sideband.settings = CommunicationSettings(prefer="sideband")
    desk.mux.on_permissions()
    desk.prints(pane, "\r\n<fugue:notify text='two' />\r\n")
    assert desk.notifications == ["two"]
    desk.mux.sideband.settings = CommunicationSettings()
    desk.mux.sideband.mcp_session(pane, -1)
    desk.prints(pane, "\r\n<fugue:notify text='three' />\r\n")
    assert desk.notifications == ["two", "three"]


AGENT = """\
import sys
for line in sys.stdin:
    print(f"<fugue:notify text='from {line.strip()}' />", flush=True)
"""


@pytest.mark.parametrize("script", [False, True])
def test_an_agent_is_trusted_while_it_is_in_the_foreground(desk: Desk, tmp_path: Path, script: bool) -> None:
    (tmp_path / "agent.py").write_text(AGENT)
    desk.finder.start()
    pane = desk.room.opened("create-pane --command 'exec bash --norc -i'")
    terminal = desk.mux.terminals[pane]
    desk.room.until(lambda: terminal.edits_lines)
    (tmp_path / "go").write_text(f"(exec -a claude {sys.executable} {tmp_path}/agent.py)\n:\n")
    line = f"bash {tmp_path}/go" if script else f"(exec -a claude {sys.executable} {tmp_path}/agent.py)"
    terminal.write(f"stty -echo; {line}\r".encode())
    desk.room.until(lambda: desk.mux.agents.programs.get(pane))
    terminal.write(b"here\n")
    desk.room.until(lambda: desk.notifications == ["from here"])
    assert "the agent claude runs there" in desk.room.say(f"get-status {pane}").state.sideband
    terminal.write(b"\x04")
    desk.room.until(lambda: terminal.edits_lines)
    desk.room.until(lambda: not desk.mux.agents.programs)
    terminal.write(b"echo \"<fugue:notify text='later' />\"\r")
    desk.room.shows(pane, "\n<fugue:notify")
    assert desk.notifications == ["from here"]


def test_a_hostile_program_gains_nothing_by_tags_that_name_other_panes(desk: Desk) -> None:
    theirs = desk.room.cat()
    hostile = desk.room.cat()
    tags = [
        f"<fugue:input target='{theirs}' submit='true'>rm -rf /</fugue:input>",
        f"<fugue:control action='close' target='{theirs}' />",
        f"<fugue:read target='{theirs}' reply='env' />",
    ]
    for tag in tags:
        desk.prints(hostile, f"{tag}\r\n\x1b]7770;{tag[1:-1]}\x07")
    assert desk.room.text(theirs) == ""
    assert (len(desk.mux.workspace.panes), desk.audited, desk.notes) == (2, [], [])


def test_what_is_shown_of_a_tag_vanishes(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = list[Callable[[], object]]()
    monkeypatch.setattr(tag_runner, "call_later", lambda seconds, call: calls.append(call))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    pane = desk.granted()
    desk.said(pane, "<fugue:list />\r\n")
    assert desk.mux.sideband.notes == {pane: "fugue:list"}
    for call in calls:
        call()
    assert desk.mux.sideband.notes == {}


def test_a_closed_pane_leaves_nothing_behind(desk: Desk) -> None:
    pane, _ = desk.granted(), desk.room.cat()
    desk.said(pane, "<fugue:list reply='env' />\r\n")
    desk.answer(pane)
    desk.room.say(f"close-pane {pane}")
    assert not desk.mux.sideband.key(pane)
    desk.mux.sideband.close()
    assert not Path(desk.mux.sideband.reply_file(pane)).exists()
