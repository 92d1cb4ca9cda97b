"""Claude Code itself, where it is installed: it adds the bridge and connects, in both eras."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.mcp.conftest import Served

pytestmark = pytest.mark.slow


CLAUDE = shutil.which("claude")


@pytest.mark.skipif(CLAUDE is None, reason="Claude Code is not installed")
@pytest.mark.parametrize("negotiation", ["auto", "legacy"])
def test_claude_code_adds_the_bridge_and_connects(served: Served, tmp_path: Path, negotiation: str) -> None:
    assert CLAUDE
    quiet = {"DISABLE_TELEMETRY": "1", "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"}
    env = {**os.environ, **quiet, "HOME": str(tmp_path), "FUGUE_SOCKET": served.path}
    if negotiation == "legacy":
        env["MCP_PROTOCOL_NEGOTIATION"] = "legacy"
    add = [CLAUDE, "mcp", "add", "fugue", "--", sys.executable, "-m", "fugue_tui", "mcp"]
    subprocess.run(add, env=env, cwd=tmp_path, check=True, capture_output=True, timeout=60)
    listed = subprocess.run(
        [CLAUDE, "mcp", "list"], env=env, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60
    )
    assert "✔ Connected" in listed.stdout
