"""Removes passwords from the command lines of well-known programs: `mysql -phunter2`, `curl -u me:hunter2`.

The options are a table. A line is split approximately as by a shell: a program's options last until the command ends.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

WITHHELD: Final = "[withheld]"
"""Replaces a secret."""

_TOKEN: Final = re.compile(r"""\s+|[|;&()`\n]+|(?:[^\s"'|;&()`]|"[^"]*"?|'[^']*'?)+""")
_QUOTES: Final = "\"'"


class PasswordOption(Struct, frozen=True):
    """A program's options with secrets."""

    attached: tuple[str, ...] = ()
    """Options with an attached value; without one they mean something else."""
    separate: tuple[str, ...] = ()
    """Options with an attached value or the next word as value."""
    pairs: tuple[str, ...] = ()
    """The same for a name and a password; the name is kept."""
    separator: str = ":"
    """The separator of name and password."""
    after: str = ""
    """A word that must come before."""


_MYSQL: Final = PasswordOption(attached=("-p",))
_ARCHIVE: Final = PasswordOption(attached=("-p",))
_P: Final = PasswordOption(separate=("-p",))
_CAPITAL_P: Final = PasswordOption(separate=("-P",))
_LOGIN: Final = PasswordOption(separate=("-p",), after="login")
_HTTP: Final = PasswordOption(pairs=("-a", "--auth"))
_SAMBA: Final = PasswordOption(pairs=("-U", "--user"), separator="%")
PASSWORD_OPTIONS: Final[dict[str, PasswordOption]] = {
    **dict.fromkeys(("mysql", "mysqladmin", "mysqldump", "mysqlimport", "mysqlshow", "mysqlcheck"), _MYSQL),
    **dict.fromkeys(("mariadb", "mariadb-admin", "mariadb-dump", "mycli"), _MYSQL),
    **dict.fromkeys(("7z", "7za", "7zr", "7zz", "rar", "unrar"), _ARCHIVE),
    **dict.fromkeys(("sshpass", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "mongoimport"), _P),
    **dict.fromkeys(("cqlsh", "cypher-shell"), _P),
    **dict.fromkeys(("zip", "unzip", "sqlcmd", "bcp", "mosquitto_pub", "mosquitto_sub", "ipmitool"), _CAPITAL_P),
    **dict.fromkeys(("docker", "podman", "nerdctl", "buildah", "skopeo", "helm", "oras", "az"), _LOGIN),
    **dict.fromkeys(
        ("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami"), PasswordOption(separate=("-w",))
    ),
    **dict.fromkeys(("redis-cli", "valkey-cli"), PasswordOption(separate=("-a",))),
    **dict.fromkeys(("http", "https", "xh", "xhs"), _HTTP),
    **dict.fromkeys(("smbclient", "rpcclient", "smbget"), _SAMBA),
    **dict.fromkeys(("xfreerdp", "xfreerdp3", "wlfreerdp"), PasswordOption(attached=("/p:",))),
    "curl": PasswordOption(pairs=("-u", "-U", "--user", "--proxy-user")),
    "lftp": PasswordOption(pairs=("-u",), separator=","),
    "openssl": PasswordOption(attached=("pass:",)),
    "aws": PasswordOption(separate=("aws_secret_access_key", "aws_session_token"), after="set"),
    "nmcli": PasswordOption(separate=("password", "wifi-sec.psk", "802-11-wireless-security.psk")),
    "vault": PasswordOption(separate=("login",)),
}
_ANY: Final = re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, PASSWORD_OPTIONS))})(?![\w.])")


def filter_words(words: Sequence[str]) -> list[str]:
    """A program's arguments without the secrets in its password options."""
    found, options, seen = list(words), None, set[str]()
    awaited = ""
    for at, word in enumerate(words):
        bare = word.strip(_QUOTES)
        if awaited:
            found[at] = _follower(options, awaited, word)
            awaited = ""
        elif (begins := PASSWORD_OPTIONS.get(os.path.basename(bare))) is not None:
            options, seen = begins, set[str]()
        elif options is not None and (not options.after or options.after in seen):
            found[at] = _glued(options, word)
            awaited = bare if found[at] == word and bare in (*options.separate, *options.pairs) else ""
        seen.add(bare)
    return found


def filter_line(line: str) -> str:
    """A shell command line without the secrets; a quoted command line inside it is filtered, too."""
    if not _ANY.search(line):
        return line
    parts = [_within(part) for part in _TOKEN.findall(line)]
    for first, last in _commands(parts):
        places = [at for at in range(first, last) if not parts[at].isspace()]
        for at, word in zip(places, filter_words([parts[at] for at in places]), strict=True):
            parts[at] = word
    return "".join(parts)


def _within(part: str) -> str:
    """A quoted word with blanks is filtered as a command line."""
    quote = part[0]
    if quote not in _QUOTES or not any(char.isspace() for char in part):
        return part
    end = quote if part.endswith(quote) and len(part) > 1 else ""
    inner = part[1 : len(part) - len(end)]
    return part if quote in inner else f"{quote}{filter_line(inner)}{end}"


def _commands(parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The start and end of each command of a line."""
    first = 0
    for at, part in enumerate(parts):
        if part[0] in "|;&()`\n" or ("\n" in part and part.isspace()):
            yield first, at
            first = at + 1
    yield first, len(parts)


def _glued(options: PasswordOption, word: str) -> str:
    """A word without its attached value."""
    for option in (*options.attached, *options.separate):
        if word.startswith(option) and len(word) > len(option) and _takes_value(option, word):
            return f"{option}{'=' * (word[len(option)] == '=')}{WITHHELD}"
    for option in options.pairs:
        rest = word[len(option) :].removeprefix("=")
        if word.startswith(option) and rest and _takes_value(option, word):
            return word[: len(word) - len(rest)] + _half(options, rest)
    return word


def _takes_value(option: str, word: str) -> bool:
    """Whether the rest of a word is the option's value: of a short option directly, of a long one after `=`."""
    if option.startswith("--"):
        return word[len(option)] == "="
    return option[0] in "-/" or option.endswith(":")


def _follower(options: PasswordOption | None, option: str, word: str) -> str:
    """The word after an option, without its secret."""
    if options is None or (word.startswith("-") and option not in options.pairs):
        return word
    return _half(options, word) if option in options.pairs else WITHHELD


def _half(options: PasswordOption, pair: str) -> str:
    """A name and a password, without the password."""
    name, separator, password = pair.partition(options.separator)
    end = pair[-1] if pair[0] in _QUOTES and pair[-1] == pair[0] and len(pair) > 1 else ""
    return f"{name}{separator}{WITHHELD}{end}" if password.strip(_QUOTES) else pair
