"""The lists that a bridge keeps for clients that start before a workspace."""

import os
from pathlib import Path

import pytest

from fugue_tui.store.paths import home_state_path
from fugue_tui_mcp.bridge.offline_responses import AREA, MOST_FILES, save


def test_the_oldest_files_are_removed_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for number in range(MOST_FILES + 1):
        save([f"client{number:02}", "1"], {"lists": {}})
    area = Path(home_state_path(), AREA)
    for number in range(MOST_FILES + 1):
        os.utime(area / f"client{number:02}-1.json", (1000 - number, 1000 - number))
    save(["another", "1"], {"lists": {}})
    assert {file.name for file in area.iterdir()} == {
        "another-1.json",
        *(f"client{number:02}-1.json" for number in range(MOST_FILES)),
    }
