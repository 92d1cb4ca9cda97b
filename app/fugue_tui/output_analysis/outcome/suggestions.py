"""Suggests commands: a rule's templates, filled with words that a program printed.

The words are untrusted. A template only investigates: it shows, lists, or repeats a test or a build. A placeholder
accepts only what its pattern allows, and is quoted. Nothing is suggested that installs what an output names, or that
shows a file outside the working directory.
"""

import re
import shlex
from collections.abc import Callable, Mapping
from typing import Final

from fugue_tui.output_analysis.command_line import Stage
from fugue_tui.output_analysis.outcome.extract import Findings

MOST: Final = 3
"""Suggestions for one output."""
_PLACEHOLDER: Final = re.compile(r"\{(\w+)\}")
_TEST: Final = re.compile(r"[\w./][\w./:\[\],=+@ -]{0,300}")
_MAIN: Final = "__main__."
_TEST_PATTERN: Final = re.compile(r"[\w][\w ,:'-]{0,200}")
_GO_TEST: Final = re.compile(r"[A-Za-z_]\w{0,100}(?:/[\w-]{1,100}){0,5}")
_RELATIVE_FILE: Final = re.compile(
    r"(?:\./)?[\w@+][\w@+ -]{0,100}(?:\.[\w@+-]{1,60})*(?:/[\w@+][\w@+ -]{0,100}(?:\.[\w@+-]{1,60})*){0,20}"
)
_PATH: Final = re.compile(r"[\w./@+~][\w./@+ -]{0,300}")
_MODULE: Final = re.compile(r"@?\w[\w./@+-]{0,100}")
_HOST: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,200}")
_LOCAL_URL: Final = re.compile(r"https?://(?:localhost|127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1?\])(?::\d{1,5})?(?=/|$)")
_WORD: Final = re.compile(r"[\w./+][\w./+-]{0,100}")
_RUNNERS: Final = frozenset(("uv", "poetry", "pdm", "hatch", "pipenv", "rye"))


def suggestions(findings: Findings, stage: Stage | None, command: str) -> tuple[str, ...]:
    """The commands of a rule whose placeholders can all be filled; `stage` is the stage that the rule is for."""
    filled = (_fill(template, findings, stage, command) for template in findings.rule.actions)
    return tuple(dict.fromkeys(line for line in filled if line))[:MOST]


def _fill(template: str, findings: Findings, stage: Stage | None, command: str) -> str | None:
    parts: list[str] = []
    for word in template.split():
        placeholder = _PLACEHOLDER.fullmatch(word)
        value = _PLACEHOLDERS[placeholder[1]](findings, stage, command) if placeholder else word
        if value is None:
            return None
        if value:
            parts.append(value)
    return " ".join(parts)


def _runner(findings: Findings, stage: Stage | None, command: str) -> str | None:
    """The words that start the program, without other wrappers."""
    if stage is None or stage.program not in findings.rule.programs:
        return "python -m unittest" if "unittest" in findings.rule.programs else "pytest"
    words = stage.start
    if "unittest" in findings.rule.programs and stage.program != "unittest":
        words = _own_file(stage)
        return shlex.join(words) if words and all(_WORD.fullmatch(word) for word in words) else None
    wrapped = len(words) > 2 and (words[-2] == "-m" or (words[-3] in _RUNNERS and words[-2] == "run"))
    words = words[-3:] if wrapped else words[-1:]
    return shlex.join(words) if all(_WORD.fullmatch(word) or word == "-m" for word in words) else None


def _own_file(stage: Stage) -> tuple[str, ...]:
    """The program and the test file of `python test_a.py`; else empty."""
    return (stage.start[-1], stage.words[1]) if len(stage.words) > 1 and stage.words[1].endswith(".py") else ()


def _test(findings: Findings, stage: Stage | None, command: str) -> str | None:
    """The first failed test; None if it belongs to `__main__` and its file is unknown."""
    test = next(iter(findings.tests), "")
    inside = test.startswith(_MAIN)
    known = stage is not None and bool(_own_file(stage))
    return None if inside and not known else _quoted(_TEST, test.removeprefix(_MAIN))


def _test_pattern(findings: Findings, stage: Stage | None, command: str) -> str | None:
    """A pattern that matches a test's name; None if the name has characters that are special in patterns."""
    test = next(iter(findings.tests), "")
    parts = re.split(r" [›>] ", test)
    return _quoted(_TEST_PATTERN, " ".join(parts))


def _go_pattern(findings: Findings, stage: Stage | None, command: str) -> str | None:
    test = next(iter(findings.innermost_tests), "")
    return shlex.quote("/".join(f"^{part}$" for part in test.split("/"))) if _GO_TEST.fullmatch(test) else None


def _package(findings: Findings, stage: Stage | None, command: str) -> str | None:
    """Cargo's option `-p` as it was given; empty if it was not."""
    words = stage.words if stage else ()
    at = next((at for at, word in enumerate(words) if word in ("-p", "--package")), None)
    if at is None or at + 1 >= len(words):
        return ""
    return f"-p {words[at + 1]}" if _MODULE.fullmatch(words[at + 1]) else None


def _file(findings: Findings, stage: Stage | None, command: str) -> str | None:
    return _quoted(_RELATIVE_FILE, next(iter(findings.locations), ("",))[0])


def _line_range(findings: Findings, stage: Stage | None, command: str) -> str | None:
    line = next((location[1] for location in findings.locations), None)
    return f"{max(1, line - 3)},{line + 3}p" if line is not None else None


def _parent(findings: Findings, stage: Stage | None, command: str) -> str | None:
    path = findings.details.get("path", "")
    return _quoted(_PATH, path.rpartition("/")[0] or ("/" if path.startswith("/") else "."))


def _port_filter(findings: Findings, stage: Stage | None, command: str) -> str | None:
    port = findings.details.get("port", "")
    return f"'sport = :{int(port)}'" if port.isdecimal() and 0 < int(port) < 1 << 16 else None


def _host(findings: Findings, stage: Stage | None, command: str) -> str | None:
    """A host that the command itself names; None for any other."""
    host = findings.details.get("host", "")
    return _quoted(_HOST, host) if host and host in command else None


def _package_of(findings: Findings, stage: Stage | None, command: str) -> str | None:
    return _quoted(_MODULE, findings.details.get("module", "").partition(".")[0])


def _local_url(findings: Findings, stage: Stage | None, command: str) -> str | None:
    found = _LOCAL_URL.match(findings.details.get("url", ""))
    return shlex.quote(f"{found[0]}/") if found else None


def _detail(name: str, pattern: re.Pattern[str]) -> Callable[[Findings, Stage | None, str], str | None]:
    return lambda findings, stage, command: _quoted(pattern, findings.details.get(name))


def _quoted(pattern: re.Pattern[str], word: str | None) -> str | None:
    """A word as one argument; None if the pattern does not allow it, or it could be an option."""
    return shlex.quote(word) if word and pattern.fullmatch(word) and not word.startswith("-") else None


_PLACEHOLDERS: Final[Mapping[str, Callable[[Findings, Stage | None, str], str | None]]] = {
    "code": _detail("code", re.compile(r"E\d{4}")),
    "file": _file,
    "go_pattern": _go_pattern,
    "host": _host,
    "line_range": _line_range,
    "local_url": _local_url,
    "module": _detail("module", _MODULE),
    "package": _package,
    "package_of": _package_of,
    "parent": _parent,
    "path": _detail("path", _PATH),
    "port_filter": _port_filter,
    "runner": _runner,
    "test": _test,
    "test_pattern": _test_pattern,
}
