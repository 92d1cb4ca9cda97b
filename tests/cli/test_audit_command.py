"""`fugue-tui audit` reads the files by itself."""

import json
import os
import time
from pathlib import Path

import pytest
from tests.cli.command_line import Shell
from tests.cli.command_line import in_process as in_process

from fugue_tui.cli import audit_command
from fugue_tui.control.dispatch.audit_entry import AREA, AuditEntry, encode, folder
from fugue_tui.store.append_log import FILE

NOW = time.time()
ENTRIES = (
    AuditEntry(time=NOW - 7200, kind="start", command="fugue-tui 1", pid=1),
    AuditEntry(time=NOW - 3600, kind="call", origin="agent", client="claude", pane="%2", command="close-pane %3",
               panes=("%3",), decision="refuse", outcome="refused", reason="no"),
    AuditEntry(time=NOW - 60, kind="typed", origin="user", panes=("%3",), count=12),
    AuditEntry(time=NOW - 30, kind="call", origin="script", command="list-panes", outcome="done", seconds=0.5),
    AuditEntry(time=NOW - 20, kind="gap", count=7),
)  # fmt: skip


@pytest.fixture
def log(private_dir: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The state directory with the log of the workspace main, at the time of the entries."""
    monkeypatch.setattr("time.time", lambda: NOW)
    file = folder(private_dir, "main") / FILE
    file.parent.mkdir(parents=True)
    file.write_bytes(b"".join(encode(entry) + b"\n" for entry in ENTRIES))
    return file


def printed(shell: Shell, log: Path, *words: str) -> list[str]:
    done = shell("audit", *words, FUGUE_STATE=str(log.parents[2]))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_the_log_is_printed_as_a_table(in_process: Shell, log: Path) -> None:
    head, start, call, typed, done, gap = printed(in_process, log)
    assert head.split() == ["TIME", "ORIGIN", "OUTCOME", "WHAT"]
    assert start.endswith("start fugue-tui 1")
    assert call[21:].split() == ["agent", "claude", "%2", "refused", "close-pane", "%3", "|", "no"]
    assert typed[21:].split() == ["user", "typed", "12", "bytes", "into", "%3"]
    assert done[21:].split() == ["script", "done", "0.50", "s", "list-panes"]
    assert gap.endswith("7 entries were lost")


@pytest.mark.parametrize(
    ("words", "kinds"),
    [
        ((), ["start", "call", "typed", "call", "gap"]),
        (("--pane", "%3"), ["call", "typed", "gap"]),
        (("--pane", "2"), ["call", "gap"]),
        (("--origin", "user"), ["typed", "gap"]),
        (("--origin=agent", "--pane=%3"), ["call", "gap"]),
        (("--since", "10m"), ["typed", "call", "gap"]),
        (("--since", time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(NOW - 40))), ["call", "gap"]),
        (("main",), ["start", "call", "typed", "call", "gap"]),
    ],
)
def test_entries_are_chosen(in_process: Shell, log: Path, words: tuple[str, ...], kinds: list[str]) -> None:
    assert [json.loads(line)["kind"] for line in printed(in_process, log, "--json", *words)] == kinds


@pytest.mark.parametrize("words", [("--since", "soon"), ("--pane", "left"), ("--origin", "me"), ("a", "b"), ("a b",)])
def test_malformed_arguments_are_refused(in_process: Shell, log: Path, words: tuple[str, ...]) -> None:
    done = in_process("audit", *words, FUGUE_STATE=str(log.parents[2]))
    assert done.returncode
    assert done.stdout == ""


def test_what_is_no_entry_is_skipped_and_counted(in_process: Shell, log: Path) -> None:
    with log.open("ab") as file:
        file.write(b'{"time": "no"}\n\xff\xfe\n[]\n' + encode(ENTRIES[0]) + b'\n{"time": 1')
    done = in_process("audit", "--json", FUGUE_STATE=str(log.parents[2]))
    assert len(done.stdout.splitlines()) == len(ENTRIES) + 1
    assert done.stderr == "fugue-tui: 4 incomplete or damaged lines were skipped\n"


def test_a_forged_line_controls_no_terminal(in_process: Shell, log: Path) -> None:
    forged = AuditEntry(time=float("1e300"), kind="\x1b[2J", origin="\x1b]0;x\a", client="a\nb", command="\x9b31m",
                        panes=("\x1b[1m",), facts={"\x1b": ["\u202e"]})  # fmt: skip
    log.write_bytes(encode(forged) + b"\n")
    for words in ((), ("--json",)):
        out = "\n".join(printed(in_process, log, *words))
        assert not set(out) & {"\x1b", "\x9b", "\a", "\u202e"}


def test_a_workspace_without_a_log_is_reported(in_process: Shell, private_dir: Path) -> None:
    done = in_process("audit", "shop", FUGUE_STATE=str(private_dir))
    assert done.returncode == 1
    assert "workspace shop has no audit log" in done.stderr
    assert done.stdout == ""


def test_following_prints_what_is_added(in_process: Shell, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    naps = list[float]()

    def nap(seconds: float) -> None:
        naps.append(seconds)
        if len(naps) == 2:
            os.rename(log, f"{log}.1")
            log.write_bytes(encode(ENTRIES[1]) + b"\n")
        if len(naps) == 4:
            raise KeyboardInterrupt

    monkeypatch.setattr(audit_command.time, "sleep", nap)
    done = in_process("audit", "-f", "--json", "--origin", "agent", FUGUE_STATE=str(log.parents[2]))
    assert done.returncode == 130
    assert len(done.stdout.splitlines()) == 3
    assert AREA in str(log)
