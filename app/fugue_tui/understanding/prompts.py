"""Shell prompts around a program's output, as far as they can be told from output."""

import re
from collections.abc import Sequence
from typing import Final

_PROMPT: Final = re.compile(
    r"(?:\([\w.-]{1,40}\) )?"  # a virtual environment
    r"(?:"
    r"(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^\s$#%>❯]{0,200}|\[[^\]]{1,120}\]|[~/][^\s$#%>❯]{0,200}) ?[$#%❯>]"
    r"|[$❯➜λ»%]"
    r")(?: +(?P<typed>\S.*)?)?"
)


def typed(line: str) -> str | None:
    """What was typed at the prompt that a line begins with: nothing, perhaps; None if there is no prompt."""
    found = _PROMPT.fullmatch(line[:400].rstrip())
    return (found["typed"] or "").strip() if found else None


def without_prompts(lines: Sequence[str]) -> tuple[int, int, str]:
    """Where the output begins and ends among lines, and the command that a prompt above it shows (or nothing)."""
    start, end, command = 0, len(lines), ""
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end and (said := typed(lines[start])):
        start, command = start + 1, said
    if end > start and typed(lines[end - 1]) == "":
        end -= 1
    return start, end, command


def last_command(text: str) -> tuple[str, str]:
    """The last command that a prompt on a screen shows, and what stands under it; all of it without one.

    A guess for shells that do not say where a command begins. An output that looks like a prompt deceives it.
    """
    lines = text.split("\n")
    for at in range(len(lines) - 1, -1, -1):
        if said := typed(lines[at]):
            return said, "\n".join(lines[at + 1 :])
    return "", text
