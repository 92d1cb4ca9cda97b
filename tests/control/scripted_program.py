"""A pane whose program does what the test says, and how a shell marks its commands."""

import pytest
from tests.multiplexer.conftest import Room

from fugue_tui.control.commands.read_pane import Reading, ReadPane

LOOP = "stty -echo; printf ready; while read -r line; do eval \\\"$line\\\"; printf '<%s>' $((n=n+1)); done"


class Driven:
    """A pane whose program does what the test says, and says when it is done."""

    def __init__(self, room: Room, engine: str = "ghostty") -> None:
        self.room = room
        room.launcher.engine = engine
        self.pane = room.opened(f'create-pane --command "{LOOP}"')
        self.count = 0
        room.shows(self.pane, "ready")

    def does(self, script: str) -> None:
        """Run a line of shell script to its end."""
        self.count += 1
        self.room.mux.terminals[self.pane].write(f"{script}\n".encode())
        self.room.until(lambda: f"<{self.count}>" in self.whole(), self.whole)

    def whole(self) -> str:
        """All of the pane's text."""
        return "\n".join(self.room.mux.terminals[self.pane].lines(0, 1 << 20))

    def read(self, cursor: str = "", **fields: object) -> Reading:
        """Read the pane."""
        return self.room.run(ReadPane(pane=str(self.pane), cursor=cursor, **fields))  # type: ignore[arg-type]


@pytest.fixture(params=["ghostty", "pyte"])
def driven(room: Room, request: pytest.FixtureRequest) -> Driven:
    return Driven(room, request.param)


def marks(line: str, output: str, code: int) -> str:
    """A prompt, a command that is typed, its output and its end, as a shell with integration prints them."""
    return (
        f"printf '\\033]133;A\\007$ \\033]133;B\\007{line}\\n\\033]133;C\\007'; {output}; "
        f"printf '\\033]133;D;{code}\\007\\033]133;A\\007$ \\033]133;B\\007'"
    )
