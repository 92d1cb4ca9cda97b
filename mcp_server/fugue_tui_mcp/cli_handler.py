"""Serves `fugue-tui COMMAND`: words in, text and JSON out. Needs nothing of the SDK."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final, cast

from fugue_tui.control.core.answers import ExitStatusAnswer, TextAnswer
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.control.schema import command_line
from fugue_tui.control.schema.command_schema import build, dump
from fugue_tui.control.schema.table import render
from fugue_tui.errors import FugueError, InvalidArgument, UnknownCommand
from fugue_tui.sanitize import clean_text
from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.jsonrpc import Frame

METHOD: Final = "fugue/cli"

_log = logging.getLogger(__name__)


async def answer(frame: Frame, gate: ThreadGateway, caller: Caller) -> bytes:
    """The response line to one request: `{"text", "json", "exit"}`, where exit 2 is a mistake in the words.

    What may have gone wrong all the same adds `"status"`, and `"aside"` if there is more to say."""
    said = _words(frame.value.get("params"))
    if said is None:
        return jsonrpc.error(frame.id, jsonrpc.INVALID_PARAMS, 'params must be {"words": ["list-panes", ...]}')
    try:
        answered = await _run(said, gate, caller)
    except FugueError as error:
        status = 2 if isinstance(error, UnknownCommand | InvalidArgument) else 1
        return jsonrpc.result(frame.id, failure(error.code, str(error), status, error.data))
    except Exception:  # noqa: BLE001  (a border: bugs are logged and reported as internal)
        _log.exception("%s failed", said[:1])
        return jsonrpc.result(frame.id, failure("internal", "a bug in fugue-tui; its log has the details", 1))
    return jsonrpc.result(frame.id, answered | {"exit": 0})


def failure(code: str, message: str, status: int, data: Mapping[str, object] | None = None) -> dict[str, Any]:
    """What a failed command says."""
    message = clean_text(message)
    return {"text": message, "json": {"error": {"code": code, "message": message, **(data or {})}}, "exit": status}


async def _run(said: list[str], gate: ThreadGateway, caller: Caller) -> dict[str, Any]:
    options = said[: said.index("--")] if "--" in said else said
    if {"--help", "-h"} & set(options[1:]):
        text = command_line.help_text(command_line.lookup(said[0]))
        return {"text": text, "json": text}
    cls, arguments = command_line.parse(said)
    done = await asyncio.wrap_future(gate.run(build(cls, arguments), caller))
    text, value = _shown(done.result, plain=cls.plain)
    answered = {"text": text, "json": value}
    if isinstance(done.result, ExitStatusAnswer):
        answered |= {"status": done.result.exit_status, "aside": clean_text(done.result.aside)}
    return answered


def _shown(found: object, *, plain: bool) -> tuple[str, Any]:
    """An answer for people, and as JSON."""
    if isinstance(found, TextAnswer):
        return found.for_terminal, dump(found)
    if plain:
        text = clean_text(str(found))
        return text, text
    value = dump(found)
    return render(value), value


def _words(params: Any) -> list[str] | None:
    said = cast("dict[str, Any]", params).get("words") if isinstance(params, dict) else None
    if not isinstance(said, list):
        return None
    found = cast("list[Any]", said)
    return found if all(isinstance(word, str) for word in found) else None
