"""Shares what commands need among the clients that run them: one job of each in turn, however many each has."""

from collections import OrderedDict, deque
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Final, Generic, TypeVar

Job = TypeVar("Job")

_client: Final[ContextVar[object]] = ContextVar("_client", default=None)


def current_client() -> object:
    """The client whose command runs, or whose task this is; None for the user and the workspace itself."""
    return _client.get()


@contextmanager
def on_behalf_of(client: object) -> Generator[None]:
    """Commands that run within, and tasks that they start, are this client's."""
    token = _client.set(client)
    try:
        yield
    finally:
        _client.reset(token)


class FairQueue(Generic[Job]):
    """A queue that takes one job of each client in turn, and a client's own in order. Any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._jobs: OrderedDict[object, deque[Job]] = OrderedDict()

    def put(self, client: object, job: Job) -> None:
        """Add a job."""
        with self._lock:
            self._jobs.setdefault(client, deque()).append(job)

    def take(self) -> Job | None:
        """The next job; None if there is none."""
        with self._lock:
            if not self._jobs:
                return None
            client, jobs = self._jobs.popitem(last=False)
            job = jobs.popleft()
            if jobs:
                self._jobs[client] = jobs
            return job
