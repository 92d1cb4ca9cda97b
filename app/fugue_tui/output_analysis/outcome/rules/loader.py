"""Loads the rules from the TOML files beside this module.

Each `[[rule]]` has the fields of `Rule`, each of its `clues` those of `Clue`; `[defaults]` are for all rules of a file.
A pattern is a string, or a list of its parts. `{NAME}` in a string is an entry of `[fragments]`; a clue may be the name
of a table `[clues.name]`. Those of shared.toml are for all files.
"""

import re
import tomllib
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

import msgspec

from fugue_tui.output_analysis.outcome.rules.rule import Rule

FILES: Final = (
    *("test_runners", "dependency_missing", "not_found", "build_error", "syntax_error", "lint_error", "git"),
    *("port_in_use", "auth_required", "permission_denied", "disk_full", "network_error", "prompt_waiting"),
    *("server_ready", "crash"),
)
"""In order of preference at equal confidence."""
_FRAGMENT: Final = re.compile(r"\{([A-Z_]+)\}")


@cache
def rules() -> tuple[Rule, ...]:
    """All rules, in order of preference at equal confidence; read and compiled by the first call."""
    return tuple(rule for name in FILES for rule in parse_rules(f"{name}.toml", _text(f"{name}.toml")))


def parse_rules(file: str, text: str) -> list[Rule]:
    """The rules of one file. Raises ValueError with the names of the file and of the malformed rule."""
    with _named(file):
        data = tomllib.loads(text)
        fragments = _fragments({**_shared()["fragments"], **data.get("fragments", {})})
        clues = _expanded({**_shared()["clues"], **data.get("clues", {})}, fragments)
        return [_rule({**data.get("defaults", {}), **raw}, fragments, clues) for raw in data["rule"]]


def _text(file: str) -> str:
    return Path(__file__).with_name(file).read_text("utf-8")


@cache
def _shared() -> dict[str, Any]:
    return tomllib.loads(_text("shared.toml"))


def _rule(raw: dict[str, Any], fragments: Mapping[str, str], clues: Mapping[str, Any]) -> Rule:
    with _named(f"rule {raw.get('name')!r}"):
        raw = _expanded(raw, fragments)
        if isinstance(programs := raw.get("programs"), str):
            raw["programs"] = programs.split()
        raw["clues"] = [clues[each] if isinstance(each, str) else each for each in raw.get("clues", ())]
        return msgspec.convert(raw, Rule, dec_hook=_pattern)


def _fragments(raw: Mapping[str, str]) -> dict[str, str]:
    """The fragments, expanded; one may contain those before it."""
    found: dict[str, str] = {}
    for name, text in raw.items():
        found[name] = _expanded(text, found)
    return found


def _expanded(value: Any, fragments: Mapping[str, str]) -> Any:
    """A value with the fragments in its strings expanded."""
    if isinstance(value, str):
        return _FRAGMENT.sub(lambda found: fragments[found[1]], value)
    if isinstance(value, list):
        return [_expanded(each, fragments) for each in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {key: _expanded(each, fragments) for key, each in cast("dict[str, Any]", value).items()}
    return value


@contextmanager
def _named(where: str) -> Generator[None]:
    """Put a name before the message of an error."""
    try:
        yield
    except KeyError as error:
        raise ValueError(f"{where}: no {error} is defined") from error
    except (TypeError, ValueError) as error:
        raise ValueError(f"{where}: {error}") from error


def _pattern(kind: type, parts: str | list[str]) -> re.Pattern[str]:
    """A pattern from its parts. Raises ValueError for one that cannot be compiled."""
    try:
        return re.compile("".join(parts))
    except re.error as error:
        raise ValueError(str(error)) from error
