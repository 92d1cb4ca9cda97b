"""The palette opens on what people do, and finds it by the words that they say."""

import pytest
from tests.tui.conftest import Open, Stage
from textual.command import CommandList
from textual.widgets import Input

pytestmark = pytest.mark.slow


def listed(stage: Stage) -> list[str]:
    """The lines of the palette, without their notes."""
    found = stage.app.screen.query_one(CommandList)
    return [str(found.get_option_at_index(each).prompt).partition("\n")[0] for each in range(found.option_count)]


async def test_it_opens_on_what_people_do_with_the_keys_beside_it(open_stage: Open) -> None:
    async with open_stage() as stage:
        await stage.prefix("p")
        await stage.until(lambda: "split-pane" in listed(stage))
        lines = listed(stage)
        assert lines[:3] == [
            "split: side by side   ctrl+b %",
            'split: top and bottom   ctrl+b "',
            "new window   ctrl+b c",
        ]
        assert "command palette   ctrl+b p" not in lines
        assert len(lines) == len(set(lines))


@pytest.mark.parametrize(
    ("said", "first"),
    [
        ("split right", "split: side by side"),
        ("side by side", "split: side by side"),
        ("horizontal", "split: top and bottom"),
        ("maximize", "zoom the pane"),
        ("new tab", "new window"),
        ("quit", "end everything"),
        ("clipboard", "paste"),
        ("kill-window", "close the window"),
        ("new-window", "new window"),
        ("detach", "leave; programs go on"),
        ("to-do", "tasks"),
        ("list-panes", "list-panes"),
        ("theme", "choose a theme"),
        ("dark mode", "choose a theme"),
        ("settings", "edit the configuration"),
        ("mouse", "edit the configuration"),
        ("start claude", "start-agent"),
    ],
)
async def test_it_finds_what_people_say(open_stage: Open, said: str, first: str) -> None:
    async with open_stage() as stage:
        await stage.prefix("p")
        stage.app.screen.query_one(Input).value = said
        await stage.until(lambda: listed(stage)[:1] and first in listed(stage)[0])


async def test_what_was_chosen_last_is_listed_first(open_stage: Open) -> None:
    async with open_stage() as stage:
        for said in ("zoom-pane", "new window"):
            await stage.prefix("p")
            stage.app.screen.query_one(Input).value = said
            await stage.until(lambda said=said: listed(stage)[:1] and said[:4] in listed(stage)[0])
            await stage.press("enter")
            await stage.until(lambda: stage.app.on_panes)
        await stage.until(lambda: len(stage.mux.workspace.windows) == 2)
        await stage.prefix("p")
        await stage.until(lambda: listed(stage)[:1] == ["new window   ctrl+b c"])
