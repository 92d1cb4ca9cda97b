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


def command_at_prompt(line: str, prompt: str = "") -> str | None:
    """The text after the prompt at the beginning of a line, possibly empty; None without a prompt.

    `prompt` is a known prompt, such as that on the last line.
    """
    line = line[:400].rstrip()
    if prompt and (line == prompt or line.startswith(f"{prompt} ")):
        return line[len(prompt) :].strip()
    found = _PROMPT.fullmatch(line)
    return (found["typed"] or "").strip() if found else None


def last_prompt(lines: Sequence[str]) -> str:
    """The prompt on the last non-blank line; empty if there is none."""
    last = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return last if _WAITING.fullmatch(last) else ""


def without_prompts(lines: Sequence[str]) -> tuple[int, int, str]:
    """The range of the output among lines, and the command at the prompt above it, or an empty string."""
    start, end, command = 0, len(lines), ""
    prompt = last_prompt(lines)
    while start < end and not lines[start].strip():
        start += 1
    while end > start and not lines[end - 1].strip():
        end -= 1
    if start < end and (entered := command_at_prompt(lines[start], prompt if end - start > 1 else "")):
        start, command = start + 1, entered
    if end > start and command_at_prompt(lines[end - 1], prompt if command else "") == "":
        end -= 1
    return start, end, command


def last_command(text: str) -> tuple[str, str, bool]:
    """The last command after a prompt on a screen, the text below it (the whole screen if there is none), and whether
    a prompt follows, so that the command has ended.

    A guess for shells without prompt marks; an output that looks like a prompt is taken for one.
    """
    lines = text.rstrip().split("\n")
    prompt = last_prompt(lines)
    for at in range(len(lines) - 1, -1, -1):
        if entered := command_at_prompt(lines[at], prompt):
            end = len(lines) - 1 if prompt and at < len(lines) - 1 else len(lines)
            return entered, "\n".join(lines[at + 1 : end]), bool(prompt) and at < len(lines) - 1
    return "", text, bool(prompt)
