"""The workspace that the commands are tested in."""

from tests.multiplexer.conftest import main_loop as main_loop
from tests.multiplexer.conftest import room as room
