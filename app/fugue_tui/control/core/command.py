"""The base of commands: frozen structs, declared once, that every origin can run.

Declaring a command registers it. Its docstring and its fields' docstrings are the palette text, the `--help` text and
the MCP schema's descriptions; there is no second list.
"""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar, cast, dataclass_transform

from msgspec import Struct, StructMeta, field
from msgspec.structs import fields

from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.author import Author, Kind
from fugue_tui.sanitize import TEXT_LIMIT, clean

if TYPE_CHECKING:
    from fugue_tui.control.core.deferred import Deferred
    from fugue_tui.multiplexer import Multiplexer

Result = TypeVar("Result", covariant=True)


class Effect(StrEnum):
    """The most that a command can do; policy and MCP annotations follow from it."""

    READ = "read"
    """Changes nothing."""
    LAYOUT = "layout"
    """Changes layout and view, and opens shells that wait; destroys nothing."""
    INPUT = "input"
    """Types into a program."""
    RUN = "run"
    """Starts a program of the caller's choice, or decides what one finds."""
    DESTROY = "destroy"
    """Ends programs, or deletes what was saved."""
    CLIPBOARD = "clipboard"
    """Sees or changes what was copied, wherever the user did so."""
    ADMIN = "admin"
    """Acts on the workspace itself: its name, its clients, its end, the files it is opened from."""


class Toolset(StrEnum):
    """The set of MCP tools that a command belongs to: one is always enabled, the others on request."""

    DEFAULT = "default"
    """What nearly every task needs: inspect, read, open, run, type and wait. Always enabled."""
    LAYOUT = "layout"
    """Move, resize, swap, rename and rearrange panes, and undo such changes."""
    SESSIONS = "sessions"
    """Windows, sessions, attached clients, and the workspace as a whole."""
    SAVING = "saving"
    """Save and restore workspaces, snapshots and layout files."""
    READING = "reading"
    """Inspect panes: directories, processes, past commands, events, parsed output, changes since a bookmark."""
    SEEING = "seeing"
    """Take screenshots of panes, keep and compare them."""
    RUNNING = "running"
    """Change, signal or restart the programs in panes, press keys, coordinate several panes."""
    AGENTS = "agents"
    """Start, brief, monitor and end agents in panes, follow their states, send messages, share a list of tasks."""
    SERVERS = "servers"
    """Use other MCP servers through Fugue, where that is granted."""
    OTHER = "other"
    """Everything else."""


class Interface(StrEnum):
    """The interface that a command came from."""

    KEY = "key"
    PALETTE = "palette"
    MOUSE = "mouse"
    CLI = "cli"
    MCP = "mcp"
    SIDEBAND = "sideband"
    MONITOR = "monitor"


class Origin(Struct, frozen=True):
    """Who runs a command, and from which pane. Agents use MCP and the sideband, scripts and users the CLI."""

    interface: Interface
    pane: PaneId | None = None
    """The caller's own pane, by the peer's process ids and never by its own word; None outside of panes."""
    client: str = ""
    """The MCP client's name for itself: untrusted."""
    pid: int | None = None
    takes: int = TEXT_LIMIT
    """Characters of a result that the caller accepts; longer results are paginated."""
    inside: bool = False
    """Whether the caller came out of a pane, even if it has left it by a double fork."""
    process: str = ""
    """The program that calls, by its pid and start time; the same when it connects again."""
    program: str = ""
    """Its name: untrusted."""
    executable: str = ""
    """The path of its executable, and of its script if that is an interpreter; empty if unknown."""

    @property
    def kind(self) -> Kind:
        """Who it is to the policy."""
        match self.interface:
            case Interface.KEY | Interface.PALETTE | Interface.MOUSE:
                return Kind.USER
            case Interface.SIDEBAND:
                return Kind.PROGRAM
            case Interface.MONITOR:
                return Kind.MONITOR
            case _ if self.inside or self.pane is not None:
                return Kind.AGENT
            case Interface.CLI:
                return Kind.SCRIPT
            case _:
                return Kind.CLIENT

    @property
    def owner(self) -> str:
        """Whose the panes are that it opens: its own pane's, else its program's; empty for the user's."""
        if self.kind.acts_for_user:
            return ""
        return self.process or "unknown" if self.pane is None else str(self.pane)

    @property
    def source(self) -> str:
        """The pane that it came out of, else its executable: what its requests for approval are counted by."""
        left = "a pane that it left" if self.inside else self.executable
        return left if self.pane is None else str(self.pane)

    @property
    def is_user(self) -> bool:
        """Whether the user did this by keyboard or mouse."""
        return self.interface in (Interface.KEY, Interface.PALETTE, Interface.MOUSE)

    @property
    def is_agent(self) -> bool:
        """Whether a program, possibly a model, did this."""
        return self.interface in (Interface.MCP, Interface.SIDEBAND)

    @property
    def author(self) -> Author:
        """The author of what it types and changes."""
        kind = self.kind
        if kind in (Kind.AGENT, Kind.CLIENT):
            kind = Kind.AGENT if self.interface is Interface.MCP else Kind.PROGRAM
        return Author(kind, self.pane, self.pid, self.client)


USER = Origin(Interface.KEY)


class StartedCommand(Struct, frozen=True):
    """A program that a call starts, or a line that it types into a shell."""

    command: tuple[str, ...] | str
    """A program and its arguments, or a line for a shell."""
    cwd: str = ""
    """Where a typed line runs; empty for a program, whose directory is checked when it starts."""
    env: Mapping[str, str] = MappingProxyType({})
    """The variables that are set for it."""


class Confirmation(Struct, frozen=True):
    """The question that is asked before a destructive command."""

    question: str
    """A yes/no question on one line."""
    command: "Command[Any]"
    """What a yes runs: the same command with exact ids, so that a change of focus in between does no harm."""
    change: tuple[str, str] | None = None
    """The text before and after, if the question is whether to paste it."""


_registry: dict[str, type["Command[Any]"]] = {}


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
class CommandMeta(StructMeta):
    """Registers every subclass of `Command` under the name in its class line."""

    def __new__(
        mcls,
        classname: str,
        bases: tuple[type, ...],
        namespace: dict[str, Any],
        *,
        name: str = "",
        effect: Effect = Effect.READ,
        also: Effect | None = None,
        given: tuple[str, ...] = (),
        otherwise: Effect = Effect.READ,
        plain: bool = False,
        toolset: Toolset = Toolset.OTHER,
        creates: bool = False,
        repeatable: bool = False,
        user_only: bool = False,
    ) -> "CommandMeta":
        """Declare a command. Raises TypeError if its name is taken."""
        cls: Any = super().__new__(mcls, classname, bases, namespace, frozen=True, kw_only=True)
        cls.verb, cls.effect, cls.plain = name, effect, plain
        cls.all_effects = frozenset((effect, also or effect))
        cls.given, cls.otherwise, cls.user_only = given, otherwise, user_only
        cls.toolset, cls.creates, cls.repeatable = toolset, creates, repeatable or effect is Effect.READ
        if name in _registry:
            raise TypeError(f"two commands are called {name}")
        if name:
            _registry[name] = cls
        return cls


class Command(Struct, Generic[Result], metaclass=CommandMeta):
    """The base of every command. A subclass names itself and its effect in its class line, and implements `run`."""

    verb: ClassVar[str]
    """The command's name: lower-case words joined by hyphens, such as `split-pane`. Not `name`, which is a field of
    many commands."""
    effect: ClassVar[Effect]
    """What it is for."""
    all_effects: ClassVar[frozenset[Effect]]
    """All that it can do."""
    given: ClassVar[tuple[str, ...]]
    """The fields of which one must have a value for that; empty if it always holds."""
    otherwise: ClassVar[Effect]
    """What a call does in which none of them has."""
    plain: ClassVar[bool] = False
    """Whether the result is plain text, not a structure."""
    toolset: ClassVar[Toolset] = Toolset.OTHER
    creates: ClassVar[bool] = False
    """Whether each call creates something, so that a retry would create two; an idempotency key prevents that."""
    repeatable: ClassVar[bool] = False
    """Whether a second call changes nothing more."""

    user_only: ClassVar[bool] = False
    """Whether no agent may ever run it, whatever the policy: it is not offered over MCP."""

    @property
    def effects(self) -> frozenset[Effect]:
        """What this instance does, which may be less than its class; policy must allow each."""
        if self.given and not any(getattr(self, name) for name in self.given):
            return frozenset((self.otherwise,))
        return self.all_effects

    def effects_in(self, mux: "Multiplexer") -> frozenset[Effect]:
        """What this instance does in a workspace; the policy judges by it."""
        return self.effects

    @property
    def mcp_server(self) -> str:
        """The MCP server that it uses; empty for none."""
        return ""

    def confirmation(self, mux: "Multiplexer", origin: Origin) -> "Confirmation | None":
        """The question for the user; None if nothing in use is destroyed. Raises NotFound."""
        if Effect.DESTROY not in self.effects:
            return None
        given = ((each, getattr(self, each.name)) for each in fields(cast("Any", self)))
        flags = (f"--{each.name} {value}" for each, value in given if value != each.default)
        line = clean(" ".join([self.verb, *flags]))
        return Confirmation(f"Run {line}? What it ends or deletes does not come back.", self)

    def targets(self, mux: "Multiplexer", origin: Origin) -> tuple[PaneId, ...]:
        """The panes that it types into, starts a program in or ends; none for those that it opens, arranges or reads.

        Raises what `run` would raise for a target."""
        return ()

    def pinned(self, mux: "Multiplexer", origin: Origin) -> Self:
        """The same call without what depends on the caller's directory, to ask about and to run later."""
        return self

    def started(self, mux: "Multiplexer", origin: Origin) -> tuple[StartedCommand, ...]:
        """The programs that it starts and the lines that it types into shells, as the call gives them.

        Raises what `run` would raise for a target."""
        command, env = getattr(self, "command", ""), getattr(self, "env", None)
        return (StartedCommand(command, env=env or {}),) if command or env else ()

    def run(self, mux: "Multiplexer", origin: Origin) -> "Result | Deferred[Result]":
        """Run on the main thread, atomically. Raises CommandError or TerminalError.

        Work that waits is a coroutine, which `run_task` starts: its Deferred is returned."""
        raise AssertionError(f"{type(self).__name__} has no run method")


def registry() -> Mapping[str, type[Command[Any]]]:
    """Every command by name, sorted by module, then in the order of declaration, for any order of imports.

    `fugue_tui.control.command_table` imports them all."""
    return MappingProxyType(dict(sorted(_registry.items(), key=lambda item: item[1].__module__)))


def for_agents() -> tuple[type[Command[Any]], ...]:
    """The commands that are offered over MCP, in the same order."""
    return tuple(cls for cls in registry().values() if not cls.user_only)
