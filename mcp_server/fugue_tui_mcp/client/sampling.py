"""Answers a server's request for a model by the program that the configuration names."""

import asyncio
import os
import signal
from contextlib import suppress
from typing import Final

import mcp_types as types

from fugue_tui.multiplexer.mcp_servers.connector import Launch
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty import orphans

SECONDS: Final = 300.0
"""How long the program may take."""
LONGEST: Final = 1 << 20
"""Bytes of its answer."""


async def answer(
    launch: Launch, params: types.CreateMessageRequestParams
) -> types.CreateMessageResult | types.ErrorData:
    """What the program prints, which reads the request as JSON."""
    argv = launch.settings.sampling
    asked = params.model_dump_json(by_alias=True, exclude_none=True).encode()
    try:
        program = await asyncio.create_subprocess_exec(
            *argv,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            env=dict(launch.env),
            cwd=launch.cwd,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return _refused(f"the program that answers cannot be started: {error}")
    orphans.own.add(program.pid)
    try:
        async with asyncio.timeout(SECONDS):
            output, _ = await program.communicate(asked)
    except TimeoutError:
        return _refused(f"the program that answers took longer than {SECONDS:g} s")
    finally:
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
        orphans.own.discard(program.pid)
    if program.returncode:
        return _refused(f"the program that answers ended with exit code {program.returncode}")
    text = types.TextContent(text=output[:LONGEST].decode(errors="replace").strip())
    return types.CreateMessageResult(role="assistant", content=text, model=os.path.basename(argv[0]))


def _refused(reason: str) -> types.ErrorData:
    return types.ErrorData(code=types.INTERNAL_ERROR, message=clean(reason))
