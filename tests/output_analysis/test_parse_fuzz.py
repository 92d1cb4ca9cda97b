"""For any text, every cell occurs in it, and hidden characters are removed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import ParseAs, ParsedKind
from fugue_tui.output_analysis.text_lines import source


def test_escape_sequences_and_hidden_characters_are_removed() -> None:
    found = parse("NAME    AGE\n\x1b[31mone\x1b[0m     \u202e5m\u200b\ntwo     7m\n")
    assert found.rows == (("one", "5m"), ("two", "7m"))


_CELLS = st.text(st.sampled_from("ab1 ,|:{}[]\"'-+=日│┼─\t\n#$%/.e\u0301\x1b"), max_size=200)


def _occurs(cell: str, text: str) -> bool:
    return all(part.strip() in text for part in cell.split("\n"))


@pytest.mark.slow
@given(_CELLS)
def test_every_cell_occurs_in_the_text(text: str) -> None:
    found = parse(text)
    plain = source(text).text
    if found.kind in (ParsedKind.TABLE, ParsedKind.PAIRS, ParsedKind.LINES):
        shown = plain.expandtabs(8).replace("\\|", "|") + plain.replace("\\|", "|")
        assert all(_occurs(cell, shown) for row in found.rows for cell in row), found
    if found.headers:
        assert all(len(row) == len(found.headers) for row in found.rows)
    assert 0 <= found.confidence <= 1


@pytest.mark.slow
@given(
    st.lists(
        st.lists(st.text(st.sampled_from("abcXY019._/"), min_size=1, max_size=9), min_size=3, max_size=3),
        min_size=2,
        max_size=12,
    )
)
def test_a_printed_table_is_parsed_back(rows: list[list[str]]) -> None:
    headers = ["FIRST", "SECOND", "THIRD"]
    widths = [max(len(row[at]) for row in [headers, *rows]) + 3 for at in range(3)]
    text = "\n".join(
        "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in [headers, *rows]
    )
    found = parse(text, ParseAs.TABLE)
    assert [list(row) for row in found.rows] == rows
    assert list(found.headers) == headers
