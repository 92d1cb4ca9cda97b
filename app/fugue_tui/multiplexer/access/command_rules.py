"""What `[mcp.security]` says about a program that an agent starts or a line that it types. Pure but for paths.

Such lists stop mistakes, not programs: one that runs can do what its user can.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec.structs import replace

from fugue_tui.config.model import SecuritySettings
from fugue_tui.errors import Refused
from fugue_tui.multiplexer.access.current_call import current_call
from fugue_tui.multiplexer.access.shell_line import SimpleCommand, Unparsed, Word, parse
from fugue_tui.sanitize import PATH_LIMIT, clean
from fugue_tui.shell_names import SHELLS, VALUED, gives_line, program_name
from fugue_tui.terminal.pty.spawn import login_shell
from fugue_tui.workspace.model import Pane

Line: TypeAlias = tuple[str, ...] | str
"""A program and its arguments, or a line for a shell."""
HARMLESS: Final[Mapping[str, str]] = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat"}
"""Variables that may be set with `allowed_commands`."""
_DEEPEST: Final = 4
"""Lines inside of lines, each of which is parsed again."""
_MOST_WORDS: Final = 16
"""Words after the name of a shell among which its line is looked for."""


def refusal(security: SecuritySettings, command: Line, env: Mapping[str, str]) -> str:
    """Why `allowed_commands` does not allow a command; empty if it does."""
    if not security.allowed_commands:
        return ""
    if changed := [name for name, value in env.items() if HARMLESS.get(name) != value]:
        return f"[mcp.security] allowed_commands is set, so no variables may be: {clean(', '.join(changed), 200)}"
    try:
        commands = _commands(command)
    except Unparsed as error:
        return f"[mcp.security] allowed_commands is set, and the line cannot be parsed for certain: {error}"
    for each in commands:
        if each.assigns:
            return "[mcp.security] allowed_commands is set, so no variables may be"
        if not _is_allowed(each.words[0], security.allowed_commands):
            return f"[mcp.security] allowed_commands lacks {clean(each.words[0].text, 80) or 'an unknown word'}"
    return ""


def danger(security: SecuritySettings, command: Line) -> str:
    """Which of the `dangerous_patterns` a command matches, or may match; empty if none."""
    if not security.dangerous_patterns:
        return ""
    try:
        commands = _with_inner(_commands(command))
    except Unparsed as error:
        return f"the line cannot be parsed for certain ({error}), and [mcp.security] has dangerous_patterns"
    for each in commands:
        for pattern in security.dangerous_patterns:
            if _matches(each.words, pattern):
                return f"it matches [mcp.security] dangerous_patterns: {clean(' '.join(pattern), 200)}"
    return ""


def resolved_directory(security: SecuritySettings, path: str) -> tuple[str, str]:
    """A directory without symbolic links, and why `allowed_directories` does not allow it; empty if it does."""
    if len(path) > PATH_LIMIT:
        return path, f"{clean(path, 40)} is longer than a path can be"
    real = os.path.realpath(path or os.getcwd())
    allowed = [os.path.realpath(os.path.expanduser(each)) for each in security.allowed_directories]
    if not allowed or any(os.path.commonpath((real, each)) == each for each in allowed):
        return real, ""
    return real, f"{clean(real, 200)} is in none of [mcp.security] allowed_directories"


def checked(security: SecuritySettings, pane: Pane) -> Pane:
    """A pane that an agent opens or restarts, with its directory resolved. Raises Refused if it may not be started."""
    argv, cwd = pane.argv, pane.cwd
    reason = refusal(security, argv, pane.env) if argv or pane.env else ""
    if not reason and not current_call.get().danger_approved:
        reason = danger(security, argv)
    if not reason and security.allowed_directories:
        cwd, reason = resolved_directory(security, cwd)
    if reason:
        raise Refused(f"agents may not start this: {reason}")
    return pane if cwd == pane.cwd else replace(pane, cwd=cwd)


def _commands(command: Line) -> tuple[SimpleCommand, ...]:
    """The simple commands of a line; an argument vector is one, unless it is a shell with a line."""
    if isinstance(command, str):
        return parse(command)
    if len(command) == 3 and command[1] == "-c" and command[0] == login_shell(os.environ):
        return parse(command[2])
    return (SimpleCommand(tuple(Word(word, is_quoted=True) for word in command)),) if command else ()


def _with_inner(commands: Iterable[SimpleCommand], depth: int = 0) -> list[SimpleCommand]:
    """The commands, and those of the lines that they give to other shells. Raises Unparsed."""
    if depth > _DEEPEST:
        raise Unparsed("it is nested too deeply")
    found: list[SimpleCommand] = []
    for each in commands:
        found.append(each)
        for line in _inner_lines(each):
            found += _with_inner(parse(line), depth + 1)
    return found


def _inner_lines(command: SimpleCommand) -> Iterator[str]:
    """The lines that a command gives to other shells, as `sh -c` does, or to `eval`. Raises Unparsed."""
    words = command.words
    for at, word in enumerate(words):
        name = program_name((word.text,))
        if name == "eval":
            yield _known(words[at + 1 :])
            return  # What follows is a part of that line.
        if name in SHELLS:
            line = _given_line(words[at + 1 : at + 2 + _MOST_WORDS])
            if line:
                yield _known(line)


def _known(line: Sequence[Word]) -> str:
    """The text of words that are given to a shell as one line. Raises Unparsed."""
    if not all(each.is_known for each in line):
        raise Unparsed("a shell gets a line that is not known yet")
    return " ".join(each.text for each in line)


def _given_line(words: Sequence[Word]) -> Sequence[Word]:
    """The word after the option of a shell that says that a line follows; empty if there is no such option. Raises
    Unparsed."""
    before = ""
    for at, word in enumerate(words[:_MOST_WORDS], 1):
        if word.text.startswith(("-", "+")):
            if gives_line(word.text):
                return words[at : at + 1]
        elif before not in VALUED:
            return ()
        before = word.text
    if len(words) > _MOST_WORDS:
        raise Unparsed("a shell has too many options")
    return ()


def _is_allowed(word: Word, allowed: Sequence[str]) -> bool:
    """Whether a program is listed by its name, or by its path."""
    if not word.is_known or (not word.is_quoted and set(word.text) & set("*?[~=^")):
        return False
    name = word.text
    if name in allowed:
        return True
    return name.startswith("/") and any("/" not in each and shutil.which(each) == name for each in allowed)


def _matches(words: Sequence[Word], pattern: Sequence[str]) -> bool:
    """Whether the words of a pattern occur in order. A word that is not known matches any; so does all that follows a
    program that is not known."""
    if not words:
        return False
    if not words[0].is_known:
        return True
    rest = iter(words)
    first = next((word for word in rest if word.is_known and program_name((word.text,)) == pattern[0]), None)
    return first is not None and all(
        any(not word.is_known or word.text == wanted for word in rest) for wanted in pattern[1:]
    )
