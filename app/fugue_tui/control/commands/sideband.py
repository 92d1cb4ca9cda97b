"""Let programs run commands by tags in their output, and turn that off; notify the user."""

from typing import Annotated

from msgspec import Meta, Struct

from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.errors import InvalidArgument
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.sideband import SidebandGrant
from fugue_tui.sanitize import clean
from fugue_tui.terminal.emulator.events import Notification


class SidebandInfo(Struct, frozen=True):
    """Whether a pane's output is parsed for tags."""

    pane: str
    """The pane's id."""
    parsed: bool
    """Whether it is."""
    reason: str
    """Why, or why not."""


class SidebandSwitch(Struct, frozen=True):
    """Whether tags are parsed anywhere."""

    enabled: bool
    """Whether they are, in the panes that are trusted."""


class Notified(Struct, frozen=True):
    """What the user was notified of."""

    pane: str
    """The pane that it is about."""


class GrantSideband(Command[SidebandInfo], name="grant-sideband", effect=Effect.ADMIN, user_only=True):
    """Let the program of a pane run commands by tags in its output, until it ends."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""
    seconds: Annotated[float, Meta(gt=0, le=86_400)] | None = None
    """For how long; omitted, until its program ends."""
    typing: bool = False
    """Whether answers may be typed into the pane."""

    def run(self, mux: Multiplexer, origin: Origin) -> SidebandInfo:
        """The pane. Raises NotFound, and InvalidArgument if its program was restored and does not run."""
        pane = target.pane(mux, self.pane, origin)
        if not mux.sideband.key(pane) or not mux.runs(pane):
            raise InvalidArgument(f"no program runs in {pane}; start-pane or respawn-pane starts it")
        until = None if self.seconds is None else mux.clock() + self.seconds
        mux.sideband.revoked.discard(pane)
        mux.sideband.grants[pane] = SidebandGrant(until, self.typing)
        mux.sideband.changed(pane)
        return sideband_info(mux, pane)


class RevokeSideband(
    Command[SidebandInfo], name="revoke-sideband", effect=Effect.ADMIN, user_only=True, repeatable=True
):
    """Ignore the tags in a pane's output, whatever runs there, until its program ends."""

    pane: str = target.ACTIVE
    """The pane: an id, a name, or active for your own."""

    def run(self, mux: Multiplexer, origin: Origin) -> SidebandInfo:
        """The pane. Raises NotFound."""
        pane = target.pane(mux, self.pane, origin)
        mux.sideband.grants.pop(pane, None)
        mux.sideband.revoked.add(pane)
        mux.sideband.changed(pane)
        return sideband_info(mux, pane)


class ToggleSideband(Command[SidebandSwitch], name="toggle-sideband", effect=Effect.ADMIN, user_only=True):
    """Parse tags in no pane, or again in those that are trusted."""

    enabled: bool | None = None
    """Whether to parse them; omitted, the other than now."""

    def run(self, mux: Multiplexer, origin: Origin) -> SidebandSwitch:
        """Whether they are parsed."""
        mux.sideband.enabled = not mux.sideband.enabled if self.enabled is None else self.enabled
        for pane in mux.workspace.panes:
            mux.sideband.changed(pane)
        return SidebandSwitch(mux.sideband.enabled)


class NotifyUser(Command[Notified], name="notify-user", effect=Effect.LAYOUT, toolset=Toolset.RUNNING):
    """Notify the user about a pane, as a program does by OSC 9."""

    pane: str = target.ACTIVE
    """The pane that it is about: an id, a name, or active for your own."""
    text: str
    """The text of the notification."""
    title: str = ""
    """What it is about."""

    def run(self, mux: Multiplexer, origin: Origin) -> Notified:
        """The pane. Raises NotFound."""
        pane = target.pane(mux, self.pane, origin)
        mux.pane_event(pane, mux.terminal(pane), Notification(clean(self.title, 200), clean(self.text, 1_000)))
        return Notified(str(pane))


def sideband_info(mux: Multiplexer, pane: PaneId) -> SidebandInfo:
    """The sideband of a pane, as a result."""
    status = mux.sideband.status(pane, mux.workspace.panes[pane].name)
    return SidebandInfo(str(pane), status.parsed, status.reason)
