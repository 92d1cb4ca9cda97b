"""The subcommands of the command line and its options: `--help`, completions and the man page are made of these.

The commands that a running workspace has are declared in `control.commands`.
"""

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple


class Subcommand(NamedTuple):
    """One form of the command line."""

    name: str
    """The first word; empty for a workspace's name."""
    arguments: str
    """What follows, as a synopsis: brackets, `|` between alternatives, `...` for repetition, capitals for values."""
    about: str


class Option(NamedTuple):
    """An option, with the value that it takes."""

    flags: tuple[str, ...]
    """Its names, the long one last."""
    value: str
    """The value as the synopsis has it; empty if it takes none."""
    about: str = ""


SUBCOMMANDS: Final = (
    Subcommand(
        "", "[NAME] [OPTIONS] [-- PROGRAM [ARGUMENT]...]", "attach to a running workspace, or restore a saved one"
    ),
    Subcommand(
        "new", "NAME [--detached] [OPTIONS] [-- PROGRAM [ARGUMENT]...]", "start a workspace, or attach to it if it runs"
    ),
    Subcommand(
        "open", "[DIR|FILE|LAYOUT] [--yes]", "start a project's workspace from its layout file, or attach to it"
    ),
    Subcommand(
        "attach",
        "[NAME] [-r|--read-only] [--mirror CLIENT] [--detach-others] [--prefix KEY]",
        "attach to a running workspace; read-only with -r",
    ),
    Subcommand(
        "web",
        "[NAME] [-r|--read-only] [--bind ADDRESS] [--port PORT] [--host NAME] [--certificate FILE] [--key FILE] "
        "[--link-minutes N] [--mirror CLIENT] [--prefix KEY]",
        "serve a running workspace to a browser, by a link that works once, until Ctrl+C",
    ),
    Subcommand("detach", "[NAME] [--all]", "detach the terminal used last, or all of them"),
    Subcommand("ls", "[--json]", "list running and saved workspaces"),
    Subcommand("rename", "[NAME] NEW", "rename a running workspace"),
    Subcommand("kill-server", "[NAME]", "end a workspace and all its programs"),
    Subcommand(
        "serve", "[NAME] [OPTIONS] [-- PROGRAM [ARGUMENT]...]", "run a workspace without a terminal, as a service"
    ),
    Subcommand("COMMAND", "[ARGUMENT]... [--json] [--workspace NAME]", "run a command in a running workspace"),
    Subcommand(
        "setup",
        "[CLIENT]... [--dry-run] [--uninstall] [--no-hooks] [--json]",
        "register with MCP clients and install hooks: all installed ones, or those named",
    ),
    Subcommand("doctor", "[--json]", "check the installation, the terminal and MCP clients"),
    Subcommand(
        "mcp", "[--workspace NAME] [--socket PATH]", "connect an MCP client to a workspace, on stdin and stdout"
    ),
    Subcommand("mcp", "--url|--token", "print the URL of MCP over HTTP, or its token"),
    Subcommand("reflect", "[--format tree|json|markdown|mcp]", "print all commands with their schemas"),
    Subcommand(
        "say",
        "TAG [--tty] [--wait] [--form osc|xml] [TEXT]...",
        "print a sideband tag, such as say notify --text done",
    ),
    Subcommand("show", "[--type KIND] FILE", "show a file here: text, diff, markdown, image or table"),
    Subcommand(
        "popup",
        "[--wait] [--cols SIZE] [--rows SIZE] [-- PROGRAM [ARGUMENT]...]",
        "run a program, or a shell, in a pane that floats; display-popup has more options",
    ),
    Subcommand(
        "replay",
        "FILE [--speed N] [--idle SECONDS] [--export OUTPUT]",
        "play a recording here; or write it as .svg, .gif, .mp4, .txt or .cast",
    ),
    Subcommand("tmux", "COMMAND [ARGUMENT]...", "run a command of tmux, such as split-window -h"),
    Subcommand("claude", "[ARGUMENT]...", "run Claude Code in a pane; its agent teams open panes here"),
    Subcommand(
        "hook",
        "claude|codex|gemini [EVENT | --status-line]",
        "report the state of the agent in this pane, as a hook of it",
    ),
    Subcommand("policy", "[explain COMMAND [ARGUMENT]...]", "show which callers may run which commands, and why"),
    Subcommand(
        "audit",
        "[NAME] [-f|--follow] [--pane PANE] [--origin user|agent|script|program|monitor] [--since AGE] [--json]",
        "show who ran which commands, such as --since 10m --pane %3; --follow waits for more",
    ),
    Subcommand(
        "config",
        "path|check|show|init",
        "print the configuration file's path, check it, print the settings, or write a new file",
    ),
    Subcommand("completions", "bash|zsh|fish", "print completions for a shell"),
    Subcommand("man", "", "print the manual page, for man -l -"),
)

OPTIONS: Final = (
    Option(
        ("--workspace",), "NAME", "the workspace, also if its name is that of a command; started if it does not run"
    ),
    Option(("-e", "--command"), "LINE", "run this line in the first pane, or a new window, instead of a login shell"),
    Option(("--foreground",), "", "run in this terminal alone, without a server: the workspace ends with it"),
    Option(("-r", "--read-only"), "", "attach read-only: input only scrolls"),
    Option(("--mirror",), "CLIENT", "show the same view as a client of list-clients, or as latest, the one used last"),
    Option(("--detached",), "", "start a workspace in the background"),
    Option(("--directory",), "DIR", "the working directory of the first pane"),
    Option(("--prefix",), "KEY", "this terminal's own prefix key, such as ctrl+a"),
    Option(("--socket",), "PATH", "the socket to listen on, or to connect to"),
    Option(("--json",), "", 'print JSON; --json=envelope: {"success": true, "data": ...}, or false and "error"'),
    Option(("--output",), "FILE", "write a command's result, or its image, to a file; - is stdout"),
    Option(("--config",), "FILE", "the configuration file"),
    Option(("--engine",), "ghostty|pyte", "the terminal engine"),
    Option(("--version",), "", "print the version"),
    Option(("-h", "--help"), "", "print this help; after a command, that of the command"),
)

PROGRAM: Final = "fugue-tui"
_COLUMN: Final = 69
_OPTION_COLUMN: Final = 24


def usage() -> str:
    """The subcommands and options as `--help` shows them."""
    lines: list[str] = []
    for each in SUBCOMMANDS:
        head = f"{'       ' if lines else 'usage: '}{synopsis(each)}"
        lines += [f"{head:<{_COLUMN}}{each.about}"] if len(head) < _COLUMN else [head, " " * _COLUMN + each.about]
    rows = [f"  {_written(each):<{_OPTION_COLUMN - 2}}{each.about}" for each in OPTIONS]
    return "\n".join([*lines, "", "options:", *rows]) + "\n"


def help_of(name: str) -> str:
    """The help of one subcommand; the whole usage for a name that is none."""
    found = [each for each in SUBCOMMANDS if name and each.name == name]
    parts = [f"{'usage: ' if each is found[0] else '       '}{synopsis(each)}\n\n  {each.about}\n" for each in found]
    return "\n".join(parts) or usage()


def synopsis(subcommand: Subcommand) -> str:
    """A subcommand with its arguments, as it is typed."""
    return " ".join(filter(None, (PROGRAM, subcommand.name, subcommand.arguments)))


def options_in(arguments: str) -> Iterator[Option]:
    """The options of a synopsis, in which OPTIONS stands for all."""
    for part in _parts(arguments):
        if part == "OPTIONS":
            yield from OPTIONS
        elif part.startswith("-") and part.split()[0] != "--":
            flags, _, value = part.partition(" ")
            names = flags.split("|")
            long = [name for name in names if name.startswith("--")]
            short = [name for name in names if name not in long]
            yield from (Option((*short, name), value) for name in long)


def operands_in(arguments: str) -> Iterator[str]:
    """The words of a synopsis that are not options: values in capitals, and alternatives."""
    for part in _parts(arguments):
        if part.startswith("--") and part.split()[0] == "--":
            return
        if not part.startswith("-") and part != "OPTIONS":
            yield from part.split()


def _written(option: Option) -> str:
    return f"{', '.join(option.flags)} {option.value}".rstrip()


def _parts(arguments: str) -> Iterable[str]:
    """A synopsis cut at its brackets."""
    plain = arguments.replace("...", " ").replace("[", "\0").replace("]", "\0")
    return filter(None, (part.strip() for part in plain.split("\0")))
