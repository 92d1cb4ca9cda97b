"""Tasks as Markdown: a list of check boxes as GitHub shows it, in which no text forges structure. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Final

from fugue_tui.multiplexer.agents.tasks import Task, TaskState
from fugue_tui.sanitize import clean, clean_text

_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
"""ASCII punctuation, all of which a backslash makes literal (CommonMark 0.31, 2.4)."""
_HARMLESS: Final = re.compile(r"\\([,;'\"/?%])")


def markdown(tasks: Sequence[Task], owners: Mapping[int, str]) -> str:
    """The tasks in this order; `owners` has the owners of those that have one, in words."""
    done = sum(each.state is TaskState.DONE for each in tasks)
    lines = ["# Tasks", "", f"{done} of {len(tasks)} done." if tasks else "There are no tasks.", ""]
    for task in tasks:
        lines += _item(task, owners.get(task.number, ""))
    return "\n".join(lines).rstrip("\n") + "\n"


def escaped(text: str) -> str:
    """A text on one line that Markdown shows as it is."""
    return _HARMLESS.sub(r"\1", _PUNCTUATION.sub(r"\\\1", clean(text, len(text) + 1)))


def _item(task: Task, owner: str) -> list[str]:
    title = escaped(task.title)
    if task.state is TaskState.CANCELLED:
        title = f"~~{title}~~"
    box = "x" if task.state is TaskState.DONE else " "
    notes = [
        str(task.state) if task.state is not TaskState.OPEN else "",
        f"owner: {escaped(owner)}" if owner else "",
        f"team: {escaped(task.team)}" if task.team else "",
        f"depends on: {', '.join(map(str, task.depends_on))}" if task.depends_on else "",
    ]
    about = ", ".join(each for each in notes if each)
    item = f"- [{box}] **{task.number}.** {title}" + (f" ({about})" if about else "")
    return [
        item,
        *_paragraphs(task.detail),
        *_paragraphs(task.note, "**Note:** "),
        *([""] if task.detail or task.note else []),
    ]


def _paragraphs(text: str, head: str = "") -> list[str]:
    """A text of several lines as paragraphs of a list's item."""
    lines = [escaped(line) for line in clean_text(text).strip().splitlines()]
    if not any(lines):
        return []
    breaks = [bool(line and after) for line, after in zip(lines, [*lines[1:], ""], strict=True)]
    lines = [f"{line}\\" if ends else line for line, ends in zip(lines, breaks, strict=True)]
    return ["", *(f"  {line}".rstrip() for line in (head + lines[0], *lines[1:]))]
