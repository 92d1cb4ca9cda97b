"""Imports the MCP SDK, which takes half a second and 30 MiB: for the first client, or ahead of it for users of agents.

A file in the state directory records that a client has connected to a workspace of the user.
"""

import importlib
import os
from contextlib import suppress
from typing import Any, Final

from fugue_tui.errors import SaveError
from fugue_tui.optional_imports import without
from fugue_tui.store.paths import state_path
from fugue_tui.store.private_dir import made
from fugue_tui_mcp import lazy_packages

MARKER: Final = "agents"


def is_expected() -> bool:
    """Whether a client is likely to connect: one has, to this workspace or to an earlier one."""
    return os.path.exists(os.path.join(state_path(), MARKER))


def expect() -> None:
    """Record that a client has connected."""
    if not is_expected():
        with suppress(OSError, SaveError), made(state_path()) as folder:
            folder.replace(MARKER, b"")


def session_module() -> Any:
    """`fugue_tui_mcp.protocol.session`, and with it the SDK."""
    lazy_packages.declare("mcp", "mcp.server")
    with without("uvicorn.main"):  # 2.5 MiB to end HTTP streams with the server, of which there are none
        return importlib.import_module("fugue_tui_mcp.protocol.session")
