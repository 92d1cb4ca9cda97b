"""tmux's commands on the command line: `fugue-tui split-window -h` does here what it does there.

The workspace is what tmux calls the server, so a target may begin with its name: `-t shop:2.1`. Few and cheap imports:
every command line is looked at.
"""

import os

from fugue_tui import sockets
from fugue_tui.cli.args import Usage

TRANSLATED = frozenset(
    (
        *("capture-pane", "capturep", "display-message", "display", "has-session", "has", "kill-pane", "killp"),
        *("kill-window", "killw", "last-pane", "lastp", "last-window", "last", "move-pane", "movep"),
        *("new-session", "new-window", "neww", "next-layout", "nextl", "next-window", "next", "previous-layout"),
        *("prevl", "previous-window", "prev", "rotate-window", "rotatew", "select-pane", "selectp", "split-window"),
        *("splitw", "switch-client", "switchc", "breakp", "joinp", "lsc", "lsp", "lsw", "movew", "renamew", "resizep"),
        *("respawnp", "selectl", "selectw", "send", "swapp", "swapw", "clearhist", "pipep"),
        *("set-environment", "setenv", "show-environment", "showenv"),
    )
)
"""tmux's words that are no commands here, and are done as there."""
_SAME = {
    "lsb": "list-buffers",
    "showb": "show-buffer",
    "setb": "set-buffer",
    "deleteb": "delete-buffer",
    "saveb": "save-buffer",
    "loadb": "load-buffer",
    "pasteb": "paste-buffer",
    "findw": "find-window",
}
"""tmux's aliases of commands that are here, too."""
_ATTACH = ("attach", "attach-session", "a", "at")
_NEW = ("new", "new-session")
_KEYS = "keys are listed by ctrl+b ?, and bound in [keys] of the configuration: fugue-tui config path"
_SETTINGS = "settings are in the configuration, which is read again when it changes: fugue-tui config path"
_SCREEN = "it is for a key: ctrl+b ? lists the keys"
_LOCK = "a workspace has no lock; fugue-tui detach --all sends the terminals away"
_LIST = "fugue-tui ls lists the workspaces"
_END = "fugue-tui kill-server ends a workspace, and fugue-tui detach leaves it running"
_LINK = "a window is in one session; move-window moves it"
ELSEWHERE = {
    **dict.fromkeys(("list-keys", "lsk", "bind-key", "bind", "unbind-key", "unbind"), _KEYS),
    **dict.fromkeys(("source-file", "source", "set-option", "set", "set-window-option", "setw"), _SETTINGS),
    **dict.fromkeys(("show-options", "show-window-options", "showw", "customize-mode"), _SETTINGS),
    **dict.fromkeys(("set-hook", "show-hooks"), "hooks are in [hooks] of the configuration: fugue-tui config path"),
    **dict.fromkeys(("choose-tree", "choose-client", "choose-buffer", "clock-mode", "copy-mode"), _SCREEN),
    **dict.fromkeys(("command-prompt", "confirm-before", "confirm", "display-panes", "displayp"), _SCREEN),
    **dict.fromkeys(("display-menu", "menu", "suspend-client", "suspendc", "show-messages", "showmsgs"), _SCREEN),
    **dict.fromkeys(("lock-server", "lock", "lock-client", "lockc", "lock-session", "locks"), _LOCK),
    **dict.fromkeys(("link-window", "linkw", "unlink-window", "unlinkw"), _LINK),
    **dict.fromkeys(("if-shell", "if"), "a shell's own if does it"),
    **dict.fromkeys(("start-server", "start"), "fugue-tui new -d NAME starts a workspace in the background"),
    "server-access": "a workspace belongs to one user of the system",
    **dict.fromkeys(("list-workspaces", "workspaces", "list", "sessions", "status"), _LIST),
    **dict.fromkeys(("quit", "exit", "stop", "shutdown"), _END),
}
"""tmux's words, and others that one may try, that do nothing here, and what does."""


def rewritten(arguments: list[str]) -> list[str]:
    """The command line in the words of this program, if it is in tmux's; else unchanged. Raises Usage."""
    first, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if first in _SAME:
        return [_SAME[first], *rest]
    flagged = bool(rest) and rest[0][0:1] == "-" and rest[0][1:2].isalpha()
    if first in _ATTACH and (flagged or first != "attach") and not _is_workspace(first):
        return ["attach", *_attach(rest)]
    if first in _NEW and (flagged or first != "new") and not _in_pane(first, rest):
        return ["new", *_new(rest)]
    if first in TRANSLATED and not _is_workspace(first):
        return ["tmux", *arguments]
    own = ("-h", *{"ls": (), "rename": (), "popup": ()}.get(first, ("-r", "-e", "-f")))
    shared = first in ("ls", "rename", "popup") or ("-" in first and first not in ELSEWHERE)
    if flagged and shared and rest[0] not in own:
        return ["tmux", *arguments]
    return arguments


def hint(word: str) -> str:
    """What is here instead of a command that is not; empty for another word, or the name of a workspace."""
    return f"no command {word}; {ELSEWHERE[word]}" if word in ELSEWHERE and not _is_workspace(word) else ""


def aimed(words: list[str]) -> tuple[str, list[str]]:
    """The name of the workspace in the target of a tmux command, and the command without it; empty if there is none."""
    at = next((at for at, word in enumerate(words) if at and word.startswith("-t")), 0)
    if not at or "--" in words[:at]:
        return "", words
    rest = words[at + 1 :]
    name, colon, place = (words[at][2:] or _value(words[0], "-t", rest)).removeprefix("=").partition(":")
    if not _is_workspace(name):
        return "", words
    return name, [*words[:at], *(["-t", f":{place}"] if colon and place else []), *rest]


def _attach(rest: list[str]) -> list[str]:
    """The arguments of attach: -t names the workspace, -d detaches the others, -r is as here."""
    found: list[str] = []
    words = list(rest)
    while words:
        word = words.pop(0)
        if word[:2] in ("-d", "-r") and len(word) > 2:
            words[:0] = [word[:2], f"-{word[2:]}"]
        elif word.startswith("-t"):
            found.append((word[2:] or _value("attach", word, words)).removeprefix("=").partition(":")[0])
        else:
            found.append({"-d": "--detach-others"}.get(word, word))
    return found


def _new(rest: list[str]) -> list[str]:
    """The arguments of new: -s names the workspace, -d leaves it in the background, -A is always so, -c is a directory;
    what follows is the program."""
    name, found, words = sockets.DEFAULT, list[str](), list(rest)
    while words and words[0].startswith("-") and words[0] != "--":
        word = words.pop(0)
        flag, value = word[:2], word[2:]
        if flag in ("-A", "-d"):
            found += ["--detached"] if flag == "-d" else []
            words[:0] = [f"-{value}"] if value else []
        elif flag == "-s":
            name = value or _value("new", flag, words)
        elif flag == "-c":
            found += ["--directory", value or _value("new", flag, words)]
        else:
            return rest
    program = words[1:] if words[:1] == ["--"] else words
    return [name, *found, *(["--command", program[0]] if len(program) == 1 else ["--", *program] if program else [])]


def _value(verb: str, flag: str, words: list[str]) -> str:
    if not words:
        raise Usage(f"{verb}: {flag} requires a value")
    return words.pop(0)


def _in_pane(first: str, rest: list[str]) -> bool:
    """Whether a session of the workspace around is wanted: from one of its panes, without a terminal for it."""
    return first == "new-session" and "FUGUE_SOCKET" in os.environ and any(word.startswith("-d") for word in rest)


def _is_workspace(word: str) -> bool:
    """Whether a workspace of that name runs, or has run."""
    if not sockets.is_name(word):
        return False
    if os.path.lexists(sockets.path_of(word)):
        return True
    from fugue_tui.store.paths import ran_before

    return ran_before(word)
