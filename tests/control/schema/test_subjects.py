"""Commands are listed by subject."""

from fugue_tui.control.core.command import registry
from fugue_tui.control.schema.subjects import by_subject


def test_every_command_has_a_subject() -> None:
    listed = [cls for _, commands in by_subject() for cls in commands]
    assert sorted(cls.verb for cls in listed) == sorted(registry())
