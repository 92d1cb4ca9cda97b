"""The user's hands come first: what agents do leaves half-typed lines, the focus and the user's panes alone."""

from typing import Any

import pytest
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.control.user_and_agent import AGENT, MODERN, SHELL, by_hand, dispatch, pause, refused
from tests.control.user_and_agent import trusted as trusted
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.panes import CreatePane
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.output.pane_titles import pane_title
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import Cancelled, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.current_call import Call, current_call
from fugue_tui.multiplexer.author import Author, Kind

pytestmark = pytest.mark.slow
TYPING = (
    "send-input --pane {} --text AGENT --submit",
    "send-keys --pane {} Enter",
    "send-keys --pane {} x",
    "interrupt-pane {} --wait 0",
    "execute-command --pane {} --command 'echo AGENT'",
    "visual-diff --pane {} --keys Enter",
)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"], indirect=True)
def test_a_half_typed_line_survives_every_way_of_typing(shell: Shell) -> None:
    shell.run("true")
    room, terminal = shell.room, shell.room.mux.terminal(shell.pane)
    room.until(lambda: terminal.shell.at_prompt and (shell.fish or terminal.shell.at_input))
    by_hand(room, shell.pane, "echo precious")
    room.shows(shell.pane, "echo precious")
    pause(room)
    for line in TYPING:
        assert refused(room, line.format(shell.pane)).data["retry_after_ms"]
    by_hand(room, shell.pane, " words\n")
    room.shows(shell.pane, "\nprecious words")
    pause(room)
    room.until(lambda: shell.fish or terminal.shell.at_input)
    assert shell.says("echo free") == (0, "free")


def test_a_half_typed_line_of_a_program_without_marks_survives(room: Room) -> None:
    pane = room.cat()
    by_hand(room, pane, "mine")
    room.shows(pane, "mine")
    pause(room)
    for line in TYPING[:4]:
        assert refused(room, line.format(pane)).data["retry_after_ms"]
    by_hand(room, pane, "\n")
    room.shows(pane, "mine\nmine")
    pause(room)
    dispatch(room, f"send-input --pane {pane} --text AGENT --submit")
    room.shows(pane, "AGENT\nAGENT")


def test_the_agents_own_text_is_no_line_of_the_users(room: Room) -> None:
    pane = room.cat()
    dispatch(room, f"send-input --pane {pane} --text half")
    dispatch(room, f"send-input --pane {pane} --text way --submit")
    room.shows(pane, "halfway\nhalfway")


def test_a_full_screen_program_has_no_line_to_lose(room: Room) -> None:
    pane = room.opened("create-pane --command \"stty raw -echo; printf '\\033[?1049hready'; exec cat -v\"")
    room.shows(pane, "ready")
    by_hand(room, pane, "j")
    assert "typing" in str(refused(room, f"send-keys --pane {pane} q"))
    pause(room)
    dispatch(room, f"send-keys --pane {pane} q")
    room.shows(pane, "jq")


def test_keys_of_the_user_wait_for_the_enter_of_an_agents_text(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later = Dispatcher(room.mux).run(parse(f"send-input --pane {pane} --text build --submit"), AGENT)
    assert is_deferred(later)
    by_hand(room, pane, " /home")
    room.shows(pane, "build")
    assert not later.done
    assert "/home" not in room.text(pane)
    sent = room.awaited(later)
    assert sent.submitted
    room.shows(pane, "build^M /home")


def test_the_focus_stays_while_the_user_types_and_the_answer_says_so(room: Room) -> None:
    first, second = room.cat(), room.opened("create-window --command cat")
    room.say(f"focus-pane {first}")
    by_hand(room, first, "pass")
    for line in (f"focus-pane {second}", f"zoom-pane {second}", "create-pane --command cat --focus"):
        dispatch(room, line)
        assert room.mux.focused == first
    assert dispatch(room, f"focus-pane {second}").focused is False
    assert dispatch(room, "select-window last").active is False
    by_hand(room, first, "word")
    room.shows(first, "password")
    pause(room)
    assert dispatch(room, f"focus-pane {second}").focused is True


@pytest.mark.parametrize(
    "line",
    [
        "close-pane {}",
        "respawn-pane {}",
        "signal-pane {}",
        "close-window @1",
        "kill-session test",
        "kill-server test",
        "interrupt-pane {} --escalate",
    ],
)
def test_nothing_is_ended_under_the_users_hands(room: Room, line: str) -> None:
    pane = room.cat()
    room.opened("create-window --command cat")
    room.say("create-session --name other --no-focus --command cat")
    by_hand(room, pane, "word\n")
    assert refused(room, line.format(pane)).data["retry_after_ms"]
    assert room.mux.runs(pane)
    room.shows(pane, "word\nword")


@pytest.mark.parametrize("line", TYPING[:3])
def test_agents_do_not_answer_a_password_prompt(room: Room, line: str) -> None:
    pane = room.opened("create-pane --command \"stty -echo; printf 'Password: '; read x; echo got:$x; exec cat\"")
    room.shows(pane, "Password:")
    error = refused(room, line.format(pane))
    assert "password" in str(error)
    by_hand(room, pane, "secret\n")
    room.shows(pane, "got:secret")


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_giving_a_command_up_presses_no_key_under_the_users_hands(shell: Shell) -> None:
    shell.run("true")
    room = shell.room
    later = shell.begin("cat")
    room.until(lambda: shell.runs("cat"))
    by_hand(room, shell.pane, "an answer")
    room.shows(shell.pane, "an answer")
    later.cancel()
    room.skip(1.0)
    for _ in range(20):
        room.turn()
    assert shell.runs("cat")
    by_hand(room, shell.pane, "\n")
    room.shows(shell.pane, "an answer\nan answer")


def test_a_program_may_type_into_its_own_pane_under_the_users_hands(room: Room) -> None:
    pane = room.cat()
    by_hand(room, pane, "a")
    room.shows(pane, "a")
    assert "typing" in str(
        refused(room, f"send-input --pane {pane} --text no", Origin(Interface.CLI, PaneId(9), inside=True))
    )
    dispatch(room, f"send-input --pane {pane} --text b", SHELL)
    room.shows(pane, "ab")


def test_the_prefix_holds_every_pane(room: Room) -> None:
    pane = room.cat()
    room.mux.lease.prefix(1, pressed=True)
    assert refused(room, f"send-input --pane {pane} --text no").data["retry_after_ms"]
    room.mux.lease.prefix(1, pressed=False)
    dispatch(room, f"send-input --pane {pane} --text yes")
    room.shows(pane, "yes")


def test_a_call_that_waits_for_the_user_types_in_order(room: Room) -> None:
    pane = room.cat()
    by_hand(room, pane, "mine")
    dispatcher = Dispatcher(room.mux)
    begun = [
        dispatcher.run(parse(f"send-input --pane {pane} --text {word} --submit --wait-for-user 30"), AGENT)
        for word in ("one", "two", "three")
    ]
    given_up = begun.pop(1)
    assert is_deferred(given_up)
    given_up.cancel()
    with pytest.raises(Cancelled):
        room.awaited(given_up)
    by_hand(room, pane, "\n")
    pause(room)
    for later in begun:
        assert is_deferred(later)
        room.awaited(later)
    room.until(lambda: room.text(pane).count("three") == 2)
    words = room.text(pane).split()  # Echo and output of several lines may mix.
    assert words.index("mine") < words.index("one") < words.index("three")
    assert "two" not in words
    assert not room.mux.waiting_input.waiting(pane)


def test_a_call_that_has_waited_long_enough_is_refused(room: Room) -> None:
    pane = room.cat()
    by_hand(room, pane, "mine")
    for line in (
        f"send-keys --pane {pane} x --wait-for-user 0.1",
        f"interrupt-pane {pane} --wait-for-user 0.1",
        f"visual-diff --pane {pane} --keys x --wait-for-user 0.1",
    ):
        assert refused(room, line).data["retry_after_ms"]
    room.shows(pane, "mine")


def test_no_question_of_an_agent_interrupts_the_user_who_types_in_the_pane(room: Room) -> None:
    room.mux.permissions = McpSettings()
    pane = room.cat()
    by_hand(room, pane, "mine")
    with pytest.raises(Refused, match="the user is typing"):
        Dispatcher(room.mux).run(parse(f"send-input --pane {pane} --text no"), AGENT)
    assert not room.mux.approvals.waiting()


def test_a_policy_may_refuse_what_is_typed(room: Room) -> None:
    pane, asked = room.cat(), list[PaneId]()

    def check() -> None:
        asked.append(pane)
        raise Refused("not today")

    call = current_call.set(Call(AGENT.author, check=check))
    try:
        with pytest.raises(Refused, match="not today"):
            room.mux.input(pane, AGENT.author).write(b"no")
    finally:
        current_call.reset(call)
    assert asked == [pane]
    assert room.mux.terminals[pane].sent.count == 0


def test_a_policy_may_let_an_agent_type_what_is_not_shown(room: Room) -> None:
    pane = room.opened("create-pane --command \"stty -echo; printf 'Password: '; read x; echo got:$x; exec cat\"")
    room.shows(pane, "Password:")
    room.mux.allow_hidden = lambda pane, author: author == AGENT.author
    dispatch(room, f"send-input --pane {pane} --text secret --submit")
    room.shows(pane, "got:secret")


def test_a_title_names_who_typed_last_once_another_than_the_user_has_typed(room: Room) -> None:
    pane, changes = room.cat(), list[None]()
    room.mux.lease.on_change.connect(lambda: changes.append(None))
    by_hand(room, pane, "ab\n")
    room.mux.count_user_input(pane)
    assert (pane_title(room.mux, pane).state, changes) == ("", [])
    pause(room)
    dispatch(room, f"send-input --pane {pane} --text one --submit")
    assert pane_title(room.mux, pane).state == "agent: test"
    pause(room)
    by_hand(room, pane, "c")
    room.mux.count_user_input(pane)
    by_hand(room, pane, "d")
    assert pane_title(room.mux, pane).state == "you"
    assert len(changes) == 2


def test_the_users_keys_are_reported_together(room: Room) -> None:
    pane, told = room.cat(), list[tuple[Author, int]]()
    room.mux.on_typed.connect(lambda pane, author, count: told.append((author, count)))
    by_hand(room, pane, "abcde\n")
    room.skip(1.0)
    room.until(lambda: told)
    assert [(author.kind, count) for author, count in told] == [(Kind.USER, 6)]


def test_a_layout_that_the_user_changes_is_left_alone_for_five_seconds(room: Room) -> None:
    pane = room.cat()
    room.opened("split-pane --command cat")
    dispatch(room, f"resize-pane {pane} --side right --cells 3", USER)
    for line in (f"resize-pane {pane} --side left --cells 3", f"split-pane {pane} --command cat", f"zoom-pane {pane}"):
        assert "arranging window @1; try again in 5000 ms" in str(refused(room, line))
    assert dispatch(room, "create-window --command cat")
    room.now += 5.0
    assert dispatch(room, f"zoom-pane {pane}")


def test_the_users_own_command_line_in_the_focused_pane_moves_the_focus(room: Room) -> None:
    first, second = room.cat(), room.opened("split-pane --command cat")
    room.say(f"focus-pane {first}")
    by_hand(room, first, "focus\n")
    assert dispatch(room, f"focus-pane {second}", Origin(Interface.CLI, first, inside=True)).focused
    room.say(f"focus-pane {first}")
    by_hand(room, first, "half a wo")
    assert not dispatch(room, f"focus-pane {second}", Origin(Interface.CLI, first, inside=True)).focused


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_command_that_waits_for_the_user_runs_once_the_line_is_entered(shell: Shell) -> None:
    shell.run("true")
    room, terminal = shell.room, shell.room.mux.terminal(shell.pane)
    room.until(lambda: terminal.shell.at_input)
    by_hand(room, shell.pane, "echo mine")
    later = shell.begin("echo agent", wait_for_user=30.0)
    room.shows(shell.pane, "echo mine")
    pause(room)
    assert not later.done
    by_hand(room, shell.pane, "\n")
    pause(room)
    assert room.awaited(later).text == "agent"
    assert "\nmine\n" in shell.text


def test_three_agents_and_a_user_mix_no_line_and_lose_none(room: Room) -> None:
    lines = "stty raw -echo opost onlcr; printf '\\033[?2004hready\\r\\n'; exec tr '\\r' '\\n'"
    opened = room.run(CreatePane(command=("sh", "-c", lines)))
    pane = PaneId(opened.id[1:])
    room.shows(pane, "ready")
    dispatcher, begun = Dispatcher(room.mux), list[Any]()
    for turn in range(4):
        for client in ("a", "b", "c"):
            line = f"send-input --pane {pane} --text {client * 9} --submit --wait-for-user 60"
            begun.append(dispatcher.run(parse(line), Origin(Interface.MCP, client=client)))
        for char in "user\n":
            by_hand(room, pane, char)
            room.turn(0.0)
        pause(room, 3.0)
        if turn % 2:
            room.until(lambda: begun[-3].done)  # The user goes on while the others type.
    assert all(room.awaited(later).submitted for later in begun)
    room.until(lambda: room.text(pane).count("\n") == 16)
    words = room.text(pane).split("\n")[1:]
    assert {word: words.count(word) for word in words} == {"user": 4, "a" * 9: 4, "b" * 9: 4, "c" * 9: 4}
