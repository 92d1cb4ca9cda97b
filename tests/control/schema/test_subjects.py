"""Commands by subject."""

import pytest

import fugue_tui.control.command_table  # noqa: F401  # pyright: ignore[reportUnusedImport]  (declares every command)
from fugue_tui.control.core.command import registry
from fugue_tui.control.introspection import listing
from fugue_tui.control.schema.subjects import by_subject


def test_every_command_has_one_subject_in_which_names_are_in_order() -> None:
    subjects = by_subject()
    found = [cls.verb for _, commands in subjects for cls in commands]
    assert sorted(found) == sorted(registry())
    assert all([cls.verb for cls in commands] == sorted(cls.verb for cls in commands) for _, commands in subjects)
    assert len({title for title, _ in subjects}) == len(subjects)


def test_the_list_of_the_help_is_by_subject_and_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    lines = listing().split("\n")
    assert 160 < max(map(len, lines)) <= 200
    assert lines.index("  Layout") < next(at for at, line in enumerate(lines) if "    swap-pane " in line)
