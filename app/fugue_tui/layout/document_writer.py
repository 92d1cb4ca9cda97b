"""Writes layout documents: as TOML that a user edits and commits, or as JSON; `document.read` reads both back.

The TOML is written here and not by a library, because its shape is what users see: comments, one window a table, and
a tree whose indentation is the tree.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fugue_tui.config.values import toml
from fugue_tui.layout.apportion import apportion
from fugue_tui.layout.document import VERSION, Document, WindowSpec
from fugue_tui.layout.spec_types import FloatSpec, LayersSpec, PaneSpec, Spec, SplitSpec

FINEST: Final = 10_000
"""Ratios are exact unless a split's weights, in lowest terms, sum to more; then they have four digits."""

_HEAD: Final = """\
# A workspace for fugue-tui: `fugue-tui open FILE` starts it, `fugue-tui load-layout FILE` adds its windows to a running
# one. Ratios say how the panes of a split share its room; without them they are equal. Directories are relative to
# {}; a pane without a command runs a shell.
"""


def value(document: Document) -> dict[str, Any]:
    """The document as plain dicts and lists; default values are omitted."""
    entries = {"name": document.name, "description": document.description}
    windows = [_window(window) for window in document.windows]
    return {"version": VERSION, **{key: each for key, each in entries.items() if each}, "windows": windows}


def to_json(document: Document) -> str:
    """The document as JSON text."""
    return json.dumps(value(document), indent=2, ensure_ascii=False) + "\n"


def to_toml(document: Document, notes: Sequence[str] = (), relative_to: str = "this file") -> str:
    """The document as TOML text, with `notes` as further comments at the top."""
    root = value(document)
    lines = [_HEAD.format(relative_to) + "".join(f"# {note}\n" for note in notes)]
    lines += [f"{key} = {toml(each)}\n" for key, each in root.items() if key != "windows"]
    for window in root["windows"]:
        lines.append("\n[[windows]]\n")
        lines += [_entry(key, each) for key, each in window.items()]
    return "".join(lines)


def ratios(weights: Sequence[int]) -> list[float | int] | None:
    """Readable ratios that parse back to these weights: None if all are equal, two digits if exact, else as many as
    needed."""
    if len(set(weights)) == 1:
        return None
    total = sum(weights)
    for parts in (100, 1_000, FINEST):
        if not any(weight * parts % total for weight in weights):
            return [weight * parts // total / parts for weight in weights]
    if total <= FINEST:
        return list(weights)
    return [part / FINEST for part in apportion(weights, [1] * len(weights), FINEST)]


def _window(window: WindowSpec) -> dict[str, Any]:
    entries = {"name": window.name, "session": window.session, "focus": window.focus, "zoom": window.zoom}
    spec, over = (
        (window.layout.tiled, window.layout.floats) if isinstance(window.layout, LayersSpec) else (window.layout, ())
    )
    body = {} if spec == PaneSpec() else _layout(spec)
    floats = {"floats": [_float(each) for each in over]} if over else {}
    return {key: each for key, each in entries.items() if each} | floats | body


def _float(spec: FloatSpec) -> dict[str, Any]:
    place = {name: getattr(spec, name) for name in ("cols", "rows", "x", "y")}
    flags = {name: True for name in ("hidden", "zoom") if getattr(spec, name)}
    return {"pane": _pane(spec.pane), **{name: each for name, each in place.items() if each is not None}, **flags}


def _layout(spec: Spec) -> dict[str, Any]:
    if isinstance(spec, PaneSpec):
        return {"pane": _pane(spec)}
    if spec.stacked:
        return {"stacked": True, "splits": [_layout(child) for child in spec.children]}
    return {"direction": str(spec.axis), "splits": _splits(spec)}


def _splits(spec: SplitSpec) -> list[dict[str, Any]]:
    shares = ratios(spec.weights)
    if shares is None:
        return [_layout(child) for child in spec.children]
    return [{"ratio": share, **_layout(child)} for share, child in zip(shares, spec.children, strict=True)]


def _pane(pane: PaneSpec) -> dict[str, Any]:
    entries: dict[str, Any] = {
        "name": pane.name,
        "command": pane.command if isinstance(pane.command, str) else list(pane.command),
        "cwd": pane.cwd,
        "env": dict(pane.env),
        "on_exit": pane.on_exit,
        "tags": list(pane.tags),
        "focus": pane.focus,
    }
    return {key: each for key, each in entries.items() if each}


def _entry(key: str, each: Any) -> str:
    """A key of a window; a lone pane gets its own table."""
    if key == "pane":
        return "".join(["\n[windows.pane]\n", *(f"{name} = {toml(inner)}\n" for name, inner in each.items())])
    if key in ("splits", "floats"):
        return f"{key} = {_list(each, 1)}\n"
    return f"{key} = {toml(each)}\n"


def _list(splits: Sequence[Mapping[str, Any]], depth: int) -> str:
    indent = "    " * depth
    items = "".join(f"{indent}{_item(each, depth)},\n" for each in splits)
    return f"[\n{items}{indent[4:]}]"


def _item(split: Mapping[str, Any], depth: int) -> str:
    pairs = (f"{key} = {_list(each, depth + 1) if key == 'splits' else toml(each)}" for key, each in split.items())
    return f"{{ {', '.join(pairs)} }}"
