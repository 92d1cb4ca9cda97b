"""The entries of the audit log, in memory and as lines of JSON. Imports little: the command line reads them."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

AREA: Final = "audit"
"""The folder of the audit logs in the state directory; each workspace has one in it."""
LONGEST: Final = 1000
"""Characters kept of one field."""


class AuditEntry(Struct, frozen=True, omit_defaults=True, kw_only=True):
    """One entry. All text is cleaned and truncated; what is empty is left out of the line."""

    time: float
    """Seconds since the epoch."""
    kind: str
    """`call` of a command, `typed`, `attach`, `detach`, `config`, `start` or `end` of the server, `gap`, or another
    event."""
    id: str = ""
    """The same in both entries of a call with a deferred result."""
    origin: str = ""
    """Who it was: `user`, `agent`, `script` or `monitor`; `program` for the output of one, and the command line's
    typing in a pane."""
    interface: str = msgspec.field(default="", name="door")
    """The interface: `key`, `palette`, `mouse`, `cli`, `mcp`, `sideband` or `monitor`."""
    pane: str = ""
    """The caller's own pane; empty if it is in none."""
    client: str = ""
    """The caller's name for itself: untrusted."""
    pid: int | None = None
    panes: tuple[str, ...] = ()
    """The panes that it acted on."""
    command: str = ""
    """The command as words, without secrets; of another event, what happened."""
    decision: str = ""
    """The policy's decision, such as `allow` or `refuse`."""
    outcome: str = ""
    """`done`, the error's code, or `started` for a deferred result, which is recorded again when it is done."""
    reason: str = ""
    """The error's message; empty without an error."""
    seconds: float | None = None
    """The duration; None while it runs."""
    count: int = 0
    """How many keys, texts and pastes were typed, or entries lost."""
    facts: Mapping[str, Any] | None = None
    """Further details of an event."""


def folder(state: Path, workspace: str) -> Path:
    """Where the audit log of a workspace is."""
    return state / AREA / workspace


def encode(entry: AuditEntry) -> bytes:
    """An entry as a line, without its newline."""
    return msgspec.json.encode(entry, enc_hook=str)


_decoder: Final = msgspec.json.Decoder(AuditEntry)


def decode(line: bytes) -> AuditEntry | None:
    """The entry of a line; None if it is none, as when its writer was killed."""
    try:
        return _decoder.decode(line)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
