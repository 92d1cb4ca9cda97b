"""Kinds of values: each validates JSON and TOML values, parses command words and writes its JSON Schema.

Validation and schema come from the same object, so they cannot disagree. An error names the path of the value, the
value and what is valid: `splits[1].ratio: "x" is not a number`. Lists and objects may be written as JSON strings.

Few imports and no dataclasses, as a workspace needs this before it shows anything.
"""

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Final, NamedTuple, TypeAlias, cast

from fugue_tui.errors import InvalidArgument
from fugue_tui.validation.suggestion import suggestion

Schema: TypeAlias = dict[str, Any]
Report: TypeAlias = Callable[[str], None]
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_HALVES: Final = re.compile("[\ud800-\udc7f\udd00-\udfff]")

SHOWN: Final = 60
"""Characters of an invalid value in an error text."""
DEEPEST: Final = 64
"""Levels of lists and objects that any JSON may nest."""


class Definitions:
    """The named definitions of a schema that is being written."""

    def __init__(self) -> None:
        self.found: dict[str, Schema] = {}
        self.open: set[str] = set()
        """Records whose schema is being written; a second visit means that it is recursive."""


def at(where: str, name: object) -> str:
    """The path of a member: the name is shortened and escaped, as it is untrusted."""
    written = repr(str(name)[:40])[1:-1]
    return f"{where}.{written}" if where else written


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


class WrongKind(InvalidArgument):
    """A value is not of the kind that is wanted at the path `where`."""

    def __init__(self, where: str, value: object, wanted: str) -> None:
        super().__init__(str(invalid(where, f"{shown(value)} is not {wanted}")))
        self.where = where


class Bounds(NamedTuple):
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

    def check_length(self, length: int, noun: str, where: str) -> None:
        """Raises InvalidArgument if a length is not in the range."""
        if not self.admits(length):
            raise invalid(where, f"{'' if noun == 'characters' else 'has '}{length} {noun}; expected{self.words}")

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


class Kind(ABC):
    """The kind of value of a field."""

    words: str
    """The kind in a few words: `a number from 0.1 to 0.9`."""
    is_word = False
    """Whether a command word is the value itself, and not its JSON."""

    @abstractmethod
    def check(self, value: Any, where: str) -> Any:
        """The validated and converted value. Raises InvalidArgument naming `where` and the reason; WrongKind where
        another kind may be tried."""

    def salvage(self, value: Any, where: str, report: Report) -> Any:
        """As `check`, but an object without its wrong members, each of which is reported."""
        return self.check(value, where)

    def read(self, word: str, where: str) -> Any:
        """The JSON value of a command word."""
        return word if self.is_word else parsed(word, where, self.words)

    @abstractmethod
    def schema(self, defs: Definitions) -> Schema:
        """The JSON Schema; recursive records are put into `defs`."""


class Text(Kind):
    """A string. `nul` is whether NUL is valid, which no argument of a program can hold; `escapes` whether surrogate
    escapes are: the bytes of a file's name that are not UTF-8."""

    words = "text"
    is_word = True

    def __init__(self, bounds: Bounds = UNBOUNDED, *, nul: bool = True, escapes: bool = False) -> None:
        self.bounds, self._nul, self._halves = bounds, nul, _HALVES if escapes else _SURROGATE

    def check(self, value: Any, where: str) -> str:
        if not isinstance(value, str):
            raise WrongKind(where, value, self.words)
        if not value.isascii() and self._halves.search(value):
            raise invalid(where, "holds half of a surrogate pair; send valid Unicode")
        if not self._nul and "\0" in value:
            raise invalid(where, "holds a NUL character; leave it out")
        self.bounds.check_length(len(value), "characters", where)
        return value

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "string", **self.bounds.lengths("Length")}


TEXT: Final = Text()
"""Any text."""


class Number(Kind):
    """A finite number."""

    def __init__(self, bounds: Bounds = UNBOUNDED) -> None:
        self.bounds, self.words = bounds, f"a number{bounds.words}"

    def check(self, value: Any, where: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise WrongKind(where, value, self.words)
        if abs(value) > 1e308 or math.isnan(value) or not self.bounds.admits(value):
            raise WrongKind(where, value, self.words)
        return float(value)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "number", **self.bounds.schema()}


class Integer(Kind):
    """A whole number; as in JSON Schema also one that is written with a fraction of 0, unless it is `strict`."""

    def __init__(self, bounds: Bounds = UNBOUNDED, *, strict: bool = False) -> None:
        self.bounds, self.words, self._strict = bounds, f"a whole number{bounds.words}", strict

    def check(self, value: Any, where: str) -> int:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer() and not self._strict)
        if isinstance(value, bool) or not whole or abs(value) >= 1 << 63 or not self.bounds.admits(value):
            raise WrongKind(where, value, self.words)
        return int(value)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "integer", **self.bounds.schema()}


class Boolean(Kind):
    """True or false."""

    words = "true or false"

    def check(self, value: Any, where: str) -> bool:
        if not isinstance(value, bool):
            raise WrongKind(where, value, self.words)
        return value

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "boolean"}


class Null(Kind):
    """Nothing."""

    words = "null"

    def check(self, value: Any, where: str) -> None:
        if value is not None:
            raise WrongKind(where, value, self.words)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "null"}


_MANY: Final = 8
"""Of more words than these an error names the similar one before it lists them all."""


class Choice(Kind):
    """One of several words, which stand for values."""

    is_word = True

    def __init__(self, options: Mapping[str, Any]) -> None:
        self.options = options
        self.words = " or ".join(options) if len(options) < 3 else f"one of {', '.join(options)}"

    @classmethod
    def of(cls, values: Iterable[Any]) -> "Choice":
        """A choice between the members of an enumeration or of a Literal."""
        return cls({str(value.value if isinstance(value, Enum) else value): value for value in values})

    def check(self, value: Any, where: str) -> Any:
        if isinstance(value, str) and value in self.options:
            return self.options[value]
        near = suggestion(value, self.options)
        if near and len(self.options) > _MANY:
            raise invalid(where, f"{shown(value)} is not known{near} It is {self.words}")
        if near:
            raise invalid(where, f"{shown(value)} is not {self.words}{near}")
        raise WrongKind(where, value, self.words)

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "string", "enum": list(self.options)}


class ListOf(Kind):
    """A list; also accepted as a JSON string."""

    def __init__(self, item: Kind, make: Callable[[list[Any]], Any] = tuple, bounds: Bounds = UNBOUNDED) -> None:
        self.item, self.make, self.bounds, self.words = item, make, bounds, f"a list ({item.words})"

    def check(self, value: Any, where: str) -> Any:
        found = unpacked(value, where, self.words, "[")
        if not isinstance(found, Sequence) or isinstance(found, str | bytes):
            raise WrongKind(where, value, self.words)
        items = cast("Sequence[Any]", found)
        self.bounds.check_length(len(items), "entries", where)
        return self.make([self.item.check(each, f"{where}[{index}]") for index, each in enumerate(items)])

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "array", "items": self.item.schema(defs), **self.bounds.lengths("Items")}


class Table(Kind):
    """An object with free names; also accepted as a JSON string."""

    words = "an object"

    def __init__(self, item: Kind, name: Kind = TEXT, bounds: Bounds = UNBOUNDED) -> None:
        self.item, self.name, self.bounds = item, name, bounds

    def check(self, value: Any, where: str) -> dict[str, Any]:
        return dict(self._pair(name, each, where) for name, each in self._pairs(value, where).items())

    def salvage(self, value: Any, where: str, report: Report) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for name, each in self._pairs(value, where).items():
            try:
                kept |= [self._pair(name, each, where)]
            except InvalidArgument as error:
                report(str(error))
        return kept

    def schema(self, defs: Definitions) -> Schema:
        return {"type": "object", "additionalProperties": self.item.schema(defs) or True}

    def _pairs(self, value: Any, where: str) -> Mapping[str, Any]:
        pairs = entries(value, where, self.words)
        self.bounds.check_length(len(pairs), "entries", where)
        return pairs

    def _pair(self, name: Any, value: Any, where: str) -> tuple[str, Any]:
        path = at(where, name)
        return self.name.check(name, path), self.item.check(value, path)


class OneOf(Kind):
    """The first of several kinds that matches."""

    def __init__(self, kinds: tuple[Kind, ...]) -> None:
        self.kinds = kinds
        self.words = " or ".join(kind.words for kind in kinds if not isinstance(kind, Null))

    def check(self, value: Any, where: str) -> Any:
        errors: list[InvalidArgument] = []
        for kind in self.kinds:
            try:
                return kind.check(value, where)
            except InvalidArgument as error:
                # That a value is not of one of the kinds says less than what is wrong with one of that kind.
                if not _is_other_kind(error, where):
                    errors.append(error)
        raise errors[0] if errors else WrongKind(where, value, self.words)

    def read(self, word: str, where: str) -> Any:
        for kind in self.kinds:
            try:
                kind.check(value := kind.read(word, where), where)
            except InvalidArgument:
                continue
            return value
        real = [kind for kind in self.kinds if not isinstance(kind, Null)]
        return real[0].read(word, where) if len(real) == 1 else word

    def schema(self, defs: Definitions) -> Schema:
        return {"anyOf": [kind.schema(defs) for kind in self.kinds]}


class Anything(Kind):
    """Any JSON value of bounded depth, without NaN or Infinity."""

    words = "any JSON value"

    def __init__(self, text: Text = TEXT) -> None:
        self._text = text

    def check(self, value: Any, where: str) -> Any:
        return _json(value, where, DEEPEST, self._text)

    def read(self, word: str, where: str) -> Any:
        try:
            return parsed(word, where, self.words)
        except InvalidArgument:
            return word

    def schema(self, defs: Definitions) -> Schema:
        return {}


class Unchecked(Anything):
    """A value that is checked elsewhere."""

    def check(self, value: Any, where: str) -> Any:
        return value


class Refined(Kind):
    """A kind with a further condition, a conversion, or other words. `fault` says why a value is invalid, as text that
    follows its path, or nothing."""

    def __init__(
        self,
        kind: Kind,
        fault: Callable[[Any], str] = lambda value: "",
        make: Callable[[Any], Any] = lambda value: value,
        words: str = "",
    ) -> None:
        self.kind, self._fault, self._make, self.words = kind, fault, make, words or kind.words

    def check(self, value: Any, where: str) -> Any:
        return self._refined(value, where, self.kind.check)

    def salvage(self, value: Any, where: str, report: Report) -> Any:
        return self._refined(value, where, lambda value, where: self.kind.salvage(value, where, report))

    def schema(self, defs: Definitions) -> Schema:
        return self.kind.schema(defs)

    def _refined(self, value: Any, where: str, check: Callable[[Any, str], Any]) -> Any:
        try:
            found = check(value, where)
        except InvalidArgument as error:
            raise WrongKind(where, value, self.words) if _is_other_kind(error, where) else error from None
        if fault := self._fault(found):
            raise invalid(where, fault)
        return self._make(found)


def _is_other_kind(error: InvalidArgument, where: str) -> bool:
    return isinstance(error, WrongKind) and error.where == where


def parsed(word: str, where: str, wanted: str) -> Any:
    """The value of a JSON text. Raises InvalidArgument if it is not JSON."""
    try:
        return json.loads(word, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise WrongKind(where, word, wanted) from None


def unpacked(value: Any, where: str, wanted: str, opening: str) -> Any:
    """A value, parsed if it is a JSON string where a list or an object is expected."""
    if isinstance(value, str) and value.lstrip().startswith(opening):
        return parsed(value, where, wanted)
    return value


def entries(value: Any, where: str, wanted: str) -> Mapping[str, Any]:
    """The entries of an object, whose names are unchecked. Raises InvalidArgument if it is none."""
    found = unpacked(value, where, wanted, "{")
    if not isinstance(found, Mapping):
        raise WrongKind(where, value, wanted)
    return cast("Mapping[str, Any]", found)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


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
            wanted = "a finite number" if isinstance(value, int | float) else "a JSON value"
            raise invalid(where, f"{shown(value)} is not {wanted}")
