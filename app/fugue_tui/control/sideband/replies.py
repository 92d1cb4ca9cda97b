"""Answers to tags: JSON in a private file of the pane, or typed into it."""

import json
import os
import re
from contextlib import suppress
from typing import Any, Final

from fugue_tui import sockets
from fugue_tui.errors import FugueError, InvalidArgument
from fugue_tui.sideband.tag import Tag
from fugue_tui.validation.annotations import dump

LIMIT: Final = 256 * 1024
"""Characters of an answer."""
KINDS: Final = ("env", "file", "type")
_NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")


def check(tag: Tag, *, may_type: bool) -> None:
    """Raise InvalidArgument if a tag asks for an answer that it cannot get."""
    kind = tag.attributes.get("reply", "")
    if kind and kind not in KINDS:
        raise InvalidArgument(f"fugue:{tag.name}: reply is {kind[:40]!a}; it is env, file or type")
    if kind == "file" and not _NAME.fullmatch(tag.attributes.get("id", "")):
        raise InvalidArgument(
            f'fugue:{tag.name}: reply="file" needs an id of letters, digits, - and _, which names the file'
        )
    if kind == "type" and not may_type:
        raise InvalidArgument(f'fugue:{tag.name}: reply="type" needs grant-sideband --typing for the pane')


def answer(result: object, error: BaseException | None) -> str:
    """An answer as one line of JSON. Text of programs in it is untrusted."""
    if error is not None:
        code = error.code if isinstance(error, FugueError) else "internal"
        reply: dict[str, Any] = {"ok": False, "error": {"code": code, "message": str(error)}}
    else:
        reply = {"ok": True, "result": dump(result)}
    text = json.dumps(reply)
    if len(text) > LIMIT:
        return answer(None, InvalidArgument(f"the answer has {len(text)} characters, {LIMIT} fit; ask for less"))
    return text


def write(path: str, text: str) -> None:
    """Write an answer to a file at once, so that a reader sees all of it. Raises OSError or SocketError. Blocks."""
    folder = os.path.dirname(path)
    for each in (os.path.dirname(os.path.dirname(folder)), os.path.dirname(folder), folder):
        sockets.make_private(each)
    name = f"{path}.{os.urandom(4).hex()}"
    try:
        with os.fdopen(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(name, path)
    except OSError:
        with suppress(OSError):
            os.unlink(name)
        raise
