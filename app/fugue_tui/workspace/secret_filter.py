"""Removes secrets from saves, as far as a name beside them or their form identifies them.

Withheld are: variables and metadata whose names match the patterns; in command lines, titles and tags the values of
assignments and JSON fields with such names (`API_TOKEN=...`), of self-describing options (`--token ...`,
`--db-password=...`), of headers such as `Authorization:`, passwords in URLs, keys and tokens of well-known forms
(`ghp_...`), and the password options of well-known programs (`mysql -phunter2`, see `password_options`). A secret that
looks like any other text is saved; the files are private.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import translate
from typing import Any, Final

from fugue_tui.workspace import password_options
from fugue_tui.workspace.password_options import WITHHELD as WITHHELD

_VALUE: Final = r"""(?:"[^"]*"?|'[^']*'?|[^\s"'])+"""
_SAYS: Final = r"token|secret|password|passwd|passphrase|credentials?|(?:api|access|secret|private)[-_]?key|jwt|bearer"
_NAMED: Final = rf"--?(?:[a-z0-9_-]*(?:{_SAYS})|(?:[a-z0-9]+[-_])*(?:pass|pwd|pw))"
_OPTION: Final = re.compile(rf"(?<![\w-])({_NAMED}(?:=|\s+(?!-))){_VALUE}", re.IGNORECASE)
_LONE_OPTION: Final = re.compile(_NAMED, re.IGNORECASE)
_SETS: Final = frozenset(("set-environment", "setenv"))
"""Commands of tmux that take a variable's name and its value as two words."""
_ASSIGNED: Final = re.compile(r"(?<![\w.])[\w.]+=")
"""A dotted name that is assigned to, from its first character: one that began at each dot would take quadratic time."""
_NAME_START: Final = re.compile(r"(?<![\w-])[A-Za-z_]")
_WHOLE_VALUE: Final = re.compile(_VALUE)
_FIELD: Final = re.compile(r"""(\\?["'])([\w-]+)\1(\s*:\s*)\1(?:(?!\1).)*(?:\1)?""")
_HEADER: Final = re.compile(
    r"""\b((?:proxy-)?authorization|(?:set-)?cookie|private-token|api-?key|x-(?:[a-z]+-){0,4}(?:token|key|auth))"""
    r"""(\s*:\s*)[^'"\n]+""",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"(?<=://)([^\s/:@?#]*):[^\s/?#]+@")
_BEARER: Final = re.compile(r"\b(bearer\s+)[\w.~+/=-]{8,}", re.IGNORECASE)
_SHAPES: Final = re.compile(
    r"(?<![\w-])(?:"
    r"gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeoprs]-[\w-]{10,}|npm_\w{30,}|pypi-[\w-]{30,}"
    r"|sk-[\w-]{20,}|(?:sk|rk)_(?:live|test)_\w{16,}|hf_\w{30,}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*|AGE-SECRET-KEY-\w{20,}|dop_v1_\w{20,}|hvs\.[\w-]{20,}"
    r"|-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END[A-Z ]*-----)?)"
)


class SecretFilter:
    """Identifies secrets by name: patterns with `*`, in any case."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._names = re.compile("|".join(map(translate, patterns)) or r"(?!)", re.IGNORECASE)
        self._off = not patterns

    def secret(self, name: str) -> bool:
        """Whether a name is that of a secret."""
        return self._names.fullmatch(name) is not None

    def line(self, text: str) -> str:
        """A command line, a title or a tag without its secrets; idempotent."""
        if self._off:
            return text
        text = _SHAPES.sub(WITHHELD, text)
        text = _OPTION.sub(rf"\1{WITHHELD}", text)
        text = _HEADER.sub(rf"\1\2{WITHHELD}", text)
        text = _BEARER.sub(rf"\1{WITHHELD}", text)
        text = _URL.sub(rf"\1:{WITHHELD}@", text)
        text = _FIELD.sub(self._field, text)
        return password_options.filter_line(self._assigned(text))

    def words(self, argv: Sequence[str]) -> tuple[str, ...]:
        """A program's arguments without their secrets."""
        if self._off:
            return tuple(argv)
        sifted = password_options.filter_words([self.line(word) for word in argv])
        sets = not _SETS.isdisjoint(argv)
        for index, word in enumerate(argv[:-1]):
            lone = _LONE_OPTION.fullmatch(word) and not argv[index + 1].startswith("-")
            if lone or (sets and self.secret(word)):
                sifted[index + 1] = WITHHELD
        return tuple(sifted)

    def values(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        """The entries whose names are not those of secrets."""
        return {name: value for name, value in entries.items() if not self.secret(name)}

    def nested(self, value: Any) -> Any:
        """A JSON value without the secrets in its objects and its strings."""
        match value:
            case dict():
                return {name: self.nested(inner) for name, inner in self.values(value).items()}  # pyright: ignore[reportUnknownArgumentType]
            case list():
                return [self.nested(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
            case str():
                return self.line(value)
            case _:
                return value

    def _field(self, found: re.Match[str]) -> str:
        """The replacement of a JSON field: itself, unless its name is that of a secret."""
        quote, name, colon = found[1], found[2], found[3]
        return f"{quote}{name}{quote}{colon}{quote}{WITHHELD}{quote}" if self.secret(name) else found[0]

    def _assigned(self, text: str) -> str:
        """A text without the values of assignments whose names are those of secrets."""
        kept, at = list[str](), 0
        while found := _ASSIGNED.search(text, at):
            kept.append(text[at : found.end()])
            at = found.end()
            name = _NAME_START.search(text, found.start(), at)
            if name and self.secret(text[name.start() : at - 1]) and (value := _WHOLE_VALUE.match(text, at)):
                kept.append(WITHHELD)
                at = value.end()
        return "".join([*kept, text[at:]])
