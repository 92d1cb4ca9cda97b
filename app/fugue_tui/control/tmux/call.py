"""A call of a tmux command, and its translation to commands here."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, Final, TypeAlias

from msgspec import Struct

from fugue_tui.control.core.command import Command, Origin, StartedCommand
from fugue_tui.control.tmux import formats
from fugue_tui.control.tmux.arguments import Arguments
from fugue_tui.control.tmux.targets import Targets
from fugue_tui.control.tmux.variables import PaneVariables
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.workspace.model import Window

Results: TypeAlias = Sequence[Any]
"""The results of the commands of a translation, in their order."""
_LONGEST_FORMAT: Final = 8192
"""Characters; libtmux, which asks for every variable at once, needs half of that."""


class Call(Struct, frozen=True):
    """One call of a tmux command."""

    mux: Multiplexer
    origin: Origin
    targets: Targets
    arguments: Arguments
    environment: Callable[[], Mapping[str, str]]
    """Returns the variables by which programs in new panes find the tmux commands here."""

    def has(self, flag: str) -> bool:
        """Whether a flag was given."""
        return self.arguments.has(flag)

    def value(self, flag: str, default: str = "") -> str:
        """The value of a flag."""
        return self.arguments.value(flag, default)

    @property
    def words(self) -> tuple[str, ...]:
        """What follows the flags."""
        return self.arguments.words

    @property
    def pane(self) -> PaneId:
        """The target pane. Raises NotFound."""
        return self.targets.pane(self.value("t"))

    @property
    def window(self) -> Window:
        """The target window. Raises NotFound."""
        return self.targets.window(self.value("t"))

    def shows(self, session: str) -> bool:
        """Whether the user sees a session: what is selected in others moves nobody, as in tmux."""
        front = self.mux.front
        return front is None or front.session == session

    def expanded(self, text: str, pane: PaneId, shown: Callable[[str], str] = str) -> str:
        """A format as of a pane; `shown` maps the values of variables. Raises InvalidArgument if it is too long."""
        if len(text) > _LONGEST_FORMAT:
            raise InvalidArgument(f"format too long: it has {len(text)} characters, and {_LONGEST_FORMAT} are the most")
        variables = PaneVariables(self.mux, self.targets, pane)

        @cache
        def value(name: str) -> str:
            return shown(variables(name))

        return formats.expand(text, value)

    def only_word(self, name: str) -> str:
        """The one word after the flags. Raises InvalidArgument."""
        if len(self.words) != 1:
            raise InvalidArgument(f"command {name}: requires one argument")
        return self.words[0]


class Translation(Struct, frozen=True):
    """What a call does."""

    commands: tuple[Command[Any], ...] = ()
    show: Callable[[Results], Sequence[str]] = lambda results: ()
    """The lines to print once the commands have run."""
    act: Callable[[], None] = lambda: None
    """What it does besides."""
    then: Callable[[Results], None] = lambda results: None
    """What it does once the commands have run."""
    status: Callable[[Results], int] = lambda results: 0
    """The exit status of the caller."""
    targets: tuple[PaneId, ...] = ()
    """The panes that it concerns besides those of the commands."""
    started: tuple[StartedCommand, ...] = ()
    """What it starts besides the commands."""
