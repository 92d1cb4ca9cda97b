"""The `[status]` section: what the status bar shows at its left and right, and the user's own commands in it."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Final, TypeAlias

from msgspec import Meta, Struct, field
from msgspec.structs import replace

from fugue_tui.validation.annotations import Record
from fugue_tui.validation.field_types import TEXT, ListOf, Refined, Table
from fugue_tui.validation.suggestion import suggestion

PARTS: Final = (
    "workspace", "tabs", "hint", "session", "mode", "title", "branch", "clock", "host", "load", "clients", "agents",
)  # fmt: skip
"""The parts that there are, besides the user's own commands."""
_WORDS: Final = Refined(ListOf(TEXT), words='a list of strings, such as ["clock", "host"]')


def _argv_fault(argv: tuple[str, ...]) -> str:
    if not argv or not argv[0]:
        return 'must name a program, such as ["uptime", "-p"]'
    return "may not contain NUL" if any("\0" in word for word in argv) else ""


def _name_fault(name: str) -> str:
    if name in PARTS:
        return f"{name} is the name of a part that there is already"
    return "" if name.replace("-", "").replace("_", "").isalnum() else "must be letters, digits, - and _"


class StatusCommand(Struct, frozen=True):
    """A program whose first line of output is a part of the status bar."""

    run: Annotated[tuple[str, ...], Refined(_WORDS, _argv_fault)]
    """The program and its arguments; it runs in the home directory, without a terminal."""
    interval: Annotated[float, Meta(ge=1, le=86_400)] = 15.0
    """Seconds between two runs, while a terminal shows the bar."""
    timeout: Annotated[float, Meta(ge=0.1, le=60)] = 5.0
    """Seconds after which it is killed."""


StatusCommands: TypeAlias = Annotated[
    Mapping[str, StatusCommand],
    Refined(
        Table(Record(StatusCommand), Refined(TEXT, _name_fault)),
        make=MappingProxyType,
        words="a table of commands, written [status.commands.NAME]",
    ),
]


class StatusSettings(Struct, frozen=True):
    """The status bar: workspace, session, tabs, mode, title, branch, clock, host, load, clients, agents, hint, and the
    names of commands of your own."""

    left: Annotated[tuple[str, ...], _WORDS] = ("workspace", "tabs")
    """The parts at the left, in order."""
    right: Annotated[tuple[str, ...], _WORDS] = ("hint",)
    """The parts at the right, in order; where it is narrow, the last are left out first. Modes are always shown."""
    clock: Annotated[str, Meta(max_length=40)] = "%H:%M"
    """How the clock is written (strftime)."""
    commands: StatusCommands = field(default_factory=lambda: MappingProxyType({}))
    """Parts of your own, by name: { battery = { run = ["acpi"], interval = 60 } }."""


def known_parts(settings: StatusSettings) -> tuple[StatusSettings, list[str]]:
    """The settings without parts that there are not, or that are there twice, and a fault for each."""
    faults, seen = list[str](), set[str]()
    names = (*PARTS, *settings.commands)
    kept: dict[str, Any] = {"left": [], "right": []}
    for side, parts in (("left", settings.left), ("right", settings.right)):
        for part in parts:
            if part not in names:
                way_out = suggestion(part, names) or f"; there are {', '.join(names)}"
                faults.append(f"status.{side}: no part {part[:64]!a}{way_out}")
            elif part in seen:
                faults.append(f"status.{side}: {part} is there already")
            elif part == "tabs" and side == "right":
                faults.append("status.right: tabs can be at the left only")
            elif part == "hint" and side == "left":
                faults.append("status.left: hint can be at the right only")
            else:
                kept[side].append(part)
                seen.add(part)
    return replace(settings, left=tuple(kept["left"]), right=tuple(kept["right"])), faults
