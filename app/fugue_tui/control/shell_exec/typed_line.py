"""The text typed for a command, the check of its echo, and the file for a command that is too long to type."""

import os
import re
import secrets
import shutil
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.control.shell_exec.dialects import LONGEST, Dialect, ShellLine
from fugue_tui.control.shell_exec.prompt_detection import Shell, left_of_cursor
from fugue_tui.errors import Refused
from fugue_tui.terminal.pty import process
from fugue_tui.terminal.terminal import Terminal


class TypedLine(Struct, frozen=True):
    """A line to be typed."""

    text: str
    marked: bool
    """Whether marks are typed with it."""
    number: int
    """The command's number; in a shell that marks its commands, that of the command before it."""
    bracketed: bool
    """Whether it is sent as a bracketed paste, in which line ends are not Enter."""
    prompt: str = ""
    """The text before the cursor when it was typed."""
    folder: str = ""
    """The folder of the file with the command; empty if it was typed whole."""
    edits: bool = False
    """Whether the command may make the shell edit a line, as `read -e` does."""

    @property
    def prompts(self) -> int:
        """The number of continuation prompts until the shell has all of it."""
        return 0 if self.bracketed else self.text.count("\n")

    def at_prompt_again(self, terminal: Terminal, shell: Shell) -> bool:
        """Whether the shell is at a prompt: it edits a line, or shows the same prompt as before."""
        if terminal.foreground_group != shell.pid:
            return False
        left = left_of_cursor(terminal)
        if shell.dialect in (Dialect.BASH, Dialect.ZSH) and not self.edits and terminal.edits_lines:
            return not self._is_echoed_in(left)
        # On a terminal left in raw mode, a prompt may start with an indent.
        return bool(self.prompt.strip()) and left.strip() == self.prompt.strip()

    def _is_echoed_in(self, row: str) -> bool:
        """Whether a row ends with the end of the typed text: the shell has not consumed Enter yet."""
        shown, end = _normalized(row), _normalized(self.text)[-_ENOUGH:]
        return bool(shown) and (shown.endswith(end) or end.endswith(shown))

    def clean_up(self) -> None:
        """Remove the file."""
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)


_SCROLLED: Final = re.compile(r">\.+")
"""What zsh shows at the top of a screen on which a line does not fit."""
_EDITS: Final = re.compile(r"\b(?:read|select|vared)\b")
_CODE: Final = re.compile(r"<[0-9a-f]{4,8}>")
"""What zsh shows for a character that it considers unprintable, such as a joiner."""
_ENOUGH: Final = 8
"""Characters that identify the end of a text."""
_FOLDER: Final = re.compile(r"fugue-(\d{1,9})-")
"""The name of a file's folder, with the pid of its server."""
_MARGIN: Final = 4
"""Rows of the screen that the typed text leaves free, as line editors show no more than fits."""


def typed(terminal: Terminal, shell: Shell, line: ShellLine, *, forced: bool = False) -> TypedLine:
    """The text to type at a shell's prompt. Long commands go through a private file."""
    marked = forced or not shell.marks
    bracketed = terminal.modes.bracketed_paste
    nonce = secrets.token_hex(8)
    edits = _EDITS.search(line.command) is not None
    if shell.lost_marks:
        line = replace(line, hooks=True)
    text = line.marked(shell.dialect, nonce) if marked else line.typed(shell.dialect)
    folder = ""
    if line.env or line.by_file or not _fits(text, terminal, shell.dialect, bracketed=bracketed):
        folder, path = _write(line, shell.dialect)
        short = line.from_file(path, shell.dialect)
        text = short.marked(shell.dialect, nonce) if marked else short.typed(shell.dialect)
    if marked:
        number, before = (
            terminal.shell.ask(nonce, line.recorded, shell.pid, own=bool(line.own)),
            left_of_cursor(terminal),
        )
        return TypedLine(text, True, number, bracketed, before, folder, edits)
    last = terminal.shell.commands[-1:]
    terminal.shell.given(text, line.recorded, own=bool(line.own))
    return TypedLine(text, False, last[0].number if last else 0, bracketed, folder=folder, edits=edits)


def shows(shown: str, text: str) -> bool:
    """Whether the input at a prompt is the typed text, however it is wrapped."""
    found, expected = _normalized(shown), _normalized(text)
    if scrolled := _SCROLLED.match(found):
        found = found[scrolled.end() :]
        return len(found) >= _ENOUGH and expected.endswith(found)
    return found == expected


def is_within(shown: str, text: str) -> bool:
    """Whether all typed characters are at a prompt in order, whatever is printed in between."""
    found = iter(_normalized(shown))
    return all(char in found for char in _normalized(text))


def is_behind_other(shown: str, text: str) -> bool:
    """Whether the typed text follows other text."""
    return _normalized(shown).endswith(_normalized(text)) and not shows(shown, text)


def _normalized(text: str) -> str:
    return _CODE.sub("", "".join(char for char in text if char.isascii() and not char.isspace()))


def _fits(text: str, terminal: Terminal, dialect: Dialect, *, bracketed: bool) -> bool:
    """Whether a line can be typed whole."""
    edited = bracketed or dialect is not Dialect.SH
    if "\t" in text and ((edited and not bracketed) or dialect is Dialect.FISH):
        return False  # A tab would start completion, and fish drops tabs of a paste.
    if dialect is Dialect.ZSH and not bracketed and not text.isascii():
        return False  # Outside a paste, zsh makes "?" of characters that its locale lacks.
    rows = sum(1 + len(line) // max(1, terminal.size.cols) for line in text.split("\n"))
    if edited and rows > max(3, terminal.size.rows - _MARGIN):
        return False
    return max(map(len, text.encode().split(b"\n"))) <= LONGEST


def _write(line: ShellLine, dialect: Dialect) -> tuple[str, str]:
    """Write a line's script to a private file; returns its folder and path. Raises Refused if no folder is writable."""
    from tempfile import gettempdir

    fault = ""
    for parent in filter(None, (os.environ.get("XDG_RUNTIME_DIR"), gettempdir())):
        try:
            _remove_abandoned(parent)
            return _write_in(parent, line, dialect)
        except OSError as error:
            fault = f"{fault}; {parent}: {error.strerror}"
    reason = "its variables are not typed" if line.env else "the command is too long to be typed"
    raise Refused(f"{reason}, and no file can be made for it{fault}")


def _remove_abandoned(parent: str) -> None:
    """Remove the folders of servers that were killed before a shell had read the file."""
    for entry in os.scandir(parent):
        found = _FOLDER.match(entry.name)
        if found and not process.exists(int(found[1])):
            shutil.rmtree(entry.path, ignore_errors=True)


def _write_in(parent: str, line: ShellLine, dialect: Dialect) -> tuple[str, str]:
    from tempfile import mkdtemp

    folder = mkdtemp(prefix=f"fugue-{os.getpid()}-", dir=parent)
    path = os.path.join(folder, "command")
    try:
        with open(path, "x", encoding="utf-8") as stream:
            stream.write(line.script(folder, dialect))
    except OSError:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return folder, path
