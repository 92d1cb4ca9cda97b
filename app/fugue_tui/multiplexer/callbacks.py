"""Lists of callbacks."""

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class CallbackList(Generic[P]):
    """Callbacks with one signature; calling the list calls each, in the order in which they were connected."""

    def __init__(self) -> None:
        self._calls: tuple[Callable[P, None], ...] = ()

    def connect(self, call: Callable[P, None]) -> Callable[[], None]:
        """Add a callback; the result removes it, and may be called once."""
        self._calls += (call,)

        def remove() -> None:
            at = self._calls.index(call)
            self._calls = self._calls[:at] + self._calls[at + 1 :]

        return remove

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """Call all callbacks; they may connect or disconnect others meanwhile."""
        for call in self._calls:
            call(*args, **kwargs)
