"""Every command in Textual's command palette: those without required arguments run at once, others open the prompt.

Enter means what stands in the line: Textual's own takes whatever its list shows at that moment, and that is the answer
to the first letters if the user types fast or pastes.
"""

# Textual leaves the type of a screen's app open.
# pyright: reportUnknownMemberType=false

import asyncio
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import Any, ClassVar, Final, cast

from textual import on
from textual.binding import Binding as KeyBinding
from textual.binding import BindingType
from textual.command import CommandList, CommandPalette, DiscoveryHit, Hit, Hits, Provider
from textual.widgets import Input
from textual.worker import Worker, WorkerError

from fugue_tui.control.core.command import Command, Effect, registry
from fugue_tui.control.keymap import Action, Binding
from fugue_tui.control.schema.command_schema import Description, describe
from fugue_tui.control.schema.tmux_names import tmux_names
from fugue_tui.tui.app_context import AppContext

SCREENS: Final = {
    Action.TASKS: "Show the list of tasks, to add, edit and finish them.",
    Action.AGENTS: "Show all agents in a table, to go there, answer and interrupt.",
}
"""The screens that are no command's, and what they are for."""


class CommandProvider(Provider):
    """Offers the whole registry."""

    async def discover(self) -> Hits:
        """Every command, before anything is typed."""
        for action, summary in SCREENS.items():
            yield DiscoveryHit(action, self._opened(action), action, summary)
        for cls, description in entries():
            yield DiscoveryHit(label(cls, description), self._chosen(cls, description), cls.verb, description.summary)

    async def search(self, query: str) -> Hits:
        """The commands whose name, tmux's name or summary matches."""
        matcher = self.matcher(query)
        for action, summary in SCREENS.items():
            if (score := max(matcher.match(action), matcher.match(summary) * 0.8)) > 0:
                yield Hit(score, matcher.highlight(action), self._opened(action), action, summary)
        for cls, description in entries():
            text = label(cls, description)
            theirs = max(map(matcher.match, tmux_names(cls.verb)), default=0.0)
            score = max(matcher.match(text), theirs * 0.9, matcher.match(description.summary) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(text), self._chosen(cls, description), text, description.summary)

    def _opened(self, action: Action) -> "partial[None]":
        return partial(cast(AppContext, self.app).actions.run, Binding(action, action=action))

    def _chosen(self, cls: type[Command[Any]], description: Description) -> "partial[None]":
        commands = cast(AppContext, self.app).commands
        if asks(cls, description):
            return partial(commands.prompt, f"{cls.verb} ")
        return partial(commands.run_line, [cls.verb])


class Palette(CommandPalette):
    """The palette over every command; a whole command line may be typed into it as well."""

    BINDINGS: ClassVar[list[BindingType]] = [KeyBinding("ctrl+c", "escape", "Close", show=False, priority=True)]

    def __init__(self) -> None:
        super().__init__(providers=[CommandProvider], placeholder="Search commands...")

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        searches = self._searches
        if not searches and self.query_one(CommandList).highlighted:
            return  # A line further down was moved to: that one is meant, and not the text.
        if (run := self._call_of(event.value.strip())) is not None:
            event.stop().prevent_default()
            self.workers.cancel_node(self)  # A search that went on would miss the list it fills, and end the app.
            self.dismiss()
            self.app.call_later(run)
        elif searches:
            event.stop().prevent_default()
            self.app.run_worker(self._submit_when_found(searches, event), exit_on_error=False)

    @property
    def _searches(self) -> "list[Worker[Any]]":
        return [worker for worker in self.workers if worker.node is self and not worker.is_finished]

    async def _submit_when_found(self, searches: "list[Worker[Any]]", event: Input.Submitted) -> None:
        with suppress(WorkerError):
            await asyncio.gather(*(worker.wait() for worker in searches))
        if self.is_current and event.input.value == event.value:
            event.input.post_message(Input.Submitted(event.input, event.value))

    def _call_of(self, line: str) -> "partial[None] | None":
        """Opens a screen by its name, or runs a line that starts with a command's name; None for other lines."""
        if line in SCREENS:
            return partial(cast(AppContext, self.app).actions.run, Binding(line, action=Action(line)))
        cls = next((cls for cls, _ in entries() if [cls.verb] == line.split()[:1]), None)
        if cls is None:
            return None
        commands = cast(AppContext, self.app).commands
        if line == cls.verb and asks(cls, describe(cls)):
            return partial(commands.prompt, f"{cls.verb} ")
        return partial(commands.run_line, line)


def entries() -> Iterator[tuple[type[Command[Any]], Description]]:
    """Every command with its description, in the order of declaration; commands that type into panes are last."""
    for cls in sorted(registry().values(), key=lambda cls: cls.effect is Effect.INPUT):
        yield cls, describe(cls)


def asks(cls: type[Command[Any]], description: Description) -> bool:
    """Whether a command needs arguments from the user."""
    return cls.effect is Effect.INPUT or any(field.required for field in description.fields)


def label(cls: type[Command[Any]], description: Description) -> str:
    """How the palette writes a command: `split-pane`, with `...` if it asks for more."""
    return cls.verb + (" ..." if asks(cls, description) else "")
