"""Serves `fugue-tui COMMAND`: words in, text and JSON out. Does not import the SDK."""

import asyncio
import logging
from collections.abc import Mapping
from typing import Any, Final, cast

from fugue_tui.control.core.answers import ExitStatusAnswer, TextAnswer
from fugue_tui.control.dispatch.thread_gateway import Caller, ThreadGateway
from fugue_tui.control.schema import command_line
from fugue_tui.control.schema.command_schema import build
from fugue_tui.control.schema.table import render
from fugue_tui.errors import FugueError, InvalidArgument, UnknownCommand
from fugue_tui.sanitize import clean_text
from fugue_tui.validation.annotations import dump
from fugue_tui_mcp import jsonrpc
from fugue_tui_mcp.jsonrpc import Frame

METHOD: Final = "fugue/cli"

_log = logging.getLogger(__name__)


async def answer(frame: Frame, gateway: ThreadGateway, caller: Caller) -> bytes:
    """The response line to one request: `{"text", "json", "exit"}`, where exit 2 is a usage error.

    A `VerdictAnswer` adds `"status"`, its exit status, and `"aside"`, a note."""
    words = _words(frame.value.get("params"))
    if words is None:
        return jsonrpc.error(frame.id, jsonrpc.INVALID_PARAMS, 'params must be {"words": ["list-panes", ...]}')
    try:
        response = await _run(words, gateway, caller)
    except FugueError as error:
        status = 2 if isinstance(error, UnknownCommand | InvalidArgument) else 1
        return jsonrpc.result(frame.id, failure(error.code, str(error), status, error.data))
    except Exception:  # noqa: BLE001  (bugs are logged and reported as internal)
        _log.exception("%s failed", words[:1])
        return jsonrpc.result(frame.id, failure("internal", "a bug in fugue-tui; its log has the details", 1))
    return jsonrpc.result(frame.id, response | {"exit": 0})


def failure(code: str, message: str, status: int, data: Mapping[str, object] | None = None) -> dict[str, Any]:
    """The response of a failed command."""
    message = clean_text(message)
    return {"text": message, "json": {"error": {"code": code, "message": message, **(data or {})}}, "exit": status}


async def _run(words: list[str], gateway: ThreadGateway, caller: Caller) -> dict[str, Any]:
    options = words[: words.index("--")] if "--" in words else words
    if {"--help", "-h"} & set(options[1:]):
        text = command_line.help_text(command_line.lookup(words[0]))
        return {"text": text, "json": text}
    cls, arguments = command_line.parse(words)
    completed = await asyncio.wrap_future(gateway.run(build(cls, arguments), caller))
    text, value = _render(completed.result, plain=cls.plain)
    response = {"text": text, "json": value}
    if isinstance(completed.result, ExitStatusAnswer):
        response |= {"status": completed.result.exit_status, "aside": clean_text(completed.result.aside)}
    return response


def _render(result: object, *, plain: bool) -> tuple[str, Any]:
    """A result as text and as JSON."""
    if isinstance(result, TextAnswer):
        return result.for_terminal, dump(result)
    if plain:
        text = clean_text(str(result))
        return text, text
    value = dump(result)
    return render(value), value


def _words(params: Any) -> list[str] | None:
    words = cast("dict[str, Any]", params).get("words") if isinstance(params, dict) else None
    if not isinstance(words, list):
        return None
    result = cast("list[Any]", words)
    return result if all(isinstance(word, str) for word in result) else None
