"""What is shown of files, and which cannot be shown."""

import os
from pathlib import Path

import pytest

from fugue_tui.file_kind import FileKind, kind_of
from fugue_tui.viewer import document
from fugue_tui.viewer.app import half_blocks
from fugue_tui.viewer.document import Unshowable, read


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.md", "markdown"),
        ("A.PATCH", "diff"),
        ("a.tsv", "table"),
        ("a.JPG", "image"),
        ("a.py", "file"),
        ("a", "file"),
    ],
)
def test_the_kind_goes_by_the_name_unless_it_is_given(name: str, kind: str) -> None:
    assert kind_of(name) == kind
    assert kind_of(name, FileKind.TABLE) is FileKind.TABLE


def test_text_is_cleaned_and_a_long_one_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "LIMIT", 20)
    file = tmp_path / "a.txt"
    file.write_bytes(b"a\tb\x1b[2Jc\xff\r\nline" + b"x" * 100)
    found = read(str(file))
    assert "\x1b" not in found.text
    assert found.text.startswith("a   b")
    assert found.note == f"the first 20 of {file.stat().st_size} bytes"


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("a.csv", 'name,size\n"a, b",1\n\nc\n', (("name", "size"), ("a, b", "1"), ("c", ""))),
        ("a.tsv", "a\tb\n1\t2\n", (("a", "b"), ("1", "2"))),
        ("a.json", '[{"a": 1, "b": "x"}, {"a": null, "c": [2]}]', (("a", "b", "c"), ("1", "x", ""), ("", "", "[2]"))),
        ("a.csv", "", ()),
    ],
)
def test_tables(tmp_path: Path, name: str, text: str, rows: tuple[tuple[str, ...], ...]) -> None:
    (tmp_path / name).write_text(text)
    assert read(str(tmp_path / name), FileKind.TABLE).rows == rows


def test_a_long_table_is_cut(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("n\n" + "1\n" * 6_000)
    found = read(str(tmp_path / "a.csv"))
    assert (len(found.rows), found.note) == (document.ROWS, "the first 5,000 of 6,001 rows")


def test_what_cannot_be_shown_says_why(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "a.json").write_text("[1, 2]")
    (tmp_path / "b.json").write_text("[" * 5_000)
    for name, kind, reason in (
        ("missing", FileKind.AUTO, "No such file"),
        ("fifo", FileKind.AUTO, "no regular file"),
        (".", FileKind.AUTO, "no regular file"),
        ("a.json", FileKind.TABLE, "a list of objects"),
        ("b.json", FileKind.TABLE, "it is no table"),
        ("a\0b", FileKind.AUTO, "null"),
    ):
        with pytest.raises(Unshowable, match=reason):
            read(str(tmp_path / name), kind)


def test_an_image_is_as_large_as_fits_and_bad_ones_are_refused() -> None:
    from io import BytesIO

    from PIL import Image

    file = BytesIO()
    Image.new("RGB", (40, 20), (255, 0, 0)).save(file, "PNG")
    drawn = half_blocks(file.getvalue(), 10, 10)
    assert drawn.plain == ("▀" * 10 + "\n") * 3
    assert "#ff0000" in str(drawn.spans[0].style)
    for data in (b"", b"\x89PNG\r\n\x1a\n", file.getvalue()[:60], b"GIF89a"):
        with pytest.raises(Unshowable, match="no image"):
            half_blocks(data, 10, 10)
