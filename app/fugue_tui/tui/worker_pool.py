"""The threads for file I/O, images and decoding: the default executor of the main loop, behind `asyncio.to_thread`."""

from concurrent.futures import ThreadPoolExecutor
from typing import Final

THREADS: Final = 4


class WorkerPool(ThreadPoolExecutor):
    """A bounded pool whose shutdown does not wait for jobs that hang, as on a slow disk; nor does the server's exit."""

    def __init__(self) -> None:
        super().__init__(THREADS, thread_name_prefix="pool")

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Start no more jobs; does not wait for those that run."""
        super().shutdown(wait=False, cancel_futures=True)
