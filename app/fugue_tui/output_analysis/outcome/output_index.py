"""The lines of an output, indexed for substring search."""

from bisect import bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import Final

from fugue_tui.output_analysis.prompts import without_prompts
from fugue_tui.output_analysis.text_lines import MOST_LINES, MOST_TEXT
from fugue_tui.sanitize import clean_text

LONGEST: Final = 1000
"""Characters of a line that rules match."""
MOST_HITS: Final = 2000
"""Lines that are tried for one hint, from the end."""
LAST: Final = 200
"""Lines at the end that are tried without a hint."""


class Output:
    """The end of a text, line by line, without prompts around it."""

    def __init__(self, text: str) -> None:
        cut = text[-MOST_TEXT:]
        if len(cut) < len(text):
            cut = cut[cut.find("\n") + 1 :]
        lines = [line.rstrip()[:LONGEST] for line in clean_text(cut, MOST_TEXT).expandtabs(8).split("\n")]
        self.offset = text.count("\n", 0, len(text) - len(cut)) + max(0, len(lines) - MOST_LINES)
        """The number of lines before the first of `lines`."""
        lines = lines[-MOST_LINES:]
        start, end, self.command = without_prompts(lines)
        self.offset += start
        self.lines = lines[start:end]
        self.at_prompt = any(lines[end:])
        """Whether a shell's prompt follows, so that the command has ended."""
        self.text = "\n" + "\n".join(self.lines) + "\n"
        self._starts = list(accumulate((len(line) + 1 for line in self.lines), initial=1))

    def contains(self, text: str) -> bool:
        """Whether a text occurs in it; the text may contain line breaks."""
        return text in self.text

    @property
    def last(self) -> int | None:
        """The last line that is not blank; None if there is none."""
        return next((at for at in range(len(self.lines) - 1, -1, -1) if self.lines[at]), None)

    def lines_with(self, hint: str) -> Iterator[int]:
        """The lines that contain a hint, the last one first; without a hint, the last lines."""
        if not hint:
            yield from range(len(self.lines) - 1, max(-1, len(self.lines) - 1 - LAST), -1)
            return
        end = len(self.text)
        for _ in range(MOST_HITS):
            found = self.text.rfind(hint, 0, end)
            if found < 0:
                return
            at = bisect_right(self._starts, found) - 1
            yield at
            end = self._starts[at]
