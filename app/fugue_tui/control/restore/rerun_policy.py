"""What the panes of a restored workspace run, at once or when the user confirms, by `[session] rerun`. Pure."""

import shlex
from collections.abc import Sequence
from typing import Final

from fugue_tui.multiplexer.restored_pane import Rerun, RerunOffer
from fugue_tui.sanitize import clean
from fugue_tui.shell_names import LINE_SHELLS, SHELLS, is_interactive, program_name
from fugue_tui.workspace.model import Pane

_LONGEST: Final = 1_000
"""Characters of a command that are displayed, as the user agrees to all of it."""


def is_shell(argv: Sequence[str]) -> bool:
    """Whether a pane with this argv runs an interactive shell; an empty one starts the login shell."""
    return not argv or is_interactive(argv)


def offer(
    pane: Pane,
    *,
    foreground: Sequence[str] = (),
    resume: Sequence[str] = (),
    rerun: Rerun = "shells",
    shell: Sequence[str] = ("/bin/sh",),
    over: bool = False,
) -> RerunOffer:
    """The offer of a restored pane.

    `foreground` is the foreground program at the save, `resume` the command that continues an agent's conversation,
    `shell` the default program of a pane; `over`: the pane's program had exited."""
    if pane.content:
        return RerunOffer(words=pane.content, starts=True)
    if not is_shell(pane.argv):
        argv = tuple(resume) or None
        return RerunOffer(argv, words(argv or pane.argv), starts=rerun == "all" and not over)
    if resume:
        return RerunOffer(within_shell(resume, pane.argv or shell), words(resume), shell=True, starts=rerun == "all")
    notes = () if not foreground or is_shell(foreground) else (f"was running: {words(foreground)}",)
    return RerunOffer(notes=notes, words=words(pane.argv), starts=rerun != "never" and not over)


def within_shell(argv: Sequence[str], shell: Sequence[str]) -> tuple[str, ...]:
    """A login shell whose first command is `argv`; when that ends, the user is in the shell."""
    reader = shell[0] if program_name(shell) in LINE_SHELLS else "/bin/sh"
    return (reader, "-lic", f"{shlex.join(argv)}; exec {shlex.join(shell)}")


def words(argv: Sequence[str]) -> str:
    """A command as the user would type it, on one line, with a note if it is cut; of `sh -c LINE`, only the line."""
    of_shell = len(argv) == 3 and program_name(argv) in SHELLS and argv[1] == "-c"
    line = argv[2] if of_shell else shlex.join(argv)
    whole = clean(line, len(line))
    more = len(whole) - _LONGEST
    return whole if more <= 0 else f"{whole[:_LONGEST]} ({more} more characters are not shown)"
