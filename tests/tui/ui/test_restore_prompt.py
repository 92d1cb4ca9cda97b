"""The offer of the last workspace as a person sees it, and panes that wait for them."""

import time
from pathlib import Path
from types import MappingProxyType

import pytest
from msgspec.structs import replace
from tests.tui.conftest import Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.control.command_table import panes, windows
from fugue_tui.geometry import Axis
from fugue_tui.ids import PaneId, WindowId
from fugue_tui.layout.tree import Leaf, Split
from fugue_tui.multiplexer.restored_pane import RerunOffer, write_notice
from fugue_tui.terminal.input.keys import KeyPress
from fugue_tui.tui.ui.restore_prompt import ago, heading, rows
from fugue_tui.workspace import edit
from fugue_tui.workspace.model import Pane, Window, Workspace
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui_widgets.restore_dialog import RestoreDialog

pytestmark = pytest.mark.slow


CLAUDE = ("claude", "--resume", "55aaf438-dbb1-4436-b382-2636d65746bd")


def bring_back(stage: Stage, *argv: str, offer: RerunOffer | None = None) -> PaneId:
    """Have a pane come back beside what there is, and wait."""
    mux, pane = stage.mux, stage.mux.ids.next_pane()
    window = Window(mux.ids.next_window(), "back", Leaf(pane), pane, "dev")
    after = edit.add_window(mux.workspace, window, [Pane(pane, argv=argv)], focus=True)
    mux.bring_back(after, {pane: offer or RerunOffer(words=" ".join(argv))})
    emulator = mux.blank(mux.terminals[pane].size)
    emulator.feed(b"of old\r\n")
    for line in mux.restored_panes[pane].offer.calls:
        write_notice(emulator, line)
    mux.fill(pane, emulator)
    return pane


def saved(names: tuple[str, ...] = ("", "logs"), age: float = 200.0, session: str = "main") -> SavedWorkspace:
    """A workspace with a shell (in which claude ran), a program and an editor."""
    result = Workspace("main")
    seen = {
        PaneId(1): SavedPane(argv=("claude",), resume=CLAUDE),
        PaneId(2): SavedPane(argv=("cat",)),
        PaneId(3): SavedPane(argv=("vim", "notes.txt")),
    }
    two = Split(Axis.HORIZONTAL, (Leaf(PaneId(1)), Leaf(PaneId(2))), (1, 1))
    first = Window(WindowId(1), names[0], two, PaneId(1), "main")
    result = edit.add_window(result, first, [Pane(PaneId(1)), Pane(PaneId(2), argv=("sh", "-c", "npm run dev"))])
    second = Window(WindowId(2), names[1], Leaf(PaneId(3)), PaneId(3), session)
    result = edit.add_window(result, second, [Pane(PaneId(3))])
    return SavedWorkspace(result, seen=MappingProxyType(seen), saved_at=time.time() - age)


async def test_enter_starts_what_waits_and_a_second_enter_does_not_end_it(open_stage: Open) -> None:
    async with open_stage() as stage:
        pane = bring_back(stage, "sh", "-c", "echo up $$; exec cat")
        await stage.until(lambda: "press Enter to run again" in stage.text)
        view = stage.view(int(pane))
        for _ in range(2):
            view.press(KeyPress("enter"))
        await stage.until(lambda: stage.mux.runs(pane))
        terminal = stage.mux.terminals[pane]
        await stage.until_text(f"up {terminal.pid}", pane=int(pane))
        await stage.press("x")
        await stage.until_text("x", pane=int(pane))
        assert stage.mux.terminals[pane] is terminal
        assert stage.pane_text(int(pane)).startswith("of old")


async def test_a_second_enter_does_not_end_what_the_first_ran_again(open_stage: Open, tmp_path: Path) -> None:
    async with open_stage() as stage:
        line = f"cd {tmp_path}; test -e on && exec cat; touch on; exit 1"
        info = stage.run(panes.SplitPane(command=("sh", "-c", line)))
        pane = PaneId(int(info.id[1:]))
        await stage.until(lambda: pane in stage.mux.exits)
        for _ in range(2):
            stage.view(int(pane)).press(KeyPress("enter"))
        await stage.until(lambda: stage.mux.runs(pane))
        terminal = stage.mux.terminals[pane]
        await stage.pilot.pause()
        assert stage.mux.terminals[pane] is terminal


async def test_escape_starts_a_shell_only_where_that_is_said(open_stage: Open) -> None:
    async with open_stage() as stage:
        shell = bring_back(stage, offer=RerunOffer(("echo", "resumed"), "echo resumed", shell=True))
        await stage.until(lambda: "Escape to start only a shell" in stage.text)
        await stage.press("escape")
        await stage.until(lambda: stage.mux.runs(shell))
        assert "resumed" not in stage.pane_text(int(shell)).replace("echo resumed", "")
        other = bring_back(stage, "cat")
        await stage.until(lambda: "press Enter to run again: cat" in stage.text)
        await stage.press("escape", "x")
        assert not stage.mux.runs(other)
        await stage.press("enter")
        await stage.until(lambda: stage.mux.runs(other))


async def test_a_pane_that_waits_says_so_in_its_title_and_closes_unasked(open_stage: Open) -> None:
    async with open_stage() as stage:
        pane = bring_back(stage, "cat", offer=RerunOffer(words="npm run dev"))
        stage.run(panes.SplitPane(command=("cat",)))
        await stage.until(lambda: "waits, Enter runs it" in stage.text)
        assert "npm run dev" in stage.text
        stage.run(panes.FocusPane(pane=str(pane)))
        await stage.prefix("x")
        await stage.until(lambda: pane not in stage.mux.workspace.panes)


async def test_a_program_that_is_gone_is_reported_in_the_pane_and_in_the_bar(open_stage: Open) -> None:
    async with open_stage() as stage:
        pane = bring_back(stage, "/nowhere/tool")
        await stage.until(lambda: "press Enter to run again" in stage.text)
        await stage.press("enter")
        await stage.until_text("cannot start '/nowhere/tool'", "press Enter to try again", pane=int(pane))
        await stage.until(lambda: stage.text.count("cannot start '/nowhere/tool'") == 2)


@pytest.mark.parametrize(("key", "answer"), [("enter", True), ("escape", False)])
async def test_only_enter_and_escape_answer_the_offer(open_stage: Open, key: str, answer: bool) -> None:
    async with open_stage() as stage:
        now = [100.0]
        answers: list[bool | None] = []
        dialog = RestoreDialog("main", [("1 work", "shell")], guard=0.0, clock=lambda: now[0])
        stage.app.push_screen(dialog, answers.append)
        await stage.until(lambda: "Enter  brings it back" in stage.text)
        await stage.press("l", "s", "y", "n", "q", "space", key)
        assert answers == []
        now[0] += 0.31
        await stage.press(key)
        await stage.until(lambda: answers)
        assert answers == [answer]


@pytest.mark.parametrize("key", ["enter", "escape", "ctrl+c"])
async def test_nothing_answers_the_offer_until_its_answers_are_shown(open_stage: Open, key: str) -> None:
    async with open_stage() as stage:
        now = [100.0]
        answers: list[bool | None] = []
        stage.app.push_screen(RestoreDialog("main", [("1 work", "shell")], clock=lambda: now[0]), answers.append)
        await stage.until(lambda: "bring it back?" in stage.text)
        await stage.press(key)
        await stage.until(lambda: "answer first: Enter or Escape" in stage.text)
        assert "Enter  brings it back" not in stage.text
        now[0] += 0.31
        await stage.until(lambda: "Enter  brings it back" in stage.text)
        assert answers == []
        await stage.press(key)
        await stage.until(lambda: answers == [key == "enter"])


@pytest.mark.parametrize(("said", "answer"), [("Enter  brings it back", True), ("Escape  starts fresh and", False)])
async def test_the_offer_fits_on_a_small_screen_and_takes_the_mouse(open_stage: Open, said: str, answer: bool) -> None:
    async with open_stage(cols=40, rows=12) as stage:
        answers: list[object] = []
        windows = [(f"{at} work", "shell, vim hosts, htop") for at in range(1, 6)]
        stage.app.push_screen(
            RestoreDialog("main as it was on Sunday at 12:50, 5 windows, 9 panes", windows), answers.append
        )
        await stage.until(lambda: all(word in stage.text for word in ("9 panes", "Enter", "Escape", "keeps it")))
        y = next(y for y, row in enumerate(stage.text.splitlines()) if said in row)
        await stage.pilot.click(offset=(stage.text.splitlines()[y].index(said), y))
        await stage.until(lambda: answers == [answer])


async def test_nothing_in_the_offer_is_markup(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.app.push_screen(RestoreDialog("[bold]main[/]", [("[red]1[/]", "[@click=app.quit]x[/]")], ["[b]bad[/b]"]))
        await stage.until(lambda: "[bold]main[/]" in stage.text)
        for text in ("[red]1[/]", "[@click=app.quit]x[/]", "[b]bad[/b]"):
            assert text in stage.text


async def test_a_long_offer_can_be_scrolled_and_keeps_its_answers_in_sight(open_stage: Open) -> None:
    async with open_stage(cols=60, rows=16) as stage:
        stage.app.push_screen(RestoreDialog("main", [(f"{at} window", "shell") for at in range(1, 61)]))
        await stage.until(lambda: "Enter  brings it back" in stage.text)
        assert "60 window" not in stage.text
        await stage.press(*["j"] * 60)
        await stage.until(lambda: "60 window" in stage.text)
        assert "Enter  brings it back" in stage.text


def test_the_offer_names_windows_and_what_ran_in_them() -> None:
    assert rows(saved()) == [("1", "claude · npm run dev"), ("2 logs", "vim notes.txt")]
    assert [name for name, _ in rows(saved(session="ops"))] == ["1 main:", "2 ops: logs"]


def test_the_offer_says_when_it_was_saved() -> None:
    assert heading(saved()).startswith("main, saved 3 minutes ago (")
    assert heading(saved()).endswith("): 2 windows, 3 panes")
    assert heading(replace(saved(), saved_at=0.0)) == "2 windows, 3 panes"
    assert heading(replace(saved(), saved_at=1e300)) == "2 windows, 3 panes"


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(5, "just now"), (60, "1 minute ago"), (7300, "2 hours ago"), (1e6, "11 days ago"), (-5, ""), (1e30, "")],
)
def test_ages_are_shown_in_words(seconds: float, told: str) -> None:
    assert ago(seconds) == told


def test_the_offer(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        await stage.until(lambda: stage.drawn and "Hello" in stage.text)
        told = "main, saved 3 minutes ago (21 Nov 2026 17:47): 2 windows, 3 panes"
        offer = RestoreDialog(told, rows(saved()), ["main.json was damaged; it is kept as main.json.bad.1"], guard=0.0)
        stage.app.push_screen(offer)
        await stage.until(lambda: offer.is_current and "Enter  brings it back" in stage.text)

    assert picture(script, 90, 20)


def test_a_workspace_that_was_restored(picture: Picture) -> None:
    async def script(stage: Stage) -> None:
        pane = bring_back(stage, "npm", "run", "dev")
        stage.run(windows.RenameWindow(window="active", name="back"))
        info = stage.run(panes.SplitPane(command=("sh", "-c", "printf '$ '; exec cat")))
        await stage.until(lambda: "$" in stage.pane_text(int(info.id[1:])))
        stage.run(panes.FocusPane(pane=str(pane)))

    assert picture(script, 90, 16)


@pytest.mark.parametrize("pasted", [False, True])
async def test_text_for_a_pane_that_waits_is_answered_with_the_keys_that_start_it(
    open_stage: Open, *, pasted: bool
) -> None:
    async with open_stage(cols=120) as stage:
        pane = bring_back(stage, offer=RerunOffer(("cat",), "cat", shell=True))
        await stage.until(lambda: "Escape to start only a shell" in stage.text)
        if pasted:
            stage.view(int(pane)).paste("ls -l")
        else:
            await stage.press("l", "s")
        words = f"nothing runs in {pane} yet: press Enter to run again: cat; press Escape to start only a shell"
        await stage.until(lambda: words in stage.text)
        assert not stage.mux.runs(pane)
