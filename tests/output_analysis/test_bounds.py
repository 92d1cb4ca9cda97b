"""Any output is analysed to its end, and no output becomes a command by itself."""

import re
import shlex
from collections.abc import Iterator

import pytest
from tests.output_analysis.conftest import names, recorded

from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.outcome.output_index import LONGEST
from fugue_tui.output_analysis.outcome.rules.loader import rules
from fugue_tui.output_analysis.parse.line_formats import LINE_FORMATS
from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import Meaning
from fugue_tui.output_analysis.text_lines import MOST_LINES, MOST_TEXT

pytestmark = pytest.mark.slow


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every pattern of every rule and line format."""
    for rule in rules():
        yield rule.name, rule.line
        if rule.tally:
            yield rule.name, rule.tally[1]
        for clue in rule.clues:
            yield from ((rule.name, each) for each in (clue.line, clue.above, clue.below) if each)
    yield from ((shape.name, shape.line) for shape in LINE_FORMATS)


def hostile(sample: str) -> list[str]:
    """Lines that make a careless pattern backtrack: long runs, and real lines with changes."""
    runs = ["a", " ", "1", ".", "/", ":", "1,", "a ", "a:", "1 a, ", "x/", "a.", "[", "(", "=", "1 failed, ", "a: "]
    long = [(run * LONGEST)[:LONGEST] for run in runs]
    middle = len(sample) // 2
    grown = [sample[:middle] + (char * LONGEST) + sample[middle:] for char in "a 1.:/"]
    return [*long, *(line[: LONGEST - 1] + "\x00" for line in [*long, *grown])]


def test_no_pattern_backtracks_for_ever_on_any_line() -> None:
    samples = sorted({line for name in names("intent") for line in recorded(name).output.splitlines()[:3]})[:40]
    lines = [line for sample in samples for line in hostile(sample)][:400]
    for name, pattern in patterns():
        found = [pattern.fullmatch(line) for line in lines]
        assert all(match is None or match.end() == len(match.string) for match in found), name


TEXTS = {
    "one character": "a",
    "blanks": " ",
    "lines": "a\n",
    "blank lines": "\n",
    "bars": "|",
    "rows of bars": "| |\n",
    "rules": "-|-\n| |\n",
    "braces": "{",
    "open lists": "[\n",
    "open objects": '{"a":',
    "quotes": '"a\n,b",c\n',
    "commas": "a,b\n",
    "pairs": "a b c: 1\n",
    "assignments": "a = 1\n",
    "columns": "A B  C D  E F\n",
    "wide": "日本  語\n",
    "accents": "e\u0301",
    "joined": "\U0001f468\u200d",
    "escapes": "\x1b[",
    "failures": "FAILED a::b - x\n1 failed in 0.1s\n",
    "errors": "a.c:1:1: error: x\n",
    "tracebacks": 'Traceback (most recent call last):\n  File "a.py", line 1, in b\nXError: y\n',
    "panics": "thread 'a' panicked at a.rs:1:1:\nx\n",
}


@pytest.mark.parametrize("unit", TEXTS.values(), ids=TEXTS.keys())
def test_a_megabyte_of_anything_is_analysed(unit: str) -> None:
    text = (unit * (MOST_TEXT // len(unit) + 1))[:MOST_TEXT]
    assert parse(text).truncated == (len(text.split("\n")) > MOST_LINES)
    assert detect("", text, 1).intent is not Meaning.SUCCESS


def test_more_than_a_megabyte_is_truncated_and_reported() -> None:
    row = "abc123         nginx:latest   Up 2 hours   80/tcp\n"
    text = "CONTAINER ID   IMAGE          STATUS       PORTS\n" + row * 40_000
    found = parse(text, command="docker ps")
    assert found.truncated
    assert len(found.rows) > 10_000
    assert not parse(text[:10_000], command="docker ps").truncated


@pytest.mark.parametrize(
    "command", ["id", "mount", "stat x", "systemctl", "ping x", "route", "who", "last", "git log", "dig x"]
)
def test_jc_reads_any_text_to_its_end(command: str) -> None:
    for unit in ("a", " ", "a: ", "1 ", "a=b ", "eth0: ", "(", "a,", "commit 1\n", "x on y type z (a)\n", "1.1.1.1 "):
        lines = "\n".join((unit * 1000)[:1000] for _ in range(60))
        assert not parse(lines, command=command).truncated


def test_deep_json_is_rejected_without_a_recursion_error() -> None:
    for depth in (100, 10_000, 200_000):
        assert parse("[" * depth + "]" * depth).records is None


HOSTILE_TESTS = [
    "x; rm -rf ~",
    "$(touch /tmp/x)",
    "`id`",
    "--collect-only",
    "-p evil",
    "a\nb",
    "a' && rm -rf '",
    "a|b",
    "\u202egnp",
]


@pytest.mark.parametrize("name", HOSTILE_TESTS)
def test_a_test_name_cannot_become_a_command(name: str) -> None:
    output = (
        f"---- {name} stdout ----\nFAILED {name}::{name} - x\ntest result: FAILED. 0 passed; 1 failed; 0 ignored;\n"
    )
    for action in detect("cargo test", output, 101).suggested_actions:
        words = shlex.split(action)
        assert words[:2] == ["cargo", "test"]
        assert words[3:] == ["--", "--nocapture"]
        assert not words[2].startswith("-")
        assert re.fullmatch(r"[\w./:\[\],=+@ -]+", words[2])


@pytest.mark.parametrize(
    "path", ["/home/someone/.ssh/id_rsa", "../../etc/passwd", "~/.netrc", ".env", "a/.git/config", "-n", "$HOME/x"]
)
def test_no_suggestion_shows_a_file_outside_the_directory_or_a_hidden_one(path: str) -> None:
    found = detect("gcc x.c", f"{path}:1:1: error: look here\n", 1)
    assert found.intent is Meaning.BUILD_ERROR
    assert found.suggested_actions == ()


def test_nothing_is_suggested_that_installs_what_an_output_names() -> None:
    for name in names("intent"):
        record = recorded(name)
        for action in detect(record.command, record.output, record.exit_code).suggested_actions:
            words = shlex.split(action)
            assert not {"install", "add", "rm", "sudo", "push", "reset", "clean", "kill", "-f", "--force"} & set(words)


def test_a_host_is_looked_up_only_if_the_command_names_it() -> None:
    output = "ssh: Could not resolve hostname secret.evil.example: Name or service not known\n"
    assert detect("ssh secret.evil.example", output, 255).suggested_actions == ("getent hosts secret.evil.example",)
    assert detect("./deploy", output, 255).suggested_actions == ()


def test_requests_are_suggested_only_to_local_servers() -> None:
    local = detect("npm run dev", "Server running at http://localhost:3000/admin/delete\n", None)
    assert local.suggested_actions == ("curl -sI http://localhost:3000/",)
    for url in ("http://evil.example:80/", "http://127.0.0.1.evil.example/", "http://localhost@evil.example/"):
        assert detect("npm run dev", f"Server running at {url}\n", None).suggested_actions == ()


def test_results_contain_no_escape_sequences() -> None:
    output = "bash: \x1b[31mnope\x1b[0m: command not found\n\u202e"
    found = detect("nope", output, 127)
    assert found.context.details["module"] == "nope"
    assert "\x1b" not in repr(found)
    assert "\u202e" not in repr(found)
