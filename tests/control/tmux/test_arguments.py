"""Arguments are parsed as getopt does, and wrong ones fail in tmux's words."""

import pytest

from fugue_tui.control.tmux.arguments import parse
from fugue_tui.errors import InvalidArgument


def test_flags_values_and_words_are_distinguished() -> None:
    found = parse("split-window", "dhP", "Fte", ["-dh", "-t%1", "-F", "#{pane_id}", "-e", "A=1", "-eB=2", "--", "-x"])
    assert found.has("d")
    assert found.has("h")
    assert not found.has("P")
    assert found.value("t") == "%1"
    assert found.value("F") == "#{pane_id}"
    assert found.values("e") == ("A=1", "B=2")
    assert found.words == ("-x",)
    assert parse("send-keys", "l", "t", ["-", "-l"]).words == ("-", "-l")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-q"], "command kill-pane: unknown flag -q"),
        (["-t"], "command kill-pane: -t expects an argument"),
    ],
)
def test_wrong_flags_are_named(words: list[str], message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        parse("kill-pane", "a", "t", words)
