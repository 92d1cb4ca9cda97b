"""The files of a recording that goes on."""

import os
from pathlib import Path

import pytest
from tests.full_disk import full_disk

from fugue_tui.geometry import Size
from fugue_tui.recording.asciicast import CastHeader
from fugue_tui.recording.cast_file import CastFile


def test_a_recording_that_cannot_begin_leaves_no_file_in_the_way(tmp_path: Path) -> None:
    path, header = tmp_path / "demo.cast", CastHeader(Size(80, 24), 0, "", "", "xterm")
    open_files = os.listdir("/dev/fd")
    with full_disk(), pytest.raises(OSError, match="File too large"):
        CastFile(str(path), header, version=2, largest=1 << 20, older=0)
    assert (path.exists(), os.listdir("/dev/fd")) == (False, open_files)
    CastFile(str(path), header, version=2, largest=1 << 20, older=0).close()
    assert path.stat().st_size
