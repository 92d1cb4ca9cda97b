"""tmux 3.3a's default keys, and what they do here: the same, something else, or nothing, and why.

`docs/tmux-keys.md` is made of this: `python -m fugue_tui.control.tmux_keys > docs/tmux-keys.md`. What a key after the
prefix does here is read from the keymap, so that the table follows it.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Final, NamedTuple

from fugue_tui.config.model import KeySettings
from fugue_tui.control.keymap import Keymap, canonical, keymap, steps
from fugue_tui.terminal.input.keys import KeyPress, parse_key


class TmuxKey(NamedTuple):
    """One key of tmux's table `prefix`."""

    key: str
    does: str
    """tmux's command, without what only formats it."""
    same: tuple[str, ...]
    """The lines or actions that do the same here."""
    note: str = ""
    """What differs, or why the key does nothing."""


_FITS: Final = "a window has the size of the terminal that shows it; there is nothing to scroll to"
_MENU: Final = "same: opens a menu"
_BUFFERS: Final = "there is one buffer, which ] pastes"
_LAYOUTS: Final = {
    "1": ("even-horizontal", "even_horizontal"),
    "2": ("even-vertical", "even_vertical"),
    "3": ("main-horizontal", "main_top"),
    "4": ("main-vertical", "main_left"),
    "5": ("tiled", "tiled"),
}
_SIDES: Final = {"Up": "up", "Down": "down", "Left": "left", "Right": "right"}

PREFIX: Final = (
    TmuxKey("C-b", "send-prefix", ("prefix",)),
    TmuxKey("C-o", "rotate-window", ("rotate-panes --no-forward", "rotate-panes --forward=false")),
    TmuxKey("C-z", "suspend-client", (), "a client is not stopped: d detaches it, programs go on"),
    TmuxKey("Space", "next-layout", ("select-layout next",)),
    TmuxKey("!", "break-pane", ("break-pane",), "no command moves a pane to a window of its own"),
    TmuxKey('"', "split-window", ("split-pane --direction vertical",)),
    TmuxKey("#", "list-buffers", ("show-buffers",), _BUFFERS),
    TmuxKey("$", "rename-session", ("ask-rename-session",)),
    TmuxKey("%", "split-window -h", ("split-pane --direction horizontal",)),
    TmuxKey("&", "kill-window", ("close-window",)),
    TmuxKey("'", "select-window by index", ("ask-select-window",), "w chooses from a list, 1 to 9 select"),
    TmuxKey("(", "switch-client -p", ("select-session previous",)),
    TmuxKey(")", "switch-client -n", ("select-session next",)),
    TmuxKey(",", "rename-window", ("ask-rename-window",)),
    TmuxKey("-", "delete-buffer", ("delete-newest-buffer",), _BUFFERS),
    TmuxKey(".", "move-window", ("ask-move-window",), "no command moves a window"),
    TmuxKey("/", "list-keys -1N", ("help",), "searches all panes; ? lists all keys"),
    TmuxKey("0", "select-window -t :=0", (), "windows are counted from 1: this is the tenth"),
    *(TmuxKey(str(tab), f"select-window -t :={tab}", (f"select-window :{tab}",)) for tab in range(1, 10)),
    TmuxKey(":", "command-prompt", ("command-line",)),
    TmuxKey(";", "last-pane", ("focus-pane last",)),
    TmuxKey("<", "display-menu of the window", ("window-menu",)),
    TmuxKey("=", "choose-buffer", ("choose-buffer",), _BUFFERS),
    TmuxKey(">", "display-menu of the pane", ("pane-menu",)),
    TmuxKey("?", "list-keys -N", ("help",)),
    TmuxKey("C", "customize-mode", (), "settings are in a file: fugue-tui config path"),
    TmuxKey("D", "choose-client", ("choose-client",)),
    TmuxKey("E", "select-layout -E", ("equalize-panes",)),
    TmuxKey("L", "switch-client -l", ("select-session last",), "( and ) go to the session before and after"),
    TmuxKey("M", "select-pane -M", ("mark-pane --clear",), "panes are not marked"),
    TmuxKey("[", "copy-mode", ("scroll",)),
    TmuxKey("]", "paste-buffer -p", ("paste",)),
    TmuxKey("c", "new-window", ("create-window",)),
    TmuxKey("d", "detach-client", ("detach",)),
    TmuxKey("f", "find-window", ("ask-find-window",), "search-panes finds text"),
    TmuxKey("i", "display-message", ("show-info",), "get-status shows where you are"),
    TmuxKey("l", "last-window", ("select-window last",)),
    TmuxKey("m", "select-pane -m", ("mark-pane",), "panes are not marked"),
    TmuxKey("n", "next-window", ("select-window next",)),
    TmuxKey("o", "select-pane -t :.+", ("focus-pane next",)),
    TmuxKey("p", "previous-window", ("select-window previous",), "P selects the previous window"),
    TmuxKey("q", "display-panes", ("display-panes",), "list-panes shows the panes' ids"),
    TmuxKey("r", "refresh-client", ("redraw",)),
    TmuxKey("s", "choose-tree -s", ("choose-session",)),
    TmuxKey("t", "clock-mode", ("show-clock",), "there is no clock"),
    TmuxKey("w", "choose-tree -w", ("choose-window",)),
    TmuxKey("x", "kill-pane", ("close-pane",)),
    TmuxKey("z", "resize-pane -Z", ("zoom-pane",)),
    TmuxKey("{", "swap-pane -U", ("swap-pane --other previous",)),
    TmuxKey("}", "swap-pane -D", ("swap-pane --other next",)),
    TmuxKey("~", "show-messages", ("show-messages",), "messages are shown once"),
    TmuxKey("DC", "refresh-client -c", (), _FITS),
    TmuxKey("PPage", "copy-mode -u", ("scroll-page-up",), "[ and then PageUp"),
    *(TmuxKey(key, f"select-pane -{key[0]}", (f"focus-pane {side}",)) for key, side in _SIDES.items()),
    *(
        TmuxKey(f"M-{key}", f"select-layout {theirs}", (f"select-layout {ours}",), "Space goes through the layouts")
        for key, (theirs, ours) in _LAYOUTS.items()
    ),
    TmuxKey("M-n", "next-window -a", ("next-alert",)),
    TmuxKey("M-o", "rotate-window -D", ("rotate-panes",), "C-o goes around"),
    TmuxKey("M-p", "previous-window -a", ("previous-alert",)),
    *(
        TmuxKey(f"{held}-{key}", f"resize-pane -{key[0]}{by}", (f"resize-pane --side {side} --cells {cells}",))
        for held, by, cells in (("M", " 5", 5), ("C", "", 1))
        for key, side in _SIDES.items()
    ),
    *(TmuxKey(f"S-{key}", f"refresh-client -{key[0]} 10", (), _FITS) for key in _SIDES),
)
"""tmux's table `prefix`."""

ROOT: Final[Mapping[str, str]] = MappingProxyType(
    {
        "MouseDown1Pane": "same: focuses the pane",
        "MouseDown1Status": "same: selects the window",
        "MouseDown2Pane": "same: pastes what was copied last",
        "MouseDown3Pane": _MENU,
        "MouseDown3Status": _MENU,
        "MouseDown3StatusLeft": _MENU,
        "MouseDrag1Pane": "same: selects, without copy mode",
        "MouseDrag1Border": "same: resizes",
        "WheelUpPane": "same: scrolls back, without copy mode",
        "WheelUpStatus": "same: the previous window",
        "WheelDownStatus": "same: the next window",
        "DoubleClick1Pane": "same: selects the word",
        "TripleClick1Pane": "same: selects the line",
        "M-MouseDown3Pane": f"{_MENU}, in programs that take the mouse too",
    }
)
"""tmux's table `root`, which holds keys of the mouse alone."""

_SAME: Final = "same"
_MARK: Final = "there is no mark; o goes to the other end of the selection"
_STAYS: Final = "same; the cursor stays on its line of text, as in Vi"
_PAGE: Final = "same; near the top it goes up as many lines as are there"
COPY_VI: Final[Mapping[str, str]] = MappingProxyType(
    {
        ":": "no: 5j and 5k go by lines, / searches",
        "A": "no: nothing is appended to what was copied",
        "P": "no: the pane's title shows the position",
        "X": f"no: {_MARK}",
        "r": "no: the text does not change in copy mode",
        "v": "otherwise: begins to select, as in Vi, and again selects nothing; C-v is the rectangle",
        "C-v": "otherwise: begins to select a rectangle at once",
        "Space": "same: begins to select; again selects nothing",
        "Escape": "same: selects nothing; without a selection it returns",
        "C-y": _STAYS,
        "K": _STAYS,
        "C-Up": _STAYS,
        "C-b": _PAGE,
        "PPage": _PAGE,
        "V": "same; the cursor stays where it is",
        "M-x": f"no: {_MARK}",
    }
)
"""The keys of tmux's table `copy-mode-vi` that are not the same."""
COPY_EMACS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "P": "no: the pane's title shows the position",
        "X": f"no: {_MARK}",
        "g": "no: M-5 and an arrow go by lines, C-s searches",
        "r": "no: the text does not change in copy mode",
        "M-x": "otherwise: goes to the other end of the selection",
        "R": "otherwise: begins to select a rectangle at once",
        "C-Space": "same: begins to select; again selects nothing",
        "C-g": "same: selects nothing; without a selection it returns",
        "C-Up": _STAYS,
        "C-s": "same; the cursor goes to the first character of the match",
        "M-v": _PAGE,
        "PPage": _PAGE,
        "M-C-b": "otherwise: goes to the bracket that matches, as M-C-f",
        "M-C-f": "same; without a bracket under the cursor it takes the next one of the line",
    }
)
"""The keys of tmux's table `copy-mode` that are not the same."""


@cache
def _notes() -> Mapping[KeyPress, str]:
    return {canonical(parse_key(each.key)): each.note for each in PREFIX if each.note}


def why_not(press: KeyPress) -> str:
    """Why a key of tmux's does nothing after the prefix; empty if it is no key of tmux's."""
    return _notes().get(canonical(press), "")


def status(each: TmuxKey, keys: Keymap) -> str:
    """What one of tmux's keys does after the prefix: `same`, `otherwise: ...` or `no: ...`."""
    press = canonical(parse_key(each.key))
    bound = keys.prefixed.get(press)
    if press == keys.prefix or (bound is not None and bound.words in each.same and bound.following is None):
        return _SAME
    if bound is None:
        return f"no: {each.note}"
    return f"otherwise: `{' ; '.join(step.words for step in steps(bound))}`"


def page() -> str:
    """The page of tmux's keys, in Markdown."""
    copying = [*_COPY_HEAD, *_rows(COPY_VI), "", "With Emacs' keys:", "", *_TABLE_HEAD, *_rows(COPY_EMACS)]
    return "\n".join([*_HEAD, *_prefix_rows(), *_MOUSE_HEAD, *_rows(ROOT), *copying])


def _rows(table: Mapping[str, str]) -> Iterator[str]:
    return (f"| `{key}` | {what} |" for key, what in table.items())


def _prefix_rows() -> Iterator[str]:
    own, theirs = keymap(KeySettings())[0], keymap(KeySettings(preset="tmux"))[0]
    for each in PREFIX:
        one, other = status(each, own), status(each, theirs)
        yield f"| `{each.key}` | `{each.does}` | {one} | {'' if other == one else other} |"


_HEAD: Final = (
    "# tmux's keys",
    "",
    'What the default keys of tmux 3.3a do here. `[keys] preset = "tmux"` makes more of them the same;',
    "`[keys.bindings]` and `[keys.direct]` change any of them. A key that does nothing shows why when it is pressed.",
    "",
    "## After the prefix",
    "",
    "| key | in tmux | here | with the preset `tmux` |",
    "|---|---|---|---|",
)
_TABLE_HEAD: Final = ("| key | here |", "|---|---|")
_MOUSE_HEAD: Final = ("", "## The mouse", "", *_TABLE_HEAD)
_COPY_HEAD: Final = (
    "",
    "## Copy mode",
    "",
    "All keys of tmux's tables `copy-mode-vi` and `copy-mode` are the same but for these. With Vi's:",
    "",
    *_TABLE_HEAD,
)


def main() -> None:
    """Print the page."""
    print(page())


if __name__ == "__main__":
    main()
