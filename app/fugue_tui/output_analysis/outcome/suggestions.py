"""Commands to suggest, out of templates and of words that a program printed.

The words are untrusted. A template only ever looks closer: it shows, lists, or runs a test or a build once more. Each
hole takes only what its pattern allows, and it is quoted. Nothing is suggested that installs what an output names, or
that shows a file outside the working directory.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Final

from fugue_tui.output_analysis.command_line import Stage
from fugue_tui.output_analysis.outcome.extract import Facts

MOST: Final = 3
"""Suggestions for one output."""
_HOLE: Final = re.compile(r"\{(\w+)\}")
_TEST: Final = re.compile(r"[\w./][\w./:\[\],=+@ -]{0,300}")
_MAIN: Final = "__main__."
_PHRASE: Final = re.compile(r"[\w][\w ,:'-]{0,200}")
_GO_TEST: Final = re.compile(r"[A-Za-z_]\w{0,100}(?:/[\w-]{1,100}){0,5}")
_INSIDE: Final = re.compile(
    r"(?:\./)?[\w@+][\w@+ -]{0,100}(?:\.[\w@+-]{1,60})*(?:/[\w@+][\w@+ -]{0,100}(?:\.[\w@+-]{1,60})*){0,20}"
)
_PATH: Final = re.compile(r"[\w./@+~][\w./@+ -]{0,300}")
_MODULE: Final = re.compile(r"@?\w[\w./@+-]{0,100}")
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,200}")
_LOOPBACK: Final = re.compile(r"https?://(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::\d{1,5})?(?=/|$)")
_WORD: Final = re.compile(r"[\w./+][\w./+-]{0,100}")
_RUNNERS: Final = frozenset(("uv", "poetry", "pdm", "hatch", "pipenv", "rye"))


def suggestions(facts: Facts, stage: Stage | None, command: str) -> tuple[str, ...]:
    """The commands of a rule whose holes can all be filled; `stage` is the program of the command that it is about."""
    filled = (_fill(template, facts, stage, command) for template in facts.rule.actions)
    return tuple(dict.fromkeys(line for line in filled if line))[:MOST]


def _fill(template: str, facts: Facts, stage: Stage | None, command: str) -> str | None:
    parts: list[str] = []
    for word in template.split():
        hole = _HOLE.fullmatch(word)
        value = _HOLES[hole[1]](facts, stage, command) if hole else word
        if value is None:
            return None
        if value:
            parts.append(value)
    return " ".join(parts)


def _start(facts: Facts, stage: Stage | None, command: str) -> str | None:
    """How the program was started, without what only went before it."""
    if stage is None or stage.program not in facts.rule.programs:
        return "python -m unittest" if "unittest" in facts.rule.programs else "pytest"
    words = stage.start
    if "unittest" in facts.rule.programs and stage.program != "unittest":
        words = _own_file(stage)
        return shlex.join(words) if words and all(_WORD.fullmatch(word) for word in words) else None
    if (len(words) > 2 and words[-2] == "-m") or (len(words) > 2 and words[-3] in _RUNNERS and words[-2] == "run"):
        words = words[-3:]
    else:
        words = words[-1:]
    return shlex.join(words) if all(_WORD.fullmatch(word) or word == "-m" for word in words) else None


def _own_file(stage: Stage) -> tuple[str, ...]:
    """A file of tests that was run by itself, and what ran it."""
    return (stage.start[-1], stage.words[1]) if len(stage.words) > 1 and stage.words[1].endswith(".py") else ()


def _test(facts: Facts, stage: Stage | None, command: str) -> str | None:
    """The first failed test; None if it is told as one of a file that was run by itself, and that file is not known."""
    test = next(iter(facts.tests), "")
    inside = test.startswith(_MAIN)
    known = stage is not None and bool(_own_file(stage))
    return None if inside and not known else _quoted(_TEST, test.removeprefix(_MAIN))


def _phrase(facts: Facts, stage: Stage | None, command: str) -> str | None:
    """A test's name as a pattern that matches it: only names without characters that mean something in patterns."""
    test = next(iter(facts.tests), "")
    parts = re.split(r" [›>] ", test)
    return _quoted(_PHRASE, " ".join(parts))


def _go_run(facts: Facts, stage: Stage | None, command: str) -> str | None:
    test = next((each for each in facts.tests if not any(other.startswith(f"{each}/") for other in facts.tests)), "")
    return shlex.quote("/".join(f"^{part}$" for part in test.split("/"))) if _GO_TEST.fullmatch(test) else None


def _package(facts: Facts, stage: Stage | None, command: str) -> str | None:
    """Cargo's choice of a package, as it was given; nothing if none was."""
    words = stage.words if stage else ()
    at = next((at for at, word in enumerate(words) if word in ("-p", "--package")), None)
    if at is None or at + 1 >= len(words):
        return ""
    return f"-p {words[at + 1]}" if _MODULE.fullmatch(words[at + 1]) else None


def _file(facts: Facts, stage: Stage | None, command: str) -> str | None:
    return _quoted(_INSIDE, next(iter(facts.places), ("",))[0])


def _around(facts: Facts, stage: Stage | None, command: str) -> str | None:
    line = next((place[1] for place in facts.places), None)
    return f"{max(1, line - 3)},{line + 3}p" if line is not None else None


def _parent(facts: Facts, stage: Stage | None, command: str) -> str | None:
    path = facts.details.get("path", "")
    return _quoted(_PATH, path.rpartition("/")[0] or ("/" if path.startswith("/") else "."))


def _sport(facts: Facts, stage: Stage | None, command: str) -> str | None:
    port = facts.details.get("port", "")
    return f"'sport = :{int(port)}'" if port.isdecimal() and 0 < int(port) < 1 << 16 else None


def _host(facts: Facts, stage: Stage | None, command: str) -> str | None:
    """A host that the command itself names; no other is looked up."""
    host = facts.details.get("host", "")
    return _quoted(_HOST, host) if host and host in command else None


def _package_of(facts: Facts, stage: Stage | None, command: str) -> str | None:
    return _quoted(_MODULE, facts.details.get("module", "").partition(".")[0])


def _loopback(facts: Facts, stage: Stage | None, command: str) -> str | None:
    found = _LOOPBACK.match(facts.details.get("url", ""))
    return shlex.quote(f"{found[0]}/") if found else None


def _detail(name: str, pattern: re.Pattern[str]) -> Callable[[Facts, Stage | None, str], str | None]:
    return lambda facts, stage, command: _quoted(pattern, facts.details.get(name))


def _quoted(pattern: re.Pattern[str], word: str | None) -> str | None:
    """A word as one argument, if it is what the pattern allows; never one that could be taken for an option."""
    return shlex.quote(word) if word and pattern.fullmatch(word) and not word.startswith("-") else None


_HOLES: Final[Mapping[str, Callable[[Facts, Stage | None, str], str | None]]] = {
    "around": _around,
    "code": _detail("code", re.compile(r"E\d{4}")),
    "file": _file,
    "go_run": _go_run,
    "host": _host,
    "loopback": _loopback,
    "module": _detail("module", _MODULE),
    "package": _package,
    "package_of": _package_of,
    "parent": _parent,
    "path": _detail("path", _PATH),
    "phrase": _phrase,
    "sport": _sport,
    "start": _start,
    "test": _test,
}
