"""Parses the arguments of tmux's commands: flags as getopt(3) reads them, in tmux's words if they are wrong. Pure."""

from collections.abc import Mapping, Sequence

from msgspec import Struct

from fugue_tui.errors import InvalidArgument


class Arguments(Struct, frozen=True):
    """The arguments of one command."""

    flags: Mapping[str, tuple[str, ...]]
    """The flags that were given, by their letter, each with its values; empty for one that takes none."""
    words: tuple[str, ...]
    """What follows the flags."""

    def has(self, flag: str) -> bool:
        """Whether a flag was given."""
        return flag in self.flags

    def value(self, flag: str, default: str = "") -> str:
        """The last value of a flag."""
        return next(reversed(self.flags.get(flag, ())), default)

    def values(self, flag: str) -> tuple[str, ...]:
        """All values of a flag."""
        return self.flags.get(flag, ())


def whole(word: str) -> int | None:
    """A whole number of at most nine digits; None for any other word."""
    return int(word) if word.isdecimal() and len(word) < 10 else None


def parse(name: str, flags: str, valued: str, given: Sequence[str]) -> Arguments:
    """The arguments of a command with these flags, of which `valued` take a value. Raises InvalidArgument."""
    found: dict[str, tuple[str, ...]] = {}
    left = list(given)
    while left and left[0].startswith("-") and left[0] != "-":
        word = left.pop(0)
        if word == "--":
            break
        for at, flag in enumerate(word[1:], 2):
            if flag in valued:
                if not word[at:] and not left:
                    raise InvalidArgument(f"command {name}: -{flag} expects an argument")
                found[flag] = (*found.get(flag, ()), word[at:] or left.pop(0))
                break
            if flag not in flags:
                raise InvalidArgument(f"command {name}: unknown flag -{flag}")
            found.setdefault(flag, ())
    return Arguments(found, tuple(left))
