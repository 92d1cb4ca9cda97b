"""Kinds of values: each validates JSON and TOML values, parses command words and writes its JSON Schema.

Validation and schema come from the same object, so they cannot disagree. An error names the path of the value, the
value and what is valid: `splits[1].ratio: "x" is not a number`. Lists and objects may be written as JSON strings.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from enum import Enum
from typing import Any, Final, TypeAlias, cast

from fugue_tui.errors import InvalidArgument

Schema: TypeAlias = dict[str, Any]
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HALVES: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")

SHOWN: Final = 60
"""Characters of an invalid value in an error text."""


@dataclass(slots=True)
class Definitions:
    """The named definitions of a schema that is being written."""

    found: dict[str, Schema] = field(default_factory=dict[str, Schema])
    open: set[str] = field(default_factory=set[str])
    """Records whose schema is being written; a second visit means that it is recursive."""


def at(where: str, name: object) -> str:
    """The path of a member: the name is shortened and escaped, as it is untrusted."""
    written = repr(str(name)[:40])[1:-1]
    return f"{where}.{written}" if where else written


def near(word: object, choices: Iterable[str]) -> str:
    """`; did you mean ...?` if one of the choices is similar to a word; else empty."""
    found = get_close_matches(str(word)[:40].lower(), list(choices), n=1)
    return f"; did you mean {found[0]}?" if found else ""


def shown(value: object) -> str:
    """An invalid value for an error text: ASCII, short, without control characters."""
    try:
        text = json.dumps(value)
    except (TypeError, ValueError, RecursionError):
        text = f"a {type(value).__name__}"
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


def invalid(where: str, reason: str) -> InvalidArgument:
    """The error for the value at a path; an empty path is for the caller to name."""
    return InvalidArgument(f"{where}: {reason}" if where else reason)


def wrong(where: str, value: object, wanted: str) -> InvalidArgument:
    """The error for a value of another kind."""
    return invalid(where, f"{shown(value)} is not {wanted}")


class Kind:
    """The kind of value of a field."""

    def check(self, value: Any, where: str) -> Any:
        """The validated and converted value. Raises InvalidArgument naming `where` and the reason."""
        raise AssertionError(f"{type(self).__name__} has no check method")

    def salvage(self, value: Any, where: str, report: Callable[[str], None]) -> Any:
        """As `check`, but an object without its wrong members, each of which is reported."""
        return self.check(value, where)

    def read(self, word: str, where: str) -> Any:
        """The JSON value of a command word."""
        return parsed(word, where, self.words)

    def schema(self, defs: Definitions) -> Schema:
        """The JSON Schema; recursive records are put into `defs`."""
        raise AssertionError(f"{type(self).__name__} is abstract")

    @property
    def words(self) -> str:
        """The kind in a few words: `a number from 0.1 to 0.9`."""
        raise AssertionError(f"{type(self).__name__} is abstract")


@dataclass(frozen=True, slots=True)
class Bounds:
    """The range of a number or a length; None means no limit."""

    ge: float | None = None
    le: float | None = None
    gt: float | None = None
    lt: float | None = None

    def admits(self, value: float) -> bool:
        """Whether a value is in the range."""
        return (
            (self.ge is None or value >= self.ge)
            and (self.le is None or value <= self.le)
            and (self.gt is None or value > self.gt)
            and (self.lt is None or value < self.lt)
        )

    def schema(self) -> Schema:
        """The JSON Schema keywords of a number's range."""
        names = {"minimum": self.ge, "maximum": self.le, "exclusiveMinimum": self.gt, "exclusiveMaximum": self.lt}
        return {name: bound for name, bound in names.items() if bound is not None}

    def lengths(self, noun: str) -> Schema:
        """The JSON Schema keywords of a length's range, such as `minItems`."""
        return {name: bound for name, bound in ((f"min{noun}", self.ge), (f"max{noun}", self.le)) if bound is not None}

    @property
    def words(self) -> str:
        """The range in words, with a leading space, or nothing."""
        if self.ge is not None and self.le is not None:
            return f" from {self.ge:.15g} to {self.le:.15g}"
        limits = {"at least": self.ge, "at most": self.le, "more than": self.gt, "less than": self.lt}
        parts = [f"{word} {bound:.15g}" for word, bound in limits.items() if bound is not None]
        return f" {' and '.join(parts)}" if parts else ""


UNBOUNDED: Final = Bounds()
"""No limit on either side."""


@dataclass(frozen=True, slots=True)
class Text(Kind):
    """A string."""

    bounds: Bounds = UNBOUNDED
    nul: bool = True
    """Whether NUL is valid, which no argument of a program can hold."""
    escapes: bool = False
    """Whether surrogate escapes are valid: the bytes of a file's name that are not UTF-8."""

    def check(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            raise wrong(where, value, self.words)
        if not value.isascii() and (_HALVES if self.escapes else _SURROGATE).search(value):
            raise invalid(where, "holds half of a surrogate pair; send valid Unicode")
        if not self.nul and "\0" in value:
            raise invalid(where, "holds a NUL character; leave it out")
        if not self.bounds.admits(len(value)):
            raise invalid(where, f"{len(value)} characters; wants{self.bounds.words}")
        return value

    def read(self, word: str, where: str) -> str:
        return word

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "string", **self.bounds.lengths("Length")}

    @property
    def words(self) -> str:
        return "text"


TEXT: Final = Text()
"""Any text."""


@dataclass(frozen=True, slots=True)
class Number(Kind):
    """A finite number."""

    bounds: Bounds = UNBOUNDED

    def check(self, value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise wrong(where, value, self.words)
        if abs(value) > 1e308 or math.isnan(value) or not self.bounds.admits(value):
            raise wrong(where, value, self.words)
        return float(value)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "number", **self.bounds.schema()}

    @property
    def words(self) -> str:
        return f"a number{self.bounds.words}"


@dataclass(frozen=True, slots=True)
class Integer(Kind):
    """A whole number."""

    bounds: Bounds = UNBOUNDED

    def check(self, value: Any, where: str) -> int:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        if isinstance(value, bool) or not whole or abs(value) >= 1 << 63 or not self.bounds.admits(value):
            raise wrong(where, value, self.words)
        return int(value)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "integer", **self.bounds.schema()}

    @property
    def words(self) -> str:
        return f"a whole number{self.bounds.words}"


@dataclass(frozen=True, slots=True)
class Boolean(Kind):
    """True or false."""

    def check(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            raise wrong(where, value, self.words)
        return value

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "boolean"}

    @property
    def words(self) -> str:
        return "true or false"


@dataclass(frozen=True, slots=True)
class Null(Kind):
    """Nothing."""

    def check(self, value: Any, where: str) -> None:
        if value is not None:
            raise wrong(where, value, self.words)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "null"}

    @property
    def words(self) -> str:
        return "null"


@dataclass(frozen=True, slots=True, eq=False)
class Choice(Kind):
    """One of several words."""

    options: Mapping[str, Any]
    """The values of the words."""

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Choice":
        """A choice between the members of an enumeration or of a Literal."""
        return cls({str(value.value if isinstance(value, Enum) else value): value for value in values})

    def check(self, value: Any, where: str) -> Any:
        if isinstance(value, str) and value in self.options:
            return self.options[value]
        raise wrong(where, value, f"{self.words}{near(value, self.options)}")

    def read(self, word: str, where: str) -> str:
        return word

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "string", "enum": list(self.options)}

    @property
    def words(self) -> str:
        return " or ".join(self.options) if len(self.options) < 3 else f"one of {', '.join(self.options)}"


def parsed(word: str, where: str, wanted: str) -> Any:
    """The value of a JSON text. Raises InvalidArgument if it is not JSON."""
    try:
        return json.loads(word, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise wrong(where, word, wanted) from None


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


DEEPEST: Final = 64
"""Levels of lists and objects that an argument may nest."""


@dataclass(frozen=True, slots=True)
class ListOf(Kind):
    """A list; also accepted as a JSON string."""

    item: Kind
    make: Callable[[list[Any]], Any] = tuple
    bounds: Bounds = UNBOUNDED

    def check(self, value: Any, where: str) -> Any:
        found = unpacked(value, where, self.words, "[")
        if not isinstance(found, Sequence) or isinstance(found, str | bytes):
            raise wrong(where, value, self.words)
        items = cast("Sequence[Any]", found)
        if not self.bounds.admits(len(items)):
            raise invalid(where, f"has {len(items)} entries; wants{self.bounds.words}")
        return self.make([self.item.check(each, f"{where}[{index}]") for index, each in enumerate(items)])

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "array", "items": self.item.schema(defs), **self.bounds.lengths("Items")}

    @property
    def words(self) -> str:
        return f"a list ({self.item.words})"


@dataclass(frozen=True, slots=True)
class Table(Kind):
    """An object with free names; also accepted as a JSON string."""

    item: Kind
    name: Kind = TEXT
    bounds: Bounds = UNBOUNDED

    def check(self, value: Any, where: str) -> dict[str, Any]:
        pairs = self._pairs(value, where)
        return dict(self._pair(name, each, where) for name, each in pairs.items())

    def salvage(self, value: Any, where: str, report: Callable[[str], None]) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, each in self._pairs(value, where).items():
            try:
                kept |= [self._pair(name, each, where)]
            except InvalidArgument as error:
                report(str(error))
        return kept

    def _pairs(self, value: Any, where: str) -> Mapping[Any, Any]:
        found = unpacked(value, where, self.words, "{")
        if not isinstance(found, Mapping):
            raise wrong(where, value, self.words)
        if not self.bounds.admits(len(pairs := cast("Mapping[Any, Any]", found))):
            raise invalid(where, f"has {len(pairs)} entries; wants{self.bounds.words}")
        return pairs

    def _pair(self, name: Any, value: Any, where: str) -> tuple[str, Any]:
        path = at(where, name)
        return self.name.check(name, path), self.item.check(value, path)

    def schema(self, defs: Definitions) -> Schema:
        inner = self.item.schema(defs)
        return {"type": "object", "additionalProperties": inner or True}

    @property
    def words(self) -> str:
        return "an object"


@dataclass(frozen=True, slots=True)
class OneOf(Kind):
    """The first of several kinds that matches."""

    kinds: tuple[Kind, ...]

    def check(self, value: Any, where: str) -> Any:
        errors: list[InvalidArgument] = []
        for kind in self.kinds:
            try:
                return kind.check(value, where)
            except InvalidArgument as error:
                # That a value is not of one of the kinds says less than what is wrong with one of that kind.
                if str(error) != str(wrong(where, value, kind.words)):
                    errors.append(error)
        raise errors[0] if errors else wrong(where, value, self.words)

    def read(self, word: str, where: str) -> Any:
        for kind in self.kinds:
            try:
                kind.check(value := kind.read(word, where), where)
            except InvalidArgument:
                continue
            return value
        return word

    def schema(self, defs: Definitions) -> Schema:
        return {"anyOf": [kind.schema(defs) for kind in self.kinds]}

    @property
    def words(self) -> str:
        return " or ".join(kind.words for kind in self.kinds if not isinstance(kind, Null))


@dataclass(frozen=True, slots=True)
class Anything(Kind):
    """Any JSON value of bounded depth, without NaN or Infinity."""

    text: Text = TEXT

    def check(self, value: Any, where: str) -> Any:
        return _json(value, where, DEEPEST, self.text)

    def read(self, word: str, where: str) -> Any:
        try:
            return parsed(word, where, self.words)
        except InvalidArgument:
            return word

    def schema(self, defs: Definitions) -> Schema:
        return {}

    @property
    def words(self) -> str:
        return "any JSON value"


def unpacked(value: Any, where: str, wanted: str, opening: str) -> Any:
    """A value, parsed if it is a JSON string where a list or an object is expected."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        return parsed(value, where, wanted)
    return value


def _json(value: Any, where: str, levels: int, text: Text) -> Any:
    """A copy of a JSON value; tuples become lists and mappings objects."""
    if levels == 0:
        raise invalid(where.split(".")[0].split("[")[0], f"nested deeper than {DEEPEST} levels")
    match value:
        case None | bool():
            return value
        case str():
            return text.check(value, where)
        case int() if abs(value) < 1 << 63:
            return value
        case float() if math.isfinite(value):
            return value
        case list() | tuple():
            items = enumerate(cast("Sequence[Any]", value))
            return [_json(inner, f"{where}[{index}]", levels - 1, text) for index, inner in items]
        case Mapping():
            pairs = cast("Mapping[Any, Any]", value).items()
            return {text.check(name, where): _json(inner, at(where, name), levels - 1, text) for name, inner in pairs}
        case _:
            raise wrong(where, value, "a finite number" if isinstance(value, int | float) else "a JSON value")


@dataclass(frozen=True, slots=True)
class Unchecked(Anything):
    """A value that is checked elsewhere."""

    def check(self, value: Any, where: str) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Refined(Kind):
    """A kind with a further condition, a conversion, or other words."""

    kind: Kind
    fault: Callable[[Any], str] = lambda value: ""
    """Why a value is invalid, as text that follows its path; empty if it is valid."""
    make: Callable[[Any], Any] = lambda value: value
    said: str = ""
    """The kind in a few words, in place of its own."""

    def check(self, value: Any, where: str) -> Any:
        try:
            found = self.kind.check(value, where)
        except InvalidArgument as error:
            is_other_kind = str(error) == str(wrong(where, value, self.kind.words))
            raise wrong(where, value, self.words) if is_other_kind else error from None
        if fault := self.fault(found):
            raise invalid(where, fault)
        return self.make(found)

    def schema(self, defs: Definitions) -> Schema:
        return self.kind.schema(defs)

    @property
    def words(self) -> str:
        return self.said or self.kind.words
