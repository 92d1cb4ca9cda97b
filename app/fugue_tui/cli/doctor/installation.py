"""Checks of the installation: versions, the terminal engine, PATH and the shell."""

import os
import shutil
import sys
from collections.abc import Iterator
from importlib import metadata
from typing import Final

from fugue_tui import __version__
from fugue_tui.cli.doctor.report import Finding, fault, ok, warning
from fugue_tui.cli.setup.program import program, transience

_PACKAGES: Final = ("textual", "mcp", "pyghostty", "msgspec", "pydantic")


def versions() -> Iterator[Finding]:
    """The versions of the program, of Python and of what it is built on."""
    yield ok(f"fugue-tui {__version__}, Python {sys.version.split()[0]} ({sys.executable})")
    found, missing = list[str](), list[str]()
    for name in _PACKAGES:
        try:
            found.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            missing.append(name)
    yield ok(", ".join(found))
    if missing:
        yield fault(f"not installed: {', '.join(missing)}", "install fugue-tui again")


def engine() -> Iterator[Finding]:
    """Whether the terminal engine of the configuration loads."""
    from fugue_tui.config import model
    from fugue_tui.geometry import Size
    from fugue_tui.terminal.engines import make_emulator

    wanted = model.read(model.path()).config.terminal.engine
    emulator = make_emulator(wanted, Size(80, 24))
    if emulator.engine == wanted:
        yield ok(f"{wanted} loads")
        return
    lacking = f", which lacks {', '.join(sorted(emulator.lacks))}" if emulator.lacks else ""
    yield warning(
        f"{wanted} does not load ({_reason()}); {emulator.engine} replaces it{lacking}",
        "install pyghostty for this platform",
    )


def path() -> Iterator[Finding]:
    """Which fugue-tui the user's shell finds."""
    own, found = program(), shutil.which("fugue-tui")
    if reason := transience(own[0]):
        what, _, advice = reason.partition("; ")
        yield warning(what, advice)
    elif found is None:
        folder = os.path.dirname(own[0])
        yield warning("fugue-tui is not on it", f"add {folder} to PATH; setup registers the absolute path anyhow")
    elif len(own) > 1 or not os.path.samefile(found, own[0]):
        yield warning(f"fugue-tui on it is {found}, and this is {' '.join(own)}", "mind which of them is started")
    else:
        yield ok(found)


def shell() -> Iterator[Finding]:
    """Whether the user's shell marks its prompts."""
    from fugue_tui.config import model
    from fugue_tui.terminal.pty.spawn import login_shell
    from fugue_tui.terminal.shell_integration.inject import integrated

    settings = model.read(model.path()).config.terminal
    argv = settings.shell or (login_shell(os.environ),)
    name = " ".join(argv)
    if not settings.shell_integration:
        yield warning(f"{name}: shell integration is off", "set [terminal] shell_integration = true for exit codes")
    elif not shutil.which(argv[0]):
        yield fault(f"{name} cannot be run", "set SHELL, or [terminal] shell")
    elif integrated(argv, dict(os.environ), login=not settings.shell) is None:
        yield warning(f"{name} has no shell integration", "bash, zsh and fish have it: commands, exit codes, output")
    else:
        yield ok(f"{name}, with shell integration")


def _reason() -> str:
    """Why the native engine does not load."""
    try:
        from fugue_tui.terminal.ghostty import emulator as emulator
    except (ImportError, OSError) as error:
        return str(error)
    return "unknown"
