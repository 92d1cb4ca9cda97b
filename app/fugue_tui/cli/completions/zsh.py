"""The completion script for zsh."""

import re
from typing import Final

from fugue_tui.cli.completions.words import NAMES, Word, first_flags, words
from fugue_tui.control.schema.command_words import Flag, Source, Values

_HEAD: Final = r"""#compdef fugue-tui
# zsh completion for fugue-tui; made by: fugue-tui completions zsh
_fugue_tui_names() {
    [[ $PREFIX == -* ]] && return 1
    local -a names
    names=(${(f)"$(fugue-tui $1 --json 2>/dev/null </dev/null |
        @NAMES@)"})
    compadd -- $names
}
_fugue_tui_panes() { _fugue_tui_names list-panes }
_fugue_tui_workspaces() { _fugue_tui_names ls }
"""
_ACTIONS: Final = {
    Source.ANY: " ",
    Source.FILES: "_files",
    Source.DIRECTORIES: "_files -/",
    Source.PANES: "_fugue_tui_panes",
    Source.WORKSPACES: "_fugue_tui_workspaces",
    Source.COMMANDS: "_fugue_tui_commands",
}
_BODY: Final = r"""_fugue-tui() {
    local curcontext=$curcontext state line ret=1
    typeset -A opt_args
    _arguments -C \
        %(flags)s \
        '1: :->first' \
        '*:: :->rest' && ret=0
    case $state in
        first)
            _fugue_tui_subcommands && ret=0
            _fugue_tui_commands && ret=0
            _fugue_tui_workspaces && ret=0
            ;;
        rest)
            curcontext="${curcontext%%:*:*}:fugue-tui-$words[1]:"
            case $words[1] in
%(cases)s
            esac
            ;;
    esac
    return ret
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    _fugue-tui "$@"
else
    compdef _fugue-tui fugue-tui
fi
"""


def script() -> str:
    """The whole script, to be sourced or put on `fpath` as `_fugue-tui`."""
    known = words()
    subcommands = _listing("subcommand", [word for word in known if "-" not in word.name or word.name == "kill-server"])
    commands = _listing("command", [word for word in known if "-" in word.name])
    flags = " \\\n        ".join(spec for each in first_flags() for spec in _specs(each))
    cases = "\n".join(map(_case, known))
    return f"{_HEAD.replace('@NAMES@', NAMES)}{subcommands}{commands}{_BODY % {'flags': flags, 'cases': cases}}"


def _listing(kind: str, known: list[Word]) -> str:
    rows = "\n".join(f"        {_quoted(f'{word.name}:{word.about}')}" for word in known)
    return f"_fugue_tui_{kind}s() {{\n    local -a known=(\n{rows}\n    )\n    _describe -t {kind}s {kind} known\n}}\n"


def _case(word: Word) -> str:
    specs = [spec for each in word.flags for spec in _specs(each)]
    lines = " \\\n                        ".join(["_arguments -s -S", *specs, _quoted(f"*: :{_action(word.operands)}")])
    return f"                {word.name})\n                    {lines} && ret=0\n                    ;;"


def _specs(flag: Flag) -> list[str]:
    """The specifications of a flag for `_arguments`, one for each of its names."""
    about = re.sub(r"([\[\]:\\])", r"\\\1", flag.about)
    value = "" if flag.values is None else f":value:{_action(flag.values)}"
    return [
        _quoted(f"*{name}{'=' if flag.values is not None and name.startswith('--') else ''}[{about}]{value}")
        for name in flag.names
    ]


def _action(values: Values) -> str:
    return _ACTIONS[values] if isinstance(values, Source) else f"({' '.join(values)})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"
