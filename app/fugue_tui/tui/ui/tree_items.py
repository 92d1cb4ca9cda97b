"""What the chooser lists: sessions, windows, panes and other workspaces as rows of text, and how well each matches."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from typing import Any, Final

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from textual.fuzzy import Matcher

from fugue_tui.control.core.confirmation import count
from fugue_tui.control.output.pane_titles import agent_state, pane_label
from fugue_tui.ids import PaneId
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import clean, clean_path
from fugue_tui.terminal.terminal import Terminal
from fugue_tui.tui.ui.view_model import window_label
from fugue_tui.workspace.model import Window
from fugue_tui_widgets.row_list import ListRow

WORKSPACE: Final = "/"
SESSION: Final = "="
"""The first characters of the keys of workspaces and sessions; those of windows and panes are their ids."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_COMMAND: Final = 80
"""Characters of a command line that are shown."""


class TreeScope(IntEnum):
    """What is listed."""

    EVERYTHING = 0
    PANES = 1
    WINDOWS = 2
    SESSIONS = 3
    WORKSPACES = 4


class Facts(Struct, frozen=True):
    """What distinguishes a pane from others; cleaned."""

    cwd: str = ""
    """Its directory, with `~` for the home directory."""
    command: str = ""
    """The command that runs there, or that ran last with how it ended; empty if none is known."""
    title: str = ""


class Item(Struct, frozen=True):
    """Something to choose; its texts are cleaned."""

    key: str
    name: str
    where: str = ""
    does: str = ""
    more: str = ""
    """Text by which it is found, too."""
    depth: int = 0
    digit: str = ""
    """The digit that chooses it; empty for none."""


def facts(terminals: Mapping[PaneId, Terminal]) -> dict[PaneId, Facts]:
    """What is known of panes; reads the process table, on another thread."""
    home = os.path.expanduser("~")
    return {pane: _facts(terminal, home) for pane, terminal in terminals.items()}


def _facts(terminal: Terminal, home: str) -> Facts:
    cwd = terminal.cwd
    short = "~" + cwd[len(home) :] if cwd == home or cwd.startswith(f"{home}/") else cwd
    record, command = terminal.shell.newest_command, ""
    if record is not None:
        code = record.confirmed_exit_code
        ended = " (runs)" if record.running else f" (exit {code})" if code else ""
        command = f"$ {clean(record.line, _COMMAND)}{ended}"
    return Facts(clean_path(short), command, clean(terminal.title, 60))


# Items


def items(mux: Multiplexer, scope: TreeScope, known: Mapping[PaneId, Facts]) -> list[Item]:
    """The sessions, windows and panes of a scope, as a tree."""
    sessions = list(dict.fromkeys(window.session for window in mux.workspace.windows))
    if scope is TreeScope.WORKSPACES:
        return []
    if scope is TreeScope.SESSIONS:
        return [_session(mux, name, str(number % 10) * (number <= 10)) for number, name in enumerate(sessions, 1)]
    found = list[Item]()
    for session in sessions:
        several = len(sessions) > 1 and scope is not TreeScope.PANES
        found += [_session(mux, session)] if several else []
        windows = [window for window in mux.workspace.windows if window.session == session]
        for number, window in enumerate(windows, 1):
            found += _of_window(mux, scope, window, number, known, int(several))
    return found


def _session(mux: Multiplexer, name: str, digit: str = "") -> Item:
    windows = [window for window in mux.workspace.windows if window.session == name]
    here = "*" * (mux.front is not None and mux.front.session == name)
    labels = ", ".join(window_label(mux, window) for window in windows)
    return Item(
        f"{SESSION}{name}", f"{clean(name, 24)}{here}", count(len(windows), "window"), clean(labels, 80), digit=digit
    )


def _of_window(
    mux: Multiplexer, scope: TreeScope, window: Window, number: int, known: Mapping[PaneId, Facts], depth: int
) -> Iterator[Item]:
    """A window, and its panes if they are wanted."""
    inside = list(panes(window.layout))
    front = mux.front
    here = front is not None and front.session == window.session
    shows_panes = scope is TreeScope.PANES or (scope is TreeScope.EVERYTHING and len(inside) > 1)
    if scope is not TreeScope.PANES:
        about = known.get(window.active, Facts())
        does = about.command if len(inside) == 1 else f"{count(len(inside), 'pane')}  {about.command}".rstrip()
        current = "*" * (front is not None and front.id == window.id)
        marked = " marked" * (len(inside) == 1 and mux.user_options.marked in inside)
        yield Item(
            str(window.id),
            f"{number} {window_label(mux, window)}{current}{marked}",
            about.cwd,
            " ".join(part for part in (agent_state(mux, window.active)[0], does) if part),
            " ".join([about.title, *(f"{pane} {pane_label(mux, pane)}" for pane in inside)]),
            depth,
            str(number % 10) if here and number <= 10 else "",
        )
    for pane in inside if shows_panes else ():
        yield _pane(mux, pane, known.get(pane, Facts()), depth + (scope is not TreeScope.PANES))


def _pane(mux: Multiplexer, pane: PaneId, about: Facts, depth: int) -> Item:
    terminal = mux.terminals[pane]
    marks = "*" * (mux.focused == pane) + " marked" * (mux.user_options.marked == pane)
    ended = terminal.exit.words if terminal.exit is not None else ""
    does = " ".join(part for part in (agent_state(mux, pane)[0], ended, about.command) if part)
    return Item(str(pane), f"{pane} {pane_label(mux, pane)}{marks}", about.cwd, does, about.title, depth)


def other_workspaces(found: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Other workspaces as items, from `client.workspaces`."""
    return [_workspace(each) for each in found]


def _workspace(found: Mapping[str, Any]) -> Item:
    name = clean(str(found["name"]))
    counts = [count(found[noun], noun[:-1]) for noun in ("windows", "panes") if found[noun] is not None]
    state = "runs" if found["running"] else "saved"
    return Item(f"{WORKSPACE}{name}", name, state, ", ".join(counts), "workspace")


# Ranks


def ranked(found: Sequence[Item], query: str) -> list[Item]:
    """What matches every word of a query, the best first, without the tree; all of it for an empty one."""
    words = query.casefold().split()
    if not words:
        return list(found)
    matchers = [Matcher(word) for word in words]
    scored = [(_score(item, words, matchers), item) for item in found]
    best = sorted((each for each in scored if each[0]), key=lambda each: -each[0])
    return [Item(item.key, item.name, item.where, item.does, item.more, digit=item.digit) for _, item in best]


def _score(item: Item, words: Sequence[str], matchers: Sequence[Matcher]) -> float:
    """How well an item matches; 0 if a word is in none of its texts, and its name has not all letters in order."""
    name, rest = item.name.casefold(), f"{item.where} {item.does} {item.more}".casefold()
    total = 0.0
    for word, matcher in zip(words, matchers, strict=True):
        best = max(4 * _found(word, name), 2 * _found(word, rest)) or min(matcher.match(item.name), 1.0)
        if not best:
            return 0.0
        total += best
    return total


def _found(word: str, text: str) -> int:
    """3 if it is a word of a text, 2 if one begins with it, 1 if it is anywhere in it, else 0."""
    parts = text.replace("/", " ").replace("-", " ").replace("*", " ").split()
    if word in parts:
        return 3
    return 2 if any(part.startswith(word) for part in parts) else int(word in text)


# Rows


def labels(found: Sequence[Item]) -> dict[str, str]:
    """The keys that choose rows: a digit, or Alt with a letter; by what each chooses."""
    letters = iter(_LETTERS)
    digits = {item.digit: item.key for item in found if item.digit}
    rest = {f"alt+{letter}": item.key for item in found if not item.digit and (letter := next(letters, ""))}
    return digits | rest


def rows(found: Sequence[Item], keys: Mapping[str, str], width: int) -> list[ListRow]:
    """The rows, with a heading above other workspaces."""
    spelled = {key: label for label, key in keys.items()}
    names = [f"{'  ' * item.depth}{item.name}" for item in found]
    label_width = 5 if width >= 50 else 1
    name_width = min(max(map(cell_len, names), default=0), max(width * 2 // 5, 12))
    where_width = min(max((cell_len(item.where) for item in found), default=0), width // 4)
    shown = list[ListRow]()
    for item, name in zip(found, names, strict=True):
        if item.key.startswith(WORKSPACE) and not any(row.key.startswith(WORKSPACE) for row in shown):
            shown.append(ListRow("", (("other workspaces", "heading"),)))
        label = spelled.get(item.key, "")
        label = label if len(label) <= label_width and label != item.name.split()[0] else ""
        shown.append(
            ListRow(
                item.key,
                (
                    (f"{label:>{label_width}} ", "dim"),
                    (set_cell_size(_cut(name, name_width), name_width), ""),
                    (f"  {set_cell_size(_cut(item.where, where_width, end=True), where_width)}", "dim"),
                    (f"  {item.does}", ""),
                ),
            )
        )
    return shown


def _cut(text: str, width: int, *, end: bool = False) -> str:
    """A text in so many cells: its beginning, or its end."""
    if cell_len(text) <= width or width < 2:
        return text
    while cell_len(text) > width - 1:
        text = text[1:] if end else text[:-1]
    return f"…{text}" if end else f"{text}…"
