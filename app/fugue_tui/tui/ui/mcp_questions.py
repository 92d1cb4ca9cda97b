"""Shows the user what MCP servers ask: forms, pages to open, log-ins. Main thread only."""

import asyncio
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, Protocol

from textual.content import Content
from textual.screen import Screen

from fugue_tui.control.commands.open_url import OpenUrl
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.clipboard import Copied, CopySource
from fugue_tui.multiplexer.mcp_servers.model import ElicitationAnswer
from fugue_tui.sanitize import clean, visible
from fugue_tui.terminal.screen.cells import opens
from fugue_tui.tui.commands import Commands
from fugue_tui.validation.json_form import fields, value_of
from fugue_tui_widgets.dialogs import Confirm, Page

if TYPE_CHECKING:
    from fugue_tui.multiplexer.mcp_servers.servers import McpServers, Question
    from fugue_tui_widgets.schema_form import Done, FormResult, Written

IDLE_SECONDS: Final = 1.0
"""How long the user has not typed before a question opens a dialog."""
POLL_SECONDS: Final = 0.25
RETURN: Final = (
    "The page returns to 127.0.0.1 on the machine of this workspace, at the port that the address names; to a browser "
    "on another machine, forward that port with ssh -L."
)


class QuestionContext(Protocol):
    """What shows the questions: the workspace's server."""

    mux: Multiplexer
    commands: Commands

    def alert(self, text: str) -> None:
        """Show a message in the status bar for a while."""
        ...

    def push_screen(self, screen: Screen[Any], callback: Callable[[Any], None] | None = None) -> None:
        """Open a dialog; `callback` gets its result."""
        ...

    def in_view(self, call: Callable[[], None]) -> None:
        """Call something that makes widgets, in the view that was used last."""
        ...

    @property
    def shows_panes(self) -> bool:
        """Whether no dialog covers the panes of the view that was used last."""
        ...


class McpQuestions:
    """One question at a time, once the user does not type."""

    def __init__(self, context: QuestionContext) -> None:
        self._context = context
        self._shown: tuple[Question, Screen[Any]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._servers: McpServers | None = None

    def start(self, servers: "McpServers") -> None:
        """Follow what the servers ask."""
        self._servers = servers
        servers.on_question.connect(self._changed)
        servers.on_authorize.connect(self._authorize)

    def _changed(self) -> None:
        servers = self._servers
        if servers is None:
            return
        if self._shown is not None and self._shown[0] not in servers.questions:
            _, screen = self._shown
            self._shown = None
            if screen.is_attached:
                screen.dismiss(None)
        if servers.questions and self._shown is None:
            self._context.alert(f"the MCP server {servers.questions[0].elicitation.server} asks you something")
            self._offer()

    def _offer(self) -> None:
        self._timer = None
        servers, context = self._servers, self._context
        if servers is None or not servers.questions or self._shown is not None:
            return
        if context.mux.lease.idle_seconds >= IDLE_SECONDS and context.shows_panes:
            question = servers.questions[0]
            context.in_view(lambda: self._show(question))
        else:
            self._timer = asyncio.get_running_loop().call_later(POLL_SECONDS, self._offer)

    def _show(self, question: "Question") -> None:
        asked = question.elicitation
        form = fields(asked.schema)
        if asked.url or not form:
            text = f"The MCP server {asked.server} asks: {asked.message}"
            screen: Screen[Any] = Confirm(f"{text}\n\nOpen {visible(asked.url)}?" if asked.url else text)
            self._shown = question, screen
            self._context.push_screen(screen, lambda yes: self._confirmed(question, yes))
            return
        from fugue_tui_widgets.schema_form import SchemaForm

        values = dict[str, Any]()

        def submit(written: "Written", done: "Done") -> None:
            found, faults = value_of(form, written)
            values.update(found)
            done(faults or None)

        title = f"the MCP server {asked.server} asks"
        screen = SchemaForm(title, asked.message, form, submit, does="answers", declines=True)
        self._shown = question, screen
        self._context.push_screen(screen, lambda result: self._closed(question, result, values))

    def _confirmed(self, question: "Question", yes: bool | None) -> None:
        if yes and question.elicitation.url:
            self._context.commands.run(OpenUrl(url=question.elicitation.url), then=lambda _: None)
        is_page = not question.elicitation.url or opens(question.elicitation.url)
        action = "cancel" if yes is None or (yes and not is_page) else "accept" if yes else "decline"
        self._answer(question, ElicitationAnswer(action, {} if yes and not question.elicitation.url else None))

    def _closed(self, question: "Question", result: "FormResult | None", values: dict[str, Any]) -> None:
        action = result or "cancel"
        self._answer(question, ElicitationAnswer(action, values if action == "accept" else None))

    def _answer(self, question: "Question", given: ElicitationAnswer) -> None:
        from fugue_tui.multiplexer.mcp_servers.servers import answer

        if self._shown is not None and self._shown[0] is question:
            self._shown = None
        answer(question, given)
        if self._servers is not None:
            self._servers.forget(question)

    def _authorize(self, server: str, url: str) -> None:
        """Offer to open the page of a log-in, once the user does not type; it is in a paste buffer from now on."""
        clipboard = self._context.mux.clipboard
        clipboard.add(Copied(url, CopySource.COMMAND, None, time.time()))
        clipboard.text = url
        self._context.alert(f"the MCP server {clean(server)} waits for you to log in")
        self._offer_login(server, url)

    def _offer_login(self, server: str, url: str) -> None:
        servers, context = self._servers, self._context
        if servers is None or servers.status(server).login != url:
            return
        if context.mux.lease.idle_seconds < IDLE_SECONDS:
            asyncio.get_running_loop().call_later(POLL_SECONDS, self._offer_login, server, url)
            return
        context.in_view(lambda: self._show_login(server, url))

    def _show_login(self, server: str, url: str) -> None:
        def confirmed(yes: bool | None) -> None:
            if yes:
                self._context.commands.run(OpenUrl(url=url), then=lambda _: None, failed=failed)
            else:
                self._context.alert(f"the address to log in to {clean(server)} is on the clipboard")

        def failed(reason: str) -> None:
            text = f"{reason}\n\nOpen this address in a browser; it is in a paste buffer, too:\n\n{visible(url)}"
            self._context.push_screen(Page(f"log in to the MCP server {clean(server)}", Content(f"{text}\n\n{RETURN}")))

        text = f"Log in to the MCP server {clean(server)}? This opens {visible(url)}"
        self._context.push_screen(Confirm(text), confirmed)
