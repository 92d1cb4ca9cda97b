"""The shells in which a test is run: marks for it."""

import pytest
from tests.control.real_shells import ALL, INTEGRATED, POSIX


def shells(*names: str) -> pytest.MarkDecorator:
    """Run a test in these; in those that Fugue does not set up only where every shell is asked for."""
    marked = {name: () if name in INTEGRATED else pytest.mark.every_shell for name in names}
    return pytest.mark.parametrize(
        "shell", [pytest.param(name, marks=marks) for name, marks in marked.items()], indirect=True
    )


every = shells(*ALL)
posix = shells(*POSIX)
integrated = shells(*INTEGRATED)
one_each = pytest.mark.parametrize("shell", ["bash", "dash"], indirect=True)
"""One of each method, whichever shells are asked for."""
