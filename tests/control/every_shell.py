"""The shells in which a test is run: marks for it."""

import pytest
from tests.control.shells import ALL, INTEGRATED, POSIX

every = pytest.mark.parametrize("shell", ALL, indirect=True)
posix = pytest.mark.parametrize("shell", POSIX, indirect=True)
integrated = pytest.mark.parametrize("shell", INTEGRATED, indirect=True)
one_each = pytest.mark.parametrize("shell", ["bash", "dash"], indirect=True)
