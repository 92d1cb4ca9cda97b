"""The table formats of well-known commands."""

from dataclasses import dataclass
from typing import Final

from fugue_tui.output_analysis.command_line import Stage, word_set
from fugue_tui.output_analysis.tables.header_spans import Style


@dataclass(frozen=True, slots=True)
class TableFormat:
    """The format of a program's tables."""

    style: Style = Style.AUTO
    known: bool = False
    """Whether the program is known to print a header."""
    words: bool = False
    """Whether every cell except those of the last column is one word, so that rows can be split at blanks."""


_WIDE: Final = word_set(
    "az crictl docker flatpak gcloud gh helm k3s kubectl minikube nerdctl nomad oc pip pip3 podman snap virsh"
)
_WORDS: Final = word_set("df free iostat iotop lsblk lsmod lsof mpstat netstat pidstat ss top zpool")
_NO_HEADER: Final = word_set("--no-headers --no-header --noheadings --noheading -noheader")
"""Options that omit the header."""
_WORD_CELLS: Final = word_set("ps vmstat w")


def table_format(stage: Stage | None) -> TableFormat:
    """The table format of a stage's program."""
    name = stage.program if stage and not _NO_HEADER & {*stage.words} else ""
    if name in _WIDE:
        return TableFormat(Style.WIDE, known=True)
    if name in _WORDS or name in _WORD_CELLS:
        return TableFormat(Style.WORDS, known=True, words=name in _WORD_CELLS)
    return TableFormat()
