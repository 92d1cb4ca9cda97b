"""CPU time to read text that was made to be slow to read; of many such texts, the slowest."""

import time
from collections.abc import Callable, Iterator
from itertools import chain

from bench.plan import Plan
from bench.table import Row
from fugue_tui.config.model import SessionSettings
from fugue_tui.multiplexer.watch.patterns import WIDEST, expression
from fugue_tui.output_analysis.outcome.classify import detect
from fugue_tui.output_analysis.outcome.output_index import LONGEST
from fugue_tui.output_analysis.outcome.rules.loader import rules
from fugue_tui.output_analysis.parse.line_formats import LINE_FORMATS
from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.sanitize import clean_text
from fugue_tui.terminal.plain_text import PlainTextExtractor
from fugue_tui.workspace.secret_filter import SecretFilter

MEGABYTE = 1_000_000
OUTPUT = (
    "a", " ", "\n", "a\n", "|", "| |\n", "-|-\n| |\n", "{", "[\n", '{"a":', '"a\n,b",c\n', "a,b\n", "a b c: 1\n",
    "a = 1\n", "A B  C D  E F\n", "日本  語\n", "e\u0301", "\U0001f468\u200d", "\x1b[",
    "FAILED a::b - x\n1 failed in 0.1s\n",
    "a.c:1:1: error: x\n", 'Traceback (most recent call last):\n  File "a.py", line 1, in b\nXError: y\n',
)  # fmt: skip
SEQUENCES = ("\x1b[A", "a\b", "\x1b[999999999999A", "\x1b", "\x1b]x", "\x1b[;;;", "\x1bM\n", "\x9b1;", " \n", "\u202e")
LINES = ("--a-", "://", ":// :", "TOKEN=", "x-a-", '"a', "--token '", "mysql -p", "curl -u a:", "://a:b?", "a=", "ghp_")
EXPRESSIONS = ("(a+)+$b", "(a|aa)+Q", "(.*a){20}Q", "(x+x+)+y", "(?:.?){100}a{100}Q", "[^x]{200}Q", "(?:.{0,9}){0,9}Q")
RUNS = ("a", " ", "1", ".", "/", ":", "1,", "a ", "a:", "1 a, ", "x/", "a.", "[", "(", "=", "1 failed, ", "a: ")


def measure(plan: Plan) -> Iterator[Row]:
    """Every row of this topic."""
    size = plan.often(MEGABYTE, MEGABYTE // 20)
    yield _row("a megabyte parsed", OUTPUT, size, parse, most=3_000)
    yield _row("a megabyte classified", OUTPUT, size, lambda text: detect("", text, 1), most=1_000)
    yield _row("a megabyte cleaned", (*SEQUENCES, *OUTPUT), size, clean_text, most=1_000)
    yield _row("a megabyte to plain text", (*SEQUENCES, *OUTPUT), size, _plain, most=3_000)
    yield _row("100 kB without secrets", LINES, size // 10, SecretFilter(SessionSettings().secrets).line, most=500)
    yield _row("an expression, on the most that is searched", EXPRESSIONS, 0, _search, most=100)
    yield _row("a line, with every rule", RUNS, LONGEST, _match, most=50)


def _row(what: str, units: tuple[str, ...], size: int, work: Callable[[str], object], *, most: float) -> Row:
    spent = {unit: _milliseconds(work, (unit * size)[:size] or unit) for unit in units}
    slowest = max(spent, key=lambda unit: spent[unit])
    samples = {"fugue": list(spent.values())}
    return Row("hostile", what, "ms", spent[slowest], most=most, note=f"of {slowest[:20]!a}", samples=samples)


def _milliseconds(work: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    work(text)
    return (time.process_time() - began) * 1_000


def _plain(text: str) -> None:
    PlainTextExtractor(24).feed(text.encode())


def _search(pattern: str) -> None:
    expression(pattern).search(b"a" * WIDEST, 0, WIDEST)


def _match(line: str) -> None:
    clues = chain.from_iterable(rule.clues for rule in rules())
    found = chain(*((clue.line, clue.above, clue.below) for clue in clues), (rule.line for rule in rules()))
    for pattern in (*found, *(each.line for each in LINE_FORMATS)):
        if pattern:
            pattern.fullmatch(line)
            pattern.fullmatch(line[:-1] + "\0")
