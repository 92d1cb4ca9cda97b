"""Parses a line of shell input into its simple commands, or says that it cannot for certain. Pure.

A subset of the POSIX shell language (XCU 2) that common shells read alike: lists, pipelines, groups, subshells, command
substitutions, `if` and `while`, quotes and redirections. All else is `Unparsed`: here-documents, `for`, `case`,
functions, arithmetic, braces, history expansion, comments.
"""

from typing import Final

from msgspec import Struct

LONGEST: Final = 65_536
"""Characters of a line that is parsed."""
_DEEPEST: Final = 20
_OPENING: Final = frozenset({"if", "then", "elif", "else", "do", "while", "until", "{", "!", "time"})
"""Reserved words that a command follows."""
_CLOSING: Final = frozenset({"fi", "done", "}"})
_UNSUPPORTED: Final = frozenset(
    {
        "for",
        "case",
        "esac",
        "select",
        "function",
        "coproc",
        "[[",
        "]]",
        "((",
        "begin",
        "end",
        "repeat",
        "foreach",
        "switch",
    }
)
_PLAIN: Final = frozenset("%+,-./:=@_*?[]~^")
"""Characters that stand for themselves in a word, or are expanded to names of files."""
_PARAMETERS: Final = frozenset("?$!#@*-")


class Unparsed(Exception):
    """The line cannot be parsed for certain; the text says why."""


class Word(Struct, frozen=True):
    """One word."""

    text: str
    """What it says; without what is only known when it runs."""
    is_known: bool = True
    """Whether that is all of it: no variables or command substitutions."""
    is_quoted: bool = False
    """Whether a part of it is quoted."""


class SimpleCommand(Struct, frozen=True):
    """One program with its arguments."""

    words: tuple[Word, ...]
    assigns: bool = False
    """Whether variables are set for it, or instead of it."""


def parse(line: str) -> tuple[SimpleCommand, ...]:
    """Every simple command of a line, however deep. Raises Unparsed."""
    if len(line) > LONGEST:
        raise Unparsed("it is too long")
    if line.startswith("^"):
        raise Unparsed("^ begins a history expansion")
    for letter in line:
        if letter != "\n" and not letter.isprintable():
            raise Unparsed(f"it holds U+{ord(letter):04X}")
    parser = _Parser(line)
    parser.commands("", 0)
    return tuple(parser.found)


class _Parser:
    """Reads a text from left to right and collects simple commands."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self.found: list[SimpleCommand] = []

    def commands(self, end: str, depth: int) -> None:
        """Read commands up to a closing character, which is consumed, or to the end of the text."""
        if depth > _DEEPEST:
            raise Unparsed("it is nested too deeply")
        words: list[Word] = []
        while True:
            self._blanks()
            letter = self._peek()
            if letter == end:
                self._at += 1
                self._add(words)
                return
            if not letter:
                raise Unparsed(f"{end} is missing")
            if letter in ";&|\n":
                words = self._separator(words)
            elif letter == "(":
                if self._text.startswith("((", self._at):
                    raise Unparsed("(( is not supported")
                if any(word.text not in _OPENING or word.is_quoted for word in words):
                    raise Unparsed("( follows a word")
                self._at += 1
                self.commands(")", depth + 1)
            elif letter == ")":
                raise Unparsed("( is missing")
            elif letter in "<>":
                self._redirection(words, depth)
            else:
                words.append(self._word(depth))

    def _separator(self, words: list[Word]) -> list[Word]:
        if self._text.startswith("&>", self._at):
            self._at += 1  # Both streams: read on as `>`.
            return words
        self._add(words)
        self._at += 1
        return []

    def _redirection(self, words: list[Word], depth: int) -> None:
        at = self._at
        while self._peek() and self._peek() in "<>&|":
            self._at += 1
        operator = self._text[at : self._at]
        if operator not in ("<", ">", ">>", ">|", "<>", "<&", ">&") or self._peek() == "(":
            raise Unparsed(f"{operator}{self._peek()} is not supported")
        if words and at and self._text[at - 1].isdigit() and words[-1].text.isdigit() and not words[-1].is_quoted:
            words.pop()
        self._blanks()
        if not self._peek() or self._peek() in ";&|\n()<>":
            raise Unparsed(f"{operator} names no file")
        self._word(depth)

    def _add(self, words: list[Word]) -> None:
        """Add the command of some words, without reserved words and assignments."""
        at, assigns = 0, False
        while at < len(words) and not words[at].is_quoted and words[at].text in _OPENING:
            at += 1
        if at < len(words) and not words[at].is_quoted and words[at].text in _CLOSING:
            if len(words) > at + 1:
                raise Unparsed(f"{words[at].text} is followed by a word")
            return
        while at < len(words) and _is_assignment(words[at]):
            at, assigns = at + 1, True
        command = words[at:]
        if command and not command[0].is_quoted:
            name = command[0].text
            if name in _UNSUPPORTED or name in _OPENING | _CLOSING:
                raise Unparsed(f"{name} is not supported")
        if command or assigns:
            self.found.append(SimpleCommand(tuple(command), assigns))

    def _word(self, depth: int) -> Word:
        """Read one word."""
        parts: list[str] = []
        is_known, is_quoted, start = True, False, self._at
        while (letter := self._peek()) and letter not in " \n;&|()<>":
            self._at += 1
            if letter == "'":
                parts.append(self._up_to("'"))
                is_quoted = True
            elif letter == '"':
                text, known = self._double_quoted(depth)
                parts.append(text)
                is_known, is_quoted = is_known and known, True
            elif letter == "\\":
                is_quoted = self._escaped(parts) or is_quoted
            elif letter in "$`":
                self._expansion(letter, depth)
                is_known = False
            elif letter == "!":
                self._exclamation()
                parts.append(letter)
            else:
                self._plain(letter, is_first=self._at == start + 1)
                parts.append(letter)
        return Word("".join(parts), is_known, is_quoted)

    def _plain(self, letter: str, *, is_first: bool) -> None:
        """Check a character outside quotes."""
        if letter == "{" and (self._peek() in ("", " ", "\n") or self._text.startswith("}", self._at)):
            return  # A group, or the {} of find and xargs.
        if letter == "}" and self._text[self._at - 2 : self._at - 1] in ("{", " ", "\n", ";"):
            return
        if letter == "#" and not is_first:
            return
        if not (letter.isalnum() or letter in _PLAIN):
            raise Unparsed(f"{letter} outside of quotes is not supported")

    def _escaped(self, parts: list[str]) -> bool:
        """Read the character after a backslash; whether it is a part of the word."""
        letter = self._peek()
        if not letter:
            raise Unparsed("a backslash ends it")
        self._at += 1
        if letter == "\n":
            return False
        parts.append(letter)
        return True

    def _double_quoted(self, depth: int) -> tuple[str, bool]:
        parts: list[str] = []
        is_known = True
        while (letter := self._peek()) != '"':
            self._at += 1
            if not letter:
                raise Unparsed('" is missing')
            if letter == "\\" and self._peek() and self._peek() in '$`"\\\n':
                self._escaped(parts)
            elif letter in "$`":
                self._expansion(letter, depth)
                is_known = False
            else:
                if letter == "!":
                    self._exclamation()
                parts.append(letter)
        self._at += 1
        return "".join(parts), is_known

    def _expansion(self, letter: str, depth: int) -> None:
        """Read what follows a dollar sign or a backquote; the commands in it are collected."""
        if letter == "`":
            inner = self._up_to("`")
            if "\\" in inner:
                raise Unparsed("a backslash between backquotes is not supported")
            self.found += parse(inner)
            return
        following = self._peek()
        if following == "(" and not self._text.startswith("((", self._at):
            self._at += 1
            self.commands(")", depth + 1)
        elif following == "{":
            self._at += 1
            name = self._up_to("}")
            if not (name.isidentifier() or name.isdigit() or name in _PARAMETERS):
                raise Unparsed("${...} with an operator is not supported")
        elif following and (following in _PARAMETERS or following.isdigit()):
            self._at += 1
        elif following.isidentifier():
            while self._peek() and (self._peek().isalnum() or self._peek() == "_"):
                self._at += 1
        else:
            raise Unparsed(f"${following} is not supported")

    def _exclamation(self) -> None:
        if self._peek() not in ("", " ", "=", "\n"):
            raise Unparsed("! begins a history expansion")

    def _up_to(self, mark: str) -> str:
        end = self._text.find(mark, self._at)
        if end < 0:
            raise Unparsed(f"{mark} is missing")
        found, self._at = self._text[self._at : end], end + 1
        return found

    def _blanks(self) -> None:
        while self._peek() == " " or self._text.startswith("\\\n", self._at):
            self._at += 1 if self._peek() == " " else 2

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]


def _is_assignment(word: Word) -> bool:
    name, equals, _ = word.text.partition("=")
    return bool(equals) and name.removesuffix("+").partition("[")[0].isidentifier()
