"""The workspaces of the tests of the app, to which clients attach."""

from tests.tui.conftest import plain_shell as plain_shell
from tests.tui.conftest import pump as pump
from tests.tui.conftest import start as start
