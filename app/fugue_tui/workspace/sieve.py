"""Keeps secrets out of what is saved, as far as they can be told by a name beside them.

Withheld are: variables and metadata whose names match the patterns; in command lines, titles and tags the values of
assignments and JSON fields with such names (`API_TOKEN=...`), of options that say what they are (`--token ...`,
`--db-password=...`), of headers such as `Authorization:`, and passwords in URLs. A secret that nothing names
(`mysql -phunter2`) cannot be told from other text, and is saved; the files are private.
"""

import re
from collections.abc import Mapping, Sequence
from fnmatch import translate
from typing import Any, Final

WITHHELD: Final = "[withheld]"
"""Stands where a secret was."""

_VALUE: Final = r"""(?:"[^"]*"?|'[^']*'?|[^\s"'])+"""
_SAYS: Final = r"token|secret|password|passwd|passphrase|credentials?|(?:api|access|secret|private)[-_]?key"
_OPTION: Final = re.compile(rf"(?<![\w-])(--?(?:[a-z0-9]+[-_])*(?:{_SAYS})(?:=|\s+(?!-))){_VALUE}", re.IGNORECASE)
_LONE_OPTION: Final = re.compile(rf"--?(?:[a-z0-9]+[-_])*(?:{_SAYS})", re.IGNORECASE)
_ASSIGNMENT: Final = re.compile(rf"(?<![\w-])([A-Za-z_]\w*)={_VALUE}")
_FIELD: Final = re.compile(r'"([\w-]+)"(\s*:\s*)"[^"]*"?')
_HEADER: Final = re.compile(
    r"""\b((?:proxy-)?authorization|cookie|private-token|x-(?:[a-z]+-){0,4}(?:token|key))(\s*:\s*)[^'"\n]+""",
    re.IGNORECASE,
)
_URL: Final = re.compile(r"(?<=://)([^\s/:@]*):[^\s/@]+@")


class Sieve:
    """Knows secrets by their names: patterns in which * stands for anything, in any case."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._names = re.compile("|".join(map(translate, patterns)) or r"(?!)", re.IGNORECASE)
        self._off = not patterns

    def secret(self, name: str) -> bool:
        """Whether a name is one of a secret."""
        return self._names.fullmatch(name) is not None

    def line(self, text: str) -> str:
        """A command line, a title or a tag without its secrets; sifting again changes nothing."""
        if self._off:
            return text
        text = _OPTION.sub(rf"\1{WITHHELD}", text)
        text = _HEADER.sub(rf"\1\2{WITHHELD}", text)
        text = _URL.sub(rf"\1:{WITHHELD}@", text)
        text = _FIELD.sub(lambda found: self._cut(found, f'"{found[1]}"{found[2]}"{WITHHELD}"'), text)
        return _ASSIGNMENT.sub(lambda found: self._cut(found, f"{found[1]}={WITHHELD}"), text)

    def words(self, argv: Sequence[str]) -> tuple[str, ...]:
        """A program's arguments without their secrets."""
        sifted = [self.line(word) for word in argv]
        if not self._off:
            for index, word in enumerate(argv[:-1]):
                if _LONE_OPTION.fullmatch(word) and not argv[index + 1].startswith("-"):
                    sifted[index + 1] = WITHHELD
        return tuple(sifted)

    def values(self, entries: Mapping[str, Any]) -> dict[str, Any]:
        """What has a name that is no secret's."""
        return {name: value for name, value in entries.items() if not self.secret(name)}

    def nested(self, value: Any) -> Any:
        """A JSON value without the secrets in its objects and its texts."""
        match value:
            case dict():
                return {name: self.nested(inner) for name, inner in self.values(value).items()}  # pyright: ignore[reportUnknownArgumentType]
            case list():
                return [self.nested(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
            case str():
                return self.line(value)
            case _:
                return value

    def _cut(self, found: re.Match[str], cut: str) -> str:
        """What stands for an assignment: itself, unless its name is one of a secret."""
        return cut if self.secret(found[1]) else found[0]
