"""The completion script for fish."""

from collections.abc import Iterator
from typing import Final

from fugue_tui.cli.completions.words import NAMES, Word, first_flags, words
from fugue_tui.control.schema.command_words import Flag, Source, Values

_HEAD: Final = r"""# fish completion for fugue-tui; made by: fugue-tui completions fish
function __fugue_tui_names
    command -sq fugue-tui; or return
    fugue-tui $argv[1] --json 2>/dev/null </dev/null |
        @NAMES@
end
function __fugue_tui_first
    test (count (commandline -opc)) -eq 1
end
function __fugue_tui_after
    set -l words (commandline -opc)
    test (count $words) -gt 1; and contains -- $words[2] $argv; and not contains -- -- $words
end
function __fugue_tui_operand
    __fugue_tui_after $argv; and not string match -q -- '-*' (commandline -ct)
end
complete -c fugue-tui -f
complete -c fugue-tui -n __fugue_tui_first -a '(__fugue_tui_names ls)'
"""
_DYNAMIC: Final = {
    Source.PANES: "(__fugue_tui_names list-panes)",
    Source.WORKSPACES: "(__fugue_tui_names ls)",
    Source.DIRECTORIES: "(__fish_complete_directories)",
}


def script() -> str:
    """The whole script."""
    known = words()
    lines = [_flag("__fugue_tui_first", each) for each in first_flags()]
    commands = " ".join(word.name for word in known if "-" in word.name)
    for word in known:
        lines += _word(word, commands)
    return _HEAD.replace("@NAMES@", NAMES) + "\n".join(lines) + "\n"


def _word(word: Word, commands: str) -> Iterator[str]:
    yield f"complete -c fugue-tui -n __fugue_tui_first -a {word.name} -d {_quoted(word.about)}"
    after = _quoted(f"__fugue_tui_after {word.name}")
    if operands := _choices((*commands.split(),) if word.operands is Source.COMMANDS else word.operands):
        yield f"complete -c fugue-tui -n {_quoted(f'__fugue_tui_operand {word.name}')}{operands}"
    for each in word.flags:
        yield _flag(after, each)


def _flag(condition: str, flag: Flag) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in flag.names)
    values = "" if flag.values is None else f" -r{_choices(flag.values) or ' -f'}"
    about = f" -d {_quoted(flag.about)}" if flag.about else ""
    return f"complete -c fugue-tui -n {condition} {names}{values}{about}"


def _choices(values: Values) -> str:
    """The option of `complete` that offers these values; empty for none."""
    if values is Source.FILES:
        return " -F"
    if isinstance(values, Source):
        return f" -f -a {_quoted(_DYNAMIC[values])}" if values in _DYNAMIC else ""
    return f" -f -a {_quoted(' '.join(values))}"


def _quoted(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
