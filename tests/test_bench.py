"""The benchmark tells the truth: the host sees what a terminal shows, payloads repeat, targets are judged."""

import os
from pathlib import Path

import pytest
from bench import payloads, soak
from bench.host import Host, Overdue
from bench.plan import Plan, late, middle
from bench.processes import cpu, memory, session
from bench.soak import Call
from bench.table import Row, render

from fugue_tui.control.dispatch import audit_entry
from fugue_tui.control.dispatch.audit_entry import AuditEntry
from fugue_tui.geometry import Size

pytestmark = pytest.mark.slow


ENVIRONMENT = {"PATH": os.environ["PATH"], "TERM": "xterm-256color"}
SIZE = Size(40, 5)


def sh(script: str) -> Host:
    """A shell script on a host of its own."""
    return Host(["/bin/sh", "-c", script], ENVIRONMENT, SIZE)


def test_the_host_sees_the_screen_and_not_the_bytes() -> None:
    with sh(r"printf 'overwritten\rdra'; printf 'wn\033[K\n'; exec sleep 60") as host:
        host.until_text("drawn", deadline=10)
        assert host.text.strip() == "drawn"
        assert host.cursor == (0, 1)


def test_the_host_answers_queries_as_a_terminal_does() -> None:
    with sh(
        r"stty raw -echo; printf '\033[6n'; answer=$(dd bs=1 count=6 2>/dev/null); echo got ${#answer}; sleep 60"
    ) as host:
        host.until_text("got 6", deadline=10)


def test_the_host_passes_keys_on() -> None:
    with sh("read line; echo said $line; exec sleep 60") as host:
        host.send(b"hello\r")
        assert host.until_text("said hello", deadline=10) > host.started


def test_what_does_not_appear_is_overdue_and_shows_the_screen() -> None:
    with sh("echo something else; exec sleep 60") as host, pytest.raises(Overdue, match="something else"):
        host.until_text("nothing", deadline=0.3)


def test_the_host_stops_waiting_when_the_program_has_ended() -> None:
    with sh("echo gone") as host, pytest.raises(Overdue):
        host.until_text("nothing", deadline=30)


def test_a_closed_host_leaves_no_process() -> None:
    host = sh("exec sleep 60")
    host.run(0.05)
    host.close()
    assert session(host.pid) == []


def test_a_process_costs_memory_and_cpu() -> None:
    own = os.getpid()
    before = cpu([own])
    assert sum(range(1_000_000))
    assert cpu([own]) > before
    assert memory([own]) > 1


@pytest.mark.parametrize("kind", payloads.KINDS)
def test_payloads_are_the_same_each_time_and_big_enough(tmp_path: Path, kind: str) -> None:
    (tmp_path / "other").mkdir()
    first = payloads.write(tmp_path, kind, 100_000).read_bytes()
    assert first == payloads.write(tmp_path / "other", kind, 100_000).read_bytes()
    assert len(first) >= 100_000
    first.decode()


def test_benchmarked_programs_alternate(tmp_path: Path) -> None:
    assert [subject.name for subject in Plan(tmp_path).turns(2)] == ["tmux", "fugue", "fugue", "tmux"]


def test_figures_are_the_middle_and_the_late_ones() -> None:
    assert middle([3, 1, 2]) == 2
    assert late([float(number) for number in range(101)]) == 95
    assert middle([]) is None
    assert late([1]) is None


@pytest.mark.parametrize(
    ("row", "met"),
    [
        (Row("t", "w", "ms", 2, 1, most=2), True),
        (Row("t", "w", "ms", 2.1, 1, most=2), False),
        (Row("t", "w", "ms", 2, 4, most_ratio=0.5), True),
        (Row("t", "w", "ms", 3, 4, most_ratio=0.5), False),
        (Row("t", "w", "ms", 3, None, most_ratio=0.5), None),
        (Row("t", "w", "ms", None, 1, most=1), None),
        (Row("t", "w", "ms", 3, 4), None),
    ],
)
def test_a_row_reports_whether_its_target_is_met(row: Row, met: bool | None) -> None:
    assert row.met is met


def test_the_table_lines_up() -> None:
    table = render([Row("keys", "echo", "ms", 1.234, 0.2, most=2), Row("log", "bytes", "kB", 100.4, None)])
    lines = table.splitlines()
    assert len({len(line) for line in lines}) == 1
    assert "| 1.23  |" in lines[2]
    assert "≤ 2 ms" in lines[2]
    assert "yes" in lines[2]


def test_the_soak_counts_what_is_lost_mixed_and_not_recorded(tmp_path: Path) -> None:
    typed, call = "user 000000 a b c d", Call("agent0 000000 a b c d", 0, submitted=True)
    refused = Call("agent1 000000 a b c d", 0, submitted=False, refusal='"text": "refused: no\\nretry_after_ms: 5"')
    internal = Call("agent1 000001 a b c d", 0, submitted=False, refusal='"text": "internal: oh"')
    calls = [call, refused, internal]
    assert [row.ours for row in soak.written([typed, call.text], [typed], calls[:2])] == [0, 0, 0]
    assert [row.ours for row in soak.written(["user 000000 a bagent0 000000 a b c d c d"], [typed], calls)] == [
        len(typed) + len(call.text), 1, 1,
    ]  # fmt: skip
    folder = audit_entry.folder(tmp_path, "main")
    folder.mkdir(parents=True)
    entries = [
        AuditEntry(time=0, kind="call", command=f"send-input --text '{each.text}'", outcome=outcome)
        for each, outcome in ((call, "started"), (call, "done"), (refused, "started"))
    ]
    lines = [*map(audit_entry.encode, entries), b'{"time": 1, "ki']
    (folder / "log.jsonl").write_bytes(b"\n".join(lines))
    assert [row.ours for row in soak.recorded(tmp_path, [call, refused])] == [1, 0]
