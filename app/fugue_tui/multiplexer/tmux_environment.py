"""The variables that tmux's set-environment has set for new panes, of all sessions and of each. Main thread only.

They live as long as the workspace runs, and are never saved.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from fugue_tui.errors import Refused
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.workspace.find import session_name_now
from fugue_tui.workspace.model import Workspace

GLOBAL: Final = ""
"""The scope of variables for all sessions; the others are the names of sessions."""
MOST: Final = 256
"""Variables of one scope that one owner has set."""
LONGEST: Final = 1 << 15
"""Characters of a value."""


class TmuxEnvironment:
    """The variables of a workspace, by scope and by whose new panes get them: all, or those that one owner opens."""

    def __init__(self, on_change: CallbackList[[Workspace, Workspace]]) -> None:
        """`on_change` are the callbacks for changes of the workspace: the variables of a renamed session go with it,
        those of a closed one are dropped."""
        self._layers: dict[tuple[str, str], dict[str, str | None]] = {}
        on_change.connect(self._on_workspace)

    def set(self, scope: str, owner: str, name: str, value: str | None) -> None:
        """Set a variable in the new panes of an owner, or of all if that is empty; None unsets it there. Raises Refused
        if they are too many, or the value is too long."""
        layer = self._layers.get((scope, owner), {})
        if len(layer) >= MOST and name not in layer:
            raise Refused(f"{name}: there are {MOST} variables already; remove some with set-environment -u")
        if len(value or "") > LONGEST:
            raise Refused(f"{name}: the value has more than {LONGEST} characters")
        self._layers[scope, owner] = {**layer, name: value}

    def remove(self, scope: str, owner: str, name: str) -> None:
        """Leave a variable to the wider scope, or to what new panes get anyway."""
        self._layers.get((scope, owner), {}).pop(name, None)

    def layer(self, scope: str, owner: str) -> Mapping[str, str | None]:
        """What is set in the new panes of an owner, or of all if that is empty; None for what is unset there."""
        return MappingProxyType(self._layers.get((scope, owner), {}))

    def of_new_pane(
        self, session: str, owner: str, inherited: Mapping[str, str], unset: tuple[str, ...]
    ) -> tuple[dict[str, str], tuple[str, ...]]:
        """What is set in a new pane of a session, and what is unset, where the pane would get this otherwise."""
        found: dict[str, str | None] = {**inherited, **dict.fromkeys(unset)}
        for layer in ((GLOBAL, ""), (GLOBAL, owner), (session, ""), (session, owner)):
            found |= self.layer(*layer)
        values = {name: value for name, value in found.items() if value is not None}
        return values, tuple(name for name in found if name not in values)

    def _on_workspace(self, old: Workspace, new: Workspace) -> None:
        if not self._layers or old.windows == new.windows:
            return
        scopes = {scope for scope, _ in self._layers}
        names = {scope: session_name_now(scope, old, new) for scope in scopes - {GLOBAL}} | {GLOBAL: GLOBAL}
        self._layers = {
            (names[scope], owner): layer
            for (scope, owner), layer in self._layers.items()
            if names[scope] or scope == GLOBAL
        }
