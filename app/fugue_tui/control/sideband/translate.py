"""From a sideband tag to the command that it stands for."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from fugue_tui.control.core.command import Command
from fugue_tui.control.schema import command_line
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.sideband.tag import Tag

COMMON: Final = frozenset(("id", "key", "reply"))
"""Attributes of every tag that are no arguments."""
_SWITCHES: Final = MappingProxyType({"true": "", "false": "no-"})


class Form(Struct, frozen=True):
    """What a tag stands for."""

    verb: str
    """The command."""
    values: Mapping[str, str] = MappingProxyType({})
    """The attributes, and the command's flags for them."""
    switches: Mapping[str, str] = MappingProxyType({})
    """The attributes that are `true` or `false`."""
    text: str = ""
    """The flag for the tag's text; empty if it has none."""
    required: tuple[str, ...] = ()
    own: str = ""
    """The flag that names the pane that printed the tag."""


_TARGET: Final = {"target": "pane"}
_FORMS: Final[Mapping[str, Form]] = MappingProxyType(
    {
        "list": Form("list-panes", {"window": "window", "session": "session"}),
        "spawn": Form(
            "split-pane",
            {each: each for each in ("direction", "command", "cwd", "name", "size", "place")},
            {"focus": "focus"},
            own="pane",
        ),
        "read": Form("read-pane", {**_TARGET, "lines": "lines", "cursor": "cursor"}, required=("target",)),
        "input": Form("send-input", _TARGET, {"submit": "submit"}, text="text", required=("target",)),
        "focus": Form("focus-pane", _TARGET, required=("target",)),
        "canvas": Form(
            "show-file", {each: each for each in ("path", "type", "direction", "name")}, required=("path",), own="pane"
        ),
        "notify": Form("notify-user", {"title": "title", "text": "text"}, text="text"),
    }
)
_CONTROLS: Final[Mapping[str, Form]] = MappingProxyType(
    {
        "resize": Form(
            "resize-pane",
            {**_TARGET, **{each: each for each in ("side", "cells", "cols", "rows", "share")}},
            required=("target",),
        ),
        "close": Form("close-pane", _TARGET, required=("target",)),
        "zoom": Form("zoom-pane", _TARGET, {"zoomed": "zoomed"}, required=("target",)),
        "rename": Form("rename-pane", {**_TARGET, "name": "name"}, required=("target", "name")),
    }
)


def command_of(tag: Tag, pane: PaneId) -> Command[Any]:
    """The command of a tag that was printed in a pane. Raises InvalidArgument."""
    form, given = _form(tag)
    if missing := [name for name in form.required if not given.get(name)]:
        raise InvalidArgument(f"fugue:{tag.name}: the attribute {missing[0]} is missing")
    words = [form.verb, f"--{form.own}={pane}"] if form.own else [form.verb]
    for name, value in given.items():
        words.append(_word(tag, form, name, value))
    if tag.text:
        if not form.text or form.text in given:
            raise InvalidArgument(f"fugue:{tag.name}: it has no text besides its attributes")
        words.append(f"--{form.text}={tag.text}")
    return command_line.command(words)


def _form(tag: Tag) -> tuple[Form, dict[str, str]]:
    """What a tag stands for, and its arguments."""
    given = {name: value for name, value in tag.attributes.items() if name not in COMMON}
    if tag.name != "control":
        return _FORMS[tag.name], given
    action = given.pop("action", "")
    if action not in _CONTROLS:
        raise InvalidArgument(f"fugue:control: action is {action[:40]!a}; there are {', '.join(_CONTROLS)}")
    return _CONTROLS[action], given


def _word(tag: Tag, form: Form, name: str, value: str) -> str:
    """An attribute as a word of the command line."""
    if flag := form.values.get(name):
        return f"--{flag}={value}"
    if flag := form.switches.get(name):
        if value not in _SWITCHES:
            raise InvalidArgument(f"fugue:{tag.name}: {name} is {value[:40]!a}; it is true or false")
        return f"--{_SWITCHES[value]}{flag}"
    known = sorted((*form.values, *form.switches, *COMMON))
    raise InvalidArgument(f"fugue:{tag.name}: no attribute {name[:40]!a}; there are {', '.join(known)}")
