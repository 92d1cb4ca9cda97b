"""What an agent, or another program that reports it, does. Values only."""

from enum import StrEnum

from msgspec import Struct


class AgentState(StrEnum):
    """What an agent does."""

    IDLE = "idle"
    """It waits for a new task."""
    WORKING = "working"
    BLOCKED = "blocked"
    """It needs an answer before it can go on."""
    DONE = "done"
    """It has finished, and says so."""
    ERROR = "error"
    """It has failed, and says so."""
    UNKNOWN = "unknown"


class BlockedBy(StrEnum):
    """What a blocked agent needs."""

    PERMISSION = "permission"
    QUESTION = "question"
    AUTH = "auth"


class Signal(StrEnum):
    """What shows an agent's state, the most reliable first."""

    REPORT = "report"
    """The program reports it (OSC 7501)."""
    HOOK = "hook"
    """A hook of the program reported it."""
    NOTIFICATION = "notification"
    """The program sent a notification (OSC 9 or 777)."""
    TITLE = "title"
    """The title that the program set."""
    SCREEN = "screen"
    """What the screen shows."""
    SILENCE = "silence"
    """Whether the program prints."""


class Reading(Struct, frozen=True):
    """What one signal shows."""

    state: AgentState
    kind: BlockedBy | None = None
    """What a blocked one needs; None if that is unknown."""
    words: str = ""
    """What it does or needs, in its own words: cleaned, and untrusted all the same."""
    title: str = ""
    """The name of its task, likewise."""
    progress: int | None = None
    """Per cent of its work that are done; None if that is unknown."""
    rule: str = ""
    """Which rule matched a title or a screen; empty for other signals."""


class AgentUsage(Struct, frozen=True):
    """What an agent runs on, and what that has cost."""

    model: str = ""
    """The model's name: cleaned, and untrusted all the same; empty if it is unknown."""
    cost: float | None = None
    """US dollars so far; None if unknown."""

    def updated(self, later: "AgentUsage") -> "AgentUsage":
        """With what was reported later, which may be the half of it."""
        return AgentUsage(later.model or self.model, self.cost if later.cost is None else later.cost)


class TaskStatus(Struct, frozen=True):
    """A task of a program, such as a subagent, as it reports it."""

    id: str
    reading: Reading


class AgentStatus(Struct, frozen=True):
    """The state of the program in a pane."""

    program: str
    """The agent's name, such as `claude`; of another program, what it calls itself."""
    reading: Reading
    signal: Signal
    """What shows the state."""
    since: float
    """When it entered this state, on the multiplexer's clock."""
    tasks: tuple[TaskStatus, ...] = ()
    usage: AgentUsage = AgentUsage()
    """What it runs on, as its hooks report."""

    @property
    def state(self) -> AgentState:
        """What it does."""
        return self.reading.state

    @property
    def waits(self) -> bool:
        """Whether it needs the user."""
        return self.reading.state is AgentState.BLOCKED
