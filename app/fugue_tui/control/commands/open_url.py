"""Open an address with the program that the user's system has for it."""

import asyncio
import os
import sys
from typing import Annotated, Final

from msgspec import Meta, Struct

from fugue_tui.control.core.command import Command, Confirmation, Effect, Origin
from fugue_tui.control.core.deferred import Deferred, run_task
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.sanitize import visible
from fugue_tui.terminal.screen.cells import opens

_SECONDS: Final = 3.0
"""How long an opener may take to fail; one that still runs then is left alone."""


class OpenedUrl(Struct, frozen=True):
    """What was opened."""

    url: str
    """The address."""
    program: str
    """The program that it was given to."""


class OpenUrl(Command[OpenedUrl], name="open-url", effect=Effect.RUN, user_only=True):
    """Open a page or mail address with xdg-open, or open on macOS, on the machine that the workspace runs on."""

    url: Annotated[str, Meta(max_length=4_000)]
    """The address: http, https or mailto."""

    def confirmation(self, mux: Multiplexer, origin: Origin) -> Confirmation:
        """Whether to open it: it may come from a program's output."""
        return Confirmation(f"Open {visible(self.url)}?", self)

    def run(self, mux: Multiplexer, origin: Origin) -> Deferred[OpenedUrl]:
        """What was opened. Raises InvalidArgument for another address, Refused if there is no opener or it fails."""
        if not opens(self.url):
            raise InvalidArgument("url: only http, https and mailto are opened")
        return run_task(self._open())

    async def _open(self) -> OpenedUrl:
        program = await asyncio.to_thread(_open, self.url)
        return OpenedUrl(self.url, program)


def _open(url: str) -> str:
    """Start the opener; its name."""
    import shutil
    import subprocess

    name = "open" if sys.platform == "darwin" else "xdg-open"
    program = shutil.which(name)
    if program is None:
        raise Refused(f"no {name} on this machine; copy the address instead")
    nothing = subprocess.DEVNULL
    process = subprocess.Popen(
        (program, url),
        stdin=nothing,
        stdout=nothing,
        stderr=nothing,
        start_new_session=True,
        cwd=os.path.expanduser("~"),
    )
    try:
        code = process.wait(_SECONDS)
    except subprocess.TimeoutExpired:
        return name
    if code:
        raise Refused(f"{name} could not open it (exit {code}); copy the address instead")
    return name
