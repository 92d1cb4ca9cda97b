"""`fugue-tui audit`: prints the audit log of a workspace, whether it runs or not."""

import os
import time
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final, cast

from fugue_tui import sockets
from fugue_tui.cli.args import Usage, complain, echo, options_of
from fugue_tui.control.dispatch.audit_entry import AuditEntry, decode, encode, folder
from fugue_tui.errors import NotFound
from fugue_tui.sanitize import clean
from fugue_tui.store.append_log_reader import AppendLogReader
from fugue_tui.store.paths import state_dir

ORIGINS: Final = ("user", "agent", "script", "program", "monitor")
POLL_SECONDS: Final = 0.25
_UNITS: Final = {"s": 1, "m": 60, "h": 3600, "d": 86_400}
_OPTIONS: Final = ("--workspace", "--pane", "--origin", "--since")
_LONGEST: Final = 1000
_HEAD: Final = f"{'TIME':<19}  {'ORIGIN':<16}  {'OUTCOME':<14}  WHAT"


def audit(arguments: list[str]) -> int:
    """Print the entries of the audit log, the oldest first; with `--follow`, also those to come."""
    short = ["--follow" if word == "-f" else word for word in arguments]
    options, positional, _ = options_of(short, _OPTIONS, ("--follow", "--json"))
    if len(positional) > 1 or (positional and "--workspace" in options):
        raise Usage(f"audit: {positional[-1][:40]!a}: unexpected argument; it takes a workspace's name and options")
    named = options.get("--workspace") or next(iter(positional), "")
    workspace = sockets.check_name(named or os.environ.get("FUGUE_WORKSPACE", "") or sockets.DEFAULT)
    log, wanted = AuditLog(workspace), Filter(options)
    entries = [*filter(wanted.takes, log.entries())]
    following = "--follow" in options
    _print(entries, as_json="--json" in options, head=log.found or following)
    if following:
        while True:
            time.sleep(POLL_SECONDS)
            _print(filter(wanted.takes, log.entries()), as_json="--json" in options)
    if not log.found:
        raise NotFound(f"workspace {workspace} has no audit log; fugue-tui ls shows what there is")
    if log.skipped:
        complain(f"{log.skipped} incomplete or damaged lines were skipped")
    return 0


class AuditLog:
    """A position in the audit log of a workspace."""

    def __init__(self, workspace: str) -> None:
        self._reader = AppendLogReader(folder(state_dir(), workspace))
        self._skipped = 0

    def entries(self) -> Iterator[AuditEntry]:
        """The entries since the last call, oldest first."""
        for line in self._reader.lines():
            if (entry := decode(line)) is not None:
                yield entry
            else:
                self._skipped += 1

    @property
    def found(self) -> bool:
        """Whether there is a log."""
        return self._reader.found

    @property
    def skipped(self) -> int:
        """How many lines are no entries, as those that were written when the server was killed."""
        return self._skipped + self._reader.torn


class Filter:
    """Which entries are printed. Raises Usage for a malformed option."""

    def __init__(self, options: dict[str, str]) -> None:
        self._origin, pane = options.get("--origin", ""), options.get("--pane", "")
        if self._origin and self._origin not in ORIGINS:
            raise Usage(f"audit: --origin: {self._origin[:40]!a} is not one of {', '.join(ORIGINS)}")
        if pane and not pane.removeprefix("%").isdecimal():
            raise Usage(f"audit: --pane: {pane[:40]!a} is no id, such as %3")
        self._pane = pane and f"%{pane.removeprefix('%')}"
        self._since = _moment(options["--since"]) if "--since" in options else 0.0

    def takes(self, entry: AuditEntry) -> bool:
        """Whether an entry is printed; gaps always are."""
        if entry.time < self._since:
            return False
        if entry.kind == "gap":
            return True
        return (not self._origin or entry.origin == self._origin) and (
            not self._pane or self._pane in (entry.pane, *entry.panes)
        )


def _moment(word: str) -> float:
    """Seconds since the epoch of `10m` ago or of an ISO time."""
    if word[-1:] in _UNITS and word[:-1].isdecimal():
        return time.time() - int(word[:-1]) * _UNITS[word[-1]]
    try:
        return datetime.fromisoformat(word).timestamp()
    except (ValueError, OverflowError, OSError):
        raise Usage(f"audit: --since: {word[:40]!a} is neither like 10m, 2h or 3d nor an ISO time") from None


def _print(entries: Iterable[AuditEntry], *, as_json: bool, head: bool = False) -> None:
    lines = [*map(_as_json if as_json else _line, entries)]
    if head and not as_json:
        lines.insert(0, _HEAD)
    if lines:
        echo("\n".join(lines))


def _as_json(entry: AuditEntry) -> str:
    """An entry as one line of JSON, sanitized: the file may hold anything."""
    import json

    return json.dumps(_cleaned(json.loads(encode(entry))))


def _cleaned(value: Any) -> Any:
    match value:
        case str():
            return clean(value, _LONGEST)
        case list():
            return [_cleaned(each) for each in cast("list[Any]", value)]
        case dict():
            return {clean(key): _cleaned(each) for key, each in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _line(entry: AuditEntry) -> str:
    try:
        when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(entry.time))
    except (ValueError, OverflowError, OSError):
        when = "?"
    who = clean(" ".join(filter(None, (entry.origin, entry.client, entry.pane))), 60)
    taken = f" {entry.seconds:.2f} s" if entry.seconds is not None else ""
    outcome = f"{clean(entry.outcome, 20)}{taken}"
    return f"{when}  {who:<16}  {outcome:<14}  {_what(entry)}".rstrip()


def _what(entry: AuditEntry) -> str:
    panes, text = clean(", ".join(entry.panes)), clean(entry.command, _LONGEST)
    reason = f" | {clean(entry.reason, _LONGEST)}" if entry.reason else ""
    match entry.kind:
        case "typed":
            return f"typed {entry.count} bytes into {panes}"
        case "gap":
            return f"{entry.count} entries were lost"
        case "call":
            return f"{text}{reason}"
        case kind:
            return f"{clean(kind, 20)} {text}{reason}"
