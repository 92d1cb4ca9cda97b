"""What is typed for a command, how much of it a shell must show, and where it stays if it is too much to be typed."""

import os
import re
import secrets
import shutil
import tempfile
from dataclasses import dataclass, replace
from typing import Final

from fugue_tui.control.shell_exec.dialects import LONGEST, Dialect, ShellLine, from_file
from fugue_tui.control.shell_exec.prompt_detection import Shell, left_of_cursor
from fugue_tui.errors import Refused
from fugue_tui.terminal.terminal import Terminal


@dataclass(frozen=True, slots=True)
class TypedLine:
    """A line as it is typed."""

    text: str
    marked: bool
    """Whether it prints marks of its own."""
    number: int
    """The number that the command has, or with a shell that marks its commands the last one before it."""
    bracketed: bool
    """Whether the shell is told that it is a paste, so that no line end in it is an Enter."""
    prompt: str = ""
    """What stood on the line before it was typed."""
    folder: str = ""
    """Where the command is kept for the shell to read; empty if it was typed whole."""
    edits: bool = False
    """Whether the command may have the shell edit a line itself, as `read -e` does."""

    @property
    def prompts(self) -> int:
        """How many more prompts the shell shows until it has all of it."""
        return 0 if self.bracketed else self.text.count("\n")

    def at_prompt_again(self, terminal: Terminal, shell: Shell) -> bool:
        """Whether the shell waits at a prompt: it edits a line, or shows the same prompt as before."""
        if terminal.foreground_group != shell.pid:
            return False
        left = left_of_cursor(terminal)
        if shell.dialect in (Dialect.BASH, Dialect.ZSH) and not self.edits and terminal.edits_lines:
            return not self._stands_in(left)
        # Where a program left the terminal raw, a prompt does not start at the edge.
        return bool(self.prompt.strip()) and left.strip() == self.prompt.strip()

    def _stands_in(self, row: str) -> bool:
        """Whether a row ends with the end of what was typed: the shell has not taken Enter yet."""
        there, end = _bones(row), _bones(self.text)[-_ENOUGH:]
        return bool(there) and (there.endswith(end) or end.endswith(there))

    def clean_up(self) -> None:
        """Remove what was kept for the shell."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


_SCROLLED: Final = re.compile(r">\.+")
"""What zsh puts at the top of a screen on which a line does not fit."""
_EDITS: Final = re.compile(r"\b(?:read|select|vared)\b")
_CODE: Final = re.compile(r"<[0-9a-f]{4,8}>")
"""What zsh shows in place of a character that it takes for no printable one, such as a joiner."""
_ENOUGH: Final = 8
"""Characters by which the end of a text is known."""
_MARGIN: Final = 4
"""Rows of a screen that what is typed leaves free: an editor of lines shows no more than fits."""


def typed(terminal: Terminal, shell: Shell, line: ShellLine, *, forced: bool = False) -> TypedLine:
    """What to type at a shell's prompt, and what is expected then. Long commands go by a private file."""
    marked = forced or not shell.marks
    bracketed = terminal.modes.bracketed_paste
    nonce = secrets.token_hex(8)
    edits = _EDITS.search(line.command) is not None
    if shell.astray:
        line = replace(line, hooks=True)
    text = line.marked(shell.dialect, nonce) if marked else line.typed(shell.dialect)
    folder = ""
    if line.by_file or not _fits(text, terminal, shell.dialect, bracketed=bracketed):
        folder, path = _kept(line.command)
        short = from_file(path, line, shell.dialect)
        text = short.marked(shell.dialect, nonce) if marked else short.typed(shell.dialect)
    if marked:
        number, before = terminal.shell.ask(nonce, line.command), left_of_cursor(terminal)
        return TypedLine(text, True, number, bracketed, before, folder, edits)
    last = terminal.shell.commands[-1:]
    terminal.shell.given(text, line.command)
    return TypedLine(text, False, last[0].number if last else 0, bracketed, folder=folder, edits=edits)


def shows(shown: str, text: str) -> bool:
    """Whether what stands at a prompt is a text that was typed, however it is laid out."""
    there, wanted = _bones(shown), _bones(text)
    if scrolled := _SCROLLED.match(there):
        there = there[scrolled.end() :]
        return len(there) >= _ENOUGH and wanted.endswith(there)
    return there == wanted


def is_within(shown: str, text: str) -> bool:
    """Whether all of a text that was typed stands at a prompt in its order, whatever is printed in between."""
    there = iter(_bones(shown))
    return all(char in there for char in _bones(text))


def is_behind_other(shown: str, text: str) -> bool:
    """Whether a text that was typed stands behind something else."""
    return _bones(shown).endswith(_bones(text)) and not shows(shown, text)


def _bones(text: str) -> str:
    return _CODE.sub("", "".join(char for char in text if char.isascii() and not char.isspace()))


def _fits(text: str, terminal: Terminal, dialect: Dialect, *, bracketed: bool) -> bool:
    """Whether a line can be typed as it is."""
    edited = bracketed or dialect is not Dialect.SH
    if "\t" in text and ((edited and not bracketed) or dialect is Dialect.FISH):
        return False  # Each tab would be an offer to complete, and fish takes none out of a paste.
    rows = sum(1 + len(line) // max(1, terminal.size.cols) for line in text.split("\n"))
    if edited and rows > max(3, terminal.size.rows - _MARGIN):
        return False
    return max(map(len, text.encode().split(b"\n"))) <= LONGEST


def _kept(command: str) -> tuple[str, str]:
    """A folder and a file in it with the command, which nobody else may read. Raises Refused if there is no place."""
    fault = ""
    for place in filter(None, (os.environ.get("XDG_RUNTIME_DIR"), tempfile.gettempdir())):
        try:
            return _kept_in(place, command)
        except OSError as error:
            fault = f"{fault}; {place}: {error.strerror}"
    raise Refused(f"the command is too long to be typed, and no file can be made for it{fault}")


def _kept_in(place: str, command: str) -> tuple[str, str]:
    folder = tempfile.mkdtemp(prefix="fugue-", dir=place)
    path = os.path.join(folder, "command")
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(command + "\n")
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder, path
