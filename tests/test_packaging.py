"""What is built for PyPI has everything that runs from the repository."""

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("app/fugue_tui", "widgets/fugue_tui_widgets", "mcp_server/fugue_tui_mcp")


def build(kind: str, folder: Path) -> Path:
    """Build a wheel or an sdist into a folder."""
    code = f"import sys, hatchling.build as backend; print(backend.build_{kind}(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", code, str(folder)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / done.stdout.split()[-1]


def tracked(folder: str) -> list[str]:
    """The files of the repository below a folder, relative to its parent."""
    done = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    return [path.removeprefix(f"{Path(folder).parent}/") for path in done.stdout.splitlines()]


@pytest.mark.slow
def test_the_wheel_has_every_file_of_the_packages_and_the_manual_page(tmp_path: Path) -> None:
    names = zipfile.ZipFile(build("wheel", tmp_path)).namelist()
    assert [path for package in PACKAGES for path in tracked(package) if path not in names] == []
    assert [path for path in names if path.endswith("share/man/man1/fugue-tui.1")]
    assert {f"{Path(package).name}/py.typed" for package in PACKAGES} <= set(names)


@pytest.mark.slow
def test_the_sdist_can_be_built_and_tested_from(tmp_path: Path) -> None:
    with tarfile.open(build("sdist", tmp_path)) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "SECURITY.md", "docs/fugue-tui.1"} <= names
    assert [package for package in PACKAGES if f"{package}/py.typed" not in names] == []
