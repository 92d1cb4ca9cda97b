"""`fugue-tui say`: prints a sideband tag, so that hooks and scripts need no escaping."""

import os
import sys
import time
from typing import Final

from fugue_tui.cli.args import Usage, echo
from fugue_tui.errors import FugueError, TimedOut
from fugue_tui.sideband.grammar import NAMES, format_tag
from fugue_tui.sideband.tag import TagForm

_FORMS: Final = {"osc": TagForm.OSC, "xml": TagForm.TEXT}
_WAIT_SECONDS: Final = 10.0
_LOOK_SECONDS: Final = 0.02


class NoTerminal(FugueError):
    """There is no terminal to print to."""

    code = "no_terminal"


def run(arguments: list[str]) -> int:
    """Print the tag, and with --wait its answer; the exit status."""
    name, attributes, options = _parsed(arguments)
    text = attributes.pop("", "")
    if "wait" in options:
        attributes.setdefault("reply", "file")
    attributes.setdefault("id", os.urandom(4).hex())
    if key := os.environ.get("FUGUE_SIDEBAND_KEY", ""):
        attributes.setdefault("key", key)
    try:
        tag = format_tag(name, attributes, text, _FORMS[options.get("form", "osc")])
    except ValueError as error:
        raise Usage(f"say: {error}") from None
    reply = _reply_file(attributes["id"]) if "wait" in options else ""
    _print(tag if options.get("form", "osc") == "osc" else f"{tag}\n", tty="tty" in options or "wait" in options)
    if reply:
        echo(_answer(reply))
    return 0


def _parsed(arguments: list[str]) -> tuple[str, dict[str, str], dict[str, str]]:
    """The tag's name, its attributes with its text as "", and the options."""
    words, attributes, options = list(arguments), dict[str, str](), dict[str, str]()
    positional = list[str]()
    while words:
        word = words.pop(0)
        name, equals, value = word.removeprefix("--").partition("=")
        if word in ("--tty", "--wait"):
            options[name] = ""
        elif word == "--":
            positional += words
            words = []
        elif word.startswith("--"):
            if not equals and not words:
                raise Usage(f"say: {word[:40]!a} requires a value")
            (options if name == "form" else attributes)[name] = value if equals else words.pop(0)
        else:
            positional.append(word)
    if not positional or positional[0] not in NAMES:
        raise Usage(f"say: requires one of {', '.join(sorted(NAMES))}, and then --attribute value and a text")
    if options.get("form", "osc") not in _FORMS:
        raise Usage(f"say: --form: {options['form'][:40]!a} is not one of osc, xml")
    if len(positional) > 1:
        attributes[""] = " ".join(positional[1:])
    return positional[0], attributes, options


def _reply_file(name: str) -> str:
    """Where the answer will be. Raises NoTerminal outside of a pane."""
    reply = os.environ.get("FUGUE_SIDEBAND_REPLY", "")
    if not reply:
        raise NoTerminal("say: --wait works in a pane of fugue-tui: FUGUE_SIDEBAND_REPLY is not set")
    return os.path.join(os.path.dirname(reply), f"{name}.json")


def _print(text: str, *, tty: bool) -> None:
    if not tty:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        with open("/dev/tty", "w", encoding="utf-8") as terminal:
            terminal.write(text)
    except OSError as error:
        raise NoTerminal(f"say: there is no terminal to print to: {error.strerror}") from None


def _answer(path: str) -> str:
    """Wait for an answer, and delete its file. Raises TimedOut."""
    end = time.monotonic() + _WAIT_SECONDS
    while True:
        try:
            with open(path, encoding="utf-8") as file:
                answer = file.read().rstrip("\n")
        except FileNotFoundError:
            if time.monotonic() > end:
                raise TimedOut(
                    f"say: no answer came within {_WAIT_SECONDS:.0f} s; fugue-tui get-status --pane active says under "
                    "sideband whether tags of this pane are parsed"
                ) from None
            time.sleep(_LOOK_SECONDS)
            continue
        os.unlink(path)
        return answer
