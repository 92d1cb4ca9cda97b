"""A disk that is full, for the tests of what writes files."""

import resource
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def full_disk() -> Generator[None]:
    """Within this context no file of this process can grow."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
