"""Parses operating system commands: notifications, the clipboard, prompt marks, status reports.

Pure: a payload in, an event or None out. Sources: xterm's ctlseqs (52), iTerm2 (9), rxvt (777), semantic prompts (133,
with kitty's options), VS Code (633).

A shell's reported directory: OSC 7's file URL, or a bare path, as a path on this machine.
"""

import base64
import binascii
import os
from typing import Final

from fugue_tui.terminal.emulator import osc_command_line, program_status
from fugue_tui.terminal.emulator.events import ClipboardWrite, Event, Notification, PromptMark, StatusQuery

_PATH_LIMIT: Final = 4_096


def local_path(location: str) -> str | None:
    """The path that a file URL or a bare path names; empty for an empty report, None if it is not on this machine."""
    if not location:
        return ""
    path = _file_url(location) if "://" in location else location
    if path is None or not path.startswith("/") or "\0" in path or len(path) > _PATH_LIMIT:
        return None
    return path


def _file_url(url: str) -> str | None:
    from urllib.parse import unquote

    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    if scheme.lower() not in ("file", "kitty-shell-cwd") or not _is_here(host.lower()):
        return None
    return unquote(slash + path) if scheme.lower() == "file" else slash + path


def _is_here(host: str) -> bool:
    name = os.uname().nodename.lower()
    return host in ("", "localhost", name, name.partition(".")[0])


LONGEST: Final = 4_096
"""Longer notifications are cut, in characters."""
_ALIKE: Final = {"P": "A", "N": "A", "I": "B"}
"""Marks of the specification that differ in what the terminal does, not in what they say."""


def read(payload: str) -> Event | StatusQuery | None:
    """The event in an OSC's payload (without `ESC ]` and terminator); None if there is none or it is malformed."""
    number, _, rest = payload.partition(";")
    match number:
        case "9":
            return _notification(rest)
        case "52":
            return _clipboard(rest)
        case "133":
            return _mark(rest)
        case "633":
            return _vs_code_mark(rest)
        case "777":
            return _rxvt_notification(rest)
        case "7501":
            return program_status.read(rest)
        case _:
            return None


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
    """Marks A to D with their options: the exit code of D or our A, kitty's command lines, our directory and nonce."""
    kind, _, rest = rest.partition(";")
    kind = _ALIKE.get(kind, kind)
    if kind not in ("A", "B", "C", "D"):
        return None
    options = _options(rest)
    line = osc_command_line.percent(options["cmdline_url"]) if "cmdline_url" in options else None
    if line is None and "cmdline" in options:
        line = osc_command_line.quoted(options["cmdline"])
    continues = options.get("k", "i") in ("s", "c")
    return PromptMark(
        kind,
        _exit_code(rest if kind == "D" else options.get("status", "") if kind == "A" else ""),
        line if kind in ("C", "D") else None,
        options.get("fugue", ""),
        options.get("aid", ""),
        continues and kind == "A",
        options.get("eol", "") if kind == "D" else "",
        osc_command_line.percent(options["cwd"]) if "cwd" in options and kind in ("A", "D") else None,
    )


def _options(rest: str) -> dict[str, str]:
    """What is written `key=value`; a `cmdline` reaches to the end, as it may hold semicolons."""
    rest, found, line = rest.partition("cmdline=")
    pairs = (part.partition("=") for part in rest.split(";"))
    options = {key: value for key, separator, value in pairs if separator}
    return options | {"cmdline": line} if found else options


def _exit_code(rest: str) -> int | None:
    code = rest.partition(";")[0]
    known = code.removeprefix("-").isdecimal() and code.isascii() and len(code) < 12
    return int(code) if known else None


def _vs_code_mark(rest: str) -> PromptMark | None:
    """`633;A` to `633;D;code` mean what 133 means; `633;E;line;nonce` reports the line before C."""
    kind, _, line = rest.partition(";")
    if kind != "E":
        return _mark(rest)
    return PromptMark("E", line=osc_command_line.escaped(line.partition(";")[0]))
