"""`fugue-tui completions SHELL`: prints the script that completes this program's command line in that shell."""

from collections.abc import Callable
from typing import Final

from fugue_tui.cli.args import Usage, echo, options_of
from fugue_tui.cli.completions import bash, fish, zsh

SHELLS: Final[dict[str, Callable[[], str]]] = {"bash": bash.script, "zsh": zsh.script, "fish": fish.script}


def completions(arguments: list[str]) -> int:
    """Print the script of one shell."""
    _, positional, program = options_of(arguments, ())
    if len(positional) != 1 or positional[0] not in SHELLS or program:
        raise Usage(f"completions: requires one of {', '.join(SHELLS)}")
    echo(SHELLS[positional[0]]().rstrip("\n"))
    return 0
