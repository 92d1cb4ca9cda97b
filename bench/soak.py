"""A user types while three agents write to one pane: what is lost or mixed, and the audit log after kill -9."""

import os
import random
import re
import signal
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from typing import Final, cast

from bench.agent import Agent
from bench.plan import Plan, pauses
from bench.subjects import Fugue, FugueStage
from bench.table import Row
from fugue_tui.control.dispatch import audit_entry
from fugue_tui.control.dispatch.audit_entry import AuditEntry

AGENTS: Final = 3
SETTLED_SECONDS: Final = 1.0
"""What was answered so long before the end must have been typed and recorded."""
TRUSTED: Final = '[mcp]\ntrust = "full"\n'
_TYPED: Final = re.compile(r'"text": "refused: .*retry_after_ms: \d+')
"""A refusal with its code and when to try again."""
_WORDS: Final = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur"]


@dataclass
class Call:
    """An answered call."""

    text: str
    at: float
    submitted: bool
    refusal: str = ""


@dataclass
class Writer:
    """An agent that writes lines until it is stopped; every other one waits for the user."""

    number: int
    stage: FugueStage
    stop: Event
    calls: list[Call] = field(default_factory=list[Call])

    def run(self) -> None:
        """Write lines, each with a text of its own."""
        wait = 20 if self.number % 2 else 0
        with Agent(self.stage.env) as agent:
            while not self.stop.is_set():
                text = f"agent{self.number} {len(self.calls):06} {' '.join(random.sample(_WORDS, 4))}"
                arguments = {"pane": "%1", "text": text, "submit": True, "wait_for_user": wait}
                try:
                    answer = agent.call("fugue_send_input", **arguments)
                except RuntimeError as error:
                    self.calls.append(Call(text, time.monotonic(), submitted=False, refusal=str(error)))
                    self.stop.wait(0.5)
                    continue
                self.calls.append(Call(text, time.monotonic(), answer["structuredContent"]["submitted"]))
                self.stop.wait(random.uniform(0.02, 0.3))


def measure(plan: Plan) -> Iterator[Row]:
    """Bytes lost, lines mixed, refusals without a code, entries missing."""
    received = plan.folder / "received"
    fugue = replace(cast("Fugue", plan.fugue), settings=TRUSTED)
    with fugue.open(plan.folder, [f"printf 'READY\\n'; exec cat >'{received}'"]) as opened:
        stage, stop = cast("FugueStage", opened), Event()
        stage.host.until_text("READY")
        writers = [Writer(number, stage, stop) for number in range(AGENTS)]
        threads = [Thread(target=writer.run, daemon=True) for writer in writers]
        for thread in threads:
            thread.start()
        typed = _type(stage, plan.seconds or plan.often(180, 15))
        stage.host.run(SETTLED_SECONDS)
        killed, server = time.monotonic(), stage.server()
        os.kill(server, signal.SIGKILL)
        stop.set()
        for thread in threads:
            thread.join(30)
    calls = [call for writer in writers for call in writer.calls if call.at < killed - SETTLED_SECONDS]
    yield from written(received.read_text().splitlines(), typed, calls)
    yield from recorded(Path(stage.env["FUGUE_STATE"]), calls)


def _type(stage: FugueStage, seconds: float) -> list[str]:
    """Type lines for some seconds, key by key, with rests in and between them; the lines."""
    end, typed, rests = time.monotonic() + seconds, list[str](), pauses("soak")
    while time.monotonic() < end:
        line = f"user {len(typed):06} {' '.join(random.sample(_WORDS, 4))}"
        for key in line:
            stage.host.send(key.encode())
            stage.host.run(next(rests))
            if random.random() < 0.01:
                stage.host.run(2.5)
        stage.host.send(b"\r")
        typed.append(line)
        stage.host.run(random.choice((0.1, 0.5, 3, 5)))
    return typed


def written(received: list[str], typed: list[str], calls: list[Call]) -> Iterator[Row]:
    """What the program has read, compared with what was typed."""
    submitted = [call.text for call in calls if call.submitted]
    refusals = [call.refusal for call in calls if call.refusal]
    there = set(received)
    lost = [line for line in (*typed, *submitted) if line not in there]
    mixed = [line for line in received if not re.fullmatch(r"(user|agent\d) \d{6}( [a-z]+){4}", line)]
    twice = len(received) - len(there)
    note = f"{len(typed)} lines of the user, {len(submitted)} of {AGENTS} agents"
    yield Row("soak", "bytes lost", "B", sum(map(len, lost)), most=0, note=note)
    yield Row("soak", "lines interleaved or repeated", "", len(mixed) + twice, most=0, note=", ".join(mixed)[:100])
    untyped = [refusal for refusal in refusals if not _TYPED.search(refusal)]
    note = (untyped[0] if untyped else f"of {len(refusals)} refusals")[:200]
    yield Row("soak", "refusals without a code or a time to retry", "", len(untyped), most=0, note=note)


def recorded(state: Path, calls: list[Call]) -> Iterator[Row]:
    """The audit log after the server was killed, compared with the calls that were answered."""
    lines = [line for file in sorted(audit_entry.folder(state, "main").iterdir()) for line in _lines(file)]
    entries = list(map(audit_entry.decode, lines))
    broken = sum(entry is None for entry in entries[:-1])
    final = [entry for entry in entries if isinstance(entry, AuditEntry) and entry.outcome not in ("", "started")]
    texts = "\n".join(f"{entry.outcome} {entry.command}" for entry in final)
    missing = [call for call in calls if not re.search(_pattern(call), texts)]
    yield Row("soak", "audit entries missing after kill -9", "", len(missing), most=0, note=f"of {len(calls)} calls")
    yield Row("soak", "audit entries that cannot be read", "", broken, most=0, note=f"of {len(entries)}")


def _pattern(call: Call) -> str:
    return f"(?m)^{'refused' if call.refusal else 'done'} .*{call.text}"


def _lines(file: Path) -> list[bytes]:
    return file.read_bytes().splitlines() if file.name.startswith("log.jsonl") else []
