"""What an agent tries against the user's panes, and where each attack is tested.

| attack | test |
|---|---|
| approve its own request: by MCP | `mcp/test_approval.py`, `control/dispatch/test_asking.py` |
| … by the command line or a terminal of a pane or an orphan, by the configuration | `adversary/test_self_approval.py` |
| … by keys that it types, while the dialog is open | `tui/ui/test_approval_prompt.py` |
| flood the approvals: one caller | `control/dispatch/test_asking.py`; many callers: here |
| close or restart foreign panes, by undo and redo too | here; every command: `dispatch/test_matrix.py` |
| own the user's panes by restoring them | `control/restore/test_restorer.py` |
| run what a layout file says, unseen | `control/layout_files/test_trust.py` |
| start programs outside of its directories, by links and `..` | `control/dispatch/test_security.py` |
| end a paste early, press keys by control characters | `commands/test_send_keys.py`, `terminal/input/test_paste.py` |
| forge answers of the terminal | `commands/test_send_keys.py`, `attach_server/test_query_replies.py` |
| forge exit codes with the nonce of the shell | `terminal/shell_integration/test_nonce.py` |
| read the clipboard or other data by queries | `terminal/emulator/test_modes_and_replies.py` |
| exhaust panes, file descriptors, terminals | `multiplexer/test_pane_limit.py`, `attach_server/test_registry.py` |
| exhaust connections, calls | `mcp/test_socket_limits.py`, `dispatch/test_thread_gateway.py` |
| repeat a call under the key of another client | `control/dispatch/test_idempotency.py` |
| pass for another pane by its environment | `mcp/test_socket_server.py` |
| pass for another client by its name; use grants of another process | here |
| type a password, submit or wipe a line, take the focus | `control/test_user_first.py` |
"""

from collections import Counter
from typing import Any

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room

from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import grantee
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import CommandError, InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.approvals import DENIED_SECONDS, OF_ALL, OF_ONE_CALLER, OF_ONE_SOURCE
from fugue_tui.multiplexer.access.grants import Scope

MINE, THEIRS = PaneId(1), PaneId(2)
AGENT = Origin(Interface.MCP, MINE, inside=True, process="12@34", program="claude", executable="/usr/bin/claude")
SHELL = replace(AGENT, interface=Interface.CLI)


@pytest.fixture(autouse=True)
def two_panes(room: Room) -> None:
    """The agent's pane, and one of the user's in a session of its own."""
    room.cat("agent")
    room.say("create-session --name theirs --command cat")
    room.say("rename-window @2 --name work")
    room.say(f"rename-pane {THEIRS} --name build")


def attempt(room: Room, line: str, origin: Origin = AGENT) -> str:
    """Run a command line: its result, or `asked` or `refused`."""
    try:
        found: Any = Dispatcher(room.mux).run(parse(line), origin)
        if not is_deferred(found):
            return "done"
        before = room.mux.approvals.waiting()[-1:]
        room.until(lambda: found.done or room.mux.approvals.waiting()[-1:] != before)
        if not found.done:
            return "asked"
        found.result()
    except CommandError:
        return "refused"
    return "done"


@pytest.mark.parametrize("origin", [AGENT, SHELL])
@pytest.mark.parametrize(
    "line",
    [
        "close-pane %2",
        "close-pane build",
        "close-pane right",
        "close-window @2",
        "close-window work",
        "kill-session theirs",
        "kill-server test",
        "respawn-pane %2",
        "respawn-pane %2 --command true",
        "signal-pane %2",
        "interrupt-pane %2 --escalate",
        "restore-snapshot --name auto --pane %2 --kill",
        "send-keys %2 --keys C-d",
        "undo-change",
        "undo-change 1",
        "redo-change",
    ],
)
def test_no_agent_ends_a_program_of_the_users(room: Room, line: str, origin: Origin) -> None:
    terminal = room.mux.terminals[THEIRS]
    assert attempt(room, line, origin) in ("asked", "refused")
    assert room.mux.terminals[THEIRS] is terminal
    assert room.mux.runs(THEIRS)


def test_what_an_agent_closed_with_approval_it_does_not_close_again_without(room: Room) -> None:
    """Bringing a pane back does not make it the agent's own."""
    dispatcher = Dispatcher(room.mux)
    room.say("create-window --command cat")
    later: Any = dispatcher.run(parse(f"close-pane {THEIRS}"), AGENT)
    room.until(room.mux.approvals.waiting)
    room.mux.approvals.approve(room.mux.approvals.waiting()[0].id)
    room.awaited(later)
    assert attempt(room, "undo-change") == "done"
    assert attempt(room, "redo-change") == "refused"
    assert room.mux.runs(THEIRS)
    assert attempt(room, f"close-pane {THEIRS}") == "asked"


def test_a_grant_is_for_one_process_and_not_for_others_of_its_pane_or_its_name(room: Room) -> None:
    client = replace(AGENT, client="claude")
    room.mux.grants.add(Scope.SESSION, grantee(client), ["input"])
    line = f"send-input {THEIRS} --text x"
    assert attempt(room, line, client) == "done"
    assert attempt(room, line, replace(client, process="12@35")) == "asked"
    assert attempt(room, line, replace(client, process="13@36", pane=None, inside=False)) == "asked"
    assert attempt(room, line, replace(client, interface=Interface.CLI)) == "asked"
    assert attempt(room, line, replace(client, client="codex")) == "done", "a name that it gives itself means nothing"


def test_a_grant_of_a_panes_command_line_is_not_for_the_agents_there(room: Room) -> None:
    room.mux.grants.add(Scope.SESSION, grantee(SHELL), ["input"])
    line = f"send-input {THEIRS} --text x"
    assert attempt(room, line, replace(SHELL, process="99@1")) == "done", "a command line is a new process each time"
    assert attempt(room, line, AGENT) == "asked"


def test_a_pane_that_an_agent_opened_is_its_own_however_it_is_named(room: Room) -> None:
    assert attempt(room, f"create-pane --name build2 --source-pane {THEIRS} --command cat") == "done"
    opened = room.open[-1]
    assert opened not in (MINE, THEIRS)
    assert room.mux.owners[opened] == AGENT.owner
    room.run(parse(f"rename-pane {opened} --name theirs"), USER)
    assert attempt(room, f"respawn-pane {opened}", replace(AGENT, pane=THEIRS)) == "asked"
    assert attempt(room, f"respawn-pane {opened}") == "done"
    assert attempt(room, f"respawn-pane {THEIRS}") == "asked"


def processes(count: int, **changes: Any) -> list[Origin]:
    """Processes outside of panes."""
    return [
        Origin(Interface.MCP, process=f"{number}@1", program="flood", **changes) for number in range(100, 100 + count)
    ]


def asking(room: Room) -> Counter[str]:
    """How many requests of each source wait."""
    return Counter(each.question.grantee.source for each in room.mux.approvals.waiting())


LEGITIMATE = Origin(Interface.MCP, process="7@7", program="claude", executable="/usr/bin/claude")


@pytest.mark.parametrize(
    ("changes", "source"),
    [
        ({"executable": "/tmp/flood"}, "/tmp/flood"),
        ({"pane": MINE, "inside": True}, "%1"),
        ({"inside": True, "executable": "/tmp/flood"}, "a pane that it left"),
    ],
)
def test_a_program_that_starts_many_processes_does_not_fill_the_approvals(
    room: Room, changes: dict[str, Any], source: str
) -> None:
    found = [attempt(room, f"send-input {THEIRS} --text x", origin) for origin in processes(OF_ALL, **changes)]
    assert found == ["asked"] * OF_ONE_SOURCE + ["refused"] * (OF_ALL - OF_ONE_SOURCE)
    assert attempt(room, f"send-input {THEIRS} --text y", LEGITIMATE) == "asked"
    assert asking(room) == {source: OF_ONE_SOURCE, LEGITIMATE.executable: 1}


def test_in_full_approvals_the_greediest_gives_way(room: Room) -> None:
    sources = OF_ALL // OF_ONE_CALLER
    for number in range(sources):
        origin = replace(LEGITIMATE, process=f"{number}@1", executable=f"/tmp/{number}")
        for text in range(OF_ONE_CALLER):
            assert attempt(room, f"send-input {THEIRS} --text {text}", origin) == "asked"
    oldest = room.mux.approvals.waiting()[0]
    assert attempt(room, f"send-input {THEIRS} --text mine", LEGITIMATE) == "asked"
    assert oldest not in room.mux.approvals.waiting()
    assert isinstance(oldest.answer.exception(), Refused)
    assert len(room.mux.approvals.waiting()) == OF_ALL
    assert asking(room)[LEGITIMATE.executable] == 1
    greedy = replace(LEGITIMATE, process="1@1", executable="/tmp/1")
    assert attempt(room, f"send-input {THEIRS} --text more", greedy) == "refused"


def test_among_the_processes_of_one_pane_the_greediest_gives_way(room: Room) -> None:
    first, second, third = processes(3, pane=MINE, inside=True)
    for origin in (first, second):
        for text in range(OF_ONE_CALLER):
            assert attempt(room, f"send-input {THEIRS} --text {text}", origin) == "asked"
    assert attempt(room, f"send-input {THEIRS} --text mine", third) == "asked"
    owners = Counter(each.question.grantee.owner for each in room.mux.approvals.waiting())
    assert owners == {first.process: OF_ONE_CALLER - 1, second.process: OF_ONE_CALLER, third.process: 1}


def test_the_user_denies_everything_of_one_pane_at_once(room: Room) -> None:
    flood = processes(5, pane=MINE, inside=True)
    for origin in flood:
        assert attempt(room, f"send-input {THEIRS} --text x", origin) == "asked"
    assert attempt(room, f"send-input {THEIRS} --text y", LEGITIMATE) == "asked"
    room.say("deny-request 2 --all")
    assert asking(room) == {LEGITIMATE.executable: 1}
    assert attempt(room, f"close-pane {THEIRS}", processes(6, pane=MINE, inside=True)[5]) == "refused"
    assert attempt(room, f"close-pane {THEIRS}", LEGITIMATE) == "asked"
    room.now += DENIED_SECONDS
    assert attempt(room, f"close-pane {THEIRS}", flood[0]) == "asked"


@pytest.mark.parametrize("words", ["save-layout", "load-layout", "import-servers --directory"])
def test_a_path_that_cannot_exist_is_no_argument(words: str) -> None:
    """To resolve one of a megabyte would hold up the workspace for minutes, even before the user is asked."""
    with pytest.raises(InvalidArgument, match="4096"):
        parse(f"{words} {'a/' * 2_100}")
