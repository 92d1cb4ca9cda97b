"""Shows the user the requests of agents: by itself once the user pauses, and at any time by a key."""

import asyncio
from typing import Final

from fugue_tui.control.commands.approvals import RevokeGrant
from fugue_tui.control.commands.panes import FocusPane
from fugue_tui.control.commands.sideband import GrantSideband, RevokeSideband
from fugue_tui.errors import NotFound
from fugue_tui.multiplexer.access.approvals import Question, Request
from fugue_tui.multiplexer.access.grants import Grant, Scope
from fugue_tui.sanitize import clean
from fugue_tui.tui.app_context import AppContext
from fugue_tui.tui.ui.program_clipboard import EFFECT
from fugue_tui_widgets import dialogs
from fugue_tui_widgets.approval_dialog import DENY, DENY_ALL, ApprovalDialog
from fugue_tui_widgets.dialogs import Choose

IDLE_SECONDS: Final = 2.0
"""How long the user has not typed before a request opens a dialog by itself."""
UNASKED_GUARD_SECONDS: Final = 1.0
"""How long no key answers a dialog that has opened by itself: the user may go on typing just then."""
_WORDS: Final = {
    "read": "see what is in panes",
    "layout": "change the layout",
    "input": "type",
    "run": "run a program",
    "destroy": "end or delete",
    "clipboard": "see and change what was copied",
    "admin": "change the workspace",
    EFFECT: "copy to your clipboard",
}
_ANSWERS: Final = {
    Scope.ONCE: "Yes, this once",
    Scope.PANE: "Yes, and the same in this pane from now on",
    Scope.SESSION: "Yes, and the same in all panes while it runs",
    Scope.ALWAYS: "Yes, and the same for this program always",
}


class ApprovalPrompt:
    """The dialog of one request at a time. Main thread only."""

    def __init__(self, app: AppContext) -> None:
        self._app = app
        self._shown: tuple[Request, ApprovalDialog] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._last_id = 0
        self._put_off = set[int]()
        """Requests whose dialog the user has closed without an answer: they open no dialog by themselves."""

    def open(self) -> None:
        """Show the oldest request; without one, what is granted."""
        waiting = self._app.mux.approvals.waiting()
        if waiting:
            self._put_off.clear()
            self._show(waiting[0])
        else:
            self._app.push_screen(
                Choose("no request waits; Enter grants or revokes", self._grants()), self._change_grant
            )

    def _grants(self) -> list[tuple[str, str]]:
        """Panes whose agents wait, what is granted, and that the focused pane can be trusted to print tags."""
        mux = self._app.mux
        choices = [
            (f"go {pane}", f"go to {pane}, whose agent waits for an answer there") for pane in mux.agents.waiting()
        ]
        choices += [(str(grant.id), grant_words(grant)) for grant in mux.grants.all()]
        for pane, record in mux.workspace.panes.items():
            status = mux.sideband.status(pane, record.name)
            if status.parsed:
                choices.append((f"revoke {pane}", f"{pane} may print tags: {clean(status.reason)}"))
            elif pane == mux.focused:
                choices.append((f"grant {pane}", f"let {pane} run commands by tags in its output"))
        return choices

    def _change_grant(self, choice: str | None) -> None:
        if choice is None:
            return
        word, _, pane = choice.partition(" ")
        match word:
            case "go":
                self._app.commands.run(FocusPane(pane=pane))
            case "grant":
                self._app.commands.run(GrantSideband(pane=pane))
            case "revoke":
                self._app.commands.run(RevokeSideband(pane=pane))
            case _:
                self._app.commands.run(RevokeGrant(id=int(word)))

    def changed(self) -> None:
        """The requests have changed: close the dialog of one that is answered, and show the oldest."""
        waiting = self._app.mux.approvals.waiting()
        self._put_off &= {request.id for request in waiting}
        if self._shown is not None and self._shown[0] not in waiting:
            _, dialog = self._shown
            self._shown = None
            if dialog.is_attached:
                dialog.dismiss(None)
        self._app.status_updates.request()
        if waiting and waiting[-1].id > self._last_id:
            self._last_id = waiting[-1].id
            if self._app.is_latest:
                self._app.alert(f"{waiting[-1].question.grantee.words} asks for your approval")
        self._offer()

    def _offer(self) -> None:
        """Show the oldest request once the user does not type."""
        new = [request for request in self._app.mux.approvals.waiting() if request.id not in self._put_off]
        if not new or self._shown is not None or not self._app.ready:
            return
        left = IDLE_SECONDS - self._app.mux.lease.idle_seconds
        if (
            left <= 0
            and self._app.is_latest
            and self._app.settled
            and self._app.clients.watched
            and not self._app.keys_pending
        ):
            self._show(new[0], guard=UNASKED_GUARD_SECONDS)
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(max(left, 0.25), self._elapsed)

    def _elapsed(self) -> None:
        self._timer = None
        self._offer()

    def _show(self, request: Request, *, guard: float | None = None) -> None:
        question = request.question
        does = " and ".join(_WORDS.get(each) or _server_words(each) for each in sorted(question.effects))
        place = f", in {question.where}" if question.where else ""
        dialog = ApprovalDialog(
            f"{question.grantee.words} wants to {does}{place}:",
            question.what,
            [(scope, _answer_words(question, scope)) for scope in question.scopes],
            len(self._app.mux.approvals.waiting()) - 1,
            dialogs.GUARD_SECONDS if guard is None else guard,
            title=question.title,
            denies_all=True,
        )
        self._shown = request, dialog
        self._app.push_screen(dialog, lambda answer: self._answered(request, answer))

    def _answered(self, request: Request, answer: str | None) -> None:
        if self._shown is None or self._shown[0] is not request:
            return  # It was answered elsewhere, which has closed the dialog.
        self._shown = None
        approvals = self._app.mux.approvals
        try:
            if answer is None:
                self._put_off |= {each.id for each in approvals.waiting()}
            elif answer == DENY:
                approvals.deny(request.id)
            elif answer == DENY_ALL:
                approvals.deny_all(request.id)
            else:
                approvals.approve(request.id, Scope(answer))
        except NotFound as error:
            self._app.warn(str(error))
        if answer is not None and (waiting := approvals.waiting()) and self._shown is None:
            self._show(waiting[0])  # One key answers them all.


def _server_words(effect: str) -> str:
    """An effect by an MCP server in words."""
    verb, _, server = effect.partition(" by MCP server ")
    does = {"read": "read by", "destroy": "change or delete something by"}.get(verb, "do something by")
    return f"{does} the MCP server {clean(server)}"


def _answer_words(question: Question, scope: Scope) -> str:
    """What an answer means; about an MCP server, no pane is concerned."""
    if scope is Scope.SESSION and not all(each in _WORDS for each in question.effects):
        return "Yes, and the same by this server while it runs"
    return _ANSWERS[scope]


def grant_words(grant: Grant) -> str:
    """A grant in a line."""
    where, executable = ", ".join(map(str, sorted(grant.panes))), clean(grant.grantee.executable, 40)
    reach = {Scope.PANE: f"in {where}", Scope.SESSION: "while it runs"}.get(grant.scope, f"always ({executable})")
    return f"{grant.grantee.words}: {', '.join(sorted(grant.effects))} {reach}"
