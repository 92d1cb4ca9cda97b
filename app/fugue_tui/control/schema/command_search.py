"""Finds commands by the meaning of words: by their own words, tmux's names, and a table of synonyms."""

import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from math import log
from types import MappingProxyType
from typing import Final

from fugue_tui.control.core.command import for_agents
from fugue_tui.control.schema.command_schema import describe
from fugue_tui.control.schema.tmux_names import TMUX, tmux_names

SYNONYMS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "abort": "interrupt",
        "alias": "inject context",
        "approve": "approvals",
        "bash": "execute command",
        "bigger": "resize",
        "build": "run command",
        "cancel": "interrupt",
        "capture": "read screenshot",
        "clipboard": "read selection",
        "console": "pane",
        "content": "read",
        "delete": "close",
        "diagnose": "detect intent",
        "env": "inject context",
        "environment": "inject context",
        "error": "detect intent",
        "exec": "execute command",
        "expect": "wait output",
        "fail": "detect intent",
        "failure": "detect intent",
        "find": "search",
        "follow": "stream output",
        "grep": "search",
        "height": "resize",
        "history": "commands",
        "image": "screenshot",
        "info": "snapshot",
        "inspect": "snapshot",
        "json": "parse output",
        "kill": "close signal",
        "launch": "run command",
        "log": "read",
        "look": "snapshot",
        "monitor": "stream wait",
        "new": "create split",
        "open": "split",
        "parallel": "coordinate",
        "paste": "send input",
        "persist": "save",
        "picture": "screenshot",
        "pid": "running process",
        "png": "screenshot",
        "poll": "wait output",
        "preset": "layout",
        "press": "send keys",
        "print": "read",
        "pwd": "current directory",
        "restart": "respawn",
        "row": "parse output",
        "screen": "read",
        "script": "run command",
        "scrollback": "read",
        "selection": "read",
        "sequence": "coordinate",
        "shell": "execute command",
        "show": "read",
        "shrink": "resize",
        "sleep": "wait",
        "spawn": "split run",
        "start": "run start",
        "state": "snapshot",
        "status": "list snapshot",
        "stop": "interrupt",
        "tab": "window",
        "table": "parse output",
        "tail": "stream output",
        "terminal": "pane",
        "terminate": "signal close",
        "text": "read send",
        "type": "send input",
        "until": "wait output",
        "variable": "inject context",
        "view": "read",
        "watch": "wait output",
        "width": "resize",
        "write": "send input",
    }
)
"""Words, and the words of commands that mean the same."""

_IDLE: Final = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "by",
        "did",
        "do",
        "for",
        "from",
        "get",
        "how",
        "i",
        "in",
        "is",
        "it",
        "me",
        "my",
        "of",
        "on",
        "or",
        "that",
        "the",
        "to",
        "up",
        "what",
        "why",
        "with",
    ]
)
"""Words without a meaning of their own."""
NAME, THEIRS, SUMMARY = 3.0, 2.0, 1.0
"""How much a word in a command's name, in tmux's name for it, and in its summary counts."""
_SYNONYM: Final = 0.8
"""How much a synonym counts, compared with the word itself."""


def search(text: str, most: int = 5) -> tuple[str, ...]:
    """The commands that words may mean, the likeliest first."""
    words = tuple(word for word in dict.fromkeys(_words(text[:400])) if word not in _IDLE)
    scores = {verb: sum(_score(word, weights) for word in words) for verb, weights in _index().items()}
    least = max(scores.values()) / 2
    found = sorted((verb for verb, score in scores.items() if score > least), key=lambda verb: -scores[verb])
    theirs = TMUX.get(text.strip().lower().replace("_", "-").removeprefix("fugue-"))
    meant = [theirs] if theirs else []
    return (*meant, *(verb for verb in found if verb not in meant))[:most]


def _score(word: str, weights: Mapping[str, float]) -> float:
    meant = (weights.get(each, 0.0) for each in SYNONYMS.get(word, "").split())
    return max(weights.get(word, 0.0), _SYNONYM * sum(meant))


@cache
def _index() -> Mapping[str, Mapping[str, float]]:
    """The weight of each word for each command: rare words count more."""
    found = {cls.verb: _weights(cls.verb, describe(cls).summary) for cls in for_agents()}
    counts = Counter(word for weights in found.values() for word in weights)
    rarity = {word: log(1 + len(found) / count) for word, count in counts.items()}
    return {verb: {word: weight * rarity[word] for word, weight in weights.items()} for verb, weights in found.items()}


def _weights(verb: str, summary: str) -> dict[str, float]:
    weights = dict.fromkeys(_words(summary), SUMMARY)
    weights |= dict.fromkeys(_words(" ".join(tmux_names(verb))), THEIRS)
    return weights | dict.fromkeys(_words(verb), NAME)


def _words(text: str) -> list[str]:
    """The words of a text in lower case and the singular."""
    return [_singular(word) for word in re.findall(r"[a-z]+", text.lower().replace("fugue", ""))]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
