"""The workspace that the commands are tested in."""

from tests.multiplexer.conftest import room as room
