"""`--output` writes a file whole, or leaves no new one."""

from pathlib import Path

import pytest
from tests.full_disk import full_disk

from fugue_tui.cli.args import Usage, write


def test_output_that_does_not_fit_on_the_disk_leaves_no_new_file(tmp_path: Path) -> None:
    path = tmp_path / "tasks.md"
    with full_disk(), pytest.raises(Usage, match=r"tasks.md' cannot be written: File too large"):
        write(b"text", str(path))
    assert not path.exists()
    write(b"text", str(path))
    assert path.read_bytes() == b"text"
