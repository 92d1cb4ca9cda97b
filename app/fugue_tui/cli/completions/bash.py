"""The completion script for bash.

Names of panes come from agents and programs: they are never expanded, and quoted where they are inserted.
"""

from collections.abc import Iterable
from typing import Final

from fugue_tui.cli.completions.words import NAMES, Word, first_flags, words
from fugue_tui.control.schema.command_words import Flag, Source, Values

_HEAD: Final = r"""# bash completion for fugue-tui; made by: fugue-tui completions bash
_fugue_tui_names() {
    fugue-tui "$@" --json 2>/dev/null </dev/null |
        @NAMES@
}
_fugue_tui_dynamic() {
    local name
    while IFS= read -r name; do
        [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")")
    done < <(_fugue_tui_names "$1")
}
_fugue_tui_files() {
    local IFS=$'\n'
    COMPREPLY=($(compgen "$1" -- "$cur"))
    compopt -o filenames 2>/dev/null
}
_fugue_tui() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= i flags= words= values=
    COMPREPLY=()
    for ((i = 1; i < COMP_CWORD; i++)); do
        [[ ${COMP_WORDS[i]} == -- ]] && return
    done
    if [[ $cur == = ]]; then  # --flag=value is three words.
        cur=
    elif [[ $prev == = ]]; then
        prev=${COMP_WORDS[COMP_CWORD-2]}
    fi
    ((COMP_CWORD > 1)) && verb=${COMP_WORDS[1]}
    case $verb in
"""
_TAIL: Final = r"""    esac
    if [[ -z $values && $cur == -* ]]; then
        COMPREPLY=($(compgen -W "$flags" -- "$cur"))
        return
    fi
    case ${values:-$words} in
        @panes) _fugue_tui_dynamic list-panes ;;
        @workspaces) _fugue_tui_dynamic ls ;;
        @files) _fugue_tui_files -f ;;
        @directories) _fugue_tui_files -d ;;
        @any) ;;
        *) COMPREPLY=($(compgen -W "${values:-$words}" -- "$cur")) ;;
    esac
    if [[ -z $verb && -z $values ]]; then
        COMPREPLY+=($(compgen -W "$first" -- "$cur"))
    fi
}
complete -F _fugue_tui fugue-tui
"""


def script() -> str:
    """The whole script."""
    known = words()
    commands = " ".join(word.name for word in known if "-" in word.name)
    first = "\n".join(
        [
            "        '' | -*)",
            f"            words=@workspaces flags='{_flags(first_flags())}'",
            *_by_flag(first_flags()),
            "            ;;",
        ]
    )
    cases = "\n".join(_case(word, commands) for word in known)
    names = " ".join(word.name for word in known)
    head = _HEAD.replace("@NAMES@", NAMES).replace("values=\n", f"values= first='{names}'\n", 1)
    return f"{head}{first}\n{cases}\n{_TAIL}"


def _case(word: Word, commands: str) -> str:
    operands = f"'{commands}'" if word.operands is Source.COMMANDS else _encoded(word.operands)
    lines = [f"        {word.name})", f"            words={operands} flags='{_flags(word.flags)}'"]
    return "\n".join([*lines, *_by_flag(word.flags), "            ;;"])


def _by_flag(flags: Iterable[Flag]) -> list[str]:
    """The statement that finds the values of the flag before the cursor."""
    valued = [(" | ".join(each.names), _encoded(each.values)) for each in flags if each.values]
    cases = [f"                {names}) values={values} ;;" for names, values in valued]
    return ["            case $prev in", *cases, "            esac"] if cases else []


def _flags(flags: Iterable[Flag]) -> str:
    return " ".join(name for each in flags for name in each.names)


def _encoded(values: Values) -> str:
    return f"@{values.name.lower()}" if isinstance(values, Source) else f"'{' '.join(values)}'"
