"""Parses layouts from unchecked JSON values; `spec` describes the format.

Every fault raises InvalidArgument with its path; nothing else is raised.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, NoReturn, cast

from fugue_tui.errors import InvalidArgument
from fugue_tui.geometry import Axis
from fugue_tui.layout.apportion import whole
from fugue_tui.layout.spec_types import PaneSpec, Spec, SplitSpec
from fugue_tui.layout.tree import MAX_DEPTH, MAX_PANES
from fugue_tui.sanitize import clean

MAX_ENTRY = 1 << 16
"""Most characters of a command, argument, directory or variable."""
MAX_ENTRIES = 1024
"""Most arguments of a command, or variables of a pane."""
MAX_TAGS = 32
"""Most tags of a pane."""
MAX_TAG = 64
"""Most characters of a tag."""

_DIRECTIONS = {
    "horizontal": Axis.HORIZONTAL,
    "right": Axis.HORIZONTAL,
    "vertical": Axis.VERTICAL,
    "down": Axis.VERTICAL,
}
_ON_EXIT: dict[str, Literal["", "close", "keep"]] = {"": "", "close": "close", "keep": "keep"}
_NODE_KEYS = ("pane", "direction", "splits")
_ITEM_KEYS = ("ratio", "layout", *_NODE_KEYS)
_PANE_KEYS = ("name", "command", "cwd", "env", "on_exit", "tags", "focus")


def parse_pane(value: object, path: str = "pane") -> PaneSpec:
    """Parse one pane's specification, as in a preset's list of commands."""
    entries = as_object(value, path)
    known(entries, _PANE_KEYS, path)
    return PaneSpec(
        command=_command(entries.get("command", ""), f"{path}.command"),
        cwd=text(entries.get("cwd", ""), f"{path}.cwd"),
        name=text(entries.get("name", ""), f"{path}.name"),
        env=_env(entries.get("env", {}), f"{path}.env"),
        on_exit=_on_exit(entries.get("on_exit", ""), f"{path}.on_exit"),
        tags=_tags(entries.get("tags", ()), f"{path}.tags"),
        focus=flag(entries.get("focus", False), f"{path}.focus"),
    )


@dataclass(slots=True)
class Reader:
    """Parses one window; counts its panes, and those with the focus."""

    panes: int = 0
    focused: int = 0

    def node(self, value: object, path: str, level: int) -> Spec:
        """Parse a layout: a pane, or a split nested in `level` others."""
        entries = as_object(value, path)
        known(entries, _NODE_KEYS, path)
        return self.body(entries, path, level)

    def body(self, entries: dict[str, object], path: str, level: int) -> Spec:
        """Parse a pane or a split from an object whose keys are valid."""
        if "pane" in entries:
            if len(entries) > 1:
                fail(path, "has a pane and splits; give one of them")
            return self.pane(entries["pane"], _at(path, "pane"))
        if not entries:
            fail(path, 'needs a "pane", or a "direction" and "splits"')
        axis = _direction(entries, path)
        return self.split(axis, entries.get("splits"), _at(path, "splits"), level + 1)

    def pane(self, value: object, path: str) -> PaneSpec:
        """Parse a pane, within the limit of panes."""
        self.panes += 1
        if self.panes > MAX_PANES:
            fail(path, f"too many panes; a window holds at most {MAX_PANES}")
        found = parse_pane(value, path)
        self.focused += found.focus
        if self.focused > 1:
            fail(f"{path}.focus", "another pane of this window has the focus already")
        return found

    def split(self, axis: Axis, value: object, path: str, level: int) -> Spec:
        """Parse the items of a split."""
        if level > MAX_DEPTH:
            fail(path, f"too deep; at most {MAX_DEPTH} splits lie inside one another")
        if not isinstance(value, list | tuple) or not value:
            fail(path, f"must be a list of splits, not {_kind(cast(object, value))}")
        items = cast(Sequence[object], value)
        if len(items) > MAX_PANES:
            fail(path, f"too many splits; a window holds at most {MAX_PANES} panes")
        objects = [as_object(item, f"{path}[{index}]") for index, item in enumerate(items)]
        children = tuple(self.item(item, f"{path}[{index}]", level) for index, item in enumerate(objects))
        weights = _weights(objects, path)
        if len(children) == 1:
            fail(path, "has one item, which is no split; give its pane or layout in place of the split, or add another")
        return SplitSpec(axis, children, weights)

    def item(self, entries: dict[str, object], path: str, level: int) -> Spec:
        """Parse one item of a split, without its ratio."""
        known(entries, _ITEM_KEYS, path)
        body = {key: value for key, value in entries.items() if key != "ratio"}
        if not body:
            return self.pane({}, path)
        if "layout" not in body:
            return self.body(body, path, level)
        if len(body) > 1:
            fail(path, "has a layout and more; put it all into the layout")
        return self.node(body["layout"], _at(path, "layout"), level)


def _weights(items: Sequence[dict[str, object]], path: str) -> tuple[int, ...]:
    """The items' ratios as weights; those without one share the remainder of 1."""
    given = [_ratio(item["ratio"], f"{path}[{i}].ratio") if "ratio" in item else None for i, item in enumerate(items)]
    missing = given.count(None)
    rest = 1 - sum((ratio for ratio in given if ratio is not None), Fraction(0))
    if missing and rest <= 0:
        fail(f"{path}[{given.index(None)}].ratio", "is missing, and the others leave nothing of 1; give every ratio")
    return whole([rest / missing if ratio is None else ratio for ratio in given])


def _ratio(value: object, path: str) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | float):
        fail(path, f"must be a number, not {_kind(value)}")
    if not 0 < value < 10**9:
        fail(path, "must be a number above 0 and below a billion, such as 0.35")
    return max(Fraction(value).limit_denominator(10**6), Fraction(1, 10**6))


def _direction(entries: dict[str, object], path: str) -> Axis:
    path = _at(path, "direction")
    if "direction" not in entries:
        fail(path, "is missing; horizontal is side by side, vertical is stacked")
    value = entries["direction"]
    if not isinstance(value, str) or value not in _DIRECTIONS:
        shown = _shown(value) if isinstance(value, str) else _kind(value)
        fail(path, f"must be horizontal (side by side) or vertical (stacked), not {shown}")
    return _DIRECTIONS[value]


def _command(value: object, path: str) -> str | tuple[str, ...]:
    if isinstance(value, str):
        return text(value, path)
    if not isinstance(value, list | tuple):
        fail(path, f"must be a string for the shell or a list of arguments, not {_kind(value)}")
    words = cast(Sequence[object], value)
    if not 0 < len(words) <= MAX_ENTRIES:
        fail(path, f"must hold 1 to {MAX_ENTRIES} arguments")
    argv = tuple(text(word, f"{path}[{index}]") for index, word in enumerate(words))
    if not argv[0]:
        fail(f"{path}[0]", "must name a program")
    return argv


def _env(value: object, path: str) -> MappingProxyType[str, str]:
    entries = as_object(value, path)
    if len(entries) > MAX_ENTRIES:
        fail(path, f"holds more than {MAX_ENTRIES} variables")
    for name in entries:
        if not name or "=" in name or "\0" in name:
            fail(path, f"{_shown(name)} is not a variable's name")
    return MappingProxyType({name: text(entry, f"{path}.{_plain(name)}") for name, entry in entries.items()})


def _on_exit(value: object, path: str) -> Literal["", "close", "keep"]:
    if not isinstance(value, str) or value not in _ON_EXIT:
        fail(path, "must be close or keep")
    return _ON_EXIT[value]


def _tags(value: object, path: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or len(cast(Sequence[object], value)) > MAX_TAGS:
        fail(path, f"must be a list of at most {MAX_TAGS} words")
    tags = [text(tag, f"{path}[{index}]") for index, tag in enumerate(cast(Sequence[object], value))]
    for index, tag in enumerate(tags):
        if not tag or len(tag) > MAX_TAG or clean(tag) != tag:
            fail(f"{path}[{index}]", f"must be 1 to {MAX_TAG} characters that can be shown")
    return tuple(dict.fromkeys(tags))


def flag(value: object, path: str) -> bool:
    """A boolean; raises InvalidArgument otherwise."""
    if not isinstance(value, bool):
        fail(path, f"must be true or false, not {_kind(value)}")
    return value


def text(value: object, path: str) -> str:
    """A string that can be passed to a program; raises InvalidArgument otherwise."""
    if not isinstance(value, str):
        fail(path, f"must be a string, not {_kind(value)}")
    if "\0" in value or len(value) > MAX_ENTRY:
        fail(path, f"must be at most {MAX_ENTRY} characters without NUL")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        fail(path, "holds half a surrogate pair, which is no character")
    return value


def as_object(value: object, path: str) -> dict[str, object]:
    """A JSON object; raises InvalidArgument otherwise."""
    if not isinstance(value, dict):
        fail(path, f"must be an object, not {_kind(value)}")
    entries = cast(dict[object, object], value)
    if not all(isinstance(key, str) for key in entries):
        fail(path, "must have strings for keys")
    return cast(dict[str, object], entries)


def known(entries: Iterable[str], keys: Sequence[str], path: str) -> None:
    """Raise InvalidArgument for an unknown key, with the closest valid one."""
    unknown = next((key for key in entries if key not in keys), None)
    if unknown is None:
        return
    from difflib import get_close_matches

    near = get_close_matches(unknown[:40], keys, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(keys)}"
    fail(path, f"has no key {_shown(unknown)}; {hint}")


def fail(path: str, reason: str) -> NoReturn:
    """Raise InvalidArgument with the path; the root is called `layout`."""
    raise InvalidArgument(f"{path or 'layout'}: {reason}") from None


def _at(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _kind(value: object) -> str:
    """The type of a value, in JSON's terms."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case int() | float():
            return "a number"
        case str():
            return "a string"
        case list() | tuple():
            return "a list" if value else "an empty list"
        case dict():
            return "an object"
        case _:
            return f"a {type(value).__name__}"


def _shown(text: str) -> str:
    """Untrusted text, shortened and escaped."""
    return repr(text if len(text) <= 40 else f"{text[:40]}...")


def _plain(text: str) -> str:
    return _shown(text)[1:-1]
