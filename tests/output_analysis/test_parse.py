"""Program output is parsed into structure, and text without structure is not."""

import pytest
from tests.output_analysis.conftest import names, recorded
from tests.output_analysis.parsing import plain, read

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import ParseAs, ParsedKind


def test_docker_ps_is_parsed_as_documented() -> None:
    assert plain(read("documented/docker-ps-seed")) == {
        "type": "table",
        "headers": ["CONTAINER ID", "IMAGE", "STATUS", "PORTS"],
        "rows": [
            ["abc123", "nginx:latest", "Up 2 hours", "80/tcp"],
            ["def456", "postgres:16", "Up 5 hours", "5432/tcp"],
        ],
    }


TABLES: list[tuple[str, list[str], list[str]]] = [
    (
        "documented/docker-ps",
        ["CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES"],
        ["e3a1f2b4c5d6", "busybox", '"top"', "2 hours ago", "Up 2 hours", "", "idle_one"],
    ),
    (
        "documented/docker-stats",
        ["CONTAINER ID", "NAME", "CPU %", "MEM USAGE / LIMIT", "MEM %", "NET I/O", "BLOCK I/O", "PIDS"],
        ["e5c383697914", "test-1951", "0.00%", "196KiB / 1.952GiB", "0.01%", "71.2kB / 0B", "770kB / 0B", "1"],
    ),
    (
        "documented/kubectl-get-wide",
        ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
        ["pending-6c8d5f7b9-aaaaa", "0/1", "Pending", "0", "5s", "<none>", "<none>", "<none>", "<none>"],
    ),
    (
        "documented/kubectl-events",
        ["LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"],
        [
            "58s",
            "Warning",
            "BackOff",
            "pod/worker-5d9c6b7f4d-x2kqm",
            "Back-off restarting failed container worker",
        ],
    ),
    (
        "documented/systemctl",
        ["", "UNIT", "LOAD", "ACTIVE", "SUB", "DESCRIPTION"],
        ["●", "nginx.service", "loaded", "failed", "failed", "A high performance web server"],
    ),
    (
        "documented/mysql",
        ["name", "owner", "species", "sex", "birth", "death"],
        ["Puffball", "Diane", "hamster", "f", "1999-03-30", "NULL"],
    ),
    (
        "parse/df-h",
        ["Filesystem", "Size", "Used", "Avail", "Use%", "Mounted on"],
        ["tmpfs", "12G", "0", "12G", "0%", "/sys/fs/cgroup"],
    ),
    (
        "parse/free-h",
        ["", "total", "used", "free", "shared", "buff/cache", "available"],
        ["Swap:", "0B", "0B", "0B", "", "", ""],
    ),
    (
        "parse/lsblk",
        ["NAME", "MAJ:MIN", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINTS"],
        ["vda", "254:0", "0", "256G", "0", "disk", "/"],
    ),
    (
        "parse/netstat",
        ["Proto", "Recv-Q", "Send-Q", "Local Address", "Foreign Address", "State"],
        ["tcp", "0", "0", "0.0.0.0:2024", "0.0.0.0:*", "LISTEN"],
    ),
    ("parse/pip-list", ["Package", "Version"], ["Werkzeug", "3.1.9"]),
    ("parse/psql", ["id", "name", "note"], ["3", "", ""]),
    ("parse/psql-unicode", ["id", "name", "note"], ["3", "", ""]),
    ("parse/psql-one-column", ["count"], ["410"]),
    ("parse/sqlite-box", ["id", "name", "note"], ["3", "", ""]),
    ("parse/sqlite-table", ["id", "name", "note"], ["3", "", ""]),
    ("parse/sqlite-markdown", ["id", "name", "note"], ["3", "", ""]),
    ("parse/sqlite-column", ["id", "name", "note"], ["3", "", ""]),
    ("parse/rich-table", ["Id", "Name", "Note"], ["3", "", "z"]),
]


@pytest.mark.parametrize("known", [True, False], ids=["command known", "command unknown"])
@pytest.mark.parametrize(("name", "headers", "last"), TABLES, ids=[name for name, _, _ in TABLES])
def test_a_table_is_parsed_by_its_columns(name: str, headers: list[str], last: list[str], known: bool) -> None:
    found = read(name, known=known)
    assert found.kind is ParsedKind.TABLE
    assert (list(found.headers), list(found.rows[-1])) == (headers, last)
    assert found.confidence >= 0.7


@pytest.mark.parametrize("name", ["parse/psql", "parse/psql-unicode", "parse/sqlite-box", "parse/sqlite-column"])
def test_wide_characters_and_bars_inside_cells_keep_the_columns(name: str) -> None:
    rows = read(name).rows
    assert rows[0][:2] == ("1", "a|b")
    assert rows[1] == ("2", "日本語", "long note")


@pytest.mark.parametrize("name", ["parse/psql", "parse/psql-unicode", "parse/psql-expanded"])
def test_a_cell_that_psql_continues_is_one_cell(name: str) -> None:
    assert read(name).rows[0] == ("1", "a|b", "x\ny")


def test_a_long_cell_that_only_looks_continued_is_noted_as_ambiguous() -> None:
    found = read("parse/rich-table")
    assert found.rows[2] == ("", "", "note that")
    assert any("may go on from the row above" in note for note in found.notes)


def test_ps_has_a_row_for_every_process() -> None:
    for name in ("parse/ps-aux", "parse/ps-ef", "parse/top"):
        found = read(name)
        lines = [line for line in recorded(name).output.splitlines() if line.split()[:1] not in ([], ["PID"])]
        assert len(found.rows) == sum(row[found.headers.index("PID")].isdigit() for row in found.rows)
        assert len(found.rows) >= len(lines) - 6


def test_a_row_that_overflows_its_columns_is_split_at_blanks_only_where_cells_are_words() -> None:
    text = (
        "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
        "root           1  0.0  0.0   1234   567 ?        Ss   10:00   0:01 /sbin/init splash\n"
        "root          22  0.0  0.0 123456789 99999 ?     Sl   10:00   0:01 node --max old\n"
        "Killed\n"
    )
    found = parse(text, command="ps aux")
    assert [row[1] for row in found.rows] == ["1", "22"]
    assert found.rows[1][4:6] == ("123456789", "99999")
    assert found.rows[1][-1] == "node --max old"
    assert any("read word by word" in note for note in found.notes)
    assert any("line 4" in note and "left out" in note for note in found.notes)


def test_lists_without_a_header_are_parsed_by_their_line_format() -> None:
    listing = read("parse/ls-l", known=False)
    assert listing.headers == ("mode", "links", "owner", "group", "size", "modified", "name")
    assert [row[-1] for row in listing.rows] == ["a file.txt", "link -> a file.txt", "null", "sub", "日本語.txt"]
    assert listing.rows[2][4] == "1, 3"
    branches = read("parse/git-branch-vv", known=False)
    assert branches.rows[1] == ("*", "main", "56a70cd", "origin/main: ahead 1", "Say it differently")
    detached = read("documented/git-branch-detached")
    assert detached.rows[0] == ("*", "(HEAD detached at 4c0dfb3)", "4c0dfb3", "", "First steps")
    assert detached.rows[1][3:] == ("origin/main: ahead 1, behind 2", "[WIP] Say it differently")


def test_lists_of_git_are_parsed_if_the_command_is_known() -> None:
    assert read("parse/git-status-short").rows[1] == ("A", "", '"new file.txt"')
    assert read("parse/git-log-oneline").rows[1] == ("56a70cd", "HEAD -> main", "Say it differently")
    assert read("parse/git-status-short", known=False).kind is ParsedKind.UNKNOWN


PLAIN = ["parse/json-cut", "parse/log", "parse/prose-with-commas", "parse/readme", "parse/source"]


@pytest.mark.parametrize("name", PLAIN)
def test_text_without_structure_is_unknown(name: str) -> None:
    found = read(name)
    assert (found.kind, found.confidence, found.rows, found.headers) == (ParsedKind.UNKNOWN, 0.0, (), ())
    assert found.notes


@pytest.mark.parametrize(
    "name", [name for name in names("intent") if not name.startswith(("intent/git-log", "intent/git-status"))]
)
def test_test_runs_and_error_messages_are_no_tables_of_high_confidence(name: str) -> None:
    found = recorded(name)
    assert parse(found.output, command=found.command).confidence < 0.9


def test_an_outlier_in_a_table_is_left_out_and_noted() -> None:
    text = (
        "NAME        READY   STATUS\n"
        "one         1/1     Running\n"
        "warning: something else was printed here\n"
        "two         0/1     Pending\n"
        "three       1/1     Running\n"
    )
    found = parse(text)
    assert [row[0] for row in found.rows] == ["one", "two", "three"]
    assert found.notes == ("line 3 did not fit the columns, left out",)
    assert found.confidence < 0.94


def test_an_empty_cell_stays_empty_and_takes_nothing_from_its_neighbour() -> None:
    text = "ID   NAME    NOTE   TAIL\n1    one            a\n2            two\n3    three   3      c\n"
    assert parse(text).rows == (("1", "one", "", "a"), ("2", "", "two", ""), ("3", "three", "3", "c"))


def test_columns_that_are_counted_in_characters_are_found_too() -> None:
    text = "NAME    STATE     AGE\n日本語     Running   5m\nab      Pending   7m\nlonger  Running   9m\n"
    found = parse(text)
    assert found.rows[0] == ("日本語", "Running", "5m")
    assert any("counted in characters" in note for note in found.notes)


def test_prompts_around_the_output_are_left_out_and_name_the_command() -> None:
    found = parse("user@host:~/src$ docker ps\nCONTAINER ID   IMAGE\nabc123         nginx\nuser@host:~/src$ \n")
    assert plain(found)["rows"] == [["abc123", "nginx"]]
    assert found.confidence > 0.8


def test_filters_behind_a_command_do_not_hide_it() -> None:
    text = "root           1  0.0  0.0   1234   567 ?        Ss   10:00   0:01 init\n"
    header = "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n"
    assert parse(header + text, command="sudo ps aux | grep init").rows[0][-1] == "init"


def test_a_requested_kind_is_the_only_one_tried() -> None:
    text = "a,b\n1,2\n"
    assert parse(text, ParseAs.CSV).kind is ParsedKind.CSV
    assert parse(text, ParseAs.JSON).kind is ParsedKind.UNKNOWN
    assert parse(text, ParseAs.LINES).rows == (("a,b",), ("1,2",))
    assert parse("", ParseAs.LINES).kind is ParsedKind.UNKNOWN
    assert parse("Key: value\nOther: 3\nThird: x\n", ParseAs.PAIRS).records == [
        {"Key": "value", "Other": "3", "Third": "x"}
    ]


PS_AUX = (
    "root      1234  0.0  0.1  12345  6789 ?        Ss   16:51   0:00 nginx: master process\n"
    "www       1235  0.0  0.1  12345  6789 ?        S    Nov20   0:00 nginx: worker process\n"
    "root      9999  0.0  0.0   6000   900 pts/0    S+   16:51   0:00 grep nginx\n"
)
PS_EF = (
    "root         1     0  0 16:51 ?        00:02:30 /init --x\nroot        33     2  0  2025 pts/0  1-00:00:00 [x y]\n"
)


def test_processes_without_a_header_have_the_columns_of_the_options() -> None:
    found = parse(PS_AUX, command="ps aux | grep nginx")
    assert (found.headers[0], found.headers[-1], len(found.rows)) == ("USER", "COMMAND", 3)
    assert found.rows[2][6:] == ("pts/0", "S+", "16:51", "0:00", "grep nginx")
    assert "the columns' names are not in the text" in found.notes
    found = parse(PS_EF, command="ps --no-headers -ef")
    assert found.kind is ParsedKind.UNKNOWN or found.confidence < 0.6
    found = parse(PS_EF, command="ps -ef | grep -v x")
    assert found.rows[1] == ("root", "33", "2", "0", "2025", "pts/0", "1-00:00:00", "[x y]")
    titled = "USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\n" + PS_AUX
    assert parse(titled, command="ps aux").parser == "columns"
    assert parse(PS_AUX, command="ps -eo user,pid,args").kind is not ParsedKind.TABLE


def test_a_table_without_its_header_has_rows_and_no_names() -> None:
    text = "web    1/1   Running   0     10d\nweb2   1/1   Running   12    10d\nx      0/1   Pending   0     1d\n"
    found = parse(text, command="kubectl get pods --no-headers")
    assert (found.kind, found.headers, found.rows[1]) == (ParsedKind.TABLE, (), ("web2", "1/1", "Running", "12", "10d"))
    assert found.confidence < 0.6


def test_words_between_tabs_are_no_list_of_words() -> None:
    found = parse("abc\tweb\ndef\tdb\n", command="docker ps --format '{{.ID}}\t{{.Names}}'")
    assert found.kind is ParsedKind.CSV
