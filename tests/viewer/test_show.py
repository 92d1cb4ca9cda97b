"""The screen of `fugue-tui show`, as pictures and by hand."""

from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import DataTable, Markdown, Static, TextArea

from fugue_tui.cli.main import run
from fugue_tui.file_kind import FileKind
from fugue_tui.viewer import app as viewer
from fugue_tui.viewer.app import ImageView, ShowFile

FILES = {
    "table.csv": "name,size,kind\nalpha,1,first\nbeta,22,second\n",
    "text.md": "# Title\n\nSome *text* with a [link](https://example.org).\n\n- one\n- two\n\n```py\nprint(1)\n```\n",
    "change.diff": "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n",
    "code.py": 'def main() -> None:\n    """Say hello."""\n    print("hello")\n',
}


async def shown(pilot: "Pilot[int]") -> None:
    """Wait until the file is shown."""
    while not pilot.app.query("#body > *"):
        await pilot.pause(0.01)
    await pilot.pause()


@pytest.mark.slow
@pytest.mark.parametrize("name", FILES)
def test_pictures(snap_compare: object, tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text(FILES[name])
    app = ShowFile(str(tmp_path / name), FileKind.AUTO)
    assert snap_compare(app, terminal_size=(50, 14), run_before=shown)  # type: ignore[operator]  # pyright: ignore


async def test_a_file_that_changes_is_read_again_and_one_that_goes_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(viewer, "POLL_SECONDS", 0.01)
    file = tmp_path / "a.md"
    file.write_text("# one")
    app = ShowFile(str(file), FileKind.AUTO)
    async with app.run_test() as pilot:
        await shown(pilot)
        file.write_text("# two, longer")
        while not any("two" in each.source for each in app.query(Markdown)):
            await pilot.pause(0.01)
        file.unlink()
        while not any("No such file" in str(each.content) for each in app.query("#body > Static").results(Static)):
            await pilot.pause(0.01)
        await pilot.press("q")
    assert app.return_code == 0


@pytest.mark.parametrize(
    ("name", "data", "widget"),
    [("a.csv", b"a,b\n[red]1[/],2\n", DataTable), ("a.txt", b"x\n" * 150_000, TextArea), ("a.png", b"", Static)],
)
async def test_widgets(tmp_path: Path, name: str, data: bytes, widget: type) -> None:
    (tmp_path / name).write_bytes(data)
    app = ShowFile(str(tmp_path / name), FileKind.AUTO)
    async with app.run_test() as pilot:
        await shown(pilot)
        assert isinstance(app.query("#body > *").first(), widget)


async def test_an_image_fills_the_screen(tmp_path: Path) -> None:
    from PIL import Image

    Image.new("RGB", (300, 300)).save(tmp_path / "a.png")
    app = ShowFile(str(tmp_path / "a.png"), FileKind.AUTO)
    async with app.run_test(size=(40, 12)) as pilot:
        await shown(pilot)
        view = app.query_one(ImageView)
        while not view.size.height or str(view.content).count("\n") != view.size.height:
            await pilot.pause(0.01)
        await pilot.resize_terminal(1, 1)
        await pilot.pause()


def test_wrong_words(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words, reason in (
        ([], "requires one file"),
        (["a", "b"], "requires one file"),
        (["--type", "movie", "a"], "'movie' is not one of"),
    ):
        assert run(["show", *words]) == 2
        assert reason in capsys.readouterr().err
    assert run(["show", str(tmp_path / "missing")]) == 1
    assert "No such file" in capsys.readouterr().err
