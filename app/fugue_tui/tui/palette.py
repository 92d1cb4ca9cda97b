"""Every command in Textual's command palette: the ones that need nothing run at once, the others ask for the rest."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Protocol, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider

from fugue_tui.control.command import Command, Effect, registry
from fugue_tui.control.schema import Description, describe


class Runner(Protocol):
    """An app that runs commands by their words."""

    def run_words(self, said: list[str] | str) -> None:
        """Run a command as it would be typed."""
        ...

    def command_line(self, text: str = "") -> None:
        """Ask for a command, starting from a text."""
        ...


class CommandProvider(Provider):
    """Offers the whole registry."""

    async def discover(self) -> Hits:
        """Every command, before anything is typed."""
        for cls, description in entries():
            yield DiscoveryHit(label(cls, description), self._chosen(cls, description), cls.verb, description.summary)

    async def search(self, query: str) -> Hits:
        """The commands whose name or summary matches."""
        matcher = self.matcher(query)
        for cls, description in entries():
            text = label(cls, description)
            score = max(matcher.match(text), matcher.match(description.summary) * 0.8)
            if score > 0:
                yield Hit(score, matcher.highlight(text), self._chosen(cls, description), text, description.summary)

    def _chosen(self, cls: type[Command[Any]], description: Description) -> "partial[None]":
        app = cast(Runner, self.app)
        if asks(cls, description):
            return partial(app.command_line, f"{cls.verb} ")
        return partial(app.run_words, [cls.verb])


def entries() -> Iterator[tuple[type[Command[Any]], Description]]:
    """Every command with its description, in the order of declaration; what types into panes comes last."""
    for cls in sorted(registry().values(), key=lambda cls: cls.effect is Effect.INPUT):
        yield cls, describe(cls)


def asks(cls: type[Command[Any]], description: Description) -> bool:
    """Whether a command means nothing by itself, so that a person must say more."""
    return cls.effect is Effect.INPUT or any(field.required for field in description.fields)


def label(cls: type[Command[Any]], description: Description) -> str:
    """How the palette writes a command: `split-pane`, with `...` if it asks for more."""
    return cls.verb + (" ..." if asks(cls, description) else "")
