"""Answers what an agent may know of a workspace before it joins: the number of panes and the focused one's directory.

The request is an agent's, so the rules for agents hold. Does not import the SDK.
"""

import asyncio
from typing import Any, Final

from fugue_tui.control.commands.panes import ListPanes
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.control.introspection import DATA, UNTRUSTED
from fugue_tui.errors import FugueError
from fugue_tui.sanitize import clean
from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.jsonrpc import Frame

METHOD: Final = "fugue/workspace"


async def answer(frame: Frame, gateway: ThreadGateway, caller: Caller) -> bytes:
    """The response line to one request."""
    try:
        panes = (await asyncio.wrap_future(gateway.run(ListPanes(), caller))).result.panes
    except FugueError as error:
        return jsonrpc.error(frame.id, jsonrpc.UNAVAILABLE, clean(f"{error.code}: {error}", 1_000))
    summary: dict[str, Any] = {"panes": len(panes)}
    focused = next((pane.cwd for pane in panes if pane.focused), "")
    if focused:
        summary = {UNTRUSTED: DATA, **summary, "cwd": clean(focused)}
    return jsonrpc.result(frame.id, summary)
