"""Parses command-line arguments and writes to stdout and stderr. Cheap to import."""

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from fugue_tui.errors import FugueError, InvalidArgument


class Usage(InvalidArgument):
    """The command line is malformed."""


PLAIN, ENVELOPE = "plain", "envelope"
"""The forms of JSON."""
WRITERS = ("record-pane", "record-window", "save-result")
"""Commands whose own argument `--output` is, a file that the workspace writes."""
SHORT = {"-e": "--command", "-h": "--help", "-r": "--read-only"}


def options_of(
    arguments: list[str], known: tuple[str, ...], flags: tuple[str, ...] = ()
) -> tuple[dict[str, str], list[str], list[str]]:
    """Options with their values, positional arguments, and what follows `--`; `flags` have no value. Raises Usage
    for an unknown option."""
    head, program = _cut(arguments)
    options: dict[str, str] = {}
    positional: list[str] = []
    while head:
        word = head.pop(0)
        name, equals, value = word.partition("=")
        name = SHORT.get(name, name)
        if name in ("--help", "--version", *flags):
            options[name] = ""
        elif name in known:
            options[name] = value if equals else _value(name, head)
        elif word.startswith("-"):
            raise Usage(f"no option {word[:40]!a}; fugue-tui --help lists them")
        else:
            positional.append(word)
    return options, positional, program


def json_form(arguments: Sequence[str]) -> str:
    """The form of JSON that is requested: plain or envelope; empty for none. Raises Usage."""
    form = ""
    for word in _cut(list(arguments))[0]:
        name, equals, value = word.partition("=")
        if name == "--json":
            form = value if equals else PLAIN
            if form not in (PLAIN, ENVELOPE):
                raise Usage(f"--json: {value[:40]!a} is no form; there are {PLAIN} and {ENVELOPE}")
    return form


def split_own(arguments: list[str]) -> tuple[list[str], dict[str, str], str]:
    """A command's own arguments, the options of the client (which workspace, where the output goes), and the form of
    JSON that was requested."""
    head, program = _cut(arguments)
    words: list[str] = []
    where: dict[str, str] = {}
    while head:
        word = head.pop(0)
        name, equals, value = word.partition("=")
        if name == "--output" and words[:1] and words[0] in WRITERS:
            words.append(f"--output={os.path.abspath(value if equals else _value(name, head))}")
        elif name in ("--workspace", "--socket", "--output"):
            where[name] = value if equals else _value(name, head)
        else:
            words.append(word)
    words = [word for word in words if word.partition("=")[0] != "--json"]
    form = json_form(arguments)
    return [*words, *(["--", *program] if len(program) or "--" in arguments else [])], where, form


def _cut(arguments: list[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return list(arguments), []
    at = arguments.index("--")
    return arguments[:at], arguments[at + 1 :]


def _value(name: str, rest: list[str]) -> str:
    if not rest:
        raise Usage(f"{name}: requires a value")
    return rest.pop(0)


def as_json(value: object, form: str = PLAIN) -> str:
    """Serialize a value as the JSON that `--json` prints; an envelope says whether it is a result or an error."""
    import json

    if form == ENVELOPE:
        value = _enveloped(value)
    return json.dumps(value, indent=2, ensure_ascii=False)


def _enveloped(value: object) -> dict[str, object]:
    """A result, or an error's message, code and data, in an envelope."""
    from typing import cast

    error = cast("dict[str, object]", value).get("error") if isinstance(value, dict) else None
    if not isinstance(error, dict) or "message" not in error:
        return {"success": True, "data": value}
    fields = cast("dict[str, object]", error)
    return {"success": False, "error": fields["message"]} | {
        name: each for name, each in fields.items() if name != "message"
    }


def echo(text: str) -> None:
    """Write text and a newline to stdout; characters that its encoding lacks are replaced."""
    encoding = sys.stdout.encoding or "utf-8"
    _print(text.encode(encoding, "replace") + b"\n")


def _print(data: bytes) -> None:
    """Write to stdout. Raises FugueError if that fails, as on a full disk."""
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # What is left in the buffer is not tried again.
        raise FugueError(f"stdout cannot be written: {error.strerror}") from None


def write(data: bytes, file: str) -> None:
    """Write output to a file, or to stdout for `-`. Raises Usage if it cannot be written; no new file is left then."""
    if file == "-":
        _print(data)
        return
    is_new = False
    try:
        is_new = not os.path.lexists(file)
        with open(file, "wb") as stream:
            stream.write(data)
    except (OSError, ValueError) as error:
        if is_new:
            with suppress(OSError):
                os.unlink(file)
        raise Usage(f"--output: {file[:200]!a} cannot be written: {getattr(error, 'strerror', error)}") from None


def complain(message: str) -> None:
    """Write an error to stderr, with non-ASCII characters escaped."""
    sys.stderr.write(f"fugue-tui: {message}\n".encode("ascii", "backslashreplace").decode())
