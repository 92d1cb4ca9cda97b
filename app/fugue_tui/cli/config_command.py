"""`fugue-tui config`: prints the configuration's path, its faults or the effective settings, or writes a first file."""

from collections.abc import Callable
from pathlib import Path

from fugue_tui import trusted_files
from fugue_tui.cli.args import complain, echo
from fugue_tui.config import model
from fugue_tui.errors import ConfigError


def path(named: str) -> int:
    """Print the path of the configuration file."""
    echo(str(_file(named)))
    return 0


def check(named: str) -> int:
    """Print every fault; the exit status is 1 if there is one."""
    file = _file(named)
    found = faults(file)
    for fault in found:
        complain(fault)
    if not found:
        echo(f"{file}: valid" if file.exists() else f"{file}: there is none; the defaults apply")
    return 1 if found else 0


def faults(file: Path) -> list[str]:
    """Every fault of a configuration file, its key bindings included."""
    from fugue_tui.control.hooks import faults as hook_faults
    from fugue_tui.control.keymap import keymap

    reading = model.read(file)
    found = [*keymap(reading.config.keys)[1], *hook_faults(reading.config.hooks)]
    return [*reading.faults, *(f"{file}: {fault}" for fault in found)]


def show(named: str) -> int:
    """Print the effective settings as TOML."""
    reading = model.read(_file(named))
    echo(model.show(reading.config).rstrip("\n"))
    for fault in reading.faults:
        complain(fault)
    return 1 if reading.faults else 0


def init(named: str) -> int:
    """Write a file that explains every key; an existing file is never overwritten."""
    file = _file(named)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        trusted_files.write(file, model.default_text(), mode=0o600)
    except (OSError, ValueError) as error:
        raise ConfigError(trusted_files.describe(file, error)) from None
    echo(str(file))
    return 0


def _file(named: str) -> Path:
    return Path(named).expanduser() if named else model.path()


ACTIONS: dict[str, Callable[[str], int]] = {"path": path, "check": check, "show": show, "init": init}
