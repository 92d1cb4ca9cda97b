"""The handshake of the bridge is that of a workspace."""

import asyncio
from typing import Any

import pytest
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS
from tests.mcp.bridge.test_stdio_bridge import HELLO, MODERN

from fugue_tui.config.model import McpSettings
from fugue_tui_mcp.bridge.handshake import HANDSHAKE_VERSIONS, MODERN_VERSIONS, result_of
from fugue_tui_mcp.protocol import offline_lists


def test_the_versions_are_those_of_the_sdk() -> None:
    assert tuple(HANDSHAKE_PROTOCOL_VERSIONS) == HANDSHAKE_VERSIONS
    assert tuple(MODERN_PROTOCOL_VERSIONS) == MODERN_VERSIONS


@pytest.mark.slow
@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, *MODERN_VERSIONS, "1999-01-01"])
def test_the_result_is_that_of_the_sdk(version: str) -> None:
    if version in MODERN_VERSIONS:
        method, params = "server/discover", {"_meta": MODERN}
    else:
        method, params = "initialize", {**HELLO, "protocolVersion": version}
    found = asyncio.run(offline_lists.responses(params, McpSettings()))
    assert result_of({"id": 1, "method": method, "params": params}) == found[method]["result"]


@pytest.mark.parametrize(
    "message",
    [
        {"method": "initialize", "params": {}},
        {"method": "initialize", "params": {**HELLO, "clientInfo": {"name": "x"}}},
        {"method": "initialize", "params": {**HELLO, "protocolVersion": 1}},
        {"method": "server/discover", "params": {}},
        {"method": "server/discover", "params": {"_meta": {**MODERN, "io.modelcontextprotocol/protocolVersion": "x"}}},
        {"method": "tools/list", "params": {}},
    ],
)
def test_what_is_malformed_is_left_to_the_workspace(message: Any) -> None:
    assert result_of({"id": 1, **message}) is None
