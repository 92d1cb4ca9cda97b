"""The requests of agents that wait for the user's approval. Main thread only."""

import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from fugue_tui.errors import Denied, NotFound, Refused, Unanswered
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer.access.grants import Grantee, Grants, Scope
from fugue_tui.multiplexer.callbacks import CallbackList

if TYPE_CHECKING:
    import asyncio

OF_ONE_CALLER: Final = 8
"""Requests of one caller that may wait at a time."""
OF_ONE_SOURCE: Final = 16
"""Requests of one pane, or one executable outside of panes, that may wait at a time."""
OF_ALL: Final = 64
"""Requests that may wait at a time."""
DENIED_SECONDS: Final = 30.0
"""How long after a denial a caller is denied the same effects on the same panes without asking again."""


class Question(Struct, frozen=True):
    """What the user is asked. All text is cleaned."""

    grantee: Grantee
    effects: frozenset[str]
    """The effects that need approval."""
    panes: tuple[PaneId, ...]
    """The panes that are affected and that the caller did not open; empty for none."""
    what: str
    """The command, whole, with its hidden characters visible."""
    where: str
    """The panes, in words; empty for none."""
    scopes: tuple[Scope, ...] = tuple(Scope)
    """The answers besides no."""
    listed: str = ""
    """The command as programs may see it, without secrets; empty if it has none."""
    title: str = "an agent asks"
    """Who asks, for the title of the dialog."""

    @property
    def subject(self) -> tuple[str, frozenset[str], tuple[PaneId, ...]]:
        """Who wants to do what where: what a denial holds for."""
        return self.grantee.owner, self.effects, self.panes


class Request(Struct, eq=False):
    """A question that waits for an answer."""

    id: int
    question: Question
    since: float
    """Seconds since the epoch."""
    answer: "asyncio.Future[Scope]"
    """The user's answer; fails with Denied."""
    still_needed: Callable[[], bool]
    """Whether no grant and no change of the policy has made the question needless."""


class Approvals:
    """The inbox: every request that waits."""

    def __init__(self, grants: Grants, clock: Callable[[], float] = time.monotonic) -> None:
        self.on_change = CallbackList[[]]()
        """A request was added, answered or withdrawn."""
        self._grants, self._clock = grants, clock
        self._requests: dict[int, Request] = {}
        self._last_id = 0
        self._denied: dict[object, float] = {}

    def waiting(self) -> tuple[Request, ...]:
        """The requests that wait, oldest first."""
        return tuple(self._requests.values())

    async def ask(self, question: Question, seconds: float, still_needed: Callable[[], bool] = lambda: True) -> Scope:
        """Ask the user; the answer. Raises Denied, Unanswered after some seconds, or Refused if too many wait.

        If too many others wait, the oldest request of the caller with the most gives way."""
        import asyncio  # Loaded once there are commands.

        self._check_denied(question)
        self._make_room(question)
        self._last_id += 1
        answer: asyncio.Future[Scope] = asyncio.get_running_loop().create_future()
        request = Request(self._last_id, question, time.time(), answer, still_needed)
        self._requests[request.id] = request
        self.on_change()
        try:
            async with asyncio.timeout(seconds):
                return await answer
        except TimeoutError:
            raise Unanswered(
                f"the user did not answer within {seconds:g} seconds, and nothing was done; ask the user to approve it"
            ) from None
        finally:
            if self._requests.pop(request.id, None):
                self.on_change()

    def approve(self, id: int, scope: Scope = Scope.ONCE) -> Request:
        """Let a request proceed; further ones that the grant covers proceed too. Raises NotFound, or Refused for a
        scope that is not offered."""
        request = self._request(id)
        question = request.question
        if scope not in question.scopes:
            offered = ", ".join(question.scopes)
            raise Refused(f"request {id} can be approved for {offered}, not for {scope}")
        if scope is not Scope.ONCE:
            self._grants.add(scope, question.grantee, question.effects, question.panes)
        self._settle(request, scope)
        self.review()
        return request

    def deny(self, id: int) -> Request:
        """Deny a request, and those of the same caller with the same effects on the same panes. Raises NotFound."""
        denied = self._request(id)
        self._denied[denied.question.subject] = self._clock()
        for request in self.waiting():
            if request.question.subject == denied.question.subject:
                self._settle(request, _denied())
        return denied

    def deny_all(self, id: int) -> Request:
        """Deny a request with all of the same source, which is denied everything for a while. Raises NotFound."""
        denied = self._request(id)
        self._denied[_source(denied.question)] = self._clock()
        for request in self.of_source(denied):
            self._settle(request, _denied())
        return denied

    def of_source(self, request: Request) -> tuple[Request, ...]:
        """The requests that wait of the same pane, or the same executable outside of panes, oldest first."""
        return tuple(each for each in self.waiting() if _source(each.question) == _source(request.question))

    def review(self) -> None:
        """Let requests proceed that a grant or another policy has made needless."""
        for request in self.waiting():
            if not request.still_needed():
                self._settle(request, Scope.ONCE)

    def _settle(self, request: Request, answer: Scope | Refused) -> None:
        self._requests.pop(request.id, None)
        if not request.answer.done():
            if isinstance(answer, Scope):
                request.answer.set_result(answer)
            else:
                request.answer.set_exception(answer)
        self.on_change()

    def _request(self, id: int) -> Request:
        if id not in self._requests:
            raise NotFound(f"no request {id} waits for approval; list-approvals shows what does")
        return self._requests[id]

    def _check_denied(self, question: Question) -> None:
        """Raise Denied for what was denied just now."""
        now = self._clock()
        self._denied = {each: at for each, at in self._denied.items() if now - at < DENIED_SECONDS}
        if question.subject in self._denied or _source(question) in self._denied:
            raise Denied("the user denied the same a moment ago; ask what to do instead")

    def _make_room(self, question: Question) -> None:
        """Have the oldest request of the greediest give way if there is no room for one more; raise Refused if the
        caller has as many."""
        waiting = self.waiting()
        own = [each for each in waiting if _source(each.question) == _source(question)]
        if sum(each.question.grantee.owner == question.grantee.owner for each in own) >= OF_ONE_CALLER:
            raise _too_many()
        if len(own) >= OF_ONE_SOURCE:
            self._evict(own, lambda each: each.grantee.owner, question)
        elif len(waiting) >= OF_ALL:
            self._evict(waiting, _source, question)

    def _evict(self, waiting: Sequence[Request], key: Callable[[Question], object], question: Question) -> None:
        counts = Counter(key(each.question) for each in waiting)
        greediest, most = counts.most_common(1)[0]
        if most <= counts[key(question)] + 1:
            raise _too_many()
        self._settle(next(each for each in waiting if key(each.question) == greediest), _too_many())


def _source(question: Question) -> object:
    """Whose request it is: a caller without a known source counts for itself."""
    return question.grantee.source or ("", question.grantee.owner)


def _denied() -> Denied:
    return Denied("the user denied it; do not ask again, ask what to do instead")


def _too_many() -> Refused:
    return Refused("too many requests wait for the user's approval; wait for some of them", retry_after_ms=5_000)
