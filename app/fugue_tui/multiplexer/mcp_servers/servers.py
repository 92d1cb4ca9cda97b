"""The MCP servers of this workspace: started when first used, started again when they crash. Main thread only.

Nothing is loaded or started before `ensure` is called for the first time.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from typing import Final, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.config.servers import ServerSettings, expanded
from fugue_tui.errors import FugueError, InvalidArgument, NotFound, Refused, ServerFailed
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.callbacks import CallbackList
from fugue_tui.multiplexer.mcp_servers.connector import Connector, Handler, Launch, Progress
from fugue_tui.multiplexer.mcp_servers.model import (
    ArgumentQuery,
    Call,
    Catalog,
    Content,
    Elicitation,
    ElicitationAnswer,
    LogLine,
    ServerState,
    Tool,
    ToolEffect,
)
from fugue_tui.multiplexer.mcp_servers.shown import ShownContents
from fugue_tui.sanitize import clean
from fugue_tui.validation.suggestion import suggestion
from fugue_tui.workspace.secret_filter import SecretFilter

FIRST_DELAY: Final = 1.0
"""Seconds from a crash until the server is started again; each further crash doubles them."""
LONGEST_DELAY: Final = 60.0
RESTARTS: Final = 6
"""Crashes in a row after which a server is left alone until it is used."""
STEADY_SECONDS: Final = 60.0
"""Seconds after which a crash is none in a row."""
MOST_QUESTIONS: Final = 8
"""Questions of servers that may wait for the user."""
LOGIN_SECONDS: Final = 60.0
"""Seconds that a use of a server waits for a log-in which it caused; the log-in itself may take longer."""
_OWN: Final = ("FUGUE_", "TMUX", "STY")
"""Variables that begin with these belong to Fugue and other multiplexers."""


class Definition(Struct, frozen=True):
    """A configured server."""

    settings: ServerSettings
    base: str = ""
    """The directory that its `cwd` is relative to: that of the project; empty for the user's home."""
    source: str = ""
    """The project file that defines it; empty for the configuration."""


class Status(Struct, eq=False):
    """What a server does now."""

    state: ServerState = ServerState.OFF
    error: str = ""
    """Why it is not connected, in words: untrusted, and cleaned."""
    catalog: Catalog = Catalog()
    """What it offers, or offered when it was connected last."""
    since: float = 0.0
    """When the state began, by the monotonic clock."""
    crashes: int = 0
    """Crashes in a row."""
    attempt: "asyncio.Task[None] | None" = None
    """The running attempt to connect."""
    timer: asyncio.TimerHandle | None = None
    login: str = ""
    """The page on which the user has to log in; empty unless it waits for that."""
    login_timer: asyncio.TimerHandle | None = None

    @property
    def shown(self) -> ServerState:
        """The state that is shown: waiting for a log-in takes precedence."""
        return ServerState.LOGIN if self.login else self.state

    @property
    def reason(self) -> str:
        """Why it cannot be used, in words; empty if it can."""
        return f"it waits for you to log in: {self.login}" if self.login else self.error


class Question(Struct, eq=False):
    """A server's question that waits for the user."""

    elicitation: Elicitation
    answer: "Future[ElicitationAnswer]"


Result = TypeVar("Result")


class McpServers:
    """The servers, by name."""

    def __init__(
        self,
        connect: Callable[[Handler], Connector],
        post: Callable[[Callable[[], None]], object],
        clock: Callable[[], float],
        workspace: Callable[[], str] = lambda: "",
    ) -> None:
        """`connect` makes the connector, at the first use; `workspace` gives this workspace's name."""
        self._connect, self._post, self._clock, self._workspace = connect, post, clock, workspace
        self._connector: Connector | None = None
        self._configured: Mapping[str, ServerSettings] = {}
        self._projects: dict[str, Definition] = {}
        self._states: dict[str, Status] = {}
        self._subscribed: dict[tuple[str, str], int] = {}
        self.shared = list[PaneId]()
        """The panes whose directories the user shares with servers, as roots."""
        self.directory_of: Callable[[PaneId], str] = lambda pane: ""
        """The directory of a pane; empty if it is closed or that is not known."""
        self.secrets: Callable[[], tuple[str, ...]] = tuple
        """The patterns of variables that no server gets."""
        self.shown = ShownContents()
        """What is shown of servers in panes."""
        self.questions: deque[Question] = deque()
        """What servers ask the user, the oldest first."""
        self.on_change = CallbackList[[str]]()
        """A server's state or what it offers has changed."""
        self.on_updated = CallbackList[[str, str]]()
        """A resource has changed that is subscribed to: server, URI."""
        self.on_logged = CallbackList[[str]]()
        """A server has logged something."""
        self.on_question = CallbackList[[]]()
        """A server asks something, or does not any more."""
        self.on_authorize = CallbackList[[str, str]]()
        """The user has to open a page to log in: server, URL."""
        self._on_late_login = CallbackList[[str]]()

    # Definitions

    def configure(self, servers: Mapping[str, ServerSettings]) -> None:
        """Use other settings of the configuration; servers that are gone or changed are disconnected."""
        before = self.all()
        self._configured = servers
        self._end_changed(before)

    def add_project(self, servers: Mapping[str, ServerSettings], base: str, source: str) -> None:
        """Use a project's servers too, which go before those of the configuration. It cannot allow them to agents."""
        before = self.all()
        for name, each in servers.items():
            agents = "refuse" if each.agents == "refuse" else "ask"
            self._projects[name] = Definition(replace(each, agents=agents), base, source)
        self._end_changed(before)

    def all(self) -> dict[str, Definition]:
        """The servers of this workspace."""
        here = self._workspace()
        configured = {
            name: Definition(each)
            for name, each in self._configured.items()
            if not each.workspaces or here in each.workspaces
        }
        return configured | self._projects

    def find(self, name: str) -> Definition:
        """A server by its name. Raises NotFound."""
        found = self.all()
        if name not in found:
            there = f"; there are {', '.join(found)}" if found else "; [mcp.servers] in the configuration names none"
            raise NotFound(f"no MCP server {clean(name, 64)!a}{suggestion(name, found) or there}")
        return found[name]

    def status(self, name: str) -> Status:
        """What a server does."""
        status = self._states.setdefault(name, Status(since=self._clock()))
        definition = self.all().get(name)
        off = status.state in (ServerState.OFF, ServerState.DISABLED)
        if off and definition is not None:
            status.state = ServerState.OFF if definition.settings.enabled else ServerState.DISABLED
        return status

    def tool(self, server: str, name: str) -> Tool | None:
        """A tool as it is known; None if it is not, or the server was not connected yet."""
        return next((tool for tool in self.status(server).catalog.tools if tool.name == name), None)

    def effect(self, server: str, tool: str) -> ToolEffect:
        """What a tool does: by the configuration, else by its annotations, else `run`."""
        definition, found = self.all().get(server), self.tool(server, tool)
        if definition is not None and tool in definition.settings.effects:
            return ToolEffect(definition.settings.effects[tool])
        return found.effect if found is not None else ToolEffect.RUN

    # Use

    async def ensure(self, name: str) -> Catalog:
        """Connect to a server unless it is connected; what it offers. Raises NotFound, Refused or ServerFailed."""
        definition = self.find(name)
        if not definition.settings.enabled:
            raise Refused(f"{name} is disabled: enabled = false in its section [mcp.servers.{name}]")
        status = self.status(name)
        if status.state is not ServerState.CONNECTED:
            if status.attempt is None:
                status.attempt = asyncio.get_running_loop().create_task(self._attempt(name, definition))
                status.attempt.add_done_callback(lambda _: setattr(status, "attempt", None))
            await self._unless_login(name, asyncio.shield(status.attempt))
        if status.state is not ServerState.CONNECTED:
            raise ServerFailed(f"{name}: {status.error or 'it was disconnected'}")
        return status.catalog

    async def request(self, name: str, call: Call, progress: Progress) -> Content:
        """Send a request, to a server that is started for it if need be. Raises FugueError."""
        await self.ensure(name)
        seconds = self.find(name).settings.call_seconds
        return await self._unless_login(name, asyncio.wrap_future(self._running.request(name, call, seconds, progress)))

    async def complete(self, name: str, query: ArgumentQuery) -> tuple[str, ...]:
        """The values that an argument may have, of a server that is started if need be. Raises FugueError."""
        await self.ensure(name)
        return await self._unless_login(name, asyncio.wrap_future(self._running.complete(name, query)))

    async def disconnect(self, name: str) -> None:
        """End a server; its next use starts it again."""
        self._end(name)
        if self._connector is not None:
            await asyncio.wrap_future(self._connector.disconnect(name))

    async def subscribe(self, name: str, uri: str) -> None:
        """Be told of changes of a resource, until `unsubscribe` was called as often. Raises FugueError."""
        await self.ensure(name)
        self._subscribed[name, uri] = self._subscribed.get((name, uri), 0) + 1
        if self._subscribed[name, uri] == 1:
            await asyncio.wrap_future(self._running.subscribe(name, uri, on=True))

    def unsubscribe(self, name: str, uri: str) -> None:
        """End a subscription."""
        count = self._subscribed.pop((name, uri), 0) - 1
        if count > 0:
            self._subscribed[name, uri] = count
        elif count == 0 and self.status(name).state is ServerState.CONNECTED:
            self._running.subscribe(name, uri, on=False)

    def log(self, name: str) -> tuple[LogLine, ...]:
        """What a server has logged."""
        return self._connector.log(name) if self._connector is not None else ()

    @property
    def roots(self) -> tuple[str, ...]:
        """The directories that the user shares."""
        return tuple(dict.fromkeys(found for pane in self.shared if (found := self.directory_of(pane))))

    def share(self, pane: PaneId, *, on: bool) -> None:
        """Share the directory of a pane with servers, or no more."""
        self.shared = [each for each in self.shared if each != pane] + [pane] * on
        if self._connector is not None:
            self._connector.roots_changed()

    def close(self) -> None:
        """End every server."""
        for status in self._states.values():
            self._log_in(status, "")
            if status.timer is not None:
                status.timer.cancel()
        if self._connector is not None:
            self._connector.close()

    async def _unless_login(self, name: str, work: "asyncio.Future[Result]") -> "Result":
        """The result of work. Raises ServerFailed if the server waits for a log-in already, or one takes too long."""
        status, late = self.status(name), asyncio.get_running_loop().create_future()

        def give_up(server: str) -> None:
            if server == name and not late.done():
                late.set_result(None)

        stop = self._on_late_login.connect(give_up)
        try:
            if not status.login:
                await asyncio.wait((work, late), return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                return work.result()
            raise ServerFailed(f"{name}: {status.reason}; use it again then")
        finally:
            stop()
            work.cancel()

    # States

    @property
    def _running(self) -> Connector:
        if self._connector is None:
            self._connector = self._connect(_Events(self, self._post))
        return self._connector

    async def _attempt(self, name: str, definition: Definition) -> None:
        status = self._set(name, ServerState.STARTING)
        try:
            launch = self._launch(definition)
            catalog = await asyncio.wrap_future(self._running.connect(name, launch))
            if status.state is not ServerState.STARTING:
                return  # It was disconnected meanwhile.
            status.catalog = catalog
            for server, uri in [key for key in self._subscribed if key[0] == name]:
                self._running.subscribe(server, uri, on=True)
        except (FugueError, asyncio.CancelledError) as error:
            if status.state is ServerState.STARTING:
                self._set(name, ServerState.FAILED, str(error))
            return
        self._set(name, ServerState.CONNECTED)

    def _launch(self, definition: Definition) -> Launch:
        settings, hides = expanded(definition.settings), SecretFilter(self.secrets())
        env = {
            name: value for name, value in os.environ.items() if not name.startswith(_OWN) and not hides.secret(name)
        }
        base = definition.base or os.path.expanduser("~")
        cwd = os.path.normpath(os.path.join(base, settings.cwd))
        if settings.command and not os.path.isdir(cwd):
            raise InvalidArgument(f"cwd: {clean(cwd)} is no directory")
        return Launch(settings, env | dict(settings.env), cwd)

    def _set(self, name: str, state: ServerState, error: str = "") -> Status:
        status = self.status(name)
        if status.timer is not None:
            status.timer.cancel()
            status.timer = None
        self._log_in(status, "")
        status.state, status.error, status.since = state, error, self._clock()
        self.on_change(name)
        return status

    def _end(self, name: str) -> None:
        status = self.status(name)
        if status.state not in (ServerState.OFF, ServerState.DISABLED):
            status.crashes = 0
            self._set(name, ServerState.OFF)
        self.drop_questions(name)

    def _end_changed(self, before: Mapping[str, Definition]) -> None:
        after = self.all()
        for name in [name for name, definition in before.items() if after.get(name) != definition]:
            self._end(name)
            self.status(name).catalog = Catalog()
            if self._connector is not None:
                self._connector.disconnect(name)
        for name in after.keys() - before.keys():
            self.on_change(name)

    def _log_in(self, status: Status, page: str) -> None:
        if status.login_timer is not None:
            status.login_timer.cancel()
        status.login, status.login_timer = page, None

    # Events

    def authorize(self, name: str, page: str) -> None:
        """A server waits for the user to log in on a page; with an empty one, no more."""
        status = self.status(name)
        if page and status.state not in (ServerState.STARTING, ServerState.CONNECTED):
            return  # It was disconnected meanwhile.
        self._log_in(status, page)
        if page:
            loop = asyncio.get_running_loop()
            status.login_timer = loop.call_later(LOGIN_SECONDS, self._on_late_login, name)
            self.on_authorize(name, page)
        self.on_change(name)

    def crashed(self, name: str, reason: str) -> None:
        """A connected server has ended: start it again in a while, unless it does so all the time."""
        status = self.status(name)
        if status.state is not ServerState.CONNECTED:
            return
        self.drop_questions(name)
        steady = self._clock() - status.since >= STEADY_SECONDS
        status.crashes = 1 if steady else status.crashes + 1
        if status.crashes > RESTARTS or name not in self.all():
            self._set(name, ServerState.FAILED, f"{reason}; it has ended {status.crashes} times in a row")
            return
        delay = min(FIRST_DELAY * 2 ** (status.crashes - 1), LONGEST_DELAY)
        self._set(name, ServerState.WAITING, f"{reason}; it is started again in {delay:g} s")
        status.timer = asyncio.get_running_loop().call_later(delay, self._restart, name)

    def _restart(self, name: str) -> None:
        status, definition = self.status(name), self.all().get(name)
        status.timer = None
        if status.state is ServerState.WAITING and status.attempt is None and definition is not None:
            status.attempt = asyncio.get_running_loop().create_task(self._attempt(name, definition))
            status.attempt.add_done_callback(lambda _: setattr(status, "attempt", None))

    def changed(self, name: str, catalog: Catalog) -> None:
        """A server offers something else."""
        self.status(name).catalog = catalog
        self.on_change(name)

    def ask(self, question: Question) -> None:
        """A server asks the user something."""
        if len(self.questions) >= MOST_QUESTIONS:
            answer(question, ElicitationAnswer("cancel"))
            return
        self.questions.append(question)
        question.answer.add_done_callback(lambda _: self._post(lambda: self.forget(question)))
        self.on_question()

    def forget(self, question: Question) -> None:
        """A question was answered, or is not asked any more."""
        with suppress(ValueError):
            self.questions.remove(question)
            self.on_question()

    def drop_questions(self, name: str) -> None:
        """Cancel what a server asks."""
        for question in [each for each in self.questions if each.elicitation.server == name]:
            answer(question, ElicitationAnswer("cancel"))
            self.forget(question)


def answer(question: Question, given: ElicitationAnswer) -> None:
    """Answer a question, unless nobody asks it any more."""
    with suppress(InvalidStateError):
        question.answer.set_result(given)


class _Events:
    """Takes what servers do to the main thread."""

    def __init__(self, servers: McpServers, post: Callable[[Callable[[], None]], object]) -> None:
        self._servers, self._post = servers, post

    def changed(self, server: str, catalog: Catalog) -> None:
        """See `Handler`."""
        self._post(lambda: self._servers.changed(server, catalog))

    def ended(self, server: str, reason: str) -> None:
        """See `Handler`."""
        self._post(lambda: self._servers.crashed(server, reason))

    def logged(self, server: str) -> None:
        """See `Handler`."""
        self._post(lambda: self._servers.on_logged(server))

    def updated(self, server: str, uri: str) -> None:
        """See `Handler`."""
        self._post(lambda: self._servers.on_updated(server, uri))

    def elicit(self, question: Elicitation) -> "Future[ElicitationAnswer]":
        """See `Handler`."""
        future: Future[ElicitationAnswer] = Future()
        self._post(lambda: self._servers.ask(Question(question, future)))
        return future

    def roots(self, server: str) -> "Future[tuple[str, ...]]":
        """See `Handler`."""
        future: Future[tuple[str, ...]] = Future()
        self._post(lambda: _settle(future, self._servers.roots))
        return future

    def authorize(self, server: str, url: str) -> None:
        """See `Handler`."""
        self._post(lambda: self._servers.authorize(server, url))


def _settle(future: "Future[tuple[str, ...]]", value: tuple[str, ...]) -> None:
    with suppress(InvalidStateError):
        future.set_result(value)
