"""Encodes a `SavedWorkspace` as plain JSON and decodes it. Pure: no files, no clocks, no terminals.

    manifest = encode(saved, config.session.secrets)     # what `Store` puts: version, head, texts, and the rest
    saved, faults = decode(found.manifest)               # faults: what was left out, in words

Whatever `workspace.model` holds comes back as it was, secrets aside. Whatever is damaged is left out pane by pane and
reported; every workspace that `decode` returns passes `check`. Only what is wholly unreadable or newer raises
SaveError.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from msgspec.structs import asdict

from fugue_tui.errors import InvalidArgument, SaveError
from fugue_tui.geometry import Size
from fugue_tui.layout.tree import Float, floats, tiled
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty.spawn import Exit
from fugue_tui.validation.field_types import Table, Unchecked
from fugue_tui.workspace import tree_reader
from fugue_tui.workspace.field_types import METADATA
from fugue_tui.workspace.model import Pane, Window
from fugue_tui.workspace.save_model import SavedPane, SavedWorkspace
from fugue_tui.workspace.save_reader import SaveReader
from fugue_tui.workspace.secret_filter import WITHHELD, SecretFilter

VERSION: Final = 1
"""The version of the format."""

Migration: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]
MIGRATIONS: Final[Mapping[int, Migration]] = {}
"""For each older version, the migration to the next one."""


def encode(saved: SavedWorkspace, secrets: Sequence[str] = ()) -> dict[str, Any]:
    """The manifest, without the values of names that match `secrets` (patterns as in `session.secrets`)."""
    sieve, workspace = SecretFilter(secrets), saved.workspace
    return {
        "version": VERSION,
        "head": _head(saved),
        "texts": sorted({seen.text for seen in saved.seen.values() if seen.text}),
        "area": _size(saved.area),
        "last_pane": int(max(saved.last_pane, *workspace.panes, 0)),
        "last_window": int(max(saved.last_window, *(window.id for window in workspace.windows), 0)),
        "active": int(workspace.active),
        "recent": [int(window) for window in workspace.recent],
        "windows": [_window(window) for window in workspace.windows],
        "panes": [_pane(pane, saved.seen.get(pane.id), sieve) for pane in workspace.panes.values()],
        **({"projects": dict(saved.projects)} if saved.projects else {}),
    }


def decode(manifest: object, migrations: Mapping[int, Migration] = MIGRATIONS) -> tuple[SavedWorkspace, list[str]]:
    """The workspace of a manifest, and messages on omitted parts. Raises SaveError if nothing is readable."""
    try:
        reader = SaveReader(migrate(Table(Unchecked()).check(manifest, "it"), migrations))
        saved = reader.saved()
    except InvalidArgument as reason:
        raise SaveError(f"a saved workspace cannot be read: {reason}; an older copy or another save may be") from None
    return saved, reader.faults


def migrate(manifest: dict[str, Any], migrations: Mapping[int, Migration], to: int = VERSION) -> dict[str, Any]:
    """Migrate a manifest to a version; the original is not modified. Raises SaveError."""
    version = manifest.get("version")
    if type(version) is not int or version < 0:
        raise SaveError("a saved workspace has no version; another save may be readable")
    if version > to:
        raise SaveError(f"a newer fugue-tui saved this workspace (version {version}, this one reads {to}); upgrade")
    while version < to:
        if version not in migrations:
            raise SaveError(f"nothing reads version {version} of a saved workspace; an older fugue-tui may")
        manifest, version = {**_stepped(manifest, migrations[version]), "version": version + 1}, version + 1
    return manifest


def _stepped(manifest: dict[str, Any], step: Migration) -> dict[str, Any]:
    """Apply one migration; its errors become InvalidArgument."""
    try:
        return step(manifest)
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise InvalidArgument(f"version {manifest['version']} is damaged ({type(error).__name__})") from None


def _head(saved: SavedWorkspace) -> dict[str, Any]:
    workspace = saved.workspace
    return {
        "workspace": workspace.name,
        "saved_at": saved.saved_at,
        "ended": saved.ended,
        "windows": len(workspace.windows),
        "panes": len(workspace.panes),
    }


def _window(window: Window) -> dict[str, Any]:
    return {
        "id": int(window.id),
        "name": window.name,
        "session": window.session,
        "named": window.named,
        "zoomed": window.zoomed,
        "active": int(window.active),
        "recent": [int(pane) for pane in window.recent],
        "layout": tree_reader.write(tiled(window.layout)),
        **({"auto": True} if window.auto else {}),
        **({"floats": [_float(each) for each in floats(window.layout)]} if floats(window.layout) else {}),
    }


def _float(each: Float) -> dict[str, Any]:
    written = {**asdict(each), "pane": str(each.pane)}
    return {name: value for name, value in written.items() if value is not None and value is not False}


def _pane(pane: Pane, seen: SavedPane | None, sieve: SecretFilter) -> dict[str, Any]:
    metadata = _metadata(pane.metadata)
    written: dict[str, Any] = {
        "id": int(pane.id),
        "name": pane.name,
        "argv": list(sieve.words(pane.argv)),
        "cwd": pane.cwd,
        "env": sieve.values(pane.env),
        "on_exit": str(pane.on_exit),
        "tags": sorted(map(sieve.line, pane.tags)),
        "metadata": sieve.nested(metadata),
        **({"content": pane.content} if pane.content else {}),
    }
    shown = _seen(seen, sieve) if seen else {}
    withheld = _withheld(pane, metadata, written, shown, seen)
    return {**written, **({"seen": shown} if seen else {}), **({"withheld": withheld} if withheld else {})}


def _seen(seen: SavedPane, sieve: SecretFilter) -> dict[str, Any]:
    return {
        "cwd": seen.cwd,
        "title": sieve.line(clean(seen.title)),
        "argv": list(sieve.words(seen.argv)),
        "exit": _exit(seen.exit),
        "size": _size(seen.size),
        "text": seen.text,
        "resume": list(sieve.words(seen.resume)),
    }


def _withheld(
    pane: Pane,
    metadata: Mapping[str, Any],
    written: Mapping[str, Any],
    shown: Mapping[str, Any],
    seen: SavedPane | None,
) -> list[str]:
    """The names of what was withheld, now or in an earlier save."""
    kept = {f"{part}.{name}" for part in ("env", "metadata") for name in written[part]}
    gone = {f"env.{name}" for name in pane.env} | {f"metadata.{name}" for name in metadata}
    lines = {"argv": written["argv"], "tags": written["tags"], "foreground": shown.get("argv", ())}
    lines |= {"resume": shown.get("resume", ()), "title": [shown.get("title", "")]}
    cut = {name for name, words in lines.items() if any(WITHHELD in word for word in words)}
    earlier = {name for name in seen.withheld if "." in name} if seen else set[str]()
    return sorted((gone | earlier) - kept | cut)


def _metadata(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that are JSON."""
    return METADATA.salvage(metadata, "", lambda fault: None)


def _exit(exit: Exit | None) -> dict[str, Any] | None:
    return None if exit is None else {"code": exit.code, "signal": exit.signal}


def _size(size: Size) -> list[int]:
    return [size.cols, size.rows]
