"""Every key of tmux's table `prefix` is pressed, and does what `docs/tmux-keys.md` says that it does."""

import pytest
from msgspec.structs import replace
from tests.tui.conftest import CALM, Open, Stage
from textual.keys import _character_to_key  # pyright: ignore[reportPrivateUsage]

from fugue_tui.config.model import KeySettings
from fugue_tui.control.command_table import panes, windows
from fugue_tui.control.commands.buffers import SetBuffer
from fugue_tui.control.commands.move import MarkPane
from fugue_tui.control.commands.sessions import CreateSession, KillSession
from fugue_tui.control.core.new_pane import Direction
from fugue_tui.control.keymap import keymap
from fugue_tui.control.tmux_keys import PREFIX, status

EFFECTS = {
    "send-prefix": "typed",
    "rotate-window": "layout",
    "next-layout": "layout",
    "break-pane": "windows",
    "split-window": "panes",
    "list-buffers": "Page",
    "rename-session": "Ask",
    "rename-window": "Ask",
    "kill-window": "Confirm",
    "kill-pane": "Confirm",
    "select-window by index": "Ask",
    "move-window": "Ask",
    "find-window": "Ask",
    "switch-client": "session",
    "delete-buffer": "buffers",
    "select-window": "window",
    "next-window": "window",
    "previous-window": "window",
    "last-window": "window",
    "command-prompt": "CommandPrompt",
    "last-pane": "focus",
    "select-pane -m": "mark",
    "select-pane -M": "mark",
    "select-pane": "focus",
    "display-menu": "Menu",
    "choose-buffer": "BufferScreen",
    "choose-client": "Choose",
    "choose-tree": "FinderScreen",
    "list-keys": "HelpScreen",
    "select-layout": "layout",
    "clock-mode": "alert",
    "copy-mode": "copy",
    "paste-buffer": "typed",
    "new-window": "windows",
    "detach-client": "",
    "display-message": "alert",
    "display-panes": "PaneNumbers",
    "refresh-client": "",
    "resize-pane -Z": "zoom",
    "resize-pane": "layout",
    "swap-pane": "layout",
    "show-messages": "Page",
}
"""What is seen of tmux's commands here: the dialog that opens, or what changes; empty for what no test without a host
sees. The longest beginning counts."""
DIALOGS = {word for word in EFFECTS.values() if word[:1].isupper()} | {"copy"}
TMUX = keymap(KeySettings(preset="tmux"))[0]
NAMES = {"PPage": "pageup", "NPage": "pagedown", "DC": "delete", "Space": "space"}


def pressed(key: str) -> str:
    """One of tmux's keys as Textual has it."""
    for mark, word in (("C-", "ctrl+"), ("M-", "alt+"), ("S-", "shift+")):
        if key.startswith(mark):
            return word + pressed(key[2:])
    return NAMES.get(key) or (_character_to_key(key) if len(key) == 1 else key.lower())


def state(stage: Stage) -> dict[str, object]:
    """What a key may change, the most telling first."""
    mux, view = stage.mux, stage.app.focused_view
    front = mux.front
    assert front is not None
    return {
        "dialog": "" if stage.app.on_panes else type(stage.app.screen).__name__,
        "session": front.session,
        "windows": len(mux.workspace.windows),
        "panes": len(mux.workspace.panes),
        "window": front.id,
        "zoom": front.zoomed,
        "layout": (stage.app.grid.model.solution, [(each.id, each.layout) for each in mux.workspace.windows]),
        "focus": mux.focused,
        "mark": mux.user_options.marked,
        "buffers": len(mux.clipboard.entries),
        "copy": view is not None and view.live is not None and view.live.copy_mode.reads,
        "typed": "".join(stage.pane_text(int(pane)) for pane in mux.terminals),
        "alert": str(stage.app.alerts.past()),
    }


def middle_of(stage: Stage) -> str:
    """Split the focused pane so that one of five has neighbours on all four sides: its id."""

    def split(pane: str, direction: Direction) -> str:
        made = stage.run(panes.SplitPane(pane=pane, direction=direction, command=("cat",), focus=False))
        return str(made.id)

    left = str(stage.mux.focused)
    middle = split(left, Direction.HORIZONTAL)
    split(middle, Direction.HORIZONTAL)
    split(middle, Direction.VERTICAL)
    return split(middle, Direction.VERTICAL)


async def scene(stage: Stage) -> None:
    """A session with eleven windows, five panes, a mark and copied texts, so that every key has something to do."""
    old = {window.session for window in stage.mux.workspace.windows}
    names = [f"{name}{max(stage.mux.terminals)}" for name in "bca"]
    for each in names:
        stage.run(CreateSession(name=each, command=("cat",), focus=True))
    for number in range(2, 12):
        program = ("sh", "-c", "read x; printf '\\a'; exec cat") if number == 7 else ("cat",)
        stage.run(windows.CreateWindow(command=program, focus=False))
    for each in old:
        stage.run(KillSession(session=each))
    for number in (3, 11):
        stage.run(windows.SelectWindow(window=f":{number}"))
    centre = middle_of(stage)
    stage.run(panes.FocusPane(pane=str(list(stage.mux.terminals)[-1])))
    stage.run(panes.FocusPane(pane=centre))
    stage.run(panes.ResizePane(pane=centre, cols=30, rows=9))
    stage.run(MarkPane(pane=str(list(stage.mux.terminals)[-1])))
    stage.app.copy("copied", None)
    stage.run(SetBuffer(text="kept"))
    bell = next(pane for pane in stage.mux.terminals if "read x" in " ".join(stage.mux.workspace.panes[pane].argv))
    stage.terminal(int(bell)).write(b"\n")
    await stage.until(lambda: "!" in stage.text.split("\n")[-1])


async def leave(stage: Stage) -> None:
    """Close what a key has opened."""
    while not stage.app.on_panes:
        await stage.press("escape")
    if stage.mux.focused is not None and stage.terminal(int(stage.mux.focused)).copy_mode.reads:
        await stage.press("q")


async def effect(stage: Stage, key: str) -> set[str]:
    """What a key after the prefix changes."""
    before = state(stage)
    await stage.prefix(pressed(key))
    await stage.pilot.pause()
    after = state(stage)
    return {str(after["dialog"])} if after["dialog"] else {name for name in before if before[name] != after[name]}


def expected(does: str) -> str:
    """What a command of tmux changes."""
    return EFFECTS[max((each for each in EFFECTS if does.startswith(each)), key=len)]


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["tmux", "fugue"])
async def test_keys_do_what_the_table_says(open_stage: Open, preset: str) -> None:
    settings = KeySettings(preset="tmux" if preset == "tmux" else "fugue")
    keys, wrong = keymap(settings)[0], list[str]()
    async with open_stage(cols=120, rows=40, config=replace(CALM, keys=settings)) as stage:
        found = {"new"}
        for each in PREFIX:
            said = status(each, keys)
            if (preset == "fugue" and said == status(each, TMUX)) or "detach" in said:
                continue
            if found - {"alert", "typed"} and (len(found) > 1 or not found & DIALOGS):
                await scene(stage)
            found = await effect(stage, each.key)
            await leave(stage)
            if said == "same":
                wanted = expected(each.does)
                if wanted and wanted not in found:
                    wrong.append(f"{each.key}: {each.does} is the same, but changes {found or 'nothing'}, not {wanted}")
            elif said.startswith("no: ") and found != {"alert"}:
                wrong.append(f"{each.key}: {said}, but it changes {found}")
            elif said.startswith("otherwise") and not found:
                wrong.append(f"{each.key}: {said}, but nothing changes")
    assert not wrong, "\n".join(wrong)
