"""`fugue-tui man`: prints the manual page, made of the subcommands, the options and the command registry."""

import re
from collections.abc import Iterator
from typing import Any, Final

from fugue_tui import __version__
from fugue_tui.cli.args import Usage, echo, options_of
from fugue_tui.cli.subcommands import OPTIONS, SUBCOMMANDS, synopsis
from fugue_tui.control import command_table as command_table
from fugue_tui.control.core.command import Command, registry
from fugue_tui.control.schema.command_line import field_usage
from fugue_tui.control.schema.command_schema import describe

_HEAD: Final = """\
.\\" Made by: fugue-tui man > docs/fugue-tui.1
.TH FUGUE-TUI 1 "" "fugue-tui {version}" "User Commands"
.ad l
.nh
.SH NAME
fugue\\-tui \\- a terminal workspace where people and AI agents share panes
"""
_SPECIAL: Final = str.maketrans(
    {"\\": "\\e", "-": "\\-", "~": "\\(ti", "^": "\\(ha", "`": "\\(ga", "'": "\\(aq", '"': "\\(dq"}
)
_ABOUT: Final = (
    "Fugue shows panes, each with a program in a terminal of its own, as tmux does. A workspace is run by a server in "
    "the background: terminals attach to it and detach, and its programs keep running. AI agents see and use the same "
    "panes by the Model Context Protocol, as far as the configuration and the user permit.",
    "Without arguments it attaches to the workspace main, starting it if needed. In it, Ctrl+B ? lists the keys.",
)
_STATUS: Final = (
    ("0", "It succeeded."),
    ("1", "It failed; the reason is on standard error."),
    ("2", "The arguments are malformed."),
    ("124", "What was waited for did not happen in time."),
    ("other", "That of the program that run-command or execute-command ran."),
)
_VARIABLES: Final = (
    ("FUGUE_CONFIG", "The configuration file, in place of the default one."),
    ("FUGUE_STATE", "The directory of saved workspaces and audit logs, in place of the default one."),
    ("FUGUE_SOCKET", "Set in panes: the socket of the workspace around them."),
    ("FUGUE_WORKSPACE", "Set in panes: its name."),
    ("FUGUE_PANE", "Set in panes: the pane's id."),
    ("FUGUE_SIDEBAND_KEY", "Set in panes: the key of the tags that its program prints."),
    ("FUGUE_SIDEBAND_REPLY", "Set in panes: the file in which tags are answered."),
    ("FUGUE_DEBUG", "If set, internal errors are shown with a traceback."),
    ("XDG_RUNTIME_DIR", "The directory in which sockets are made."),
    ("TERM, COLORTERM", "What the terminal is, until it answers queries."),
    ("SHELL", "What new panes run."),
)
_FILES: Final = (
    ("~/.config/fugue\\-tui/config.toml", "The configuration; fugue-tui config init writes it."),
    ("~/.local/state/fugue\\-tui", "Saved workspaces, snapshots and audit logs."),
    ("$XDG_RUNTIME_DIR/fugue\\-tui/NAME.sock", "The socket of a workspace."),
    (".fugue.toml", "A project's layout, for fugue-tui open."),
)


def man(arguments: list[str]) -> int:
    """Print the page."""
    _, positional, program = options_of(arguments, ())
    if positional or program:
        raise Usage(f"man: {(positional or program)[0][:40]!a}: unexpected argument; it takes none")
    echo(page().rstrip("\n"))
    return 0


def page() -> str:
    """The manual page, for man(7)."""
    lines = [*_synopses(), *_section("DESCRIPTION", *_ABOUT), ".SH SUBCOMMANDS"]
    lines += [line for each in SUBCOMMANDS for line in _entry(_bold(synopsis(each)), _sentence(each.about))]
    lines.append(".SH OPTIONS")
    for each in OPTIONS:
        lines += _entry(_bold(f"{', '.join(each.flags)} {each.value}".strip()), _sentence(each.about))
    lines += _section("COMMANDS", "Each runs in a workspace, and takes --json, --output, --workspace and --socket too.")
    for cls in registry().values():
        lines += _command(cls)
    for title, rows in (("EXIT STATUS", _STATUS), ("ENVIRONMENT", _VARIABLES), ("FILES", _FILES)):
        lines += [f".SH {title}", *(line for name, about in rows for line in _entry(f".B {name}", about))]
    lines += [".SH SEE ALSO", ".BR tmux (1)"]
    return _HEAD.format(version=__version__) + "\n".join(lines) + "\n"


def _synopses() -> Iterator[str]:
    yield ".SH SYNOPSIS"
    for at, each in enumerate(SUBCOMMANDS):
        yield from ([".br"] if at else [])
        yield _bold(synopsis(each))


def _section(title: str, *paragraphs: str) -> Iterator[str]:
    yield f".SH {title}"
    for at, each in enumerate(paragraphs):
        yield from ([".PP"] if at else [])
        yield _escaped(each)


def _entry(tag: str, about: str) -> Iterator[str]:
    yield from (".TP", tag, _escaped(about))


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _command(cls: type[Command[Any]]) -> Iterator[str]:
    about = describe(cls)
    yield from (f".SS {_escaped(cls.verb)}", _escaped(about.text))
    for field in about.fields:
        yield from _entry(_bold(field_usage(field).removesuffix("...").strip("[]")), field.doc or field.kind.words)


def _bold(text: str) -> str:
    """A synopsis with its words in bold and its values, in capitals, in italics."""
    parts = re.split(r"(\b[A-Z][A-Z_]*\b)", text)
    fonts = [("I" if at % 2 else "B", _escaped(part).replace("|", "|\\:")) for at, part in enumerate(parts) if part]
    return "".join(f"\\f{font}{part}\\fR" for font, part in fonts)


def _escaped(text: str) -> str:
    """Text in which nothing is a request or an escape."""
    plain = text.translate(_SPECIAL)
    return "\n".join(f"\\&{line}" if line.startswith(".") else line for line in plain.split("\n") if line.strip())
