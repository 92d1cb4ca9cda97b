"""What a model reads when a tool has run."""

import secrets

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import TextContent

from fugue_tui.errors import Refused
from fugue_tui_mcp import tools


@given(st.text())
def test_fenced_text_holds_no_control_character_and_cannot_end_the_fence(text: str) -> None:
    lines = tools.fenced(text, "pane %3").split("\n")
    assert lines[0].startswith("untrusted output of pane %3, ")
    assert lines[1] == lines[-1]
    assert lines[1] not in lines[2:-1]
    assert all(char.isprintable() or char == "\t" or char.isspace() for line in lines for char in line if char < "\x7f")
    assert not {"\x1b", "\u202e", "\u200b", "\U000e0041"} & set("".join(lines))


def test_a_fence_that_the_text_holds_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    tokens = iter(["feed", "beef"])

    def token(size: int) -> str:
        return next(tokens)

    monkeypatch.setattr(secrets, "token_hex", token)
    assert tools.fenced("--- feed", "pane %1").endswith("--- beef\n--- feed\n--- beef")


def test_an_error_carries_its_code_and_data() -> None:
    result = tools.failure(Refused("a person is typing in %1", retry_after_ms=1500))
    (content,) = result.content
    assert isinstance(content, TextContent)
    assert result.is_error
    assert content.text == "refused: a person is typing in %1\nretry_after_ms: 1500"
