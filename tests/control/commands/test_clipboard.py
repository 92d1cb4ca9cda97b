"""What was copied is listed for those who may see it, and pasted as fits the program."""

import time

import pytest
from msgspec.structs import replace
from tests.multiplexer.conftest import Room, agent

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.clipboard import ClearClipboard, ClipboardContext, PasteSmart
from fugue_tui.control.core.command import USER, Command, Effect
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.dispatch.policy import Decision, grantee, judge
from fugue_tui.control.dispatch.question import pin
from fugue_tui.control.shell_exec.smart_paste import Lines
from fugue_tui.errors import NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.multiplexer.clipboard import HEAVIEST, MOST, Clipboard, Copied, CopySource
from fugue_tui.output_analysis.text_form import TextForm

SHELL = "create-pane --command 'env -i TERM=xterm PATH=/usr/bin:/bin PS1=ready bash --norc --noprofile'"


def copied(room: Room, text: str, pane: PaneId, source: CopySource = CopySource.SELECTION) -> None:
    """Copy a text, as the screen does."""
    room.mux.clipboard.text = text
    room.mux.clipboard.add(Copied(text, source, pane, time.time()))


def decisions(room: Room, command: Command[object], pane: PaneId | None = None) -> dict[str, Decision]:
    return {each.effect: each.decision for each in judge(room.mux, command, agent(pane))}


def test_what_was_copied_is_listed_newest_first_with_its_pane_and_form(room: Room) -> None:
    one, two = room.cat(), room.cat()
    copied(room, "https://example.org/a", one)
    copied(room, '{"a": [1]}', two, CopySource.PROGRAM)
    found = room.run(ClipboardContext()).entries
    assert [(each.form, each.pane, each.source) for each in found] == [
        (TextForm.JSON, str(two), CopySource.PROGRAM),
        (TextForm.URL, str(one), CopySource.SELECTION),
    ]
    assert [each.pane for each in room.run(ClipboardContext(pane=str(one))).entries] == [str(one)]
    copied(room, "https://example.org/a", one)
    assert [each.pane for each in room.run(ClipboardContext(limit=1)).entries] == [str(one)]
    assert len(room.run(ClipboardContext()).entries) == 2


def test_secrets_are_not_listed(room: Room) -> None:
    pane = room.cat()
    token = "ghp_" + "a1" * 15
    copied(room, f"first line\nexport API_TOKEN=hunter2\n{token}\nmysql -phunter3", pane)
    (entry,) = room.run(ClipboardContext()).entries
    assert "first line" in entry.text
    assert not any(secret in entry.text for secret in ("hunter2", token, "hunter3"))


def test_the_history_is_bounded_in_number_and_in_bytes() -> None:
    clipboard = Clipboard()
    for number in range(MOST + 5):
        clipboard.add(Copied(f"text {number}", CopySource.SELECTION, PaneId(1), 0.0))
    assert len(clipboard.entries) == MOST
    assert clipboard.entries[0].text == f"text {MOST + 4}"
    clipboard.add(Copied("é" * (HEAVIEST // 2), CopySource.SELECTION, PaneId(1), 0.0))
    assert len(clipboard.entries) == 1
    clipboard.add(Copied("é" * HEAVIEST, CopySource.SELECTION, PaneId(1), 0.0))
    assert len(clipboard.entries) == 1


def test_clearing_forgets_the_history_and_what_is_pasted_next(room: Room) -> None:
    copied(room, "a", room.cat())
    assert room.run(ClearClipboard()).forgotten == 1
    assert room.run(ClipboardContext()).entries == ()
    with pytest.raises(NotFound, match="nothing was copied yet"):
        room.run(PasteSmart(preview=True))
    assert set(decisions(room, ClearClipboard()).values()) == {Decision.REFUSE}


@pytest.mark.parametrize("read", ["allow", "refuse"])
def test_an_agent_is_asked_about_or_refused_whatever_it_may_read(room: Room, read: str) -> None:
    pane = room.cat()
    copied(room, "a", pane)
    room.mux.permissions = replace(McpSettings(), read=read)  # pyright: ignore[reportArgumentType]
    assert decisions(room, ClipboardContext(), pane) == {Effect.CLIPBOARD: Decision.ASK}
    assert decisions(room, PasteSmart(pane=str(pane)), pane) == {
        Effect.CLIPBOARD: Decision.ASK,
        Effect.INPUT: Decision.ALLOW,
    }
    later = Dispatcher(room.mux).run(ClipboardContext(), agent(pane))
    assert is_deferred(later)
    later.cancel()
    room.mux.grants.add(Scope.SESSION, grantee(agent(pane)), [Effect.CLIPBOARD])
    assert decisions(room, ClipboardContext(), pane) == {Effect.CLIPBOARD: Decision.ALLOW}
    room.mux.permissions = McpSettings(clipboard="refuse")
    assert decisions(room, ClipboardContext(), pane) == {Effect.CLIPBOARD: Decision.REFUSE}


def test_what_the_user_approves_is_the_text_that_was_shown(room: Room) -> None:
    pane = room.cat()
    copied(room, "echo one", pane)
    pinned = pin(room.mux, PasteSmart(pane=str(pane)), agent())
    copied(room, "echo two", pane)
    assert room.run(pinned, agent()).text == "echo one"
    room.shows(pane, "echo one")


def test_an_agent_pastes_no_secret_and_nothing_that_the_history_left_out(room: Room) -> None:
    pane = room.cat()
    copied(room, "export API_TOKEN=hunter2", pane)
    for preview in (True, False):
        with pytest.raises(Refused, match="a secret"):
            room.run(PasteSmart(pane=str(pane), preview=preview), agent())
    room.mux.clipboard.text = "copied where nothing was shown"
    with pytest.raises(NotFound, match="agents may paste"):
        room.run(PasteSmart(pane=str(pane), preview=True), agent())
    assert room.run(PasteSmart(pane=str(pane), preview=True)).text == "copied where nothing was shown"


def test_a_preview_types_nothing(room: Room) -> None:
    pane = room.cat()
    call = PasteSmart(pane=str(pane), text='{"a":1}', preview=True)
    assert call.effects == {Effect.READ}
    found = room.run(call, agent())
    assert (found.text, found.form, found.changes, found.sent) == (
        '{\n  "a": 1\n}', TextForm.JSON, ("JSON formatted",), None,
    )  # fmt: skip
    room.run(PasteSmart(pane=str(pane), text="typed"), agent())
    assert room.shows(pane, "typed").strip() == "typed"


def test_a_path_is_quoted_for_the_shell_of_the_pane_and_runs_nothing(room: Room) -> None:
    pane = room.opened(SHELL)
    room.shows(pane, "ready")
    room.until(lambda: room.mux.terminals[pane].modes.bracketed_paste)
    found = room.run(PasteSmart(pane=str(pane), text="/tmp/my notes.txt\n"), USER)
    assert (found.text, found.form) == ("'/tmp/my notes.txt'", TextForm.PATH)
    assert found.changes == ("line breaks at the ends removed", "quoted for bash")
    room.run(PasteSmart(pane=str(pane), text="$ echo one\n$ echo two\n"), USER)
    shown = room.shows(pane, "echo two")
    assert "\none" not in shown
    assert "$ echo" not in shown


def test_lines_that_a_shell_would_run_are_refused(room: Room) -> None:
    pane = room.opened("create-pane --command 'env -i PATH=/usr/bin:/bin PS1=ready dash'")
    room.shows(pane, "ready")
    text = "echo one\necho two\n"
    with pytest.raises(Refused, match="would run each line"):
        room.run(PasteSmart(pane=str(pane), text=text))
    room.run(PasteSmart(pane=str(pane), text=text, lines=Lines.JOIN))
    assert "\none" not in room.shows(pane, "echo one echo two")


def test_the_user_is_shown_the_text_before_and_after(room: Room) -> None:
    pane = room.cat()
    copied(room, "$ ls\u202e", pane)
    asked = PasteSmart(pane=str(pane)).confirmation(room.mux, USER)
    assert asked is not None
    assert asked.question == f"Paste into {pane}: hidden characters removed, prompt sign removed"
    assert asked.change == (r"'$ ls\u202e'", "ls")
    copied(room, "rm -rf .", pane)
    assert room.run(asked.command).text == "ls"
