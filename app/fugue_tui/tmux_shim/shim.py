"""The `tmux` on the PATH of programs that drive a tmux: sends its arguments to the workspace whose panes they run in.

Runs as a script by `python -I -S`, without the rest of the program, as one process a call should start within
hundredths of a second. For another server (`-S`, `-L`, or a TMUX that is not the workspace's) the next tmux on PATH
takes its place.
"""

import json
import os
import socket
import sys

VERSION = "3.5a"
"""The version of tmux whose commands these are."""
SECONDS = 150.0
"""How long a command may take; the user may be asked about it."""
POPUPS = ("display-popup", "popup")
"""The commands that take until their program ends."""
_VALUED = "LSTcf"
"""tmux's own flags that take a value."""


def main(words: list[str]) -> int:
    """Run one tmux command; the exit status."""
    around = os.environ.get("FUGUE_SOCKET", "")
    try:
        flags, command = parse(words)
    except ValueError as error:
        return fail(f"tmux: {error}")
    if not around or "L" in flags or not is_own(flags.get("S", ""), command, around):
        return real(words)
    if "V" in flags:
        print(f"tmux {VERSION}")
        return 0
    if "C" in flags:
        return fail("tmux: control mode (-C) is not supported here")
    if not command:
        command = ["new-session"]
    return ask(around, command)


def parse(words: list[str]) -> tuple[dict[str, str], list[str]]:
    """tmux's own flags with their values, and the command."""
    flags: dict[str, str] = {}
    left = list(words)
    while left and left[0].startswith("-") and left[0] != "-":
        word = left.pop(0)
        if word == "--":
            break
        for at, flag in enumerate(word[1:], 2):
            if flag in _VALUED:
                if not word[at:] and not left:
                    raise ValueError(f"option requires an argument -- {flag}")
                flags[flag] = word[at:] or left.pop(0)
                break
            if flag not in "2CDlNuVv":
                raise ValueError(f"unknown option -- {flag}")
            flags[flag] = ""
    return flags, left


def is_own(given: str, command: list[str], around: str) -> bool:
    """Whether a command is for the workspace around. Without TMUX, which some programs remove to start a session, it is
    unless it attaches a terminal."""
    if given:
        return same(given, around)
    if tmux := os.environ.get("TMUX", ""):
        return same(tmux.rsplit(",", 2)[0], around)
    attaches = not command or command[0] in ("attach-session", "attach", "a", "at")
    return not attaches and (command[0] not in ("new-session", "new") or "-d" in command)


def same(path: str, own: str) -> bool:
    """Whether two paths are of the same socket."""
    return os.path.realpath(path) == os.path.realpath(own)


def real(words: list[str]) -> int:
    """Become the next tmux on PATH; the exit status if there is none."""
    here = os.environ.get("FUGUE_TMUX", "")
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(folder or ".", "tmux")
        if here and same(folder or ".", here):
            continue
        if os.access(path, os.X_OK) and not os.path.isdir(path):
            os.execv(path, ["tmux", *words])
    if "-V" in words:
        print(f"tmux {VERSION}")
        return 0
    return fail("tmux: no tmux is installed, and this one serves only the panes of fugue-tui")


def ask(path: str, command: list[str]) -> int:
    """Run a command in the workspace at a socket, and print what it prints; the exit status."""
    request = {"jsonrpc": "2.0", "id": 1, "method": "fugue/cli", "params": {"words": words_of(command)}}
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
            link.settimeout(None if command[0] in POPUPS else SECONDS)
            link.connect(path)
            link.sendall(json.dumps(request).encode() + b"\n")
            line = b""
            while not line.endswith(b"\n") and (data := link.recv(1 << 16)):
                line += data
        answer = json.loads(line)["result"]
    except (OSError, ValueError, KeyError) as error:
        return fail(f"error connecting to {path} ({getattr(error, 'strerror', None) or 'it gave no answer'})")
    if answer["exit"]:
        return fail(str(answer["text"]).removeprefix("run-tmux-command: "))
    if answer["json"]["lines"]:
        sys.stdout.write(answer["text"] + "\n")
    return int(answer.get("status") or 0)


def words_of(command: list[str]) -> list[str]:
    """The workspace's command with tmux's."""
    return ["run-tmux-command", "--", *command]


def fail(message: str) -> int:
    """Print an error; the exit status."""
    sys.stderr.write(message + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
