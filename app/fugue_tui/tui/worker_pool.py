"""The threads for file I/O, images and decoding: the default executor of the main loop, behind `asyncio.to_thread`.

Clients take turns, so that one with hundreds of screenshots delays the others by those that are being drawn."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from threading import Lock
from typing import Any, Final

from fugue_tui.control.core.fair_queue import FairQueue, current_client

THREADS: Final = 4


class WorkerPool(ThreadPoolExecutor):
    """A bounded pool whose shutdown does not wait for jobs that hang, as on a slow disk; nor does the server's exit."""

    def __init__(self) -> None:
        super().__init__(THREADS, thread_name_prefix="pool")
        self._jobs = FairQueue[tuple[Future[Any], Callable[[], Any]]]()
        self._guard = Lock()
        self._working = 0
        self._closed = False

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a call for the current client, in its turn. Raises RuntimeError after the shutdown."""
        with self._guard:
            if self._working < THREADS or self._closed:
                future = super().submit(fn, *args, **kwargs)
                self._working += 1
            else:
                future = Future[Any]()
                self._jobs.put(current_client(), (future, partial(fn, *args, **kwargs)))
                return future
        future.add_done_callback(self._continue)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Start no more jobs; does not wait for those that run."""
        with self._guard:
            self._closed = True
        super().shutdown(wait=False, cancel_futures=True)
        while job := self._jobs.take():
            job[0].cancel()

    def _continue(self, _: Future[Any]) -> None:
        """A thread has become free: run the next job."""
        with self._guard:
            job = None if self._closed else self._jobs.take()
            if job is None:
                self._working -= 1
                return
            begun = super().submit(_run, *job)
        begun.add_done_callback(self._continue)


def _run(future: Future[Any], call: Callable[[], Any]) -> None:
    if not future.set_running_or_notify_cancel():
        return
    try:
        result = call()
    except BaseException as error:  # noqa: BLE001  (handed to the caller)
        future.set_exception(error)
    else:
        future.set_result(result)
