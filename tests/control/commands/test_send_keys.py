"""What is typed is what was said: text as text, keys as keys, and Enter by itself."""

import pytest
from tests.multiplexer.conftest import Room, agent

from fugue_tui.control.commands.send_keys import InputStep, SendInput, SendKeys, TypeWithIme
from fugue_tui.control.commands.signals import InterruptPane
from fugue_tui.control.core.command import USER, Command, Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.errors import InputFull, InvalidArgument, NotFound, Refused, TerminalGone
from fugue_tui.multiplexer.watch.wait import WaitOutcome
from fugue_tui.terminal.input.ime import Kana
from fugue_tui.terminal.input.keys import KeyPress, Modifiers
from fugue_tui.terminal.pty import write_queue

MODERN = "create-pane --command \"stty raw -echo; printf '\\033[?2004hready\\r\\n'; exec cat -v\""
"""A pane whose program asks for bracketed paste and shows every byte that it gets."""


def test_text_is_typed_as_it_is(room: Room) -> None:
    pane = room.cat()
    text = "héllo C-c \t Enter 日本"
    sent = room.run(SendInput(text=text))
    assert (sent.pane, sent.bytes, sent.keys) == (str(pane), len(text.encode()), 0)
    assert (sent.pasted, sent.submitted) == (False, False)
    room.shows(pane, "héllo C-c")
    assert "Enter 日本" in room.text(pane)


def test_submit_presses_enter_after_the_text(room: Room) -> None:
    pane = room.cat()
    assert room.run(SendInput(text="once", submit=True)).submitted
    room.shows(pane, "once\nonce")


def test_submit_alone_is_an_enter(room: Room) -> None:
    pane = room.cat()
    room.run(SendInput(text="later"))
    room.run(SendInput(submit=True))
    room.shows(pane, "later\nlater")


def test_enter_after_text_waits_for_a_program_that_takes_quick_typing_for_a_paste(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later = SendInput(text="ab", submit=True).run(room.mux, USER)
    assert is_deferred(later)
    room.shows(pane, "ab")
    assert "^M" not in room.text(pane)
    assert not later.done
    room.shows(pane, "ab^M")
    assert room.awaited(later).submitted


def test_a_delayed_enter_is_sent_before_more_input(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    sent = [each.run(room.mux, USER) for each in (SendInput(text="ab", submit=True), SendInput(text="cd", submit=True))]
    sent.append(SendKeys(keys=("x",)).run(room.mux, USER))
    for later in sent:
        assert is_deferred(later)
        assert room.awaited(later).submitted is (later is not sent[-1])
    room.shows(pane, "ab^Mcd^Mx")


def test_a_delayed_enter_is_sent_before_a_users_key(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later = SendInput(text="ab", submit=True).run(room.mux, USER)
    assert is_deferred(later)
    room.mux.human_input(pane)
    room.mux.terminals[pane].press(KeyPress("z", text="z"))
    room.shows(pane, "ab^Mz")
    assert room.awaited(later).submitted


def test_nothing_is_typed_to_what_a_user_types(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    room.mux.human_input(pane)
    room.now += 0.5
    with pytest.raises(Refused, match=f"the user is typing in {pane}; try again in 1500 ms") as refused:
        room.run(SendInput(pane=str(pane), text="ab", submit=True), Origin(Interface.CLI))
    assert refused.value.data == {"retry_after_ms": 1500}
    room.run(SendInput(pane=str(pane), text="own", submit=True), Origin(Interface.CLI, pane=pane))
    room.now += 1.5
    room.run(SendInput(pane=str(pane), text="ab", submit=True), Origin(Interface.CLI))
    room.shows(pane, "ready\nown^Mab^M")


@pytest.mark.parametrize("interrupt", [SendKeys(pane="1", keys=("C-c",)), InterruptPane(pane="1")])
def test_an_interrupt_cancels_the_enter_that_waits(room: Room, interrupt: Command[object]) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later, behind = (SendInput(text=text, submit=True).run(room.mux, USER) for text in ("ab", "cd"))
    assert is_deferred(later)
    assert is_deferred(behind)
    room.shows(pane, "ab")
    begun = interrupt.run(room.mux, USER)
    assert not room.awaited(later).submitted
    if is_deferred(begun):
        room.skip(5)
        room.awaited(begun)
    room.awaited(behind)
    assert room.shows(pane, "cd^M").endswith("ab^Ccd^M")


def test_a_users_interrupt_drops_what_waits_for_an_agents_enter(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later = SendInput(text="ab", submit=True).run(room.mux, USER)
    assert is_deferred(later)
    terminal = room.mux.terminals[pane]
    for key in (KeyPress("z", text="z"), KeyPress("c", Modifiers.CTRL), KeyPress("y", text="y")):
        terminal.press(key)
    assert not room.awaited(later).submitted
    assert "z" not in room.shows(pane, "ab^Cy")


def test_an_interrupt_is_not_queued_behind_input_that_a_program_does_not_read(room: Room) -> None:
    pane = room.opened("create-pane --on-exit keep --command 'stty -icanon -echo; echo ready; sleep 100'")
    room.shows(pane, "ready")
    room.run(SendInput(text="x" * 1_000_000))
    room.run(SendKeys(keys=("C-c",)))
    room.ended(pane)


def test_a_wait_for_silence_counts_from_the_enter_that_was_pressed(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    later = SendInput(text="ab", submit=True).run(room.mux, USER)
    assert is_deferred(later)
    found = room.say(f"wait-for-output {pane} --idle-ms 100 --timeout 30")
    assert found.outcome == "idle"
    assert later.done
    assert "ab^M" in room.text(pane)


def test_several_lines_go_as_one_paste(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    sent = room.run(SendInput(text="one\ntwo\r\nthree"))
    assert (sent.pasted, sent.bracketed) == (True, True)
    assert "^[[200~one" in room.shows(pane, "^[[201~")
    assert room.text(pane).count("[200~") == 1


def test_the_answer_says_that_lines_were_taken_for_enters(room: Room) -> None:
    pane = room.cat()
    sent = room.run(SendInput(text="one\ntwo\n"))
    assert (sent.pasted, sent.bracketed, sent.bytes) == (True, False, 8)
    room.shows(pane, "one\ntwo\none\ntwo")


@pytest.mark.parametrize("text", ["a\x1b[201~b", "\x03", "a\x7f", "a\x9bb", "a\rb", "\x00"])
def test_text_with_a_control_character_is_refused_whole(room: Room, text: str) -> None:
    pane = room.cat()
    with pytest.raises(InvalidArgument, match=r"text: U\+"):
        room.run(SendInput(text=text))
    with pytest.raises(InvalidArgument, match=r"text: U\+"):
        room.run(SendKeys(keys=(text,), literal=True))
    room.run(SendInput(text="clean", submit=True))
    assert room.shows(pane, "clean\nclean") == "clean\nclean"


def test_one_key_is_pressed_by_its_name(room: Room) -> None:
    pane = room.cat()
    room.run(SendInput(text="gone"))
    room.shows(pane, "gone")
    assert room.run(SendInput(key="C-u")).keys == 1
    room.run(SendInput(text="kept"))
    room.run(SendInput(key="Enter"))
    room.shows(pane, "kept\nkept")
    room.run(SendInput(key="ctrl+c"))
    room.ended(pane)


@pytest.mark.parametrize(
    ("keys", "wanted"),
    [
        (("C-a", "ctrl+b", "M-x", "Enter"), "01 02 1b 78 0d"),
        (("Escape", "BSpace", "Tab", "Space"), "1b 7f 09 20"),
        (("Up", "F5", "BTab"), "1b 5b 41 1b 5b 31 35 7e 1b 5b 5a"),
        (("h", "i", "é"), "68 69 c3 a9"),
    ],
)
def test_keys_are_pressed_in_order(room: Room, keys: tuple[str, ...], wanted: str) -> None:
    count = len(wanted.split())
    pane = room.opened(f"create-pane --command 'stty raw -echo; echo ready; exec od -An -v -tx1 -w1 -N{count}'")
    room.shows(pane, "ready")
    assert room.run(SendKeys(keys=keys)).keys == len(keys)
    room.until(lambda: room.text(pane).replace("ready", "").split() == wanted.split(), lambda: room.text(pane))


@pytest.mark.parametrize("word", ["hello", "C-", "Entr", "", "F99", "ctrl+", "C-c\n"])
def test_a_word_that_is_no_key_presses_nothing(room: Room, word: str) -> None:
    pane = room.cat()
    with pytest.raises(InvalidArgument):
        room.run(SendKeys(keys=("a", "b", word)))
    room.run(SendInput(text="z", submit=True))
    assert room.shows(pane, "z\nz") == "z\nz"


def test_key_names_can_be_typed_as_text(room: Room) -> None:
    pane = room.cat()
    room.run(SendKeys(keys=("C-c", " Enter"), literal=True))
    room.shows(pane, "C-c Enter")
    assert pane not in room.mux.exits


@pytest.mark.parametrize(
    "said",
    [
        SendInput(),
        SendInput(text="a", steps=(InputStep(key="Enter"),)),
        SendInput(steps=(InputStep(text="a", key="Enter"),)),
        SendInput(steps=(InputStep(),)),
        SendInput(text="a", wait_for=("(",), regex=True),
        SendInput(steps=(InputStep(text="a"), InputStep(key="Entre"))),
    ],
)
def test_input_that_is_not_clear_types_nothing(room: Room, said: SendInput) -> None:
    pane = room.cat()
    with pytest.raises(InvalidArgument):
        room.run(said)
    assert room.mux.terminals[pane].sent.count == 0


def test_texts_and_keys_are_typed_in_the_order_of_the_steps(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    steps = (InputStep(text="ab"), InputStep(key="Enter"), InputStep(key="Up"), InputStep(key="x"), InputStep(text="c"))
    sent = room.run(SendInput(steps=steps, submit=True))
    assert (sent.bytes, sent.keys, sent.submitted) == (3, 2, True)
    room.shows(pane, "ab^M^[[Axc^M")


def test_keys_are_pressed_after_the_text(room: Room) -> None:
    pane = room.opened(MODERN)
    room.shows(pane, "ready")
    sent = room.run(SendInput(text="ab", keys=("Left", "Enter")))
    assert (sent.bytes, sent.keys, sent.submitted) == (2, 2, False)
    room.shows(pane, "ab^[[D^M")


def test_input_waits_for_its_answer_and_returns_it(room: Room) -> None:
    pane = room.opened("create-pane -- sh -c 'stty -echo; echo ready; while read x; do echo got $x; echo ok; done'")
    room.shows(pane, "ready")
    first = room.run(SendInput(text="one", submit=True, wait_for=("ok",)))
    assert (first.outcome, first.matched, first.more) == (WaitOutcome.MATCHED, "ok", False)
    assert (first.output or "").split("\n") == ["got one", "ok"]
    assert first.cursor
    second = room.run(SendInput(text="two", submit=True, wait_for=(r"o\w$",), regex=True))
    assert (second.output or "").split("\n") == ["got two", "ok"]


def test_a_wait_without_an_answer_times_out_with_what_was_printed(room: Room) -> None:
    room.cat()
    sent = room.run(SendInput(text="echoed", submit=True, wait_for=("never",), timeout=0))
    assert sent.outcome is WaitOutcome.TIMEOUT
    assert (sent.submitted, sent.matched) == (True, None)


def test_a_program_that_its_input_ends_has_printed_its_last_words(room: Room) -> None:
    room.cat()
    pane = room.opened("create-pane --on-exit keep -- sh -c 'stty -echo; echo ready; read x; echo bye'")
    room.shows(pane, "ready")
    sent = room.run(SendInput(pane=str(pane), submit=True, wait_for=("never",)))
    assert sent.outcome is WaitOutcome.EXITED
    assert "bye" in (sent.output or "")


def test_an_agent_must_name_the_pane_to_type_into(room: Room) -> None:
    pane = room.cat()
    with pytest.raises(InvalidArgument, match="name the one"):
        room.run(SendInput(text="x"), agent())
    with pytest.raises(Refused, match="your own pane"):
        room.run(SendInput(text="x"), agent(pane))
    assert room.run(SendInput(pane=str(pane), text="x"), agent(pane)).pane == str(pane)
    assert room.run(SendInput(text="x"), Origin(Interface.CLI)).pane == str(pane)


@pytest.mark.parametrize("interface", [Interface.MCP, Interface.CLI])
def test_an_agent_in_a_pane_types_into_its_own_input_only_if_it_says_so(room: Room, interface: Interface) -> None:
    pane = room.cat()
    inside = Origin(interface, pane, inside=True)
    for command in (SendInput(text="x"), SendInput(pane="active", text="x"), SendKeys(keys=("x",))):
        with pytest.raises(Refused, match=f"{pane} is your own pane"):
            room.run(command, inside)
    room.run(SendInput(pane="self", text="own"), inside)
    room.shows(pane, "own")
    assert "x" not in room.text(pane)


def test_a_program_that_is_over_gets_nothing(room: Room) -> None:
    room.cat()
    pane = room.opened("split-pane --command 'exit 2'")
    room.ended(pane)
    with pytest.raises(TerminalGone, match=rf"the program in {pane} has exited \(exit 2\); respawn-pane"):
        room.run(SendInput(pane=str(pane), text="x"))


def test_a_program_that_does_not_read_is_reported(room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_queue, "CAPACITY", 2_500_000)
    room.cat()
    pane = room.opened("split-pane --command 'stty raw; echo ready; exec sleep 100'")
    room.shows(pane, "ready")
    type_it = SendInput(pane=str(pane), text="x" * 1_000_000)
    assert [room.run(type_it).bytes for _ in range(2)] == [1_000_000] * 2
    with pytest.raises(InputFull, match=r"\d+ bytes wait .* none of these 1000000 bytes were sent"):
        room.run(type_it)


def test_two_who_type_into_one_pane_never_mix(room: Room) -> None:
    pane = room.cat()
    for origin in (agent(pane), agent(), agent(pane)):
        room.run(SendInput(pane=str(pane), text="word", submit=True), origin)
    room.until(lambda: "".join(room.text(pane).split()) == "word" * 6)  # Echo and output may share a line.
    room.say(f"close-pane {pane}")
    with pytest.raises(NotFound, match=f"no pane {pane}"):
        room.run(SendInput(pane=str(pane), text="late"), agent())


@pytest.mark.parametrize("typed", ["send-input {} --text go --submit", "send-keys {} Enter"])
def test_what_is_printed_before_the_wait_begins_is_found_with_the_cursor(room: Room, typed: str) -> None:
    pane = room.opened("create-pane --on-exit keep -- sh -c 'stty -echo; echo old; read x; echo answer; exec cat'")
    room.shows(pane, "old")
    sent = room.say(typed.format(pane))
    room.shows(pane, "answer")
    assert room.say(f"wait-for-output {pane} --any-of answer --timeout 0.2").outcome == "timeout"
    found = room.say(f"wait-for-output --any-of old --any-of answer --cursor {sent.cursor} --timeout 5")
    assert (found.outcome, found.pattern) == ("matched", "answer")
    assert "answer" in room.say(f"read-pane --cursor {sent.cursor}").text


def test_typing_much_keeps_the_cursors_that_were_asked_for(room: Room) -> None:
    pane = room.cat()
    asked = room.say(f"read-pane {pane}").cursor
    cursors: list[str] = []
    for number in range(30):
        cursors.append(room.say(f"send-input {pane} --text {number}. --submit").cursor)
        room.shows(pane, f"{number}.\n{number}.")
    assert "29." in room.say(f"read-pane --cursor {asked}").text
    assert room.say(f"read-pane --cursor {cursors[-1]}").text.startswith("29.")
    with pytest.raises(InvalidArgument, match="not known"):
        room.say(f"read-pane --cursor {cursors[1]}")


def test_jamo_and_romaji_are_typed_as_whole_syllables(room: Room) -> None:
    pane = room.cat()
    found = room.run(TypeWithIme(pane=str(pane), text="ㅎㅏㄴㄱㅡㄹ ", submit=True), agent())
    assert (found.text, found.sent.bytes, found.sent.submitted) == ("한글 ", len("한글 ".encode()), True)
    assert room.run(TypeWithIme(pane=str(pane), text="toukyou", kana=Kana.KATAKANA)).text == "トウキョウ"
    assert "ㅎ" not in room.shows(pane, "トウキョウ")
    with pytest.raises(InvalidArgument, match="'q' at 2 is no whole syllable"):
        room.run(TypeWithIme(pane=str(pane), text="kaq", kana=Kana.HIRAGANA))
    room.mux.lease.take(pane)
    with pytest.raises(Refused):
        room.run(TypeWithIme(pane=str(pane), text="ㅎㅏ"), agent())
