"""The Program Status Protocol (OSC 7501, M. Hashimoto, revision 0.4): what programs say about what they do.

    ESC ] 7501 ; ? ST                                                    asks whether the terminal knows the protocol
    ESC ] 7501 ; state=blocked:app=claude-code:kind=permission:msg=... ST  reports; `title` and `msg` are base64

A report replaces the record of its `id`; without an `id` it is the program's own. Pure.
"""

import base64
import binascii
import re
import unicodedata
from collections.abc import Mapping
from typing import Final

from fugue_tui.terminal.emulator.events import StatusQuery, StatusReport

QUERY: Final = "?"
REPLY: Final = b"\x1b]7501;?\x1b\\"
"""The terminal knows the protocol, with the limits that it says as default."""
LIMIT: Final = 4_096
"""Bytes of a report."""
STATES: Final = frozenset(("idle", "working", "blocked", "done", "error", "clear"))
KINDS: Final = frozenset(("permission", "question", "auth"))
_TEXTS: Final[Mapping[str, int]] = {"title": 192, "msg": 2_048}
"""Bytes of a text, when decoded."""
_APP: Final = re.compile(r"[A-Za-z0-9_.+-]{1,32}")
_ID: Final = re.compile(r"[A-Za-z0-9_.+-]+(?:/[A-Za-z0-9_.+-]+){0,7}")
_ID_LIMIT: Final = 128


def read(payload: str) -> StatusReport | StatusQuery | None:
    """The report or query in what follows `7501;`; None if it is neither, or a text of it is malformed."""
    if payload == QUERY:
        return StatusQuery()
    if len(payload) > LIMIT:
        return None
    given = {key: value for key, found, value in (pair.partition("=") for pair in payload.split(":")) if found}
    state, record = given.get("state", ""), given.get("id", "")
    if state not in STATES or len(record) > _ID_LIMIT or (record and not _ID.fullmatch(record)):
        return None
    texts = {key: _text(given[key], limit) for key, limit in _TEXTS.items() if key in given}
    if None in texts.values():
        return None
    app, kind, progress = given.get("app", ""), given.get("kind", ""), given.get("progress", "")
    counts = state in ("working", "blocked") and progress.isascii() and progress.isdigit() and len(progress) < 4
    return StatusReport(
        state,
        app if _APP.fullmatch(app) else "",
        record,
        kind if state == "blocked" and kind in KINDS else "",
        min(int(progress), 100) if counts else None,
        texts.get("title") or "",
        texts.get("msg") or "",
    )


def _text(encoded: str, limit: int) -> str | None:
    """A text; None if it is no base64 of UTF-8, too long, or has control characters."""
    try:
        text = base64.b64decode(encoded, validate=True).decode()
    except (binascii.Error, ValueError):
        return None
    if len(text.encode()) > limit or any(unicodedata.category(character) == "Cc" for character in text):
        return None
    return text
