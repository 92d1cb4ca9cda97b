"""The names that completion offers: of panes, windows, sessions and layouts."""

from collections.abc import Sequence
from typing import get_args

from fugue_tui.control.commands.layouts import Preset
from fugue_tui.control.schema.completion import plain
from fugue_tui.multiplexer import Multiplexer


def names(mux: Multiplexer, kind: str) -> Sequence[str]:
    """The ids and names of a kind that need no quotes."""
    workspace = mux.workspace
    match kind:
        case "panes":
            return plain(dict.fromkeys([*map(str, workspace.panes), *(each.name for each in workspace.panes.values())]))
        case "windows":
            ids, own = [str(each.id) for each in workspace.windows], [each.name for each in workspace.windows]
            return plain(dict.fromkeys([*ids, *own, "next", "previous", "last"]))
        case "sessions":
            return plain(dict.fromkeys([*(each.session for each in workspace.windows), "next", "previous"]))
        case "presets":
            return [*get_args(Preset), "next", "previous"]
        case _:
            from fugue_tui.control.layout_files import catalog

            return plain(entry.name for entry in catalog.named())
