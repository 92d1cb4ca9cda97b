"""The page behind `?`: keys first, then every command with what it does."""

from textual.content import Content

from fugue_tui.config.model import KeySettings
from fugue_tui.control.core.command import registry
from fugue_tui.control.keymap import Keymap
from fugue_tui.control.schema.command_schema import describe
from fugue_tui.terminal.input.keys import spell
from fugue_tui.tui.input.copy_keys import help_of
from fugue_tui.tui.input.key_bindings import after_prefix, grouped, label, written


def help_page(keymap: Keymap, settings: KeySettings) -> Content:
    """Keys and commands as one text."""
    prefix = spell(keymap.prefix)
    parts = [Content.styled(f"Keys after {prefix}  ({prefix} twice sends it to the program)\n", "bold")]
    parts += [_line(keys, words) for keys, words in after_prefix(keymap)]
    parts.append(Content.styled("\nWithout the prefix\n", "bold"))
    parts += [_line(written(press), label(binding)) for press, binding in keymap.always.items()]
    parts += [_line(what, words) for what, words in _MOUSE]
    parts.append(Content.styled("\nModes: keys until Escape\n", "bold"))
    parts += [_line(f"{mode}: {keys}", words) for mode, table in keymap.modes.items() for keys, words in grouped(table)]
    parts.append(_line(f"locked: {spell(keymap.unlock)}", "unlock; every other key goes to the program"))
    parts.append(Content.styled("\nIn copy mode\n", "bold"))
    parts += [_line(keys, words) for keys, words in help_of(settings)]
    parts.append(Content.styled(f"\nCommands  ({prefix} : or fugue-tui COMMAND in a shell)\n", "bold"))
    parts += [_line(verb, describe(cls).summary) for verb, cls in registry().items()]
    return Content("").join(parts)


_MOUSE = (
    ("click", "focus a pane, select a tab"),
    ("drag", "select text and copy it; resize by the line between panes"),
    ("double, triple click", "select a word, a line"),
    ("wheel", "scroll back, or scroll in the program"),
)


def _line(left: str, right: str) -> Content:
    return Content.assemble((f"  {left:<22} ", "bold"), right, "\n")
