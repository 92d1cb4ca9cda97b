"""What is known of the commands whose tables everybody reads: how their header lines are written."""

from dataclasses import dataclass
from typing import Final

from fugue_tui.output_analysis.command_line import Stage, word_set
from fugue_tui.output_analysis.tables.header_spans import Style


@dataclass(frozen=True, slots=True)
class TableFormat:
    """How a program writes tables."""

    style: Style = Style.AUTO
    known: bool = False
    """Whether the program is one that prints a header line over columns."""
    words: bool = False
    """Whether every cell but those of the last column is one word, so that a row can be read without its columns."""


NONE: Final = TableFormat()
"""Nothing is known."""
_WIDE: Final = word_set(
    "az crictl docker flatpak gcloud gh helm k3s kubectl minikube nerdctl nomad oc pip pip3 podman snap virsh"
)
_WORDS: Final = word_set("df free iostat iotop lsblk lsmod lsof mpstat netstat pidstat ss top zpool")
_BARE: Final = word_set("--no-headers --no-header --noheadings --noheading -noheader")
"""Options by which a program leaves its header line out."""
_CELLS: Final = word_set("ps vmstat w")


def habit(stage: Stage | None) -> TableFormat:
    """How the program of a command line writes tables."""
    name = stage.program if stage and not _BARE & {*stage.words} else ""
    if name in _WIDE:
        return TableFormat(Style.WIDE, known=True)
    if name in _WORDS or name in _CELLS:
        return TableFormat(Style.WORDS, known=True, words=name in _CELLS)
    return NONE
