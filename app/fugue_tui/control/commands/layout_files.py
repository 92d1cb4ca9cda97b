"""Commands for layout files: save, load, list, and the shipped workspaces."""

import asyncio
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Final, Literal, Self, TypeAlias

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.control.agents import team_file
from fugue_tui.control.commands.layouts import OpenedPlace, opened_places
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Interface, Origin, Toolset
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.control.core.new_pane import Line, wants_focus
from fugue_tui.control.core.results import WindowInfo, window_info
from fugue_tui.control.layout_files import approval, catalog, load, project_file, trust
from fugue_tui.control.layout_files.catalog import CatalogEntry, LayoutFile, LayoutSource
from fugue_tui.control.layout_files.export import LayoutExport, shared_directory
from fugue_tui.control.layout_files.load import LoadTarget
from fugue_tui.errors import FugueError, InvalidArgument, Refused, SaveError
from fugue_tui.layout import document as layout_document
from fugue_tui.layout import document_writer
from fugue_tui.layout.document import Document
from fugue_tui.layout.tree import panes
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import PATH_LIMIT, clean
from fugue_tui.terminal.pty import process

PathArgument: TypeAlias = Annotated[str, Meta(max_length=PATH_LIMIT)]
BESIDE: Final = "this file"
HERE: Final = "the directory it is opened in"
"""What a file's paths are relative to: the first if it is saved under a path, else the second."""


class SavedLayout(Struct, frozen=True):
    """A saved layout."""

    path: str
    """The file."""
    windows: int
    """How many windows it opens."""
    panes: int
    """How many panes it opens."""
    left_out: tuple[str, ...]
    """What was not saved: variables that may be secret, and values that are not text."""
    text: str
    """The file's content."""


class LoadedLayout(Struct, frozen=True):
    """An opened layout."""

    name: str
    """Its name."""
    path: str
    """Its file."""
    windows: tuple[WindowInfo, ...]
    """The windows that were opened."""
    panes: tuple[OpenedPlace, ...]
    """Their panes, window by window, in reading order."""
    note: str
    """Which names others have already in the session, so that these panes have a number in theirs, and whether a team
    of that name can be started; empty if neither."""


class NamedLayout(Struct, frozen=True):
    """A layout that can be loaded."""

    name: str
    """The name for load-layout; a path for the project's."""
    kind: LayoutSource
    """project, own or shipped."""
    description: str
    """The file's own description."""
    windows: int
    """How many windows it opens."""
    panes: int
    """How many panes it opens."""
    path: str
    """The file."""
    fault: str
    """Why it cannot be loaded; empty if it can."""


class LayoutList(Struct, frozen=True):
    """The layouts that can be loaded."""

    layouts: tuple[NamedLayout, ...]
    """The project's, your own, and the shipped ones."""
    directory: str
    """The directory of your own layouts."""


class SaveLayout(
    Command[SavedLayout],
    name="save-layout",
    effect=Effect.ADMIN,
    toolset=Toolset.SAVING,
    creates=True,
    repeatable=True,
):
    """Save the current windows to a layout file that can be edited and committed: their splits, names, commands,
    directories and tags.

    In a project, `save-layout .` writes .fugue.toml, which `fugue-tui open` loads. The panes' text is not saved.
    """

    name: PathArgument
    """A name, saved with your own layouts; or a path, with a / or ending in .toml or .json; or a directory."""
    window: str = ""
    """Only this window: an id, a name, or active; omitted, all windows."""
    format: Literal["toml", "json"] | None = None
    """The file format; omitted, by the path's suffix, else toml."""
    overwrite: bool = False
    """Whether to replace an existing layout file."""

    def pinned(self, mux: Multiplexer, origin: Origin) -> Self:
        """The same with the absolute path of the file, without symbolic links."""
        if not catalog.is_path(self.name):
            return self
        path = self._path(caller_directory(mux, origin))
        return replace(self, name=os.path.join(os.path.realpath(path.parent), path.name))

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[SavedLayout]:
        """The file and its content, once written. A file that is not a layout is never replaced."""
        here = caller_directory(mux, origin)
        path = self._path(here)
        windows = (target.window(mux, self.window, origin),) if self.window else mux.workspace.windows
        beside = catalog.is_path(self.name)
        capture = LayoutExport(mux, os.path.realpath(path.parent) if beside else shared_directory(mux, windows))
        document = capture.document(windows, "" if self.window else mux.workspace.name)
        text = _serialized(document, path, capture.left_out, BESIDE if beside else HERE)
        saved = SavedLayout(str(path), len(windows), len(document.panes), tuple(capture.left_out), text)
        by_user = origin.kind.acts_for_user
        return run_task(asyncio.to_thread(self._write, path, saved, by_user=by_user))

    def _path(self, here: str) -> Path:
        if not catalog.is_path(self.name):
            return catalog.own_path(self.name, f".{self.format or 'toml'}")
        path = catalog.path_of(self.name, here)
        if self.format and path.suffix != f".{self.format}":
            raise InvalidArgument(f"format: {self.format} goes with a path that ends in .{self.format}")
        return path

    def _write(self, path: Path, saved: SavedLayout, *, by_user: bool) -> SavedLayout:
        shown, own = clean(str(path), 4096), not catalog.is_path(self.name)
        try:
            if not catalog.is_path(self.name):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if os.path.lexists(path) and not self.overwrite:
                raise Refused(f"{shown}: exists already; overwrite replaces it")
            if os.path.lexists(path) and not catalog.is_layout(path):
                raise Refused(f"{shown}: is not a layout file, and is not replaced; choose another name")
            if not by_user:
                trust.saved(path, b"", own=own, by_user=False)  # First: it must never be there unmarked.
            trusted_files.write(path, saved.text, overwrite=self.overwrite)
        except (OSError, trusted_files.UntrustedFile) as error:
            raise Refused(trusted_files.describe(path, error)) from None
        if by_user:
            with suppress(SaveError):  # It will be asked about.
                trust.saved(path, saved.text.encode(), own=own, by_user=True)
        return saved


class LoadLayout(Command[LoadedLayout], name="load-layout", effect=Effect.RUN, toolset=Toolset.SAVING, creates=True):
    """Open the windows of a layout file beside the open ones: all of them, or none if a program cannot be started.

    The user is asked before a new or changed file runs its programs.
    """

    name: PathArgument
    """The layout's name, as in list-layouts; or the path of its file, or of a directory with a .fugue.toml."""
    session: str = ""
    """The session of its windows, new or existing; omitted, the file's, else the caller's."""
    cwd: PathArgument = ""
    """The directory that its paths are relative to; omitted, the file's own, or the caller's for a named layout."""
    focus: bool | None = None
    """Whether to select its window; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[LoadedLayout]:
        """The opened windows, once the file is read; on any error nothing has changed."""
        here = caller_directory(mux, origin)
        cwd = _directory(self.cwd, here)
        return run_task(self._open(mux, origin, here, cwd or here))

    async def _open(self, mux: Multiplexer, origin: Origin, here: str, cwd: str) -> LoadedLayout:
        found = await asyncio.to_thread(_read, self.name, here)
        beside = catalog.is_path(self.name) and not self.cwd
        base = os.path.realpath(found.entry.path.parent) if beside else cwd
        return await _load(mux, origin, found, LoadTarget(base, self.session), self.focus)


class LoadWorkspace(
    Command[LoadedLayout], name="load-workspace", effect=Effect.RUN, toolset=Toolset.SAVING, creates=True
):
    """Open a workspace of panes for a task: debug-session (code, logs, debugger), full-stack (frontend, backend, db,
    tests), agent-team-3 (leader, worker1, worker2), monitoring (processes, logs, metrics), or one of your own.

    Each pane runs the first program that is installed, or names those it looked for.
    """

    name: PathArgument
    """The workspace: debug-session, full-stack, agent-team-3, monitoring, or a name from list-layouts."""
    cwd: PathArgument = ""
    """The working directory; omitted, the caller's."""
    commands: Mapping[str, Line] | None = None
    """Commands that replace those of panes, by name, such as {"logs": "tail -F app.log"}."""
    session: str = ""
    """The session of its windows, new or existing; omitted, the file's, else the caller's."""
    focus: bool | None = None
    """Whether to select its window; omitted, only if the user ran the command."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[LoadedLayout]:
        """The opened windows, once the file is read; on any error nothing has changed."""
        if catalog.is_path(self.name):
            raise InvalidArgument(f"name: {clean(self.name)} is a path; load-layout opens files by path")
        here = caller_directory(mux, origin)
        destination = LoadTarget(_directory(self.cwd, here) or here, self.session)
        return run_task(self._open(mux, origin, here, destination))

    async def _open(self, mux: Multiplexer, origin: Origin, here: str, destination: LoadTarget) -> LoadedLayout:
        found = await asyncio.to_thread(_read, self.name, here, self.commands)
        return await _load(mux, origin, found, destination, self.focus, changed=bool(self.commands))


class ListLayouts(Command[LayoutList], name="list-layouts", effect=Effect.READ, toolset=Toolset.SAVING):
    """List the layouts that load-layout opens: the project's .fugue.toml, your own, and the shipped ones."""

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[LayoutList]:
        """The layouts, with the error of each that cannot be loaded."""
        here = caller_directory(mux, origin)
        return run_task(asyncio.to_thread(listed, here))


def caller_directory(mux: Multiplexer, origin: Origin) -> str:
    """The caller's working directory: its own on a command line, else that of its pane."""
    own = process.cwd(origin.pid) if origin.interface is Interface.CLI and origin.pid is not None else ""
    if own or not mux.workspace.windows:
        return own or os.getcwd()
    try:
        return mux.cwd(target.pane(mux, target.ACTIVE, origin)) or os.getcwd()
    except FugueError:
        return os.getcwd()


def callers_path(mux: Multiplexer, origin: Origin, path: str) -> str:
    """An absolute path: a relative one starts from the caller's directory, and `~` is the user's home."""
    return os.path.normpath(os.path.join(caller_directory(mux, origin), os.path.expanduser(path)))


def _serialized(document: Document, path: Path, left_out: list[str], relative_to: str) -> str:
    """A document's text. Raises InvalidArgument if it exceeds the limits of a layout file."""
    layout_document.read(document_writer.value(document))
    if path.suffix == ".json":
        return document_writer.to_json(document)
    return document_writer.to_toml(document, [f"Left out: {each}." for each in left_out], relative_to)


def _read(name: str, here: str, commands: Mapping[str, Line] | None = None) -> LayoutFile:
    """A layout by its name or path, with some panes' commands replaced. Any thread."""
    entry = catalog.find(name, here)
    raw = catalog.content(entry.path)
    return LayoutFile(entry, load.with_commands(catalog.parse(raw, entry.path), commands or {}), raw)


async def _load(
    mux: Multiplexer,
    origin: Origin,
    found: LayoutFile,
    destination: LoadTarget,
    focus: bool | None,
    *,
    changed: bool = False,
) -> LoadedLayout:
    """Open a layout's windows once the user has agreed to its programs, if that is needed; see `approval.check`."""
    await approval.check(mux, origin, found, destination.base, changed=changed)
    opened, renamed = load.opened(mux, origin, found.document, destination, focus=wants_focus(focus, origin))
    mux.add_mcp_servers(found.document.servers, destination.base, str(found.entry.path))
    windows = [mux.window(window) for window in opened]
    return LoadedLayout(
        clean(found.entry.name),
        clean(str(found.entry.path), 4096),
        tuple(window_info(mux, window) for window in windows),
        tuple(pane for window in windows for pane in opened_places(mux, window, list(panes(window.layout)))),
        "; ".join(filter(None, (renamed, _team_note(found.entry)))),
    )


def _team_note(entry: CatalogEntry) -> str:
    """That a team of the name of a shipped layout can be started instead; empty if there is none."""
    is_team = entry.kind is LayoutSource.SHIPPED and (team_file.shipped_dir() / f"{entry.name}.toml").is_file()
    return f"start-team {clean(entry.name)} starts these agents as a team, with their tasks" if is_team else ""


def _directory(cwd: str, here: str) -> str:
    if "\0" in cwd:
        raise InvalidArgument("cwd: holds a NUL character")
    return os.path.normpath(os.path.join(here, os.path.expanduser(cwd))) if cwd else ""


def listed(here: str) -> LayoutList:
    """The layouts that can be loaded from a directory, with the error of each that cannot. Any thread."""
    project = project_file.find(Path(here)) if here else None
    own = [CatalogEntry(str(project), LayoutSource.PROJECT, project)] if project else []
    entries = [*own, *catalog.named()]
    return LayoutList(tuple(map(_described, entries)), clean(str(catalog.own_dir()), 4096))


def _described(entry: CatalogEntry) -> NamedLayout:
    name, path = clean(entry.name, 4096), clean(str(entry.path), 4096)
    try:
        document = catalog.load(entry.path)
    except FugueError as error:
        return NamedLayout(name, entry.kind, "", 0, 0, path, clean(str(error), 1000))
    description = clean(document.description, layout_document.MAX_DESCRIPTION)
    return NamedLayout(name, entry.kind, description, len(document.windows), len(document.panes), path, "")
