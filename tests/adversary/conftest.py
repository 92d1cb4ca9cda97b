"""The workspaces that are attacked: one in this process, and servers of their own."""

from tests.multiplexer.conftest import main_loop as main_loop
from tests.multiplexer.conftest import room as room
from tests.tui.conftest import plain_shell as plain_shell
from tests.tui.served_workspace import serve as serve
