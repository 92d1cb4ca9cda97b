"""What the panes of a workspace that was brought back run, and what they wait for: pure, by `[session] rerun`."""

import os
import shlex
from collections.abc import Sequence
from typing import Final

from fugue_tui.multiplexer.restored_pane import Rerun, RerunOffer
from fugue_tui.sanitize import clean
from fugue_tui.workspace.model import Pane

SHELLS: Final = frozenset(
    {"sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "csh", "tcsh", "nu", "xonsh", "elvish", "pwsh"}
)
_LINE_SHELLS: Final = frozenset({"sh", "bash", "dash", "zsh", "fish", "ksh", "mksh"})
"""Those that take `-lic LINE` and know `exec`."""
_LONGEST: Final = 200
"""Characters of a command that are shown."""


def is_shell(argv: Sequence[str]) -> bool:
    """Whether this is a shell that waits for a person: the login shell (no words), or one that was given no command."""
    if not argv:
        return True
    name = os.path.basename(argv[0]).lstrip("-")
    return name in SHELLS and all(word.startswith("-") and not _takes_line(word) for word in argv[1:])


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
    reader = shell[0] if os.path.basename(shell[0]) in _LINE_SHELLS else "/bin/sh"
    return (reader, "-lic", f"{shlex.join(argv)}; exec {shlex.join(shell)}")


def words(argv: Sequence[str]) -> str:
    """A command as a person would type it, on one line; of a shell's line, only the line."""
    if len(argv) == 3 and os.path.basename(argv[0]) in SHELLS and argv[1] == "-c":
        return clean(argv[2], _LONGEST)
    return clean(shlex.join(argv), _LONGEST)


def _takes_line(word: str) -> bool:
    """Whether an option brings a command along: `-c`, `-lic`, `--command`."""
    return word.startswith("--command") or (not word.startswith("--") and "c" in word[1:])
