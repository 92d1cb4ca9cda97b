"""Rules are loaded from TOML files; a malformed one is reported by file and rule."""

from pathlib import Path

import pytest

from fugue_tui.output_analysis.outcome.rules import loader

RULE = """
[[rule]]
name = "my rule"
meaning = "crash"
confidence = 0.9
hint = "x"
line = 'x'
"""


def test_every_file_of_rules_is_loaded() -> None:
    assert {path.stem for path in Path(loader.__file__).parent.glob("*.toml")} == {*loader.FILES, "shared"}


def test_defaults_fragments_and_named_clues_are_filled_in() -> None:
    shared = "[defaults]\nprograms = '{TOOLS} b'\n[fragments]\nX = 'x+'\nXY = '{X}y'\nTOOLS = 'a'\n"
    clue = "[clues.found]\nhint = 'y'\nline = ['{XY}', '{COLUMN}']\n"
    (rule,) = loader.parse_rules("my.toml", f"{shared}{clue}{RULE}clues = ['found', {{ hint = 'x', line = '{{X}}' }}]")
    assert rule.programs == {"a", "b"}
    assert [each.line.pattern for each in rule.clues] == [r"x+y:(?P<column>\d{1,6})", "x+"]


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (RULE.replace("'x'", "'['"), "my.toml: rule 'my rule': unterminated character set .* at `\\$.line`"),
        (RULE.replace("'x'", "'{NO}'"), "my.toml: rule 'my rule': no 'NO' is defined"),
        (RULE.replace("line = 'x'", ""), "my.toml: rule 'my rule': Object missing required field `line`"),
        (RULE.replace("crash", "crashed"), "my.toml: rule 'my rule': Invalid enum value 'crashed' - at `\\$.meaning`"),
        (RULE.replace("0.9", "'0.9'"), "my.toml: rule 'my rule': Expected `float`, got `str` - at `\\$.confidence`"),
        (f"{RULE}colour = 'red'", "my.toml: rule 'my rule': Object contains unknown field `colour`"),
        (f"{RULE}clues = ['no']", "my.toml: rule 'my rule': no 'no' is defined"),
        (
            f"{RULE}clues = [{{ hint = 'x', line = '[' }}]",
            "my.toml: rule 'my rule': unterminated character set .* at `\\$.clues.0..line`",
        ),
        (f"{RULE}tally = ['x']", "my.toml: rule 'my rule': Expected `array` of length 2, got 1 - at `\\$.tally`"),
        (f"{RULE}programs = 3", "my.toml: rule 'my rule': Expected `array`, got `int` - at `\\$.programs`"),
        ("rule", "my.toml: Expected '='"),
    ],
)
def test_a_malformed_rule_is_named_with_its_file(text: str, error: str) -> None:
    with pytest.raises(ValueError, match=f"^{error}"):
        loader.parse_rules("my.toml", text)
