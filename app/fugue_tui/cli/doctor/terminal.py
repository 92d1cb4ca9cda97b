"""Checks of the terminal: what it supports, what is around it, its clipboard and its font."""

import os
import select
import shutil
import termios
import threading
import time
import tty
from collections.abc import Iterator
from functools import cache
from typing import Final

from fugue_tui.attach_server.capabilities import Capabilities
from fugue_tui.attach_server.input.input_parser import HostParser, Reply
from fugue_tui.attach_server.output.color_depth import Depth
from fugue_tui.cli.doctor.report import Finding, ok, warning
from fugue_tui.client.attach import introduce

REPLY_SECONDS: Final = 1.5
"""How long the terminal may take to reply."""
_NESTED_ADVICE: Final = {
    "tmux": "press both prefixes, or use another one here: --prefix KEY, or keys.nested_prefix; "
    "for all keys: set -s extended-keys on",
    "screen": "press both prefixes, or use another one here: --prefix KEY, or keys.nested_prefix",
    "zellij": "lock its keys (Ctrl+G), or use another prefix here: --prefix KEY, or keys.nested_prefix",
}
_ENABLE_KEYBOARD: Final = b"\x1b[>1u"
"""The kitty keyboard protocol is reported only while it is in force."""
_RESTORE_KEYBOARD: Final = b"\x1b[<u"
_querying: Final = threading.Lock()
_CLIPBOARD_PROGRAMS: Final = ("wl-copy", "xclip", "xsel", "pbcopy")


def abilities() -> Iterator[Finding]:
    """What the terminal says that it supports."""
    if not _is_shown():
        yield ok("none here to examine; run doctor on the terminal in question")
        return
    found, term = _queried(), os.environ.get("TERM", "")
    if found.awaits_reply():
        yield warning(f"TERM={term}; it answered no query within {REPLY_SECONDS:g} s", "only TERM and COLORTERM count")
    else:
        yield ok(f"TERM={term}, answers queries")
    colours = f"{found.depth.colours:,} colours"
    if found.depth is Depth.TRUE:
        yield ok(colours)
    elif found.depth is Depth.NONE:
        yield warning("no colours", "set TERM to what the terminal is, such as xterm-256color")
    else:
        yield warning(colours, "if it shows all, set COLORTERM=truecolor")
    if found.keyboard:
        yield ok("all keys are distinguished (kitty keyboard protocol)")
    else:
        yield warning(
            "no kitty keyboard protocol: some keys, as Ctrl+I and Tab, are the same",
            "Ghostty, kitty, foot, WezTerm, Alacritty and iTerm2 have it, some as an option",
        )
    images = "kitty graphics" if found.kitty_graphics else "sixels" if found.sixel else "no, as half blocks"
    yield ok(f"images: {images}")
    yield ok(f"synchronized output: {'yes' if found.synchronized else 'no, redrawing may flicker'}")


def surroundings() -> Iterator[Finding]:
    """The multiplexer and the SSH connection around this terminal, and whether text is UTF-8."""
    nested = introduce().nested
    if advice := _NESTED_ADVICE.get(nested):
        yield warning(f"inside {nested}", advice)
    else:
        yield ok("a pane of Fugue, whose terminal this is" if nested else "no multiplexer")
    if os.environ.get("SSH_CONNECTION") or os.environ.get("SSH_TTY"):
        yield ok("over SSH; workspaces outlive the connection")
    locale = next(filter(None, map(os.environ.get, ("LC_ALL", "LC_CTYPE", "LANG"))), "")
    if "utf8" not in locale.lower().replace("-", ""):
        yield warning(f"the locale is {locale or 'not set'}, without UTF-8", "set LANG to one with it, such as C.UTF-8")


def clipboard() -> Iterator[Finding]:
    """How a selection reaches the clipboard."""
    present = [name for name in _CLIPBOARD_PROGRAMS if shutil.which(name)]
    programs = f"programs in panes can use {', '.join(present)}" if present else "no program here sets it"
    if not _is_shown():
        yield ok(f"no terminal to ask; {programs}")
    elif _queried().clipboard:
        yield ok(f"the terminal lets programs set it (OSC 52); {programs}")
    else:
        yield warning(
            f"the terminal does not report that programs may set it (OSC 52); {programs}",
            "some support it without a report: select text in a pane and paste it elsewhere",
        )


def fonts() -> Iterator[Finding]:
    """A sample, as no program can find out what a terminal's font shows."""
    yield ok("cannot be found out; these are lines, blocks, an arrow and an emoji of two columns: │─┼╯ █▒ → 🙂|")


def _is_shown() -> bool:
    """Whether this process may use a terminal, both ways."""
    try:
        return os.isatty(0) and os.isatty(1) and os.tcgetpgrp(0) == os.getpgrp()
    except OSError:
        return False


def _queried() -> Capabilities:
    """What the terminal reports; it is queried once, by one of the checks that need it."""
    with _querying:
        return _query()


@cache
def _query() -> Capabilities:
    """The terminal's replies to the queries that it gets when it attaches."""
    found, parser = Capabilities(introduce()), HostParser()
    before = termios.tcgetattr(0)
    deadline = time.monotonic() + REPLY_SECONDS
    try:
        tty.setcbreak(0, termios.TCSADRAIN)
        os.write(1, _ENABLE_KEYBOARD + found.queries())
        while found.awaits_reply() and (left := deadline - time.monotonic()) > 0:
            if not select.select([0], [], [], left)[0] or not (data := os.read(0, 4096)):
                break
            for event in parser.feed(data):
                if isinstance(event, Reply):
                    found.receive(event.text)
    finally:
        os.write(1, _RESTORE_KEYBOARD)
        termios.tcsetattr(0, termios.TCSAFLUSH, before)
    return found
