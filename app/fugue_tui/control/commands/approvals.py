"""Answer agents' requests for approval, and see and revoke what was granted."""

import time
from typing import Annotated, Final

from msgspec import Meta, Struct

from fugue_tui.control.core.command import Command, Effect, Origin, Toolset
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.access.approvals import Request
from fugue_tui.multiplexer.access.grants import Grant, Scope

Number = Annotated[int, Meta(ge=1)]
_LONGEST: Final = 4_000
"""Characters that are listed of the beginning of a command, and of its end."""


class RequestInfo(Struct, frozen=True):
    """A request that waits for the user's approval."""

    id: int
    """Its number."""
    who: str
    """The program that asks, and where it is: untrusted."""
    effects: tuple[str, ...]
    """What it would do: input, run, destroy, admin..."""
    command: str
    """The command, with its hidden characters visible; of a long one the beginning and the end. Agents see it without
    secrets. Untrusted."""
    where: str
    """The panes that it concerns; empty for none."""
    scopes: tuple[Scope, ...]
    """How far an approval may reach."""
    seconds: float
    """How long it has waited."""


class RequestList(Struct, frozen=True):
    """The requests that wait."""

    requests: tuple[RequestInfo, ...]
    """Oldest first."""


class GrantInfo(Struct, frozen=True):
    """What a caller may do without being asked about again."""

    id: int
    """Its number."""
    who: str
    """The program that it was granted to: untrusted."""
    effects: tuple[str, ...]
    """What it may do."""
    scope: Scope
    """How far it reaches."""
    panes: tuple[str, ...]
    """The panes that it is limited to; empty for all."""
    executable: str
    """With always: the executable that it holds for."""
    since: float
    """When it was granted, in seconds since the epoch."""


class GrantList(Struct, frozen=True):
    """The grants in force."""

    grants: tuple[GrantInfo, ...]
    """Oldest first."""


class ListApprovals(Command[RequestList], name="list-approvals", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """List the requests of agents that wait for the user's approval."""

    def run(self, mux: Multiplexer, origin: Origin) -> RequestList:
        """The requests."""
        return RequestList(tuple(request_info(each, origin) for each in mux.approvals.waiting()))


class ApproveRequest(Command[RequestInfo], name="approve-request", effect=Effect.ADMIN, user_only=True):
    """Approve a request of an agent, so that it is carried out."""

    id: Number
    """The request's number."""
    scope: Scope = Scope.ONCE
    """once: this call. pane: the same in these panes. session: in any pane, until the program ends. always: by this
    executable in every workspace."""

    def run(self, mux: Multiplexer, origin: Origin) -> RequestInfo:
        """The request. Raises NotFound, or Refused for a scope that it does not offer."""
        return request_info(mux.approvals.approve(self.id, self.scope), origin)


class DenyRequest(Command[RequestInfo], name="deny-request", effect=Effect.ADMIN, user_only=True):
    """Deny a request of an agent; the same is not asked again for half a minute."""

    id: Number
    """The request's number."""
    all: bool = False
    """Whether to deny all requests from the same pane, or of the same program outside of panes, and what it asks in the
    next half minute."""

    def run(self, mux: Multiplexer, origin: Origin) -> RequestInfo:
        """The request. Raises NotFound."""
        return request_info((mux.approvals.deny_all if self.all else mux.approvals.deny)(self.id), origin)


class ListGrants(Command[GrantList], name="list-grants", effect=Effect.READ, toolset=Toolset.SESSIONS):
    """List what the user has granted to agents, for a while or for ever."""

    def run(self, mux: Multiplexer, origin: Origin) -> GrantList:
        """The grants."""
        return GrantList(tuple(map(grant_info, mux.grants.all())))


class RevokeGrant(Command[GrantInfo], name="revoke-grant", effect=Effect.ADMIN, user_only=True):
    """Revoke a grant: the agent has to ask again."""

    id: Number
    """The grant's number."""

    def run(self, mux: Multiplexer, origin: Origin) -> GrantInfo:
        """The grant. Raises NotFound."""
        return grant_info(mux.grants.revoke(self.id))


def request_info(request: Request, origin: Origin) -> RequestInfo:
    """A request as a result; without secrets unless the user asks for it."""
    question = request.question
    command = question.what if origin.kind.acts_for_user else question.listed or question.what
    return RequestInfo(
        id=request.id,
        who=question.grantee.words,
        effects=tuple(sorted(question.effects)),
        command=_shortened(command),
        where=question.where,
        scopes=question.scopes,
        seconds=round(max(0.0, time.time() - request.since), 1),
    )


def _shortened(text: str) -> str:
    """The beginning and the end of a long text, with the number of characters between them."""
    if len(text) <= 2 * _LONGEST:
        return text
    return f"{text[:_LONGEST]}\n[... {len(text) - 2 * _LONGEST} more characters ...]\n{text[-_LONGEST:]}"


def grant_info(grant: Grant) -> GrantInfo:
    """A grant as a result."""
    return GrantInfo(
        id=grant.id,
        who=grant.grantee.words,
        effects=tuple(sorted(grant.effects)),
        scope=grant.scope,
        panes=tuple(map(str, sorted(grant.panes))),
        executable=grant.grantee.executable if grant.scope is Scope.ALWAYS else "",
        since=grant.since,
    )
