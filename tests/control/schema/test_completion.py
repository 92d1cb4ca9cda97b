"""What completes a command line."""

import pytest

import fugue_tui.control.command_table  # noqa: F401  # pyright: ignore[reportUnusedImport]
from fugue_tui.control.schema.completion import complete, plain

NAMES = {
    "panes": ["%1", "%2", "build"],
    "windows": ["@1", "@2"],
    "sessions": ["main"],
    "layouts": ["dev"],
    "presets": ["even_horizontal", "even_vertical"],
}


@pytest.mark.parametrize(
    ("text", "start", "candidates"),
    [
        ("split-p", 0, ("split-pane",)),
        ("zoom-pane ; split-p", 12, ("split-pane",)),
        ("split-pane --dir", 11, ("--direction",)),
        ("split-pane --direction ", 23, ("horizontal", "vertical", "left", "right", "up", "down", "auto")),
        ("split-pane --direction=v", 23, ("vertical",)),
        ("split-pane --direction vertical --dir", 32, ()),
        ("close-pane ", 11, ("%1", "%2", "build")),
        ("close-pane --pane b", 18, ("build",)),
        ("select-window @", 14, ("@1", "@2")),
        ("select-window --window @", 23, ("@1", "@2")),
        ("select-session m", 15, ("main",)),
        ("load-layout d", 12, ("dev",)),
        ("save-layout d", 12, ()),
        ("select-layout ev", 14, ("even_horizontal", "even_vertical")),
        ("split-pane -- vi", 14, ()),
        ("no-such-command ", 16, ()),
        ("rename-pane 'a b", 12, ()),
    ],
)
def test_what_may_stand_in_the_place_of_the_last_word(text: str, start: int, candidates: tuple[str, ...]) -> None:
    found = complete(text, lambda kind: NAMES[kind])
    assert (found.start, found.candidates) == (start, candidates)


def test_names_that_would_need_quotes_are_not_offered() -> None:
    assert plain(["%1", "@2", "build", "", "two words", "$(evil)", "a;b"]) == ["%1", "@2", "build"]


@pytest.mark.parametrize(
    ("text", "start", "asked"),
    [
        ("show-file /tm", 10, ("/tm", False)),
        ("show-file two\\ wo", 10, ("two wo", False)),
        ("show-file 'two wo", 10, ("two wo", False)),
        ("show-file two\\", 10, ("two", False)),
        ("record-pane --output=a", 21, ("a", False)),
        ("split-pane --cwd sr", 17, ("sr", True)),
        ("zoom-pane ; split-pane --cwd sr", 29, ("sr", True)),
    ],
)
def test_arguments_that_are_paths_are_completed_as_paths(text: str, start: int, asked: tuple[str, bool]) -> None:
    found = complete(text, lambda kind: NAMES[kind], lambda typed, directories: [repr((typed, directories))])
    assert (found.start, found.candidates) == (start, (repr(asked),))
