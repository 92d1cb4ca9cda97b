"""The question that the user is asked before an agent's command runs, and the command with exact targets."""

import shlex
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar, cast

from msgspec.structs import fields, replace

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Origin
from fugue_tui.control.core.confirmation import owned_pane_words
from fugue_tui.control.dispatch.policy import WORKSPACE_EFFECTS, Judgement, grantee
from fugue_tui.control.schema import command_line
from fugue_tui.errors import NotFound
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.approvals import Question
from fugue_tui.multiplexer.access.grants import Scope
from fugue_tui.sanitize import visible

LONGEST: Final = 8_000
"""Characters of a command beyond which it is allowed just once: the user may not have read all of it."""

Called = TypeVar("Called", bound=Command[Any])


def pin(mux: Multiplexer, command: Called, origin: Origin) -> Called:
    """The same call with exact ids and absolute paths, so that it does the same when it runs later."""
    command = command.pinned(mux, origin)
    command.targets(mux, origin)  # Raises for a target that must be exact and is not.
    found: dict[str, Any] = {}
    for each in fields(cast("Any", command)):
        if (resolve := _TARGETS.get(each.name)) and (word := getattr(command, each.name) or each.default):
            found[each.name] = str(resolve(mux, word, origin))
    if isinstance(other := getattr(command, "other", None), str):
        found["other"] = str(target.pane(mux, other, origin, source=PaneId(found["pane"][1:])))
    if isinstance(panes := getattr(command, "panes", None), tuple):
        found["panes"] = tuple(_pane(mux, word, origin) for word in cast("tuple[str, ...]", panes))
    if steps := getattr(command, "steps", None):
        found["steps"] = tuple(replace(step, pane=_pane(mux, step.pane, origin)) for step in steps)
    return replace(command, **found)


def question_of(
    mux: Multiplexer, command: Command[Any], origin: Origin, asked: Sequence[Judgement], listed: str = ""
) -> Question:
    """The question about a call, whose targets are exact; `listed` is the call without secrets."""
    panes = tuple(dict.fromkeys(pane for each in asked for pane in each.panes))
    asking = grantee(origin)
    what = visible(shlex.join(command_line.format(command)))
    offered = [Scope.ONCE]
    # What always asks, what is too long to be read, or concerns neither panes nor the workspace, is allowed just once.
    lasting = panes or command.mcp_server or all(each.effect in WORKSPACE_EFFECTS for each in asked)
    if lasting and len(what) <= LONGEST and not any(each.always_asks for each in asked):
        offered += [*([Scope.PANE] if panes else []), Scope.SESSION, *([Scope.ALWAYS] if asking.executable else [])]
    return Question(
        grantee=asking,
        effects=frozenset(each.effect for each in asked),
        panes=panes,
        what=what,
        where=", ".join(owned_pane_words(mux, pane) for pane in panes),
        scopes=tuple(offered),
        listed=visible(listed),
    )


def _pane(mux: Multiplexer, word: str, origin: Origin) -> str:
    try:
        return str(target.pane(mux, word, origin))
    except NotFound:
        return word  # A pane that coordinate-panes opens.


_TARGETS: Final[dict[str, Callable[[Multiplexer, str, Origin], object]]] = {
    "pane": target.pane,
    "source_pane": target.pane,
    "window": lambda mux, word, origin: target.window(mux, word, origin).id,
    "session": target.session,
}
