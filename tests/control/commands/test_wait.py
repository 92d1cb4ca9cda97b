"""Waiting for what programs print, with real programs."""

import shutil
from pathlib import Path

import pytest
from tests.control.wait_helpers import begun, enter, ran, sh, waited
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.wait import MAX_CLIENT_WAITS, PatternSpec, WaitForOutput
from fugue_tui.control.core.command import USER
from fugue_tui.control.core.fair_queue import on_behalf_of
from fugue_tui.errors import Refused
from fugue_tui.multiplexer.watch.wait import WaitOutcome


def test_text_that_comes_is_matched_with_what_stands_around_it(room: Room) -> None:
    found = ran(room, "echo one; echo server ready on 8080; cat", "ready on")
    assert (found.outcome, found.index, found.pattern, found.matched) == (
        WaitOutcome.MATCHED,
        0,
        "ready on",
        "ready on",
    )
    assert found.excerpt is not None
    assert "server ready on" in found.excerpt
    assert found.timeout == 30.0
    assert found.pane == str(room.open[0])
    assert found.screen is None


def test_what_was_there_before_does_not_match(room: Room) -> None:
    pane = sh(room, "echo other; cat")
    later = begun(room, pane, "go", "other")
    enter(room, pane)
    assert room.awaited(later).pattern == "other"
    found = waited(room, pane, "go", timeout=0.2)
    assert found.outcome is WaitOutcome.TIMEOUT
    assert found.screen is not None
    assert "go" in found.screen
    assert "other" in found.screen


def test_a_cursor_counts_what_came_since_it_was_given(room: Room) -> None:
    first = ran(room, "echo alpha; echo beta; echo gamma; cat", "alpha")
    second = waited(room, "%1", "beta", cursor=first.cursor, timeout=40.0)
    assert second.outcome is WaitOutcome.MATCHED
    third = waited(room, "%1", "alpha", cursor=first.cursor, timeout=0.2)
    assert third.outcome is WaitOutcome.TIMEOUT
    fourth = room.awaited(WaitForOutput(any_of=("gamma",), cursor=second.cursor).run(room.mux, USER))  # pyright: ignore[reportArgumentType]
    assert fourth.outcome is WaitOutcome.MATCHED
    assert waited(room, "%1", "beta", cursor=second.cursor, timeout=0.2).outcome is WaitOutcome.TIMEOUT


@pytest.mark.parametrize("wanted", ["line 17 of", r"^line 2700 of many$", "many\nline 4999 of"])
def test_what_came_since_a_cursor_is_found_in_a_flood(room: Room, wanted: str) -> None:
    room.launcher.engine, room.launcher.scrollback = "ghostty", 10_000
    first = ran(room, "echo start; read go; seq -f 'line %.0f of many' 6000; echo all; cat", "start")
    room.say("send-input %1 --text go --submit")
    room.shows(room.open[0], "all")
    found = waited(room, "%1", wanted, cursor=first.cursor, timeout=40.0, regex="^" in wanted)
    assert found.outcome is WaitOutcome.MATCHED
    number = int(wanted.replace("^", "").split("line ")[1].split()[0])
    after = waited(room, "%1", f"line {number + 1} of", cursor=found.cursor, timeout=40.0)
    assert after.outcome is WaitOutcome.MATCHED
    assert waited(room, "%1", f"line {number} of", cursor=found.cursor, timeout=0.2).outcome is WaitOutcome.TIMEOUT


def test_a_cursor_behind_a_match_keeps_what_stands_on_the_same_line(room: Room) -> None:
    first = ran(room, "echo ready and listening; cat", "ready")
    assert waited(room, "%1", "listening", cursor=first.cursor, timeout=40.0).outcome is WaitOutcome.MATCHED


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        ("printf rea; sleep 0.1; printf dy; cat", "ready"),
        (r'printf "gr\303"; sleep 0.1; printf "\274n"; cat', "grün"),
        (r'printf "\033[31mre\033[1;32mady\033[0m now\n"; cat', "ready now"),
        (r'printf "re\033"; sleep 0.1; printf "[3"; sleep 0.1; printf "2mady\n"; cat', "ready"),
        (r'printf "\033]0;a title"; sleep 0.1; printf " goes on\007ready\n"; cat', "ready"),
        (r'printf "%076dcut here %020d\n" 1 2; cat', "cut here 0000"),
        (r'for i in 1 2 3; do printf "\rstep $i of 3"; done; printf "\rdone      \n"; cat', "step 2 of 3"),
        (r'printf "gone in a moment\033[2J\033[H"; cat', "gone in a moment"),
        (r'printf "Hello\033[1CWorld\n"; cat', "Hello World"),
        (r'printf "typo\b\b\b\btext\n"; cat', "text"),
    ],
)
def test_text_is_seen_however_it_is_cut_coloured_wrapped_or_overwritten(room: Room, script: str, wanted: str) -> None:
    assert ran(room, script, wanted, timeout=40.0).outcome is WaitOutcome.MATCHED


def test_what_a_program_paints_piece_by_piece_is_read_from_the_screen(room: Room) -> None:
    found = ran(room, r'printf "\033[5;9Hdy"; sleep 0.1; printf "\033[5;6Hrea"; cat', "ready", timeout=40.0)
    assert (found.outcome, found.excerpt) == (WaitOutcome.MATCHED, "     ready")


def test_rows_of_a_full_screen_program_that_were_there_do_not_match_when_it_paints_them_again(room: Room) -> None:
    script = (
        r'printf "\033[?1049h\033[H\033[2Jstate: ready\033[3;1Hclock 1"; read x; '
        r'printf "\033[H\033[2Jstate: ready\033[3;1Hclock 2"; read x; printf "\033[4;1Hall ready"; cat'
    )
    pane = sh(room, script)
    enter(room, pane)
    room.shows(pane, "clock 1")
    later = begun(room, pane, "ready", "clock 2")
    enter(room, pane)
    assert room.awaited(later).pattern == "clock 2"
    later = begun(room, pane, PatternSpec("^all ready", regex=True))
    enter(room, pane)
    assert room.awaited(later).outcome is WaitOutcome.MATCHED


def test_a_full_screen_program_and_what_comes_behind_it_are_searched(room: Room) -> None:
    script = r'printf "\033[?1049h\033[2;3Hinside"; read x; printf "\033[?1049lback outside\n"; cat'
    pane = sh(room, script)
    later = begun(room, pane, "inside")
    enter(room, pane)
    assert room.awaited(later).outcome is WaitOutcome.MATCHED
    later = begun(room, pane, "back outside")
    enter(room, pane)
    assert room.awaited(later).outcome is WaitOutcome.MATCHED


@pytest.mark.parametrize("wanted", ["NEEDLE-FIRST", "NEEDLE-MIDDLE", "NEEDLE-LAST"])
def test_a_megabyte_at_once_hides_nothing(room: Room, wanted: str) -> None:
    lots = "yes a line of some length that says nothing | head -c 500000"
    script = f"echo NEEDLE-FIRST; {lots}; echo NEEDLE-MIDDLE; {lots}; echo NEEDLE-LAST; cat"
    found = ran(room, script, wanted)
    assert (found.outcome, found.skipped) == (WaitOutcome.MATCHED, 0)


def test_a_line_of_a_megabyte_does_not_block_the_wait(room: Room) -> None:
    script = "head -c 1000000 /dev/zero | tr '\\0' a; echo END; cat"
    patterns = [PatternSpec(each, regex=True) for each in ("(a+)+$b", "(a|aa)+x", "(.*a){20}Q", "a{200}Q")]
    found = ran(room, script, "END", *patterns)
    assert (found.outcome, found.pattern) == (WaitOutcome.MATCHED, "END")


def test_a_stop_pattern_ends_the_wait(room: Room) -> None:
    found = ran(room, "echo compiling; echo error: no such thing; cat", "built", stop_on=("panic", "error:"))
    assert (found.outcome, found.index, found.pattern) == (WaitOutcome.STOPPED, 1, "error:")


def test_what_is_printed_first_decides(room: Room) -> None:
    assert ran(room, "echo error; echo built; cat", "built", stop_on=("error",)).outcome is WaitOutcome.STOPPED
    assert ran(room, "echo built; echo error; cat", "built", stop_on=("error",)).outcome is WaitOutcome.MATCHED


def test_case_can_be_ignored(room: Room) -> None:
    assert ran(room, "echo LÄUFT; cat", "läuft", ignore_case=True).matched == "LÄUFT"
    found = ran(room, "echo Ready 17; cat", PatternSpec(r"ready \d+$", regex=True, ignore_case=True))
    assert found.matched == "Ready 17"


@pytest.mark.skipif(not shutil.which("less"), reason="needs less")
def test_a_pager_is_read_as_it_scrolls(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_text("".join(f"row {number} of the file\n" for number in range(200)))
    pane = room.opened(f"create-pane -- less {file}")
    room.shows(pane, "row 3 of")
    room.until(lambda: room.mux.terminals[pane].modes.alternate_screen)
    assert waited(room, pane, "row 3 of", timeout=0.2).outcome is WaitOutcome.TIMEOUT
    later = begun(room, pane, "row 3 of", "row 120 of")
    room.mux.terminals[pane].write(b"120g")
    assert room.awaited(later).pattern == "row 120 of"


@pytest.mark.skipif(not shutil.which("vim"), reason="needs vim")
def test_an_editor_is_read_as_it_paints(room: Room, tmp_path: Path) -> None:
    file = tmp_path / "text"
    file.write_text("alpha\nbeta\n")
    pane = room.opened(f"create-pane -- vim -u NONE -N -n --cmd 'set showmode' {file}")
    room.shows(pane, "beta")
    later = begun(room, pane, "INSERT", "alpha")
    room.mux.terminals[pane].write(b"i")
    assert room.awaited(later).pattern == "INSERT"
    later = begun(room, pane, "gamma ray")
    for key in b"gamma ray":
        room.mux.terminals[pane].write(bytes([key]))
    assert room.awaited(later).outcome is WaitOutcome.MATCHED


def test_a_client_has_a_share_of_the_waits(room: Room) -> None:
    pane = sh(room, "cat")
    with on_behalf_of("one"):
        waits = [begun(room, pane, "x") for _ in range(MAX_CLIENT_WAITS)]
        with pytest.raises(Refused, match="waits of yours are open") as caught:
            begun(room, pane, "x")
    assert caught.value.data == {"retry_after_ms": 1000}
    for client in ("other", None):
        with on_behalf_of(client):
            waits.append(begun(room, pane, "x"))
    waits[0].cancel()
    room.until(lambda: room.mux.wait_service.busy_for("one") < MAX_CLIENT_WAITS)
    with on_behalf_of("one"):
        waits.append(begun(room, pane, "x"))
    for each in waits:
        each.cancel()
    room.until(lambda: not room.mux.wait_service.busy)
