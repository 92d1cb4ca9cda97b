"""Asks the user in the workspace before the programs of a layout file run that is not trusted yet."""

import asyncio
from contextlib import suppress

from fugue_tui.control.core.command import Effect, Origin
from fugue_tui.control.core.confirmation import count
from fugue_tui.control.layout_files import trust
from fugue_tui.control.layout_files.catalog import LayoutFile, LayoutSource
from fugue_tui.errors import SaveError
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.approvals import Question
from fugue_tui.multiplexer.access.grants import Grantee, Scope
from fugue_tui.sanitize import quoted


async def check(mux: Multiplexer, origin: Origin, file: LayoutFile, base: str, *, changed: bool = False) -> None:
    """Ask the user in the workspace before a file's programs run in `base`, unless that is not needed.

    The file is trusted from then on, unless it was `changed`: then the user has seen other programs than it has.
    Raises Denied, Unanswered, or Refused if too many requests wait."""
    entry, document, raw = file
    by_agent = not origin.kind.acts_for_user
    if entry.kind is LayoutSource.SHIPPED or (by_agent and mux.permissions.trust == "full"):
        return
    if await asyncio.to_thread(trust.is_trusted, entry.path, raw, own=entry.kind is LayoutSource.OWN):
        return
    what = "has changed" if await asyncio.to_thread(trust.was_trusted, entry.path) else "is new here"
    path = quoted(str(entry.path))
    through = f", loaded by {quoted(origin.program) if origin.program else 'an agent'}," if by_agent else ""
    opened = f"{count(len(document.windows), 'window')} with {count(len(document.panes), 'pane')}"
    question = Question(
        grantee=Grantee(f"file {path}", "", f"{path}{through} {what} and", origin.source if by_agent else ""),
        effects=frozenset((Effect.RUN,)),
        panes=(),
        what=f"{opened} in {quoted(base)}:\n{trust.programs(document)}",
        where="",
        scopes=(Scope.ONCE,),
        title="a layout file asks",
    )
    await mux.approvals.ask(question, mux.permissions.ask_seconds)
    if not changed:
        with suppress(SaveError):  # It will be asked again.
            await asyncio.to_thread(trust.trust, entry.path, raw)
