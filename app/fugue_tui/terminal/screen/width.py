"""The grapheme clusters of a run or a line, and the width of each in columns."""

from collections.abc import Iterator, Sequence

from fugue_tui.terminal.screen.cells import Row, Run


def characters(run: Run) -> Iterator[tuple[str, int]]:
    """The characters of a run, each with its columns, which add up to the run's own."""
    if len(run.text) == run.cols and run.text.isascii():
        yield from ((text, 1) for text in run.text)
        return
    from wcwidth import iter_graphemes, wcswidth

    clusters = list(iter_graphemes(run.text))
    widths = [min(max(wcswidth(cluster), 1), 2) for cluster in clusters]
    yield from zip(clusters, _fitted(widths, run.cols), strict=True)


def columns(text: str) -> int:
    """The columns of a text on a screen; 0 if it holds a control character. wcwidth is imported at the first call."""
    from wcwidth import wcswidth

    return max(0, wcswidth(text))


def cells_of(row: Row) -> list[str]:
    """What stands in each column of a row; the second column of a wide character is empty."""
    return [cell for run in row.runs for text, width in characters(run) for cell in (text, *[""] * (width - 1))]


def _fitted(widths: Sequence[int], cols: int) -> list[int]:
    """Widths that add up to the engine's, by as few changes as possible from the right."""
    fitted = list(widths)
    for index in range(len(fitted) - 1, -1, -1):
        surplus = sum(fitted) - cols
        if surplus == 0:
            break
        fitted[index] = 1 if surplus > 0 else 2
    return fitted
