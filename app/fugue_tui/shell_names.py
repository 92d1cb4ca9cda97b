"""Which programs are shells, and whether an argument vector starts one that reads commands from its terminal. Pure."""

import os
from collections.abc import Sequence
from typing import Final

POSIX_SHELLS: Final = frozenset({"ash", "bash", "dash", "ksh", "ksh93", "mksh", "rbash", "sh", "zsh"})
"""Shells that parse POSIX syntax."""
LINE_SHELLS: Final = (POSIX_SHELLS - {"rbash"}) | {"fish"}
"""Shells that accept `-lic LINE` and have `exec`."""
SHELLS: Final = POSIX_SHELLS | {"csh", "elvish", "fish", "nu", "pwsh", "tcsh", "xonsh"}

VALUED: Final = frozenset({"--rcfile", "--init-file", "--init-command", "-C", "-o", "+o", "-O", "+O"})
"""Options that are followed by a value."""


def program_name(argv: Sequence[str]) -> str:
    """The program's file name without the dash of a login shell; empty for no words."""
    return os.path.basename(argv[0]).lstrip("-") if argv else ""


def is_interactive(argv: Sequence[str]) -> bool:
    """Whether this is a shell that was given neither a script nor a command line."""
    if program_name(argv) not in SHELLS:
        return False
    rest = iter(argv[1:])
    for word in rest:
        if word in VALUED:
            next(rest, None)
        elif gives_line(word) or not word.startswith(("-", "+")):
            return False
    return True


def gives_line(word: str) -> bool:
    """Whether an argument of a shell is an option that a command line follows: `-c`, `-lic`, `--command`."""
    if word.startswith("--"):
        return word.startswith("--command")
    return word.startswith(("-", "+")) and "c" in word
