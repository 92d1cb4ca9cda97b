"""What a command is: a frozen dataclass, declared once, that every door can say.

Declaring a command registers it. Its docstring and its fields' docstrings are the palette text, the `--help` text and
the MCP schema's descriptions; there is no second list.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast, dataclass_transform

from fugue_tui.ids import PaneId
from fugue_tui.sanitize import TEXT_LIMIT, clean

if TYPE_CHECKING:
    from fugue_tui.control.core.deferred import Deferred
    from fugue_tui.multiplexer import Multiplexer

Result = TypeVar("Result", covariant=True)


class Effect(StrEnum):
    """What a command can do at worst; policy and MCP annotations follow from it."""

    READ = "read"
    """Changes nothing."""
    LAYOUT = "layout"
    """Changes what is shown and where, and may start programs; loses nothing."""
    INPUT = "input"
    """Types into a program."""
    DESTROY = "destroy"
    """Ends programs."""


class Toolset(StrEnum):
    """The set of tools that a command belongs to for agents: one is always at hand, the others are switched on."""

    DEFAULT = "default"
    """What nearly every task needs: look, run, wait, read, type, open and arrange. Always on."""
    LAYOUT = "layout"
    """Move, size, swap, rename and rearrange panes, and take such changes back."""
    SESSIONS = "sessions"
    """Windows, sessions, attached terminals, and the workspace as a whole."""
    SAVING = "saving"
    """Save and restore workspaces, snapshots and layout files."""
    READING = "reading"
    """Look closer at panes: directories, processes, past commands, what changed since."""
    SEEING = "seeing"
    """Keep pictures of panes and compare them."""
    RUNNING = "running"
    """Change, signal or start again what runs in panes."""
    OTHER = "other"
    """What belongs nowhere else."""


class Door(StrEnum):
    """Where a command came in."""

    KEY = "key"
    PALETTE = "palette"
    MOUSE = "mouse"
    CLI = "cli"
    MCP = "mcp"
    SIDEBAND = "sideband"


@dataclass(frozen=True, slots=True)
class Origin:
    """Who asked, and from which pane. Agents come in by MCP and the sideband, scripts and people by the CLI."""

    door: Door
    pane: PaneId | None = None
    """The caller's own pane, found from the kernel and never from what the caller says; None if it is in no pane."""
    client: str = ""
    """The name that an MCP client gave itself: untrusted."""
    pid: int | None = None
    takes: int = TEXT_LIMIT
    """Characters of an answer that the caller takes; what has more comes in pages."""

    @property
    def is_person(self) -> bool:
        """Whether a person's own hand did this."""
        return self.door in (Door.KEY, Door.PALETTE, Door.MOUSE)

    @property
    def is_agent(self) -> bool:
        """Whether a program that may be a model did this."""
        return self.door in (Door.MCP, Door.SIDEBAND)


PERSON = Origin(Door.KEY)


@dataclass(frozen=True, slots=True)
class Confirmation:
    """The question before a command that destroys something."""

    question: str
    """A yes or no question: one line."""
    command: "Command[Any]"
    """What a yes runs: the same with exact ids, so that the focus may move on meanwhile."""


_registry: dict[str, type["Command[Any]"]] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True)
class Command(Generic[Result]):
    """The base of every command. A subclass names itself and its effect in its class line, and implements `run`."""

    verb: ClassVar[str]
    """What the command is called: lower-case words joined by hyphens, such as `split-pane`. Not `name`, which is a
    field of every command that names something."""
    effect: ClassVar[Effect]
    plain: ClassVar[bool] = False
    """True if the result is text to be read as it is, not a structure."""
    toolset: ClassVar[Toolset] = Toolset.OTHER
    creates: ClassVar[bool] = False
    """Whether it makes something new each time, so that saying it again for want of an answer makes two; doors then
    take a key under which it is done once."""
    repeatable: ClassVar[bool] = False
    """Whether saying it again changes nothing more."""

    def __init_subclass__(
        cls,
        *,
        name: str,
        effect: Effect,
        plain: bool = False,
        toolset: Toolset = Toolset.OTHER,
        creates: bool = False,
        repeatable: bool = False,
    ) -> None:
        cls.verb, cls.effect, cls.plain = name, effect, plain
        cls.toolset, cls.creates, cls.repeatable = toolset, creates, repeatable or effect is Effect.READ
        if name in _registry:
            raise TypeError(f"two commands are called {name}")
        dataclass(frozen=True, kw_only=True)(cls)
        _registry[name] = cls

    @property
    def asks(self) -> Effect:
        """What this one may do, where that is less than its kind does at worst; who may say it depends on this."""
        return self.effect

    def confirmation(self, mux: "Multiplexer", origin: Origin) -> "Confirmation | None":
        """What a person is asked first; None if nothing that is in use is destroyed. Raises NotFound."""
        if self.asks is not Effect.DESTROY:
            return None
        given = ((each, getattr(self, each.name)) for each in fields(cast("Any", self)))
        flags = (f"--{each.name} {value}" for each, value in given if value != each.default)
        said = clean(" ".join([self.verb, *flags]))
        return Confirmation(f"Run {said}? What it ends or deletes does not come back.", self)

    def run(self, mux: "Multiplexer", origin: Origin) -> "Result | Deferred[Result]":
        """Do it, on the main thread, wholly or not at all. Raises CommandError or TerminalError.

        What takes longer than a blink is begun here, goes on elsewhere, and answers with a Later."""
        raise AssertionError(f"{type(self).__name__} does not say what it does")


def registry() -> Mapping[str, type[Command[Any]]]:
    """Every command by name, module by module in the order of declaration, whatever was imported first.

    `fugue_tui.control.command_table` imports them all."""
    return MappingProxyType(dict(sorted(_registry.items(), key=lambda item: item[1].__module__)))
