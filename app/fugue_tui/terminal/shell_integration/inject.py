"""Starts shells so that they mark their prompts, without a change to any file of the user.

Pure but for a check that the scripts exist. Bash gets a start-up file of ours, which reads the user's own;
zsh a directory of start-up files that hands over to theirs at once; fish a command that runs after them. Other shells,
and shells that are to run a script, are left alone, and so is a shell that was given an option not known here.
"""

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct, field

FOLDER: Final = Path(__file__).parent / "scripts"
MARKS: Final = "FUGUE_SHELL_MARKS"
"""Makes the script mark prompts, and lists for bash which start-up files it reads. The nonce comes by a pipe."""
_YES: Final = "yes"
OLD_ENV: Final = "FUGUE_SHELL_ENV"
OLD_ZDOTDIR: Final = "FUGUE_SHELL_ZDOTDIR"

_PLAIN: Final[Mapping[str, frozenset[str]]] = {
    "bash": frozenset({"--login", "--noediting", "--noprofile", "--norc"}),
    "zsh": frozenset({"--login", "--interactive"}),
    "fish": frozenset({"--login", "--interactive", "--private"}),
}
"""Options without a value with which a shell is still an interactive one."""


class ShellLaunch(Struct, frozen=True):
    """How to start a shell."""

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    """Set on top of the environment."""
    closes_descriptors: bool = True
    """Whether the shell can close a descriptor that it inherits."""


def integrated(argv: tuple[str, ...], env: Mapping[str, str], *, login: bool = False) -> ShellLaunch | None:
    """How to start an interactive shell so that it marks its prompts; None to start it as it is.

    With `login` its name will get a dash. `env` is its whole environment."""
    kind = os.path.basename(argv[0]) if argv else ""
    options = _options(kind, argv[1:])
    if options is None:
        return None
    match kind:
        case "bash":
            return _bash(argv, options, env, login=login)
        case "zsh":
            return _zsh(argv, env)
        case _:
            return _fish(argv)


def _options(kind: str, arguments: tuple[str, ...]) -> dict[str, str] | None:
    """The long names of a shell's options, with the values that they have; None if one is unknown, or no option."""
    if kind not in _PLAIN:
        return None
    found: dict[str, str] = {}
    rest = iter(arguments)
    for argument in rest:
        if argument in _PLAIN[kind]:
            found[argument] = ""
        elif kind == "bash" and argument in ("--rcfile", "--init-file"):
            found["--rcfile"] = next(rest, "")
        elif len(argument) > 1 and argument[0] == "-" and set(argument[1:]) <= {"i", "l"}:
            found |= {"--login": ""} if "l" in argument else {}
        else:
            return None
    return found


def _bash(argv: tuple[str, ...], options: dict[str, str], env: Mapping[str, str], *, login: bool) -> ShellLaunch | None:
    script = _readable(FOLDER / "fugue.bash")
    if script is None or "POSIXLY_CORRECT" in env or set(script) & set("$`\\"):
        return None
    login = login or "--login" in options
    if not login and "--norc" not in options:
        return _bash_with_rc(argv, options, script)
    if sys.platform == "darwin" and argv[0] in ("bash", "/bin/bash"):
        return None  # Apple's bash was built not to read $ENV.
    reads = "profile" if login and "--noprofile" not in options else "none"
    variables = {MARKS: reads, "ENV": script}
    if "ENV" in env:
        variables[OLD_ENV] = env["ENV"]
    return ShellLaunch((argv[0], "--posix", *argv[1:]), variables)


def _bash_with_rc(argv: tuple[str, ...], options: dict[str, str], script: str) -> ShellLaunch:
    """The shell reads our file in place of ~/.bashrc, or of the file that was given to it."""
    wanted = options.get("--rcfile")
    rest = [argument for argument in argv[1:] if argument not in ("--rcfile", "--init-file", wanted)]
    reads = f"rc={wanted}" if wanted else "rc"
    return ShellLaunch((argv[0], "--init-file", script, *rest), {MARKS: reads})


def _zsh(argv: tuple[str, ...], env: Mapping[str, str]) -> ShellLaunch | None:
    script = _readable(FOLDER / "zsh" / ".zshenv")
    if script is None:
        return None
    variables = {MARKS: _YES, "ZDOTDIR": os.path.dirname(script)}
    if "ZDOTDIR" in env:
        variables[OLD_ZDOTDIR] = env["ZDOTDIR"]
    return ShellLaunch(argv, variables)


def _fish(argv: tuple[str, ...]) -> ShellLaunch | None:
    script = _readable(FOLDER / "fugue.fish")
    if script is None:
        return None
    quoted = script.replace("\\", "\\\\").replace("'", "\\'")
    return ShellLaunch(
        (argv[0], "--init-command", f"source '{quoted}'", *argv[1:]), {MARKS: _YES}, closes_descriptors=False
    )


def _readable(script: Path) -> str | None:
    return str(script) if os.access(script, os.R_OK) else None
