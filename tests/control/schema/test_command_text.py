"""Command text, both ways."""

import time
from contextlib import suppress
from enum import StrEnum
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, field

from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Command, Effect, registry
from fugue_tui.control.schema.command_line import command, format, help_text, parse, split
from fugue_tui.control.schema.command_schema import build
from fugue_tui.control.schema.tmux_names import OTHERWISE, TMUX
from fugue_tui.errors import InvalidArgument, UnknownCommand


class Way(StrEnum):
    """A direction."""

    ACROSS = "across"
    DOWN = "down"


class WordsSplit(Command[None], name="words-split", effect=Effect.LAYOUT):
    """Split a thing in two."""

    pane: str = "active"
    """The pane to split."""
    way: Way = Way.ACROSS
    ratio: Annotated[float, Meta(ge=0.1), Meta(le=0.9)] = 0.5
    """What the first one keeps."""
    focus: bool = True
    on_exit: str | None = None
    tags: tuple[str, ...] = ()
    env: dict[str, Any] = field(default_factory=dict[str, Any])


class WordsRename(Command[None], name="words-rename", effect=Effect.LAYOUT):
    """Rename a thing."""

    pane: str = "active"
    name: str
    """The new name."""


class WordsKeys(Command[None], name="words-keys", effect=Effect.INPUT):
    """Press keys."""

    pane: str = "active"
    keys: tuple[str, ...]


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("words-split", {}),
        ("words-split --ratio 0.7 %3", {"ratio": 0.7, "pane": "%3"}),
        ("words-split %3 --ratio=0.7", {"ratio": 0.7, "pane": "%3"}),
        ("words-split left down", {"pane": "left", "way": "down"}),
        ("words-split --no-focus --on-exit keep", {"focus": False, "on_exit": "keep"}),
        ("words-split --focus", {"focus": True}),
        ("words-split --focus=false", {"focus": False}),
        ("words-split --tags a --tags b", {"tags": ["a", "b"]}),
        ("""words-split --tags '["a", "b"]' --tags [""", {"tags": ["a", "b", "["]}),
        ("""words-split --env '{"A": "1"}'""", {"env": {"A": "1"}}),
        ("words-rename logs", {"name": "logs"}),
        ("words-rename %3 logs", {"pane": "%3", "name": "logs"}),
        ("words-rename other logs", {"pane": "other", "name": "logs"}),
        ("words-rename -- --logs", {"name": "--logs"}),
        ("words-rename --name=--logs", {"name": "--logs"}),
        ("words-keys C-c Enter", {"keys": ["C-c", "Enter"]}),
        ("words-keys @1 C-c Enter", {"pane": "@1", "keys": ["C-c", "Enter"]}),
        ("words-keys --pane logs C-c", {"pane": "logs", "keys": ["C-c"]}),
    ],
)
def test_words_become_arguments(line: str, arguments: dict[str, Any]) -> None:
    assert parse(split(line))[1] == arguments


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("words-split --rato 1", "words-split: no flag --rato; did you mean --ratio?"),
        ("words-split --ratio", "words-split: --ratio: requires a number from 0.1 to 0.9"),
        ("words-split --ratio much", 'words-split: ratio: "much" is not a number'),
        ("words-split --ratio 2", "words-split: ratio: 2 is not a number from 0.1 to 0.9"),
        ("words-split --ratio NaN", 'words-split: ratio: "NaN" is not'),
        ("words-split --env '{'", 'words-split: env: "{" is not an object'),
        ("words-rename a b c", "'c' is an unexpected argument; it takes --pane, --name"),
        ("words-rename", "words-rename: name: is missing: The new name."),
        ("words-split 'open", "no closing quotation"),
        ("words-split --\x1b[31m", "words-split: no flag --\\x1b[31m;"),
    ],
)
def test_wrong_words_are_named(line: str, said: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        command(line)
    assert said in str(caught.value)


def test_a_very_long_line_is_not_split() -> None:
    with pytest.raises(
        InvalidArgument, match=r"^'words-rename a+'\.\.\.: has 1000013 characters; a line has at most 16384$"
    ):
        command("words-rename " + "a" * 1_000_000)


def test_an_unknown_command_names_the_nearest() -> None:
    with pytest.raises(UnknownCommand, match=r"no command word-splt; did you mean words-split\?"):
        command("word-splt")
    with pytest.raises(UnknownCommand, match="did you mean words-split"):
        command("words_split")
    with pytest.raises(UnknownCommand, match="no command was given"):
        command("")


_NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@pytest.mark.slow
@given(
    st.builds(
        WordsSplit,
        pane=_NAMES,
        way=st.sampled_from(Way),
        ratio=st.floats(0.1, 0.9),
        focus=st.booleans(),
        on_exit=st.none() | _NAMES.filter(lambda name: name != "null"),
        tags=st.lists(_NAMES, max_size=3).map(tuple),
        env=st.dictionaries(_NAMES, _NAMES, max_size=2),
    )
)
def test_a_command_written_as_words_reads_back_the_same(made: WordsSplit) -> None:
    assert build(*parse(format(made))) == made


def test_help_says_what_the_docstrings_say() -> None:
    said = help_text(WordsSplit)
    assert said.startswith("usage: fugue-tui words-split [--pane PANE] [--way across|down] [--ratio N]")
    assert "Split a thing in two." in said
    assert "What the first one keeps. (default: 0.5)" in said


def test_help_says_that_the_flag_of_a_list_is_given_for_each() -> None:
    said = help_text(WordsSplit)
    assert "[--tags TAGS]..." in said.replace("\n    ", " ")
    assert "  --tags TAGS\n" in said
    assert "(the flag once for each)" in said
    assert build(*parse(["words-split", "--tags", "a", "--tags", "b"])) == WordsSplit(tags=("a", "b"))


class WordsRun(Command[None], name="words-run", effect=Effect.LAYOUT):
    """Run a program."""

    session: str = ""
    source_pane: str = "active"
    command: tuple[str, ...] | str = ""
    """A program and its arguments, or a line."""


@pytest.mark.parametrize(
    ("line", "arguments"),
    [
        ("words-run %3 -- vim --clean", {"source_pane": "%3", "command": ["vim", "--clean"]}),
        ("words-run --command 'vim x'", {"command": "vim x"}),
        ("""words-run --command '["vim", "x"]'""", {"command": ["vim", "x"]}),
        ("words-run --command '[ -f x ]' --", {"command": "[ -f x ]"}),
    ],
)
def test_what_follows_two_hyphens_is_the_program(line: str, arguments: dict[str, Any]) -> None:
    assert parse(split(line))[1] == arguments
    assert isinstance(command(line), WordsRun)


def test_every_name_of_tmux_leads_to_a_command_of_ours_and_is_none_itself() -> None:
    assert set(TMUX.values()) <= set(registry())
    assert not set(TMUX) & set(registry())
    with pytest.raises(UnknownCommand, match="no command neww; tmux's neww is create-window here"):
        command("neww")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "set -g mouse on",
            "no command set; settings are in the configuration file, which config path of the CLI names",
        ),
        ("bind x kill-pane", "no command bind; keys are under [keys] in the configuration file"),
        ("source-file ~/.tmux.conf", "no command source-file; a changed configuration file applies at once"),
        ("choose-tree", "no command choose-tree; the palette has it: choose anything"),
        ("lsk", "no command lsk; the help page lists the keys"),
    ],
)
def test_what_tmux_has_a_command_for_and_we_have_something_else_for_is_said(line: str, said: str) -> None:
    with pytest.raises(UnknownCommand) as caught:
        command(line)
    assert str(caught.value).startswith(said)


def test_words_of_tmux_with_another_way_are_no_commands() -> None:
    assert not set(OTHERWISE) & (set(registry()) | set(TMUX))


@pytest.mark.parametrize("words", [["list-panes"], ["send-keys"], ["send-keys", "--keys"], ["run-command", "--"]])
def test_a_line_of_many_words_takes_linear_time(words: list[str]) -> None:
    start = time.process_time()
    with suppress(InvalidArgument):
        parse([*words, *["x"] * 400_000])
    assert time.process_time() - start < 5
