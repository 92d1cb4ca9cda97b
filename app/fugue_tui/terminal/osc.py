"""Operating system commands that tell of something: notifications, the clipboard, prompt marks.

Pure: a payload in, an event or None out. Sources: xterm's ctlseqs (52), iTerm2 (9), rxvt (777), semantic prompts (133).
"""

import base64
import binascii
from typing import Final

from fugue_tui.terminal.events import ClipboardWrite, Event, Notification, PromptMark

LONGEST: Final = 4_096
"""Longer notifications are cut, in characters."""


def read(payload: str) -> Event | None:
    """The event in an OSC's payload (without `ESC ]` and terminator); None if there is none or it is malformed."""
    number, _, rest = payload.partition(";")
    reader = {"9": _notification, "52": _clipboard, "133": _mark, "777": _rxvt_notification}.get(number)
    return reader(rest) if reader else None


def _notification(rest: str) -> Notification | None:
    """OSC 9's message; `9;4;...` is progress and the other numbers are ConEmu's."""
    first, separator, _ = rest.partition(";")
    if not rest or (separator and first.isdigit()):
        return None
    return Notification("", rest[:LONGEST])


def _rxvt_notification(rest: str) -> Notification | None:
    """`777;notify;title;body`."""
    kind, _, message = rest.partition(";")
    title, _, body = message.partition(";")
    return Notification(title[:LONGEST], body[:LONGEST]) if kind == "notify" and message else None


def _clipboard(rest: str) -> ClipboardWrite | None:
    """Text to copy; a read (`?`), an empty write and bad base64 are nothing."""
    _, separator, data = rest.partition(";")
    if not separator or data in ("", "?"):
        return None
    try:
        text = base64.b64decode(data, validate=True).decode("utf-8", "replace")
    except (binascii.Error, ValueError):
        return None
    return ClipboardWrite(text) if text else None


def _mark(rest: str) -> PromptMark | None:
    """Marks A to D; D may carry the exit code."""
    kind, _, options = rest.partition(";")
    if kind not in ("A", "B", "C", "D"):
        return None
    code = options.partition(";")[0]
    known = kind == "D" and code.removeprefix("-").isdecimal() and code.isascii() and len(code) < 12
    return PromptMark(kind, int(code) if known else None)
