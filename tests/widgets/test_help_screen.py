"""The help: subjects in columns, a search, and ways out by key and mouse."""

import pytest
from textual.app import App
from textual.pilot import Pilot

from fugue_tui_widgets.help_screen import (
    HelpColumns,
    HelpEntry,
    HelpScreen,
    HelpSection,
    columns_of,
    found_in,
    in_columns,
)

KEYS = HelpSection(
    "Panes",
    [
        HelpEntry("%", "split: side by side", "split-window splitw"),
        HelpEntry("x", "close the pane", "kill-pane"),
        HelpEntry("ctrl+arrows", "resize by one cell, as often as wanted and as far as there is room for it"),
    ],
)
MORE = [HelpSection(f"Subject {n}", [HelpEntry(chr(97 + n), f"does {n}") for _ in range(5)]) for n in range(6)]


class Help(App[None]):
    async def on_mount(self) -> None:
        await self.push_screen(
            HelpScreen(["help"], [[KEYS, *MORE], [HelpSection("Commands", [HelpEntry("ls", "list")])]])
        )

    @property
    def shown(self) -> str:
        body = self.screen.query_one(HelpColumns)
        return "\n".join(body.render_line(y).text for y in range(body.size.height))

    @property
    def is_open(self) -> bool:
        return isinstance(self.screen, HelpScreen)


def texts(sections: list[HelpSection], width: int) -> list[list[str]]:
    return [[line.strong + line.words for line in row] for row in in_columns(sections, width, columns_of(width))]


@pytest.mark.parametrize("width", [8, 36, 72, 108, 200])
def test_no_word_is_lost_at_any_width(width: int) -> None:
    rows = texts([KEYS, *MORE], width)
    words = " ".join(" ".join(row) for row in rows).split()
    assert {"side", "close", "room", "resize"} <= set(words)
    assert all(sum(map(len, row)) <= width + 3 for row in rows if width >= 36)


def test_narrow_help_has_one_column_with_keys_and_meanings_on_the_same_row() -> None:
    rows = texts([KEYS], 36)
    assert rows[0] == ["Panes"]
    assert rows[1] == [" %           split: side by side"]
    assert rows[4] == ["             often as wanted and as"]


def test_what_long_keys_do_is_below_them_where_there_is_little_room_beside() -> None:
    section = HelpSection(
        "Panes", [HelpEntry("execute-command", "Run a command in a pane's shell."), HelpEntry("o", "end")]
    )
    rows = texts([section], 33)
    assert rows[1:4] == [[" execute-command"], ["    Run a command in a pane's"], ["    shell."]]
    assert rows[4] == [" o  end"]
    assert [" execute-command Run a command in a pane's shell."] in texts([section], 60)


def test_one_long_key_leaves_the_others_on_the_rows_of_their_meanings() -> None:
    keys = [HelpEntry("h ←", "swap left"), HelpEntry("n tab", "swap"), HelpEntry("ctrl+h escape enter", "leave")]
    rows = texts([HelpSection("In move mode", keys)], 33)
    assert rows[1:] == [[" h ←   swap left"], [" n tab swap"], [" ctrl+h escape enter"], ["       leave"]]


def test_wide_help_has_columns_that_begin_with_a_title() -> None:
    rows = texts([KEYS, *MORE], 110)
    assert len(rows[0]) == 3
    assert all(cell.startswith(("Panes", "Subject")) for cell in rows[0])


def test_a_search_finds_keys_words_subjects_and_names_that_tmux_has() -> None:
    assert [each.key for each in found_in([KEYS, *MORE], "splitw")[0].entries] == ["%"]
    assert [each.title for each in found_in([KEYS, *MORE], "subject 3")] == ["Subject 3"]
    assert found_in([KEYS, *MORE], "split nothing") == []


async def test_letters_search_only_once_a_search_has_begun() -> None:
    app = Help()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("slash", *"kill-p")
        assert "close the pane" in app.shown
        assert "side by side" not in app.shown
        await pilot.press("escape")
        assert "side by side" in app.shown
        await pilot.press("escape")
        assert not app.is_open


@pytest.mark.parametrize("key", ["escape", "ctrl+c", "q", "enter", "question_mark"])
async def test_keys_that_close_it(key: str) -> None:
    app = Help()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press(key)
        assert not app.is_open


async def _scrolled(pilot: Pilot[None], app: Help) -> int:
    await pilot.pause()
    return app.screen.query_one(HelpColumns).scroll_offset.y


async def test_keys_scroll() -> None:
    app = Help()
    async with app.run_test(size=(40, 12)) as pilot:
        await pilot.press("j", "down", "pagedown")
        assert await _scrolled(pilot, app) > 3
        await pilot.press("g")
        assert await _scrolled(pilot, app) == 0
        await pilot.press("G")
        assert "list" in app.shown


@pytest.mark.parametrize("at", [(0, 0), (30, 21)])
async def test_a_click_beside_it_or_on_its_lower_border_closes_it(at: tuple[int, int]) -> None:
    app = Help()
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.click(HelpColumns, offset=(3, 3))
        assert app.is_open
        frame = app.screen.children[0].region
        await pilot.click(offset=(at[0], at[1] and frame.bottom - 1))
        assert not app.is_open
