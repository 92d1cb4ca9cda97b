"""What the panes of a workspace that was brought back run, and what they wait for: pure, by `[session] rerun`."""

import shlex
from collections.abc import Sequence
from typing import Final

from fugue_tui.multiplexer.restored_pane import Rerun, RerunOffer
from fugue_tui.sanitize import clean
from fugue_tui.shell_names import LINE_SHELLS, SHELLS, is_interactive, program_name
from fugue_tui.workspace.model import Pane

_LONGEST: Final = 200
"""Characters of a command that are shown."""


def is_shell(argv: Sequence[str]) -> bool:
    """Whether a pane started so runs an interactive shell; no words start the login shell."""
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
    """What a pane offers that comes back.

    `foreground` is what ran in front when it was saved, `resume` what takes up an agent's conversation, `shell` what a
    pane runs that was started as nothing else; `over` says that its program had ended before."""
    if not is_shell(pane.argv):
        argv = tuple(resume) or None
        return RerunOffer(argv, words(argv or pane.argv), starts=rerun == "all" and not over)
    if resume:
        return RerunOffer(within_shell(resume, pane.argv or shell), words(resume), shell=True, starts=rerun == "all")
    told = () if not foreground or is_shell(foreground) else (f"was running: {words(foreground)}",)
    return RerunOffer(told=told, words=words(pane.argv), starts=rerun != "never" and not over)


def within_shell(argv: Sequence[str], shell: Sequence[str]) -> tuple[str, ...]:
    """A login shell whose first command is `argv`; leaving that gives the person the shell."""
    reader = shell[0] if program_name(shell) in LINE_SHELLS else "/bin/sh"
    return (reader, "-lic", f"{shlex.join(argv)}; exec {shlex.join(shell)}")


def words(argv: Sequence[str]) -> str:
    """A command as a person would type it, on one line; of a shell's line, only the line."""
    if len(argv) == 3 and program_name(argv) in SHELLS and argv[1] == "-c":
        return clean(argv[2], _LONGEST)
    return clean(shlex.join(argv), _LONGEST)
