"""`fugue-tui open`: attaches to a project's workspace, or starts it from the project's layout file."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui import sockets
from fugue_tui.cli import project_names
from fugue_tui.cli.args import Usage, complain, echo, options_of
from fugue_tui.control.layout_files import catalog, project_file, trust
from fugue_tui.control.layout_files.catalog import LayoutSource
from fugue_tui.errors import NotFound, Refused, SaveError
from fugue_tui.layout.document import Document
from fugue_tui.sanitize import clean

if TYPE_CHECKING:
    from fugue_tui.control.core.command import Origin
    from fugue_tui.multiplexer import Multiplexer

OPTIONS: Final = ("--workspace", "--config", "--engine")
"""The options with a value."""


class Project(Struct, frozen=True):
    """A layout file to be opened."""

    file: Path
    document: Document
    raw: bytes
    """The bytes as read: the same content is shown, trusted and run."""
    base: str
    """The directory that its relative paths start from."""
    name: str
    """The name of its workspace."""
    own: bool
    """Whether it is the user's own by its location, rather than part of a project."""
    shipped: bool = False
    """Whether it is shipped with the program."""
    chosen: bool = False
    """Whether the user chose the name."""


def run(arguments: list[str]) -> int:
    """Open the project of the current directory, or the one that is given; the exit status. Raises FugueError."""
    sure = any(word in ("--yes", "-y") for word in arguments)
    options, positional, program = options_of([word for word in arguments if word not in ("--yes", "-y")], OPTIONS)
    if len(positional) > 1 or program:
        raise Usage(
            f"open: {(positional[1:] or program)[0][:40]!a}: unexpected argument; it takes a directory or a file"
        )
    project = find(positional[0] if positional else "", options.get("--workspace", ""))
    own = project.own and _is_trusted(project)
    agreed = own or sure or not sockets.answers(sockets.path_of(project.name))
    if agreed:
        agree(project, sure=sure)
        _claim(project)
    from fugue_tui.server_start import StartOptions, start

    os.chdir(project.base)
    return start(
        StartOptions(
            workspace=project.name,
            config=_absolute(options.get("--config", "")),
            opening=opening(project) if agreed else _gone,
            engine=options.get("--engine", ""),
        )
    )


def find(argument: str, name: str = "") -> Project:
    """The project that a directory, a file or a layout's name refers to; empty for that of the current directory.

    Raises NotFound or InvalidArgument.
    """
    here = os.getcwd()
    if argument and not catalog.is_path(argument) and not os.path.lexists(argument):
        entry = catalog.find(argument, here)
        project = _read(entry.path, here, name or argument, own=True)
        return replace(project, shipped=entry.kind is LayoutSource.SHIPPED)
    place = Path(os.path.normpath(os.path.join(here, os.path.expanduser(argument))))
    if os.path.isdir(place):
        file = project_file.find(place)
        if file is None:
            way_out = "fugue-tui save-layout . writes one from a running workspace"
            raise NotFound(f"{clean(str(place), 4096)}: no {project_file.FILE} here or above; {way_out}")
    else:
        file = catalog.path_of(str(place), here)
    return _read(file, os.path.realpath(file.parent), name, own=False)


def agree(project: Project, *, sure: bool) -> None:
    """Ask the user to trust what a file runs, unless it is trusted already. Raises Refused if the user declines."""
    if _is_trusted(project):
        return
    shown = trust.visible(str(project.file))
    if not sure:
        if not (os.isatty(0) and os.isatty(1)):
            raise Refused(f"{shown} runs programs and is not trusted yet; fugue-tui open --yes does")
        _ask(project, shown)
    try:
        trust.trust(project.file, project.raw)
    except SaveError as error:
        complain(f"{error}; this will be asked again")


def opening(project: Project) -> "Callable[[Multiplexer, Origin], object]":
    """A function that opens a project's windows in a new workspace."""

    def open_windows(mux: "Multiplexer", origin: "Origin") -> object:
        from fugue_tui.control.layout_files.load import LoadTarget, opened

        windows = opened(mux, origin, project.document, LoadTarget(project.base), focus=True)
        mux.add_mcp_servers(project.document.servers, project.base, str(project.file))
        return windows

    return open_windows


def _gone(mux: "Multiplexer", origin: "Origin") -> object:
    """Refuses to open windows: the workspace was running, so its file was not confirmed."""
    raise Refused("the workspace has ended this moment; open it again")


def _ask(project: Project, shown: str) -> None:
    what = "has changed" if trust.was_trusted(project.file) else "is new here"
    windows, panes = len(project.document.windows), len(project.document.panes)
    echo(f"{shown} {what}. It opens {windows} window{'s' * (windows != 1)} and runs:\n")
    _page(trust.programs(project.document).splitlines())
    which = f"these {panes} programs" if panes != 1 else "this program"
    sys.stdout.write(f"\nRun {which} in {trust.visible(project.base)}? [y/N] ")
    sys.stdout.flush()
    if sys.stdin.readline().strip().lower() not in ("y", "yes"):
        raise Refused("nothing was started")


def _is_trusted(project: Project) -> bool:
    return project.shipped or trust.is_trusted(project.file, project.raw, own=project.own)


def _page(lines: list[str]) -> None:
    """Print lines so that none scrolls away before the user has seen it. Raises Refused if the user stops."""
    at_once = max(1, os.get_terminal_size(1).lines - 6)
    for shown in range(0, len(lines), at_once):
        if shown:
            sys.stdout.write(f"-- {shown} of {len(lines)} lines: Enter shows more, q stops -- ")
            sys.stdout.flush()
            if sys.stdin.readline() not in ("\n", "\r\n"):
                raise Refused("nothing was started")
        echo("\n".join(lines[shown : shown + at_once]))


def _read(file: Path, base: str, name: str, *, own: bool) -> Project:
    raw = catalog.content(file)
    document = catalog.parse(raw, file)
    return Project(file, document, raw, base, name or _named(document, file, own=own), own, chosen=bool(name))


def _named(document: Document, file: Path, *, own: bool) -> str:
    """The name of a file's workspace. One of the user's own layouts has the same workspace in every directory; each
    project has its own."""
    wanted = project_file.workspace_name(document, file)
    return wanted if own else project_names.name_for(wanted, file)


def _claim(project: Project) -> None:
    """Register the name for the project, and report if it differs from what the file or the directory suggests."""
    if project.chosen or project.own:
        return
    wanted = project_file.workspace_name(project.document, project.file)
    if wanted != project.name:
        taken = trust.visible(project_names.owner_of(wanted))
        echo(f"the workspace {wanted} is that of {taken}; this one is called {project.name}")
    with suppress(SaveError):  # The layout's trust has reported that nothing can be saved.
        project_names.claim(project.name, project.file)


def _absolute(path: str) -> str:
    """The path made absolute, so that it survives a change of directory."""
    return os.path.abspath(os.path.expanduser(path)) if path else ""
