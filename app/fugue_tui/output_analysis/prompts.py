"""Recognises shell prompts around a program's output."""

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


_WAITING: Final = re.compile(r"(?!.*[=(*!'\"-]#$).{0,120}[$#%❯➜λ»]")
"""A last line that is a shell's prompt rather than a database console's."""


def typed(line: str, prompt: str = "") -> str | None:
    """The text after the prompt at the start of a line, possibly empty; None without a prompt.

    `prompt` is a known prompt, such as the one that the shell shows now.
    """
    line = line[:400].rstrip()
    if prompt and (line == prompt or line.startswith(f"{prompt} ")):
        return line[len(prompt) :].strip()
    found = _PROMPT.fullmatch(line)
    return (found["typed"] or "").strip() if found else None


def waiting(lines: Sequence[str]) -> str:
    """The prompt on the last non-blank line; empty if there is none."""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return last if _WAITING.fullmatch(last) else ""


def without_prompts(lines: Sequence[str]) -> tuple[int, int, str]:
    """The range of the output among lines, and the command at the prompt above it (or an empty string)."""
    start, end, command = 0, len(lines), ""
    prompt = waiting(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end and (said := typed(lines[start], prompt if end - start > 1 else "")):
        start, command = start + 1, said
    if end > start and typed(lines[end - 1], prompt if command else "") == "":
        end -= 1
    return start, end, command


def last_command(text: str) -> tuple[str, str, bool]:
    """The last command that a prompt on a screen shows, what stands under it (all of it without one), and whether a
    prompt waits below, so that it is over.

    A guess for shells that do not say where a command begins. An output that looks like a prompt deceives it.
    """
    lines = text.rstrip().split("\n")
    prompt = waiting(lines)
    for at in range(len(lines) - 1, -1, -1):
        if said := typed(lines[at], prompt):
            end = len(lines) - 1 if prompt and at < len(lines) - 1 else len(lines)
            return said, "\n".join(lines[at + 1 : end]), bool(prompt) and at < len(lines) - 1
    return "", text, bool(prompt)
