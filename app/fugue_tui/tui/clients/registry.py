"""The terminals that show a workspace: who they are, whose size the screen has, and who is drawn on how.

Terminals that show the whole screen in all colours and keep up are mirrors: what is written here goes to each of them.
The others get pictures of their own (`pictures`). Main thread only.

What attached terminals may ask of the app that they show.
"""

import asyncio
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import count
from typing import Final, Protocol

from fugue_tui.attach_protocol import Bye, Extent, Hello, Welcome
from fugue_tui.errors import NotFound
from fugue_tui.geometry import Size
from fugue_tui.multiplexer.clients import AttachedTerminal
from fugue_tui.tui.clients.client import AttachedClient, DrawMode, Link, prefixes, sane
from fugue_tui.tui.clients.handshake import titled
from fugue_tui.tui.vt_output.color_depth import Depth


class RegistryApp(Protocol):
    """The app, as the terminals see it."""

    @property
    def shown_size(self) -> Size | None:
        """The size that the screen is laid out for; None before there is a screen."""
        ...

    @property
    def size_policy(self) -> str:
        """Whose size the screen has: `latest` or `smallest`."""
        ...

    @property
    def nested_prefix(self) -> str:
        """The further prefix for terminals in another multiplexer; empty for none."""
        ...

    def gone(self, viewer: AttachedClient) -> None:
        """A terminal was sent away."""
        ...

    def attended(self, anyone: bool, *, fits: bool) -> None:
        """The first client has attached, or the last has detached; `fits` is whether the screen keeps its size."""
        ...

    def fit(self, size: Size, *, at_once: bool) -> None:
        """Lay the screen out for another size: at once, or in a storm of sizes only for the last."""
        ...

    def join(self, viewer: AttachedClient) -> None:
        """Bring a terminal to what the mirrors show."""
        ...

    def joined(self) -> None:
        """It is one of the mirrors now."""
        ...

    def draw(self, viewer: AttachedClient) -> None:
        """Give a terminal a picture of its own."""
        ...

    def synchronize(self, known: bool) -> None:
        """Whether what is written may use synchronized output."""
        ...

    def host_colour(self, foreground: bool, colour: tuple[int, int, int]) -> None:
        """The default colours of the terminal that was used last."""
        ...

    def writer_drained(self) -> None:
        """A terminal that could not take more has taken everything."""
        ...

    def leave(self, status: int = 0) -> None:
        """End the program."""
        ...


LAG_SECONDS: Final = 0.1
"""How long a terminal may owe room for earlier bytes before the others stop to wait for it."""
LAG_BYTES: Final = 1 << 18
"""How many bytes it may owe."""
PROOF_SECONDS: Final = 2.0
"""How long it must have kept up to be a mirror again."""


class ClientRegistry:
    """Every attached terminal, in the order of coming; the workspace's `Audience`."""

    def __init__(self, app: RegistryApp, loop: asyncio.AbstractEventLoop, screen: Size) -> None:
        self._app = app
        self._loop = loop
        self._all: list[AttachedClient] = []
        self._mirrors: list[AttachedClient] = []
        self._numbers, self._uses = count(1), count(1)
        self.screen = screen
        """The size that the screen has, or is about to have."""
        self._held: bytearray | None = None
        self.watched = True
        """Whether anybody looks."""

    # Coming and going

    def attach(self, link: Link, hello: Hello, *, pid: int | None = None, local: bool = False) -> AttachedClient:
        """Another terminal; what it sends comes by `take`. Raises InvalidArgument for a prefix that is no key."""
        own = prefixes(hello, self._app.nested_prefix)
        viewer = AttachedClient(next(self._numbers), link, hello, pid=pid, local=local)
        viewer.prefixes = own
        viewer.used = 0 if viewer.read_only else next(self._uses)
        viewer.abilities.on_defaults = partial(self._colours, viewer)
        viewer.abilities.on_depth = partial(self.anew, viewer)
        viewer.abilities.on_synchronized = self._synchronize
        viewer.writer.on_drain = self._app.writer_drained
        viewer.writer.on_overflow = partial(self._lost, viewer)
        self._all.append(viewer)
        viewer.ask()
        self.regroup()
        return viewer

    def gone(self, viewer: AttachedClient) -> None:
        """A terminal has left."""
        if viewer in self._all:
            self._all.remove(viewer)
            self.regroup()

    def away(self, viewer: AttachedClient) -> None:
        """A terminal was stopped: it is not drawn on until it has a size again."""
        viewer.place = DrawMode.AWAY
        self.regroup()

    def resized(self, viewer: AttachedClient, extent: Extent) -> None:
        """A terminal has another size; one that tells the same again shows something else and is painted anew."""
        again = viewer.place is DrawMode.AWAY or sane(extent.cols, extent.rows) == viewer.size
        viewer.resize(extent)
        if again:
            viewer.place = DrawMode.WAITING
            viewer.ask()
        self.use(viewer, again=True)

    def use(self, viewer: AttachedClient, *, again: bool = False) -> None:
        """The user acted there: it is the latest client."""
        changed = viewer is not self.latest and not viewer.read_only
        if changed:
            viewer.used = next(self._uses)
            self._colours(viewer)
        if changed or again:
            self.regroup(resized=again)

    @property
    def latest(self) -> AttachedClient | None:
        """The terminal that was used last; one that only looks on counts if there is no other."""
        return max(self._all, key=lambda viewer: viewer.used, default=None)

    def all(self) -> Sequence[AttachedClient]:
        """Every attached terminal, in the order of coming."""
        return tuple(self._all)

    # The audience

    def viewers(self) -> tuple[AttachedTerminal, ...]:
        """Who is attached."""
        latest = self.latest
        return tuple(replace(viewer.info, latest=viewer is latest) for viewer in self._all)

    def detach(self, viewer: int) -> None:
        """Send one away."""
        found = self._named(viewer)
        found.link.part(Bye("detached"))
        self._app.gone(found)

    def refresh(self, viewer: int) -> None:
        """Paint one anew."""
        self._lost(self._named(viewer))

    def _named(self, viewer: int) -> AttachedClient:
        found = next((each for each in self._all if each.id == viewer), None)
        if found is None:
            known = ", ".join(str(each.id) for each in self._all) or "none"
            raise NotFound(f"no client {viewer}; attached: {known} (list-clients)")
        return found

    def rename(self, workspace: str) -> None:
        """The workspace has another name."""
        for viewer in self._all:
            viewer.link.rename(Welcome(workspace=workspace, title=titled(workspace)))

    def leave(self, status: int = 0) -> None:
        """End the workspace."""
        self._app.leave(status)

    def part_all(self, bye: Bye) -> None:
        """The end: every terminal is sent away, and waited for within bounds."""
        for viewer in self._all:
            viewer.link.finish(bye)
        self._all.clear()

    # Whose size, and who is drawn on how

    def reconsider(self) -> None:
        """The configuration is another: so may be the size, and what is a prefix where."""
        for viewer in self._all:
            viewer.prefixes = prefixes(viewer.hello, self._app.nested_prefix)
        self.regroup()

    def regroup(self, *, resized: bool = False) -> None:
        """Find the size and every terminal's place anew; a terminal that was `resized` may well be so again."""
        looking = [viewer for viewer in self._all if viewer.place is not DrawMode.AWAY]
        wanted = self._wanted(looking) or self.screen
        if bool(looking) != self.watched:
            self.watched = bool(looking)
            self._app.attended(self.watched, fits=wanted == self.screen)
        if wanted != self.screen:
            self.screen = wanted
            self._app.fit(wanted, at_once=not resized)
            for viewer in looking:
                if viewer.place is DrawMode.MIRROR and viewer.size != wanted:
                    viewer.place = DrawMode.WAITING  # It has cells that are no longer the screen's.
        for viewer in looking:
            if viewer.place is DrawMode.MIRROR and not self._reflects(viewer):
                viewer.place = DrawMode.WAITING
        self._mirrors = [viewer for viewer in self._all if viewer.place is DrawMode.MIRROR]
        for viewer in looking:
            self._settle(viewer)
        self._synchronize()

    def _wanted(self, looking: list[AttachedClient]) -> Size | None:
        counted = [viewer for viewer in looking if not viewer.read_only] or looking
        if not counted:
            return None
        if self._app.size_policy == "smallest":
            return Size(min(each.size.cols for each in counted), min(each.size.rows for each in counted))
        return max(counted, key=lambda viewer: viewer.used).size

    def _settle(self, viewer: AttachedClient) -> None:
        """Give a terminal its place; while the screen is laid out, those that are not mirrors wait."""
        if viewer.place is DrawMode.MIRROR:
            return
        mirrors, shown = self._reflects(viewer), self._app.shown_size
        if shown is not None and shown != self.screen and not (mirrors and viewer.size == self.screen):
            viewer.place = DrawMode.WAITING
        elif mirrors and shown != self.screen:
            viewer.place = DrawMode.MIRROR  # All of the screen is about to be painted, for this very size.
            self._mirrors.append(viewer)
            self._app.joined()
        elif mirrors:
            viewer.place = DrawMode.MIRROR
            self._app.join(viewer)
            self._mirrors.append(viewer)
            self._app.joined()
        elif shown is None:
            viewer.place = DrawMode.WAITING
        elif viewer.place is not DrawMode.OWN:
            viewer.place = DrawMode.OWN
            viewer.picture.forget()
            self._app.draw(viewer)

    def _reflects(self, viewer: AttachedClient) -> bool:
        large = viewer.size.cols >= self.screen.cols and viewer.size.rows >= self.screen.rows
        return large and viewer.depth is Depth.TRUE and not viewer.lagging and not viewer.reads_back

    def laid_out(self) -> None:
        """The screen was painted: those who waited for its size are drawn on."""
        if any(viewer.place is DrawMode.WAITING for viewer in self._all):
            self.regroup()

    def _synchronize(self) -> None:
        self._app.synchronize(bool(self._mirrors) and all(viewer.abilities.synchronized for viewer in self._mirrors))

    def _colours(self, viewer: AttachedClient) -> None:
        if viewer is self.latest:
            for foreground, colour in viewer.abilities.defaults.items():
                self._app.host_colour(foreground, colour)

    # Writing

    @property
    def mirrored(self) -> bool:
        """Whether anybody is a mirror."""
        return bool(self._mirrors)

    @property
    def busy(self) -> bool:
        """Whether no client could accept another frame."""
        return all(viewer.writer.busy for viewer in self._all if viewer.place is not DrawMode.AWAY)

    @contextmanager
    def together(self) -> Generator[None]:
        """What is written to the mirrors meanwhile leaves as one."""
        if self._held is not None:
            yield
            return
        self._held = bytearray()
        try:
            yield
        finally:
            held, self._held = self._held, None
            self.write(held)

    def write(self, data: bytes | bytearray) -> None:
        """Send bytes to every mirror."""
        if self._held is not None:
            self._held += data
            return
        for viewer in self._mirrors:
            viewer.writer.write(data)
        if len(self._all) > 1:
            self._leave_behind()

    def tell(self, data: bytes, *, typing: bool = False) -> None:
        """Send what needs no place on the screen, such as a bell, to everybody who looks (or to all who may type)."""
        for viewer in self._all:
            if viewer.place is not DrawMode.AWAY and not viewer.writer.busy and not (typing and viewer.read_only):
                viewer.writer.write(data)

    def _leave_behind(self) -> None:
        """Those that are too slow stop being mirrors, if there are others who are not."""
        late = [viewer for viewer in self._mirrors if self._lags(viewer)]
        if late and not self.busy:
            for viewer in late:
                viewer.lagging = True
                viewer.writer.cut()
            self._loop.call_soon(self.regroup)

    def _lags(self, viewer: AttachedClient) -> bool:
        writer = viewer.writer
        if not writer.busy or viewer.lagging:
            return False
        return writer.backlog > LAG_BYTES or self._loop.time() - writer.busy_since > LAG_SECONDS

    def caught_up(self, viewer: AttachedClient) -> bool:
        """Whether a terminal that lagged has kept up for a while; it is then a mirror again, if it can be one."""
        writer = viewer.writer
        if not viewer.lagging or writer.busy or self._loop.time() - writer.idle_since < PROOF_SECONDS:
            return False
        viewer.lagging = False
        self.regroup()
        return True

    def _lost(self, viewer: AttachedClient) -> None:
        """So much was written to a terminal that a part was dropped: paint it anew."""
        self.anew(viewer)

    def anew(self, viewer: AttachedClient) -> None:
        """Nothing is known of what a terminal shows, or it shows more: paint it anew."""
        viewer.begin_anew()
        if viewer.place is not DrawMode.AWAY:
            viewer.place = DrawMode.WAITING
        self.regroup()
