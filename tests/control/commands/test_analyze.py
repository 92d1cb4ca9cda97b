"""What panes show can be asked for as rows, and what became of their commands as a verdict."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.multiplexer.conftest import Room
from tests.output_analysis.conftest import recorded

from fugue_tui.control.commands.analyze import DetectIntent, ParseOutput
from fugue_tui.control.schema.command_schema import payload
from fugue_tui.errors import InvalidArgument, NotFound
from fugue_tui.output_analysis.results import Meaning, ParseAs, ParsedKind

DOCKER = "CONTAINER ID   IMAGE          STATUS       PORTS\\nabc123         nginx:latest   Up 2 hours   80/tcp\\n"


def test_parse_output_parses_the_documented_table(room: Room) -> None:
    found = recorded("documented/docker-ps-seed")
    said = ParseOutput(text=found.output, command="docker ps")
    told = json.loads(json.dumps(payload(type(said), room.run(said))))
    assert {name: told[name] for name in ("type", "headers", "rows")} == {
        "type": "table",
        "headers": ["CONTAINER ID", "IMAGE", "STATUS", "PORTS"],
        "rows": [
            ["abc123", "nginx:latest", "Up 2 hours", "80/tcp"],
            ["def456", "postgres:16", "Up 5 hours", "5432/tcp"],
        ],
    }


def test_a_table_on_a_panes_screen_is_read(room: Room) -> None:
    pane = room.opened(f"create-pane --command \"printf '{DOCKER}'; exec cat\"")
    room.shows(pane, "80/tcp")
    found = room.run(ParseOutput(pane=str(pane)))
    assert found.type is ParsedKind.TABLE
    assert found.rows == (("abc123", "nginx:latest", "Up 2 hours", "80/tcp"),)
    assert found.command.startswith("printf ")


def test_only_what_stands_under_the_last_prompt_is_read(room: Room, tmp_path: Path) -> None:
    shell = tmp_path / "sh"
    old = "$ ls\\nNAME   AGE\\nold    1m\\n"
    shell.write_text(f"#!/bin/sh\nprintf '{old}$ docker ps\\n{DOCKER}$ '; exec cat\n")
    shell.chmod(0o755)
    pane = room.opened(f"create-pane --command {shell}")
    room.shows(pane, "80/tcp")
    found = room.run(ParseOutput(pane=str(pane)))
    assert (found.command, found.rows) == ("docker ps", (("abc123", "nginx:latest", "Up 2 hours", "80/tcp"),))


def test_a_prompt_that_waits_in_a_pane_is_seen(room: Room) -> None:
    pane = room.opened("create-pane --command \"printf 'Overwrite a.txt? [y/N] '; exec cat\"")
    room.shows(pane, "[y/N]")
    found = room.run(DetectIntent(pane=str(pane)))
    assert (found.intent, found.context.details["prompt"]) == (Meaning.PROMPT_WAITING, "confirm")
    assert found.suggested_actions == ()


def test_the_exit_of_a_panes_own_program_is_known(room: Room) -> None:
    room.cat()
    pane = room.opened("create-pane --on-exit keep --command \"sh -c 'frobnicate'\"")
    room.ended(pane)
    found = room.run(DetectIntent(pane=str(pane)))
    assert found.intent is Meaning.DEPENDENCY_MISSING
    assert found.context.details["module"] == "frobnicate"
    assert found.suggested_actions == ("command -v frobnicate",)


def test_detect_intent_classifies_the_documented_output(room: Room) -> None:
    found = recorded("intent/cargo-test-failed-full")
    said = DetectIntent(text=found.output, command="cargo test", exit_code=101)
    told = json.loads(json.dumps(payload(type(said), room.run(said))))
    assert told["intent"] == "test_failure"
    assert told["confidence"] >= 0.95
    assert told["context"]["failed_tests"] == ["test_pane_creation", "test_resize"]
    assert told["context"]["error_summary"] == "2 tests failed, 15 passed"
    assert told["suggested_actions"] == ["cargo test test_pane_creation -- --nocapture"]


def test_rows_are_given_page_by_page(room: Room) -> None:
    text = "NAME     AGE\n" + "".join(f"row-{at:<4} {at}m\n" for at in range(500))
    first = room.run(ParseOutput(text=text))
    assert (len(first.rows), first.rows_total) == (200, 500)
    last = room.run(ParseOutput(text=text, limit=100, offset=450))
    assert [row[0] for row in (last.rows[0], last.rows[-1])] == ["row-450", "row-499"]
    lines = room.run(ParseOutput(text='{"a": 1}\n' * 300, limit=10))
    assert isinstance(lines.records, tuple | list)
    assert (len(lines.records), lines.rows_total) == (10, 300)


def test_a_kind_can_be_asked_for_by_its_name(room: Room) -> None:
    found = room.say("parse-output --kind lines --text 'a b'")
    assert (found.type, found.rows) == (ParsedKind.LINES, (("a b",),))
    assert room.run(ParseOutput(text="a b", kind=ParseAs.JSON)).type is ParsedKind.UNKNOWN


def test_a_pane_that_does_not_exist_is_named(room: Room) -> None:
    room.cat()
    with pytest.raises(NotFound, match="%99"):
        room.run(ParseOutput(pane="%99"))


def test_a_limit_is_kept_to(room: Room) -> None:
    room.cat()
    with pytest.raises(InvalidArgument, match="limit"):
        room.say("parse-output --limit 100000 --text a")


@pytest.mark.slow
def test_the_rules_are_not_loaded_at_import() -> None:
    code = (
        "import sys, fugue_tui.control.command_table;"
        "print([name for name in sys.modules if name == 'jc' or 'outcome.rules' in name or name == 'csv'])"
    )
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_further_tables_are_given_beside_the_largest(room: Room) -> None:
    one = "+----+------+\n| id | name |\n+----+------+\n|  1 | a    |\n|  2 | b    |\n+----+------+\n\n"
    two = "+-------+\n| count |\n+-------+\n|     7 |\n|     8 |\n+-------+\n"
    found = room.run(ParseOutput(text=one + two, limit=1))
    assert (found.rows, found.rows_total) == ((("1", "a"),), 2)
    assert [(table.headers, table.rows) for table in found.more_tables] == [(("count",), (("7",),))]
