"""What was closed comes back with its program for 30 seconds, and what was opened is closed again."""

import random

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.config.model import McpSettings
from fugue_tui.control.commands.panes import ClosePane
from fugue_tui.control.commands.undo import UndoChange
from fugue_tui.control.core.command import USER, Interface, Origin
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.errors import FugueError, NotFound, Refused
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer.autosave.snapshot import take
from fugue_tui.multiplexer.input.lease import LAYOUT_SECONDS
from fugue_tui.multiplexer.undo.closed_panes import MOST, SECONDS

AGENT = Origin(Interface.MCP, process="12@34", program="claude")


def pid(room: Room, pane: PaneId) -> int:
    return room.mux.terminals[pane].pid


def test_a_closed_pane_comes_back_with_its_program_its_place_and_the_focus(room: Room) -> None:
    room.cat()
    pane = room.cat("notes")
    room.mux.terminals[pane].write(b"unsaved\n")
    room.shows(pane, "unsaved")
    room.say("zoom-pane")
    before, process = room.mux.workspace, pid(room, pane)
    room.say(f"close-pane {pane}")
    assert pane not in room.mux.terminals
    assert room.say("undo-change").text == f"brought back pane {pane} (notes)"
    assert room.mux.workspace == before
    assert pid(room, pane) == process
    assert "unsaved" in room.text(pane)
    room.mux.terminals[pane].write(b"more\n")
    room.shows(pane, "more")


def test_a_closed_program_ends_after_thirty_seconds_and_not_before(room: Room) -> None:
    room.cat()
    pane = room.cat()
    process = pid(room, pane)
    room.say(f"close-pane {pane}")
    room.skip(SECONDS - 1)
    room.turn()
    assert pane in room.mux.closed_panes
    room.skip(2)
    room.until(lambda: pane not in room.mux.closed_panes)
    room.gone(process)
    with pytest.raises(Refused, match="nothing was closed or opened in the last 30 seconds"):
        room.say("undo-change")


def test_windows_and_sessions_come_back_whole(room: Room) -> None:
    room.cat()
    room.say("create-window --name build --command cat --focus")
    room.say("split-pane --command cat")
    window = room.mux.workspace.active
    before = room.mux.workspace
    room.say(f"close-window {window}")
    assert len(room.mux.terminals) == 1
    room.say("undo-change")
    assert room.mux.workspace == before
    room.say("create-session --name dev --command cat")
    before = room.mux.workspace
    room.say("kill-session dev")
    room.say("undo-change")
    assert room.mux.workspace == before


def test_a_closed_pane_is_nowhere_to_be_seen(room: Room) -> None:
    room.cat()
    pane = room.cat("secret")
    room.say(f"close-pane {pane}")
    assert [each.id for each in room.say("list-panes").panes] == ["%1"]
    for target in (str(pane), "secret"):
        with pytest.raises(NotFound):
            room.say(f"read-pane {target}")
    saved = take(room.mux)
    assert pane not in saved.panes
    assert pane not in saved.workspace.panes


def test_a_hidden_program_keeps_printing_and_its_end_is_seen_when_it_comes_back(room: Room) -> None:
    room.cat()
    pane = room.opened("create-pane --command 'read x; echo got $x; exit 3'")
    terminal = room.mux.terminals[pane]
    room.say(f"close-pane {pane}")
    terminal.write(b"it\n")
    room.until(lambda: terminal.exit)
    for _ in range(5):
        room.turn()
    room.say("undo-change")
    assert "got it" in room.text(pane)
    assert room.mux.exits[pane].code == 3


def test_a_wait_on_a_closed_pane_ends_at_once_and_works_again_later(room: Room) -> None:
    room.cat()
    pane = room.cat()
    later = parse(f"wait-for-output --panes {pane} --any-of nothing").run(room.mux, USER)
    room.say(f"close-pane {pane}")
    assert room.awaited(later).outcome == "closed"
    room.say("undo-change")
    later = parse(f"wait-for-output --panes {pane} --any-of hello").run(room.mux, USER)
    room.mux.terminals[pane].write(b"hello\n")
    assert room.awaited(later).outcome == "matched"


def test_the_last_pane_does_not_come_back(room: Room) -> None:
    pane = room.cat()
    process = pid(room, pane)
    question = parse("close-pane").confirmation(room.mux, USER)
    assert question is not None
    assert "undo cannot bring it back" in question.question
    room.say(f"close-pane {pane}")
    assert room.empty
    room.gone(process)


def test_leaving_ends_hidden_programs(room: Room) -> None:
    room.cat()
    pane = room.cat()
    process = pid(room, pane)
    room.say(f"close-pane {pane}")
    room.mux.close()
    room.gone(process)


def test_the_oldest_closed_programs_end_when_there_are_many(room: Room) -> None:
    room.cat()
    opened = [PaneId(room.say("create-window --command cat").panes[0][1:]) for _ in range(MOST + 2)]
    processes = [pid(room, pane) for pane in opened]
    for pane in opened:
        room.say(f"close-pane {pane}")
    assert list(room.mux.closed_panes.terminals()) == opened[2:]
    room.gone(processes[0])
    for _ in range(MOST):
        room.say("undo-change")
    assert room.open == [PaneId(1), *opened[2:]]


def test_the_last_change_is_undone_whatever_it_was_and_redone(room: Room) -> None:
    first, second = room.cat(), room.cat()
    room.say(f"resize-pane {first} --share 0.75")
    room.say("create-window --command cat")
    room.say(f"close-pane {second}")
    states = [room.mux.workspace]
    for words in ("brought back", "closed pane %3", "reverted the last change of the layout"):
        assert room.say("undo-change").text.startswith(words)
        states.append(room.mux.workspace)
    assert room.mux.terminals[first].size.cols == 40
    for before in reversed(states[:-1]):
        room.say("redo-change")
        assert room.mux.workspace == before
    assert PaneId(3) in room.mux.workspace.panes


def test_a_change_of_the_layout_after_a_closing_is_undone_first(room: Room) -> None:
    first, second, third = room.cat(), room.cat(), room.cat()
    room.say(f"close-pane {third}")
    closed = room.mux.workspace
    room.say(f"resize-pane {first} --share 0.75")
    room.say("undo-change")
    assert room.mux.workspace == closed
    room.say("undo-change")
    assert room.open == [first, second, third]
    room.say("equalize-panes")
    with pytest.raises(Refused):
        room.say("redo-change")


def test_closing_again_what_was_opened_is_asked_about_while_a_program_runs(room: Room) -> None:
    room.cat()
    pane = room.cat("cat")
    question = UndoChange().confirmation(room.mux, USER)
    assert question is not None
    assert question.question == f"Close pane {pane} (cat) again?"
    room.run(question.command)
    assert pane not in room.mux.workspace.panes
    with pytest.raises(NotFound):
        room.run(question.command)
    room.say("redo-change")
    assert pane in room.mux.workspace.panes


def test_the_first_pane_is_not_undone(room: Room) -> None:
    room.cat()
    with pytest.raises(Refused):
        room.say("undo-change")


def test_a_pane_whose_program_has_ended_by_itself_is_not_brought_back(room: Room) -> None:
    room.cat()
    pane = room.opened("create-pane --command true")
    room.until(lambda: pane not in room.mux.workspace.panes)
    with pytest.raises(Refused):
        room.say("undo-change")


def test_an_agent_undoes_only_what_it_closed_or_opened_itself(room: Room) -> None:
    dispatcher = Dispatcher(room.mux)
    room.mux.permissions = McpSettings()
    first, mine = room.cat(), room.cat()
    dispatcher.run(ClosePane(pane=str(mine)), USER)
    with pytest.raises(Refused, match="you have closed or opened nothing"):
        dispatcher.run(UndoChange(), AGENT)
    room.now += LAYOUT_SECONDS
    dispatcher.run(parse(f"split-pane {first}"), AGENT)
    its = room.open[-1]
    dispatcher.run(ClosePane(pane=str(its)), AGENT)
    dispatcher.run(UndoChange(), AGENT)
    assert its in room.mux.workspace.panes
    assert room.mux.owners[its] == AGENT.owner
    dispatcher.run(ClosePane(pane=str(its)), AGENT)
    dispatcher.run(UndoChange(), USER)
    assert room.mux.owners[its] == AGENT.owner
    dispatcher.run(UndoChange(), USER)
    assert sorted(room.open) == [first, mine, its]


def test_an_agent_in_a_closed_pane_can_do_nothing(room: Room) -> None:
    dispatcher = Dispatcher(room.mux)
    room.mux.permissions = McpSettings(trust="full")
    room.cat()
    pane = room.cat()
    room.say(f"close-pane {pane}")
    for line in ("list-panes", "create-pane", "undo-change"):
        with pytest.raises(Refused, match=f"your pane {pane} was closed"):
            dispatcher.run(parse(line), Origin(Interface.MCP, pane))


def test_what_was_closed_is_reported_with_who_closed_it(room: Room) -> None:
    reports: list[tuple[str, str]] = []
    room.mux.undo_log.on_report.connect(lambda text, back: reports.append((text, back)))
    dispatcher = Dispatcher(room.mux)
    room.mux.permissions = McpSettings(trust="full")
    room.cat()
    panes = [room.cat("one"), room.cat("two")]
    dispatcher.run(ClosePane(pane=str(panes[0])), USER)
    room.now += LAYOUT_SECONDS
    dispatcher.run(ClosePane(pane=str(panes[1])), Origin(Interface.MCP, PaneId(1)))
    dispatcher.run(UndoChange(), USER)
    assert reports == [
        ("closed pane %2 (one)", "undo-change"),
        ("%1 closed pane %3 (two)", "undo-change"),
        ("brought back pane %3 (two)", ""),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_random_changes_and_undos_kill_no_program_that_is_open(room: Room, seed: int) -> None:
    chance = random.Random(seed)
    room.cat()
    lines = (
        *(
            "create-window --command cat",
            "split-pane {} --command cat",
            "close-pane {}",
            "close-window",
            "focus-pane {}",
        ),
        *("undo-change", "undo-change", "redo-change", "zoom-pane {}", "equalize-panes", "select-layout next"),
    )
    for _ in range(60):
        line = chance.choice(lines)
        window = room.mux.window_of(chance.choice(room.open))
        if "close" in line and len(room.open) - len(list(panes(window.layout))) < 1:
            continue
        try:
            room.say(line.format(chance.choice(list(panes(window.layout)))))
        except FugueError:
            continue
        if room.empty:
            return
        assert len(room.mux.closed_panes.terminals()) <= MOST
        assert not room.mux.closed_panes.terminals().keys() & room.mux.workspace.panes.keys()
        assert not any(terminal.closed or terminal.exit for terminal in room.mux.terminals.values())
