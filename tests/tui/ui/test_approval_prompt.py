"""The user answers agents in a dialog that no key pressed for a program can answer."""

from typing import Any

import pytest
from tests.tui.conftest import Open, Stage
from tests.tui.test_snapshots import Picture
from tests.tui.test_snapshots import picture as picture

from fugue_tui.config.model import McpSettings
from fugue_tui.control.agents.agent_monitor import AgentMonitor
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import Deferred, is_deferred
from fugue_tui.control.schema.command_line import command as parse
from fugue_tui.control.sideband.tag_runner import TagRunner
from fugue_tui.errors import Denied
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.tui.ui import approval_prompt
from fugue_tui_widgets import dialogs
from fugue_tui_widgets.approval_dialog import DENY, ApprovalDialog

AGENT = Origin(Interface.MCP, process="12@34", program="claude", executable="/usr/bin/claude")
CHOICES = [(Scope.ONCE, "Yes, this once"), (Scope.SESSION, "Yes, while it runs")]


def quiet(text: str) -> None:
    """Show no message, which would go after a while."""


@pytest.fixture
def unguarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys answer at once, as after a pause."""
    monkeypatch.setattr(dialogs, "GUARD_SECONDS", 0.0)
    monkeypatch.setattr(approval_prompt, "UNASKED_GUARD_SECONDS", 0.0)


def ask(stage: Stage, line: str, origin: Origin = AGENT) -> Deferred[Any]:
    """An agent's call about which the user is asked."""
    stage.mux.permissions = McpSettings()
    found: Any = stage.app.dispatcher.run(parse(line), origin)
    assert is_deferred(found)
    return found


async def shown(stage: Stage, *words: str) -> None:
    """Wait for the dialog."""
    await stage.until(lambda: isinstance(stage.app.screen, ApprovalDialog) and "an agent asks" in stage.text)
    assert all(word in stage.text for word in words), stage.text


@pytest.mark.usefixtures("unguarded")
async def test_a_request_is_shown_while_the_user_does_not_type_and_an_answer_runs_it(open_stage: Open) -> None:
    async with open_stage() as stage:
        asked = ask(stage, "send-input %1 --text hello --submit")
        await shown(stage, 'claude outside wants to type, in your pane %1 "cat":', "--text hello --submit")
        await stage.press("down", "enter")
        await stage.until_text("hello")
        assert asked.result().submitted
        assert stage.app.on_panes


@pytest.mark.usefixtures("unguarded")
async def test_enter_alone_denies(open_stage: Open) -> None:
    async with open_stage() as stage:
        asked = ask(stage, "close-pane %1")
        await shown(stage, 'claude outside wants to end or delete, in your pane %1 "cat":')
        await stage.press("enter")
        await stage.until(lambda: asked.done)
        assert isinstance(asked.error, Denied)
        assert stage.pane_text() is not None
        assert stage.app.on_panes


@pytest.mark.parametrize("typed", [["y"], ["o", "n", "c", "e"], ["l", "s"], ["space"], ["d", "1", "2", "a", "q"]])
async def test_what_is_typed_on_answers_nothing(open_stage: Open, typed: list[str]) -> None:
    async with open_stage() as stage:
        now = [100.0]
        answers = list[str | None]()
        stage.app.push_screen(ApprovalDialog("it asks", "rm", CHOICES, clock=lambda: now[0]), answers.append)
        await shown(stage)
        await stage.press(*typed, "down", "enter")  # within a moment
        assert answers == []
        now[0] += 0.29
        await stage.press("enter")
        assert answers == []
        now[0] += 0.31
        await stage.press("down", "enter")
        await stage.until(lambda: answers == [Scope.ONCE])


async def test_the_first_moment_belongs_to_whom_was_typed_for(open_stage: Open) -> None:
    async with open_stage() as stage:
        now = [100.0]
        answers = list[str | None]()
        stage.app.push_screen(ApprovalDialog("it asks", "rm", CHOICES, clock=lambda: now[0]), answers.append)
        await shown(stage)
        await stage.press("enter")
        y = next(y for y, row in enumerate(stage.text.splitlines()) if "Yes, this once" in row)
        x = stage.text.splitlines()[y].index("Yes, this once")
        await stage.pilot.click(offset=(x, y))
        assert answers == []
        now[0] += 0.31
        await stage.pilot.click(offset=(x, y))
        await stage.until(lambda: answers == [Scope.ONCE])


@pytest.mark.usefixtures("unguarded")
async def test_a_dialog_does_not_come_over_what_is_being_typed(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        idle = [0.1]
        monkeypatch.setattr(type(stage.mux.lease), "idle_seconds", property(lambda lease: idle[0]))
        asked = ask(stage, "send-input %1 --text no")
        await stage.until(lambda: "ctrl+b a 1 request" in stage.text)
        await stage.press("h", "i")
        await stage.until_text("hi")
        assert stage.app.on_panes
        idle[0] = 2.1
        await shown(stage)
        await stage.press("enter")
        await stage.until(lambda: asked.done)


@pytest.mark.usefixtures("unguarded")
async def test_the_key_shows_all_requests_one_after_the_other(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        monkeypatch.setattr(type(stage.mux.lease), "idle_seconds", property(lambda lease: 0.0))
        stage.app.commands.run_line("create-window --command cat")
        first, second = ask(stage, "send-input %1 --text one"), ask(stage, "send-input %2 --text two")
        other = ask(stage, "close-pane %1", Origin(Interface.MCP, process="5@6", program="codex"))
        await stage.until(lambda: "3 requests" in stage.text)
        await stage.prefix("a")
        await shown(stage, "--text one", "2 more wait")
        await stage.press("down", "down", "down", "enter")  # for the session, which covers the second
        await shown(stage, "codex outside", "close-pane")
        assert first.done
        await stage.until(lambda: second.done)
        await stage.press("enter")
        await stage.until(lambda: other.done)
        assert stage.app.on_panes
        await stage.prefix("a")
        await stage.until(lambda: "Enter grants or revokes" in stage.text)
        assert "claude outside: input while it runs" in stage.text
        await stage.press("enter")
        await stage.until(lambda: stage.app.on_panes)
        assert stage.mux.grants.all() == ()
        await stage.prefix("a")
        await stage.until(lambda: "let %2 run commands by tags in its output" in stage.text)


async def test_agents_that_ask_in_their_own_panes_are_pointed_to(open_stage: Open) -> None:
    async with open_stage(cols=100) as stage:
        AgentMonitor(stage.mux)
        stage.app.commands.run_line("split-pane --command cat")
        stage.terminal().receive(memoryview(b"\x1b]7501;state=blocked:app=claude:kind=permission\x07"))
        await stage.until(stage.mux.agents.waiting)
        await stage.prefix("a")
        await stage.until(lambda: "go to %1, whose agent waits for an answer there" in stage.text)
        assert str(stage.mux.focused) == "%2"
        await stage.press("enter")
        await stage.until(lambda: str(stage.mux.focused) == "%1")


@pytest.mark.usefixtures("unguarded")
async def test_one_key_denies_everything_that_one_program_asks(
    open_stage: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_stage() as stage:
        monkeypatch.setattr(type(stage.mux.lease), "idle_seconds", property(lambda lease: 0.0))
        first, second = ask(stage, "send-input %1 --text one"), ask(stage, "close-pane %1")
        other = ask(stage, "close-pane %1", Origin(Interface.MCP, process="5@6", program="codex"))
        await stage.until(lambda: "3 requests" in stage.text)
        await stage.prefix("a")
        await shown(stage, "No to all that it asks")
        await stage.press("delete")
        await stage.until(lambda: "codex outside" in stage.text)
        assert isinstance(first.error, Denied)
        assert isinstance(second.error, Denied)
        await stage.press("enter")
        await stage.until(lambda: other.done)


@pytest.mark.usefixtures("unguarded")
async def test_escape_leaves_a_request_open_and_it_does_not_come_back_by_itself(open_stage: Open) -> None:
    async with open_stage() as stage:
        asked = ask(stage, "send-input %1 --text hello")
        await shown(stage)
        await stage.press("escape")
        await stage.until(lambda: stage.app.on_panes)
        assert not asked.done
        assert "ctrl+b a 1 request" in stage.text
        more = ask(stage, "send-input %1 --text more")
        await shown(stage, "--text more")  # What is new is shown, though.
        await stage.press("escape")
        await stage.prefix("a")
        await shown(stage, "--text hello")
        await stage.press("enter")
        await stage.until(lambda: asked.done and more.done)


async def test_a_request_that_is_answered_elsewhere_closes_its_dialog(open_stage: Open) -> None:
    async with open_stage() as stage:
        asked = ask(stage, "send-input %1 --text hello")
        await shown(stage)
        stage.app.dispatcher.run(parse("approve-request 1"), Origin(Interface.CLI))
        await stage.until(lambda: asked.done and stage.app.on_panes)
        await stage.until_text("hello")


@pytest.mark.usefixtures("unguarded")
async def test_a_long_command_is_scrolled_and_its_answers_stay_in_sight(open_stage: Open) -> None:
    async with open_stage(cols=60, rows=16) as stage:
        ask(stage, f"send-input %1 --text '{'word ' * 200}the-end'")
        await shown(stage, "No", "Yes, this once", "always")
        assert "the-end" not in stage.text
        await stage.press(*["pagedown"] * 40)
        await stage.until(lambda: "the-end" in stage.text)
        assert "Yes, this once" in stage.text


@pytest.mark.usefixtures("unguarded")
async def test_no_part_of_the_longest_command_is_out_of_sight(open_stage: Open) -> None:
    async with open_stage(cols=90, rows=40) as stage:
        words = [f"w{number:06}" for number in range(1_500)]
        dialog = ApprovalDialog("it asks", " ".join(words), CHOICES)
        stage.app.push_screen(dialog)
        await shown(stage, "w000000 ", "part 1 of 2", "Yes, this once")
        seen = set[str]()
        for _ in range(24):
            seen |= set(stage.text.split())
            await stage.press("pagedown")
        assert seen.issuperset(words)
        assert "part 2 of 2" in stage.text
        await stage.press(*["pageup"] * 12)
        await shown(stage, "w000000 ", "part 1 of 2")
        await stage.press("end")
        await shown(stage, "w001499", "part 2 of 2")
        await stage.press("home")
        await shown(stage, "w000000 ", "part 1 of 2")


async def test_nothing_in_the_dialog_is_markup(open_stage: Open) -> None:
    async with open_stage() as stage:
        stage.app.push_screen(ApprovalDialog("[b]who[/b]", "[@click=app.quit]x[/]", CHOICES))
        await shown(stage, "[b]who[/b]", "[@click=app.quit]x[/]")


async def test_a_program_cannot_press_the_buttons_by_its_keys(open_stage: Open) -> None:
    """Input of agents goes to terminals, whatever is on the screen."""
    async with open_stage() as stage:
        asked = ask(stage, "close-pane %1")
        await shown(stage)
        stage.mux.permissions = McpSettings(trust="full")
        for key in ("Down", "Enter"):
            stage.app.dispatcher.run(parse(f"send-keys %1 --keys {key}"), AGENT)
        await stage.pilot.pause()
        assert isinstance(stage.app.screen, ApprovalDialog)
        assert not asked.done


@pytest.mark.slow
@pytest.mark.parametrize(("cols", "rows"), [(100, 24), (50, 16)])
def test_the_dialog(picture: Picture, cols: int, rows: int) -> None:
    async def script(stage: Stage) -> None:
        await stage.until(lambda: stage.drawn and "Hello" in stage.text)
        command = "\"send-input --pane %1 --text 'rm -rf ~/precious\\u202e' --submit\""
        dialog = ApprovalDialog("claude outside wants to type, in pane %1 (hello):", command, CHOICES, 1)
        stage.app.push_screen(dialog)
        await stage.until(lambda: dialog.query("Choice") and dialog.is_current)

    assert picture(script, cols, rows)


@pytest.mark.slow
def test_requests_in_the_status_bar(picture: Picture, monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(stage: Stage) -> None:
        monkeypatch.setattr(type(stage.mux.lease), "idle_seconds", property(lambda lease: 0.0))
        monkeypatch.setattr(stage.app, "alert", quiet)
        await stage.until(lambda: stage.drawn and "Hello" in stage.text)
        ask(stage, "close-pane %1")
        await stage.until(lambda: "1 request" in stage.text)

    assert picture(script, 100, 8)


def test_no_answer_stands_first_by_itself() -> None:
    assert ApprovalDialog("", "", CHOICES).choices[0][0] == DENY


async def test_a_pane_is_trusted_to_print_tags_and_not_any_more(open_stage: Open) -> None:
    async with open_stage() as stage:
        TagRunner(stage.app.dispatcher)
        await stage.prefix("a")
        await stage.until(lambda: "let %1 run commands by tags in its output" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: stage.app.on_panes and bool(stage.mux.sideband.grants))
        await stage.prefix("a")
        await stage.until(lambda: "%1 may print tags: granted by the user" in stage.text)
        await stage.press("enter")
        await stage.until(lambda: stage.app.on_panes and not stage.mux.sideband.grants)
