"""Checks of files: sockets, running workspaces, the state directory and the configuration."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from fugue_tui import __version__, sockets
from fugue_tui.cli.doctor.report import Finding, fault, ok, warning
from fugue_tui.errors import SaveError


def sockets_directory() -> Iterator[Finding]:
    """The directory of sockets: its owner and mode, and sockets at which nothing listens."""
    directory = sockets.runtime_dir()
    if not os.path.lexists(directory):
        yield ok(f"{directory} is made when a workspace starts")
        return
    if reason := sockets.fault(directory):
        what = reason.partition("; ")[0]
        yield fault(f"{directory}: {what}", f"chmod 700 {directory} if it is yours, or set XDG_RUNTIME_DIR")
        return
    yield ok(f"{directory} is yours alone")
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if name.endswith(".sock") and not sockets.answers(path):
            workspace = name.removesuffix(".sock")
            yield warning(f"nothing listens at {path}", f"starting {workspace} replaces it; or remove it")


def running() -> Iterator[Finding]:
    """The workspaces that run, and by which version."""
    from fugue_tui.client.workspaces import workspaces

    found = [each for each in workspaces() if each["running"]]
    if not found:
        yield ok("none runs")
    for each in found:
        name, version = each["name"], each["version"]
        if each["socket"] is None:
            yield ok(f"{name} runs without a socket")
        elif version is None:
            yield fault(f"{name} does not answer", f"end it with: fugue-tui kill-server {name}")
        elif version != __version__:
            advice = f"end it, and it starts with this version: fugue-tui kill-server {name}"
            yield warning(f"{name} is run by version {version}", advice)
        else:
            yield ok(f"{name} runs at {each['socket']}")


def state_directory() -> Iterator[Finding]:
    """Whether workspaces can be saved."""
    from fugue_tui.store.paths import state_dir
    from fugue_tui.store.private_dir import opened

    path = str(state_dir())
    try:
        with opened(path) as directory:
            if directory is None:
                yield ok(f"{path} is made when something is saved")
                return
    except SaveError as error:
        what, _, advice = str(error).partition("; ")
        yield fault(what, advice)
        return
    if not os.access(path, os.W_OK | os.X_OK):
        yield fault(f"{path} is not writable", "chmod u+wx it, or set FUGUE_STATE; nothing can be saved")
    else:
        yield ok(f"{path} is yours alone")


def configuration() -> Iterator[Finding]:
    """Every mistake in the configuration."""
    from fugue_tui.cli.config_command import faults
    from fugue_tui.config import model

    file = model.path()
    found = faults(file)
    for each in found:
        yield fault(each, "edit the file; fugue-tui config init writes one that explains every key")
    if not found:
        yield ok(f"{file}" if file.exists() else f"{file} is not there; the defaults hold")
    folder = file.parent
    if folder.is_dir() and folder.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH) and not _is_sticky(folder):
        yield warning(f"others may write to {folder}, and replace the configuration", f"chmod go-w {folder}")


def _is_sticky(folder: Path) -> bool:
    """Whether only the owner of a file can replace it there, as in /tmp."""
    return bool(folder.stat().st_mode & stat.S_ISVTX)
