"""The page behind `?`: keys by subject, then every command."""

from collections.abc import Mapping
from typing import Final

from fugue_tui.config.model import KeySettings
from fugue_tui.control.keymap import Binding, Keymap, Mode
from fugue_tui.control.schema.command_schema import describe
from fugue_tui.control.schema.subjects import by_subject
from fugue_tui.control.schema.tmux_names import tmux_names
from fugue_tui.terminal.input.keys import KeyPress, spell
from fugue_tui.tui.input.copy_keys import help_of
from fugue_tui.tui.input.key_bindings import MODE_ACTIONS
from fugue_tui.tui.input.key_labels import grouped, label
from fugue_tui.tui.ui.command_palette import SYNONYMS
from fugue_tui_widgets.help_screen import HelpEntry, HelpSection

_SUBJECTS: Final = (
    ("Agents", ("agent", "approv", "task", "sideband", "take", "hand ", "freeze", "tags")),
    ("Copy and paste", ("copy", "paste", "buffer", "scroll", "quick-select", "copied")),
    ("Windows and sessions", ("window", "session", "tab")),
    ("Panes", ("pane", "layout", "undo", "redo", "zoom", "mark", "resize", "swap")),
)
"""Subjects of keys by words in what they are bound to, or what that is called: the first that matches."""
_OTHER: Final = "Fugue itself"
_ORDER: Final = ("Panes", "Windows and sessions", "Copy and paste", "Agents", _OTHER)
_MOUSE: Final = (
    HelpEntry("click", "focus a pane, select a tab, press what the status bar shows"),
    HelpEntry("drag", "select and copy; resize by the line between panes; move a pane by its title, or a tab"),
    HelpEntry("double, triple", "select a word, a line"),
    HelpEntry("wheel", "scroll back, or scroll in the program"),
)


def help_title(keymap: Keymap) -> tuple[str, str]:
    """What is listed, and where it is typed."""
    prefix = spell(keymap.prefix)
    return f"help: keys after {prefix}", f"commands after {prefix} :"


def help_sections(keymap: Keymap, settings: KeySettings) -> list[list[HelpSection]]:
    """Keys by subject, and commands by subject."""
    prefix = spell(keymap.prefix)
    keys = [
        *_after_prefix(keymap, prefix),
        HelpSection("Without the prefix", _entries(keymap.always)),
        HelpSection("Mouse", _MOUSE),
        HelpSection("In copy mode", [HelpEntry(keys, words) for keys, words in help_of(settings)]),
        *_modes(keymap),
    ]
    return [keys, _commands()]


def _modes(keymap: Keymap) -> list[HelpSection]:
    """What keys do in the modes that some key leads to."""
    bound = {each.action for table in (keymap.prefixed, keymap.always) for each in table.values()}
    found = [mode for action, mode in MODE_ACTIONS.items() if mode is not None and action in bound]
    unlock = HelpEntry(spell(keymap.unlock), "unlock; every other key goes to the program")
    return [
        HelpSection("While keys are locked", [unlock])
        if mode is Mode.LOCKED
        else HelpSection(f"In {mode} mode", [HelpEntry(keys, words) for keys, words in grouped(keymap.modes[mode])])
        for mode in found
    ]


def _after_prefix(keymap: Keymap, prefix: str) -> list[HelpSection]:
    by_subject: dict[str, dict[KeyPress, Binding]] = {title: {} for title in _ORDER}
    for press, binding in keymap.prefixed.items():
        by_subject[_subject(binding)][press] = binding
    sections = [HelpSection(title, _entries(found)) for title, found in by_subject.items()]
    twice = HelpEntry(prefix, "to the program")
    return [
        HelpSection(section.title, [*section.entries, twice]) if section is sections[-1] else section
        for section in sections
        if section.entries
    ]


def _subject(binding: Binding) -> str:
    text = f"{binding.words} {label(binding)}"
    return next((title for title, words in _SUBJECTS if any(word in text for word in words)), _OTHER)


def _entries(table: Mapping[KeyPress, Binding]) -> list[HelpEntry]:
    """Keys that do the same stand together."""
    names = dict[str, str]()
    for binding in table.values():
        verb = binding.words.split()[0]
        known = f"{binding.words} {SYNONYMS.get(binding.words, '')} {' '.join(tmux_names(verb))}"
        names[label(binding)] = f"{names.get(label(binding), '')} {known}"
    return [HelpEntry(keys, words, names.get(words, "")) for keys, words in grouped(table)]


def _commands() -> list[HelpSection]:
    return [
        HelpSection(
            title,
            [HelpEntry(cls.verb, describe(cls).summary, " ".join(tmux_names(cls.verb))) for cls in commands],
        )
        for title, commands in by_subject()
    ]
