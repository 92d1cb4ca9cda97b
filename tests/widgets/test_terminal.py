"""`Terminal(command=...)` in somebody else's app: it starts, takes keys, follows its size, ends, gives up the focus."""

import asyncio
import runpy
import time
from collections.abc import Callable
from pathlib import Path
from typing import cast

import pytest
from textual.app import App, ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.events import MouseDown, MouseMove, MouseUp
from textual.widgets import Input

from fugue_tui.errors import SpawnFailed
from fugue_tui.terminal.emulator.events import Bell, TitleChanged
from fugue_tui.terminal.terminal import Terminal as LiveTerminal
from fugue_tui_widgets import terminal as drop_in
from fugue_tui_widgets.terminal import Terminal

RAW = "sh -c 'stty -echo; echo ready; exec cat'"


class Foreign(App[None]):
    """Two terminals and an input."""

    def __init__(self, left: str = RAW, right: str = RAW) -> None:
        super().__init__()
        self.commands = (left, right)
        self.ended: list[Terminal.Ended] = []

    def compose(self) -> ComposeResult:
        with Horizontal():
            yield Terminal(command=self.commands[0], id="left")
            yield Terminal(command=self.commands[1], default_colors="textual", id="right")
        yield Input()

    def on_terminal_ended(self, message: Terminal.Ended) -> None:
        self.ended.append(message)

    def terminal(self, name: str) -> Terminal:
        return self.query_one(f"#{name}", Terminal)


async def until(condition: Callable[[], object], seconds: float = 40.0) -> None:
    """Wait until a condition holds; fails after the deadline."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "the deadline passed"
        await asyncio.sleep(0.004)


def text_of(terminal: Terminal) -> str:
    """What the widget draws."""
    return "\n".join(terminal.render_line(y).text.rstrip() for y in range(terminal.size.height))


@pytest.mark.slow
async def test_two_terminals_take_their_own_keys() -> None:
    app = Foreign()
    async with app.run_test(size=(80, 20)) as pilot:
        left, right = app.terminal("left"), app.terminal("right")
        left.start()
        right.start()
        await until(lambda: "ready" in text_of(left) and "ready" in text_of(right))
        left.focus()
        await pilot.press(*"one", "enter")
        right.focus()
        await pilot.press(*"two", "enter")
        await until(lambda: "one" in text_of(left) and "two" in text_of(right))
        assert "two" not in text_of(left)


@pytest.mark.slow
async def test_the_command_follows_the_size_of_its_widget() -> None:
    app = Foreign("sh -c 'stty size; trap \"stty size\" WINCH; while :; do sleep 0.05; done'")
    async with app.run_test(size=(80, 20)) as pilot:
        left = app.terminal("left")
        left.start()
        await until(lambda: "17 40" in text_of(left))
        await pilot.resize_terminal(60, 30)
        await until(lambda: "27 30" in text_of(left))


async def test_ctrl_f1_gives_the_focus_back_and_other_keys_do_not() -> None:
    app = Foreign()
    async with app.run_test() as pilot:
        left = app.terminal("left")
        left.start()
        left.focus()
        await pilot.pause()
        await pilot.press("tab", "ctrl+l", "escape")
        assert app.focused is left
        await pilot.press("ctrl+f1")
        assert app.focused is None


@pytest.mark.slow
async def test_stop_ends_the_command_and_clears_the_widget() -> None:
    app = Foreign()
    async with app.run_test():
        left = app.terminal("left")
        left.start()
        await until(lambda: "ready" in text_of(left))
        assert left.live is not None
        pid = left.live.pid
        left.stop()
        assert text_of(left).strip() == ""
        await until(lambda: not alive(pid))
        left.stop()
        left.start()
        await until(lambda: "ready" in text_of(left))


async def test_stop_does_not_wait_for_a_command_that_will_not_end_and_leaving_does() -> None:
    app = Foreign("sh -c 'trap \"\" HUP TERM; echo ready; while :; do read x; done'")
    async with app.run_test():
        left = app.terminal("left")
        left.start()
        await until(lambda: "ready" in text_of(left))
        assert left.live is not None
        pid = left.live.pid
        left.stop()
        assert alive(pid)
    assert not alive(pid)


def alive(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


async def test_a_command_that_ends_is_reported() -> None:
    app = Foreign("sh -c 'exit 3'")
    async with app.run_test():
        app.terminal("left").start()
        await until(lambda: app.ended)
        assert app.ended[0].exit.code == 3
        assert app.ended[0].control is app.terminal("left")


async def test_a_command_that_does_not_exist_is_an_error_at_once() -> None:
    app = Foreign("no-such-program-anywhere")
    async with app.run_test():
        with pytest.raises(SpawnFailed, match="no-such-program-anywhere"):
            app.terminal("left").start()
        assert app.terminal("left").live is None


async def test_an_app_that_leaves_takes_its_commands_along() -> None:
    app = Foreign()
    async with app.run_test():
        left = app.terminal("left")
        left.start()
        await until(lambda: "ready" in text_of(left))
        assert left.live is not None
        pid = left.live.pid
    await until(lambda: not alive(pid))


@pytest.mark.slow
async def test_default_colours_are_the_apps_or_the_hosts() -> None:
    app = Foreign()
    async with app.run_test():
        for name in ("left", "right"):
            app.terminal(name).start()
        await until(lambda: all("ready" in text_of(app.terminal(name)) for name in ("left", "right")))
        left, right = (next(iter(app.terminal(name).render_line(0))).style for name in ("left", "right"))
        assert left is not None
        assert left.bgcolor is None
        assert right is not None
        assert right.bgcolor == app.terminal("right").rich_style.bgcolor


@pytest.mark.slow
async def test_the_example_runs_a_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PS1", "here$ ")
    example = Path(__file__).parents[2] / "docs" / "examples" / "shell_in_your_app.py"
    app: App[None] = runpy.run_path(str(example))["ShellInYourApp"]()
    async with app.run_test(size=(100, 20)) as pilot:
        shell = app.query_one("#shell", Terminal)
        shell.focus()
        await pilot.press(*"echo $((6*7))", "enter")
        await until(lambda: "42" in text_of(shell))
        await pilot.press(*"exit", "enter")
        await until(lambda: shell.live is not None and shell.live.exit is not None)


async def test_a_title_is_text_and_never_markup() -> None:
    title = "[@click=app.quit]go[/] [bold"
    app = Foreign(left=f"sh -c \"printf '\\033]2;{title}\\007'; exec cat\"")
    async with app.run_test(size=(80, 20)):
        left = app.terminal("left")
        left.start()
        await until(lambda: left.border_title)
        shown = left._border_title  # pyright: ignore[reportPrivateUsage]
        assert shown is not None
        assert (shown.plain, shown.spans) == (title, [])


async def test_text_is_selected_with_the_mouse_and_copied() -> None:
    app = Foreign()
    async with app.run_test(size=(80, 20)) as pilot:
        left = app.terminal("left")
        left.start()
        await until(lambda: "ready" in text_of(left))
        for kind, x in ((MouseDown, 1), (MouseMove, 2), (MouseMove, 3), (MouseUp, 3)):
            event = kind(app.screen, x, 0, 0, 0, 1, False, False, False, screen_x=x, screen_y=0)
            app.screen._forward_event(event)  # pyright: ignore[reportPrivateUsage]
            await pilot.pause()
        await until(lambda: app.clipboard == "ead")
        await until(lambda: any(segment.style and segment.style.reverse for segment in left.render_line(0)))
        assert "".join(s.text for s in left.render_line(0) if s.style and s.style.reverse) == "ead"


async def test_a_flood_of_bells_and_titles_asks_the_app_once(monkeypatch: pytest.MonkeyPatch) -> None:
    class Face:
        rung = 0
        border_title: Content | None = None

        def ring(self) -> None:
            self.rung += 1

    face = Face()
    watcher = drop_in._Watcher(cast("Terminal", face))  # pyright: ignore[reportPrivateUsage]
    live, calls = cast("LiveTerminal", None), list[Callable[[], object]]()
    monkeypatch.setattr(watcher, "_soon", calls.append)
    for number in range(10_000):
        watcher.on_event(live, Bell())
        watcher.on_event(live, TitleChanged(str(number)))
    assert len(calls) == 1
    calls.pop()()
    assert face.rung == 1
    assert face.border_title == Content("9999")
    watcher.on_event(live, TitleChanged("more"))
    assert len(calls) == 1
