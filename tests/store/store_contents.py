"""What the tests of the store put into it, and how they look at its files."""

from pathlib import Path
from typing import Any

import pytest

from fugue_tui.store.store import Store

TEXT = b"hello " * 2_000


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state" / "fugue")


def put(store: Store, number: int, name: str = "main", **more: Any) -> str:
    """Save a small manifest with one text; gives the text's digest."""
    with store.saving() as saving:
        digest = saving.keep(TEXT + b"%d" % number)
        saving.put("auto", name, {"version": 1, "head": {"n": number}, "texts": [digest], "n": number, **more})
    return digest


def got(store: Store, name: str = "main") -> int:
    """The number that was put last, when its text is whole too."""
    found = store.get("auto", name)
    number, (digest,) = found.manifest["n"], found.manifest["texts"]
    assert found.manifest["head"] == {"n": number}
    assert store.text(digest) == TEXT + b"%d" % number
    return number


def files(store: Store, part: str = "auto") -> dict[str, Path]:
    return {path.name: path for path in Path(store.root, part).iterdir() if path.name != ".lock"}


def manifest_file(store: Store, copy: str = "") -> Path:
    return Path(store.root, "auto", f"main.json{copy}")


def text_file(store: Store, digest: str) -> Path:
    return Path(store.root, "texts", digest)
