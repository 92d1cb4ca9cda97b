"""Outputs that are no tables are parsed as records, pairs, lists and documents, and values keep their text."""

from typing import Any

import pytest
from tests.output_analysis.parsing import read

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import ParsedKind

RECORDS: list[tuple[str, Any]] = [
    ("parse/id", {"uid": {"id": "0", "name": "root"}}),
    ("parse/mount", {"filesystem": "proc", "mount_point": "/proc", "type": "proc", "options": ["rw", "relatime"]}),
    ("parse/stat", {"file": "/etc/passwd", "size": "1221"}),
    ("parse/git-log", {"commit": "56a70cd2e9e3c8f968cb41a5244f671737ca0680", "author_email": "a@b"}),
]


@pytest.mark.parametrize(("name", "part"), RECORDS, ids=[name for name, _ in RECORDS])
def test_outputs_that_are_no_tables_are_parsed_by_jc(name: str, part: dict[str, Any]) -> None:
    found = read(name)
    assert found.kind is ParsedKind.RECORDS
    assert found.parser.startswith("jc ")
    first: dict[str, Any] = found.records if name == "parse/id" else found.records[0]
    assert part.items() <= first.items()


def test_a_guess_of_jc_is_rejected() -> None:
    log = "commit 56a70cd2e9e3c8f968cb41a5244f671737ca0680\nAuthor: a <a@b>\nDate:   today\n\n    x\n"
    assert parse(log, command="git log").kind is ParsedKind.RECORDS
    assert parse("total nonsense\nwithout a table\n", command="mount").kind is ParsedKind.UNKNOWN
    assert parse("who knows\n", command="last").kind is ParsedKind.UNKNOWN


def test_pairs_are_parsed_as_records() -> None:
    assert read("parse/lscpu").records[0]["CPU op-mode(s)"] == "32-bit, 64-bit"
    assert read("parse/sqlite-line").rows == (("1", "a|b", "x"), ("2", "日本語", "long note"), ("3", "", ""))
    assert read("documented/mysql-vertical").rows == (("Fluffy", "Harold", "NULL"), ("Puffball", "Diane", "NULL"))
    described = read("documented/kubectl-describe").records[0]
    assert described["Labels"] == "app=nginx\ntier=web"
    assert described["Containers"].startswith("nginx:\nImage:")


def test_json_numbers_keep_their_source_text() -> None:
    found = read("parse/jsonl")
    assert found.kind is ParsedKind.JSONL
    assert found.records[0] == {"level": "info", "n": 1.5}
    assert found.rows[0] == ("info", "1.50")
    assert any("line 2" in note for note in found.notes)
    whole = read("parse/npm-ls-json")
    assert whole.kind is ParsedKind.JSON
    assert whole.records["name"] == "pk"


def test_json_is_found_between_a_prompt_and_log_lines() -> None:
    text = '[12:00] starting\nuser@host:~$ show\n{\n  "a": [1, 2],\n  "b": "x"\n}\nuser@host:~$ \n'
    found = parse(text)
    assert (found.kind, found.records) == (ParsedKind.JSON, {"a": [1, 2], "b": "x"})
    assert any("outside the JSON" in note for note in found.notes)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "Infinity", "12345678901234567890123"])
def test_a_number_that_a_float_or_int_cannot_represent_stays_text(number: str) -> None:
    found = parse(f'{{"n": {number}}}')
    assert found.records == {"n": number}
    assert any("as text" in note for note in found.notes)


def test_a_duplicate_key_is_noted() -> None:
    assert any("twice" in note for note in parse('{"a": 1, "a": 2}').notes)


def test_values_between_commas_and_tabs_are_parsed() -> None:
    assert read("parse/sqlite-csv").rows[1] == ("2", "日本語", "long note")
    tabs = read("parse/tsv")
    assert (tabs.kind, tabs.headers, tabs.rows[1]) == (ParsedKind.CSV, ("id", "name"), ("2", "two words"))
    quoted = parse('name,quote\nanna,"a, ""b"""\nbert,"two\nlines"\ncarl,\n')
    assert quoted.rows == (("anna", 'a, "b"'), ("bert", "two\nlines"), ("carl", ""))


def test_a_first_record_with_numbers_is_no_header() -> None:
    found = parse("1,2.5,a\n2,3.5,b\n3,4.5,c\n")
    assert found.headers == ()
    assert len(found.rows) == 3


ERROR_MESSAGES = {
    "crontab -l": "no crontab for root\n",
    "dpkg -l nope": "dpkg-query: no packages found matching nope\n",
    "git log": "fatal: your current branch 'main' does not have any commits yet\n",
    "id nope": "id: ‘nope’: no such user\n",
    "iptables -L": "iptables v1.8.9 (legacy): can't initialize iptables table `filter': Permission denied\n",
    "last": "last: cannot open /var/log/wtmp: No such file or directory\n",
    "mount /mnt": "mount: /mnt: must be superuser to use mount.\n       dmesg(1) may have more information.\n",
    "ping x": "PING 1.1.1.1 (1.1.1.1) 56(84) bytes of data.\n"
    "3 packets transmitted, 0 received, +3 errors, 100% packet loss\n",
    "stat x": "stat: cannot statx 'x': No such file or directory\n",
    "systemctl list-units": "System has not been booted with systemd as init system.\nFailed to connect to bus\n",
    "systemctl restart x": 'Job for x.service failed because it did.\nSee "systemctl status x.service" for more.\n',
    "systemctl status x": "● x.service - A server\n     Loaded: loaded (/lib/x)\n     Active: active (running)\n",
    "wc x": "wc: x: No such file or directory\n",
    "who x y z": "who: extra operand 'z'\nTry 'who --help' for more information.\n",
}


@pytest.mark.parametrize("command", ERROR_MESSAGES)
def test_an_error_message_is_no_record(command: str) -> None:
    found = parse(ERROR_MESSAGES[command], command=command)
    assert found.parser == "" or found.parser == "pairs"
    assert found.kind in (ParsedKind.UNKNOWN, ParsedKind.PAIRS)


def test_the_refs_of_a_commit_are_a_field_of_their_own() -> None:
    commit = "56a70cd2e9e3c8f968cb41a5244f671737ca0680"
    log = f"commit {commit} (HEAD -> main, tag: v1)\nAuthor: a <a@b>\nDate:   today\n\n    x\n"
    first = parse(log, command="git log").records[0]
    assert (first["commit"], first["refs"]) == (commit, "HEAD -> main, tag: v1")


def test_a_successful_ping_is_a_record_without_generated_fields() -> None:
    text = (
        "PING localhost (127.0.0.1) 56(84) bytes of data.\n"
        "64 bytes from localhost (127.0.0.1): icmp_seq=1 ttl=64 time=0.022 ms\n\n"
        "--- localhost ping statistics ---\n"
        "1 packets transmitted, 1 received, 0% packet loss, time 1001ms\n"
        "rtt min/avg/max/mdev = 0.022/0.022/0.022/0.000 ms\n"
    )
    found = parse(text, command="ping -c1 localhost").records
    assert (found["packets_received"], found["time_ms"], found["responses"][0]["time_ms"]) == ("1", "1001", "0.022")
    assert "reply" not in str(found)


@pytest.mark.parametrize(
    ("command", "text", "headers", "last"),
    [
        (
            "wc a b",
            "  3  7 20 a\n  1  2  8 b c\n  4  9 28 total\n",
            ("lines", "words", "bytes", "file"),
            "4 9 28 total",
        ),
        ("wc -l a", "105 a\n", ("lines", "file"), "105 a"),
        ("cat a | wc -lw", "      3       7\n", ("lines", "words", "file"), "3 7 "),
        ("wc -cm a", " 7 20 a\nwc: b: No such file or directory\n", ("characters", "bytes", "file"), "7 20 a"),
    ],
)
def test_counts_of_wc_have_the_columns_of_the_options(
    command: str, text: str, headers: tuple[str, ...], last: str
) -> None:
    found = parse(text, command=command)
    assert (found.headers, " ".join(found.rows[-1])) == (headers, last)


def test_error_messages_of_a_program_are_left_out_of_its_list() -> None:
    text = "4\ta\ndu: cannot read directory 'b': Permission denied\n4\tb\n"
    found = parse(text, command="du")
    assert found.rows == (("4", "a"), ("4", "b"))
    assert "line 2 said by the program itself, left out" in found.notes


@pytest.mark.parametrize(
    "text",
    [
        "real\t0m1.234s\nuser\t0m0.500s\nsys\t0m0.100s\n",
        "100644 d00491fd7e5bb6fa28c517a0bb32b8b506539d4d 0\tf1\n100644 0cfbf08886fca9a91cb753ec8734c84fcbe5 0\tf2\n",
    ],
)
def test_a_first_line_with_digits_is_no_header(text: str) -> None:
    found = parse(text)
    assert (found.kind, found.headers, len(found.rows)) == (ParsedKind.CSV, (), text.count("\n"))


def test_a_header_recognised_only_by_its_position_is_noted_and_has_a_lower_confidence() -> None:
    found = parse("alice,london\nbob,paris\ncarol,rome\n")
    assert found.confidence < 0.8
    assert "the first line was taken for the fields' names" in found.notes
    assert parse("name,age\nbob,41\ncarol,42\ndave,43\n").confidence > 0.9


def test_lines_with_several_pairs_have_a_lower_confidence() -> None:
    text = '  File: "/"\n    ID: abc Namelen: 255     Type: ext4\nBlocks: Total: 66053021   Free: 59000000\nSize: 4\n'
    found = parse(text, command="stat -f /")
    assert found.confidence < 0.6
    assert any("further pairs" in note for note in found.notes)


def test_consecutive_documents_on_several_lines_are_all_parsed() -> None:
    text = '{\n  "a": 1\n}\n{\n  "a": 2\n}\n[\n  3\n]\ndone\n'
    found = parse(text, command="jq . x")
    assert (found.kind, found.records) == (ParsedKind.JSONL, [{"a": 1}, {"a": 2}, [3]])
    assert found.notes == ("line 10 outside the JSON, left out",)
    cut = parse('{\n  "a": 1\n}\n{\n  "a": \n', command="jq . x")
    assert (cut.kind, cut.records) == (ParsedKind.JSON, {"a": 1})
    assert cut.notes == ("lines 4-5 outside the JSON, left out",)
    other = parse('{\n  "a": 1\n}\n[2]\n[3] x\n', command="jq . x")
    assert (other.records, other.notes) == ([{"a": 1}, [2]], ("line 5 outside the JSON, left out",))
