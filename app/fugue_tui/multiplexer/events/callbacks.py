"""Calls that several may wait for."""

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class CallbackList(Generic[P]):
    """A list of callbacks with one shape; calling the signal calls each, in the order in which they connected."""

    def __init__(self) -> None:
        self._calls: list[Callable[P, None]] = []

    def connect(self, call: Callable[P, None]) -> Callable[[], None]:
        """Have `call` called from now on; what is returned takes it off again, and may be called once."""
        self._calls.append(call)
        return lambda: self._calls.remove(call)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Tell everyone; a callback may connect or disconnect others meanwhile."""
        for call in tuple(self._calls):
            call(*args, **kwargs)
