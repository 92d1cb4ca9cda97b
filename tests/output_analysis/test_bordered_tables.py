"""Borders and rules are no part of a cell, but text that looks like them is."""

import random
from collections.abc import Sequence

import pytest

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import ParsedKind

BORDERS = {
    "dots and colons": ".-----.-----.\n| a   | b   |\n:-----+-----:\n| 1   | 2|3 |\n'-----'-----'\n",
    "stars": "*-----*-----*\n| a   | b   |\n*-----*-----*\n| 1   | 2|3 |\n*-----*-----*\n",
    "no sides": " a   | b   \n-----+-----\n 1   | 2|3 \n",
    "heavy": "┏━━━━━┳━━━━━┓\n┃ a   ┃ b   ┃\n┣━━━━━╋━━━━━┫\n┃ 1   ┃ 2|3 ┃\n┗━━━━━┻━━━━━┛\n",
    "double": "╔═════╦═════╗\n║ a   ║ b   ║\n╠═════╬═════╣\n║ 1   ║ 2|3 ║\n╚═════╩═════╝\n",
    "double outside": "╔═════╤═════╗\n║ a   │ b   ║\n╟─────┼─────╢\n║ 1   │ 2|3 ║\n╚═════╧═════╝\n",
    "rounded": "╭─────┬─────╮\n│ a   │ b   │\n├─────┼─────┤\n│ 1   │ 2|3 │\n╰─────┴─────╯\n",
    "dashed": "┌╌╌╌╌╌┬╌╌╌╌╌┐\n╎ a   ╎ b   ╎\n├╌╌╌╌╌┼╌╌╌╌╌┤\n╎ 1   ╎ 2|3 ╎\n└╌╌╌╌╌┴╌╌╌╌╌┘\n",
    "half heavy": "┍━━━━━┯━━━━━┑\n│ a   │ b   │\n┝━━━━━┿━━━━━┥\n│ 1   │ 2|3 │\n┕━━━━━┷━━━━━┙\n",
    "equals": "+-----+-----+\n| a   | b   |\n+=====+=====+\n| 1   | 2|3 |\n+-----+-----+\n",
    "rst": "===== =====\na     b    \n===== =====\n1     2|3  \n===== =====\n",
    "markdown": "| a   | b    |\n|-----|-----:|\n| 1   | 2\\|3 |\n",
    "org": "| a   | b    |\n|-----+------|\n| 1   | 2❘3  |\n",
}


@pytest.mark.parametrize("name", BORDERS)
def test_borders_of_every_style_are_no_part_of_a_cell(name: str) -> None:
    found = parse(BORDERS[name])
    assert (found.kind, found.headers) == (ParsedKind.TABLE, ("a", "b"))
    assert [tuple(cell.replace("❘", "|") for cell in row) for row in found.rows] == [("1", "2|3")]


def test_several_tables_with_borders_are_all_parsed() -> None:
    one = "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n|  2 | b    |\n+----+------+\n2 rows in set\n\n"
    two = "+-------+\n| count |\n+-------+\n|     7 |\n+-------+\n1 row in set\n"
    found = parse(one + two)
    assert (found.headers, found.rows) == (("id", "name"), (("1", "a"), ("2", "b")))
    assert [(each.headers, each.rows) for each in found.others] == [(("count",), (("7",),))]
    assert "lines 7, 14 outside the tables, left out" in found.notes


def test_rules_under_the_names_alone_do_not_cut_the_cells() -> None:
    text = (
        "Status: active\n\n"
        "To                         Action      From\n"
        "--                         ------      ----\n"
        "22/tcp                     ALLOW       Anywhere\n"
        "80/tcp (v6)                DENY        192.168.1.0/24\n"
    )
    found = parse(text, command="ufw status")
    assert (found.headers, found.rows[1]) == (("To", "Action", "From"), ("80/tcp (v6)", "DENY", "192.168.1.0/24"))


DRAWN = ["a", "12.5", "NULL", "", "x|y", "-", "--", "---", "+", "+--+", "a - b", "日本", "|", "===", "::", "a+", "·"]


def bordered(seed: int, style: str) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """A table with borders around cells that look like borders themselves."""
    from wcwidth import wcswidth

    dice = random.Random(seed)
    names = dice.sample(["id", "name", "note", "count", "a b"], dice.randint(1, 4))
    rows = [tuple(dice.choice(DRAWN) for _ in names) for _ in range(dice.randint(1, 6))]
    written = [names, *([cell.replace("|", "\\|") for cell in row] if style == "markdown" else row for row in rows)]
    widths = [max(3, *map(wcswidth, column)) for column in zip(*written, strict=True)]
    bar, left, cross, right, level = {"box": "│├┼┤─", "markdown": "||||-", "psql": "| + -"}.get(style, "|+++-")

    def line(cells: Sequence[str]) -> str:
        laid = (f" {cell}{' ' * (width - wcswidth(cell))} " for cell, width in zip(cells, widths, strict=True))
        whole = bar.join(laid)
        return whole.rstrip() if style == "psql" else f"{bar}{whole}{bar}"

    rule = f"{left}{cross.join(level * (width + 2) for width in widths)}{right}".strip()
    body = [line(cells) for cells in written[1:]]
    ends = {"psql": f"({len(rows)} row{'s' * (len(rows) > 1)})", "markdown": ""}
    top = [] if style in ends else [rule]
    return tuple(names), rows, "\n".join([*top, line(names), rule, *body, ends.get(style, rule)]) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("style", ["mysql", "psql", "box", "markdown"])
def test_cells_that_look_like_borders_are_cells(style: str) -> None:
    sure = 0
    for seed in range(300):
        names, rows, text = bordered(seed, style)
        found = parse(text)
        if found.confidence >= 0.8:
            sure += 1
            assert (found.headers, list(found.rows)) == (names, rows), text
    assert sure > 270
