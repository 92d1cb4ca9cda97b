"""Tables as programs really print them: wrapped, of several directories, with unusual borders, overflowing columns."""

import random
from collections.abc import Sequence

import pytest

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import ParsedKind


def test_a_long_file_system_that_df_wraps_is_one_row() -> None:
    text = (
        "Filesystem           1K-blocks      Used Available Use% Mounted on\n"
        "/dev/mapper/vg-root\n"
        "                      20511356   8243220  11203000  43% /\n"
        "tmpfs                  4022412         0   4022412   0% /dev/shm\n"
    )
    found = parse(text, command="df")
    assert found.rows == (
        ("/dev/mapper/vg-root", "20511356", "8243220", "11203000", "43%", "/"),
        ("tmpfs", "4022412", "0", "4022412", "0%", "/dev/shm"),
    )
    assert "lines 2-3 are one row" in found.notes
    assert parse(text).rows == found.rows, "without knowing the command too"


def test_a_row_with_one_cell_above_a_full_one_stays_two() -> None:
    text = "NAME   SIZE   PLACE\none\ntwo    5      here\nthree  6      there\n"
    assert parse(text).rows == (("one", "", ""), ("two", "5", "here"), ("three", "6", "there"))


def test_directories_listed_one_after_the_other_are_one_list() -> None:
    text = (
        "a:\ntotal 4\n-rw-r--r-- 1 root root 0 Nov 21 20:00 x\n\n"
        "b b:\ntotal 0\n-rw-r--r-- 1 root root 0 Nov 21 20:00 y\n"
    )
    for command in ("ls -l a 'b b'", ""):
        found = parse(text, command=command)
        assert [row[-1] for row in found.rows] == ["x", "y"]
        assert "lines 1, 5 name folders; the rows below each are of that one" in found.notes


def test_inodes_and_blocks_before_a_listing_are_columns() -> None:
    text = (
        "total 88\n"
        "    13 lrwxrwxrwx 1 root root    7 May 20  2025 bin -> usr/bin\n"
        "2105345 -rw-r--r-- 1 me me 5 Nov 21 16:51 a b\n"
    )
    found = parse(text, command="ls -li /")
    assert found.headers == ("inode", "mode", "links", "owner", "group", "size", "modified", "name")
    assert found.rows[1] == ("2105345", "-rw-r--r--", "1", "me", "me", "5", "Nov 21 16:51", "a b")
    sized = parse(
        "total 8\n4.0K -rw-r--r-- 1 me me 5 Nov 21 16:51 a\n   0 -rw-r--r-- 1 me me 0 Nov 21 16:51 b\n",
        command="ls -ls",
    )
    assert (sized.headers[0], sized.rows[0][0], sized.rows[1][0]) == ("blocks", "4.0K", "0")


def test_header_words_one_blank_apart_are_one_header_where_all_other_columns_are_further_apart() -> None:
    text = (
        "ID   TITLE             BRANCH    CHANGED BY\n"
        "#14  Upgrade to v2     upg       about 1 day\n"
        "#12  Fix the thing     fix/it    about 3 day\n"
    )
    found = parse(text)
    assert (found.headers[-1], found.rows[0][-1]) == ("CHANGED BY", "about 1 day")


def test_a_column_without_a_cell_keeps_its_name_where_columns_are_one_blank_apart() -> None:
    text = (
        "NAME  FSTYPE FSVER LABEL UUID FSAVAIL FSUSE% MOUNTPOINTS\n"
        "zram0                                        \n"
        "vda                             74.5G    11% /\n"
    )
    found = parse(text)
    assert found.headers == ("NAME", "FSTYPE", "FSVER", "LABEL", "UUID", "FSAVAIL", "FSUSE%", "MOUNTPOINTS")
    assert found.rows[1] == ("vda", "", "", "", "", "74.5G", "11%", "/")
    assert found.confidence < 0.8


@pytest.mark.parametrize("command", ["ps -eo pid,lstart,cmd", ""])
def test_a_cell_of_several_words_under_a_right_aligned_header_is_not_split(command: str) -> None:
    text = (
        "  PID                  STARTED CMD\n"
        "    1 Sat Nov 21 16:51:00 2026 /init --x\n"
        "  234 Sat Nov 21 16:51:00 2026 [kthreadd]\n"
    )
    found = parse(text, command=command)
    assert found.rows[1] == ("234", "Sat Nov 21 16:51:00 2026", "[kthreadd]")
    assert any("PID ends and STARTED begins could be otherwise" in note for note in found.notes)


HEADERS = ["NAME", "READY", "STATUS", "AGE", "SIZE", "OWNER", "TYPE", "IMAGE", "PORTS", "COUNT", "ZONE", "PATH", "KIND"]
PHRASED = ["CREATED BY", "NODE POOL", "LAST RUN", "DISK USE", "JOB ID", "USED BY"]
CELLS = {
    "numbers": ["0", "7", "23", "1234", "99999", "1234567"],
    "words": ["a", "web", "default", "kube-system", "nginx:1.25", "<none>", "-", "api-7f9c8-abcde"],
    "phrases": ["Up 2 hours", "2 days ago", "5 minutes ago", "Exited (0) 3 weeks ago", "one", "some more text"],
    "wide": ["東京", "大阪市", "a", "漢字 x"],
}


def printed(
    seed: int, gap: int, kinds: str, *, phrased: bool, full: bool
) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """A table as a program prints it: columns as wide as their widest cell, numbers right-aligned, empty cells."""
    from wcwidth import wcswidth

    dice = random.Random(seed)
    names = dice.sample(HEADERS, dice.randint(2, 7))
    if phrased:
        names = [dice.choice(PHRASED) + str(at) if dice.random() < 0.2 else name for at, name in enumerate(names)]
    kept = [dice.choice(kinds.split()) for _ in names]
    right = [kind == "numbers" and dice.random() < 0.6 for kind in kept]
    thin = [at > 0 and not full and dice.random() < 0.25 for at in range(len(names))]
    rows = [
        tuple("" if thin[at] and dice.random() < 0.4 else dice.choice(CELLS[kind]) for at, kind in enumerate(kept))
        for _ in range(dice.randint(1, 8))
    ]
    widths = [max(wcswidth(cell) for cell in column) for column in zip(names, *rows, strict=True)]

    def line(cells: Sequence[str]) -> str:
        pads = [" " * (width - wcswidth(cell)) for cell, width in zip(cells, widths, strict=True)]
        laid = (pad + cell if side else cell + pad for cell, pad, side in zip(cells, pads, right, strict=True))
        return (" " * gap).join(laid).rstrip()

    return tuple(names), rows, "\n".join(line(cells) for cells in [names, *rows]) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("gap", "kinds", "phrased", "command", "least"),
    [
        (3, "numbers words phrases", True, "docker ps", 1.0),
        (3, "numbers words phrases", True, "", 0.95),
        (2, "numbers words wide", True, "", 0.9),
        (1, "numbers words", False, "", 0.4),
        (1, "numbers words", False, "lsblk", 1.0),
        (1, "numbers words phrases", False, "ps", 0.3),
    ],
)
def test_no_cell_is_wrong_at_high_confidence(gap: int, kinds: str, phrased: bool, command: str, least: float) -> None:
    sure = 0
    for seed in range(300):
        names, rows, text = printed(seed, gap, kinds, phrased=phrased, full=command == "ps")
        found = parse(text, command=command)
        if found.kind is ParsedKind.TABLE and found.confidence >= 0.8:
            sure += 1
            assert found.headers == names, text
            assert set(found.rows) <= set(rows), text
    assert sure >= least * 300


VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 7  0      0 22276304  25960 1292996    0    0  1300   866  585 2206 52 14 33  0  0
 6  0      0 22276304  25960 1292996    0    0     0   124 1805 6655 64 36  1  0  0
"""


def test_numbers_that_all_overflow_their_columns_are_split_at_blanks_where_cells_are_words() -> None:
    found = parse(VMSTAT.replace("  buff  cache", " inact active"), command="vmstat -a 1 2")
    assert found.headers[:4] == ("r", "b", "swpd", "free")
    assert [row[3] for row in found.rows] == ["22276304", "22276304"]
    assert [row[-1] for row in found.rows] == ["0", "0"]
    assert any("word by word" in note for note in found.notes)
    assert parse(VMSTAT).kind is ParsedKind.UNKNOWN or parse(VMSTAT).confidence < 0.5


def test_processes_that_overflow_their_columns_are_split_at_blanks_only_if_numbers_are_in_columns_of_numbers() -> None:
    header = "USER               PID  %CPU %MEM      VSZ    RSS   TT  STAT STARTED      TIME COMMAND\n"
    logd = "root               367   0.8  0.1 410239088  16000   ??  Ss   10Jul24  62:29.27 /usr/libexec/logd\n"
    rows = logd * 3 + (
        "_very_long_user_name_1234   0.0  0.0 408628368   1680 s000  S+    9:12AM   0:00.00 grep --color=auto a b\n"
    )
    found = parse(header + rows, command="ps aux")
    assert [row[1] for row in found.rows] == ["367"] * 3
    assert any("line 5 did not fit" in note for note in found.notes)
    apart = rows.replace("_very_long_user_name_1234 ", "_very_long_user_name_ 1234 ")
    found = parse(header + apart, command="ps aux")
    assert [row[1] for row in found.rows] == ["367"] * 3 + ["1234"]
    assert found.rows[3][-1] == "grep --color=auto a b"


@pytest.mark.parametrize("command", ["docker ps", "kubectl get pods", ""])
def test_a_table_truncated_at_the_right_has_only_the_visible_cells(command: str) -> None:
    text = (
        "CONTAINER ID   IMAGE          STAT\nabc123         nginx:latest   Up 2\ndef456         postgres:16    Up 5\n"
    )
    found = parse(text, command=command)
    assert found.headers == ("CONTAINER ID", "IMAGE", "STAT")
    assert found.rows == (("abc123", "nginx:latest", "Up 2"), ("def456", "postgres:16", "Up 5"))


@pytest.mark.parametrize("char", ["漢", "한", "👍", "👨‍👩‍👧", "é", "e\u0301", "🇩🇪"])
def test_characters_of_any_width_keep_the_columns(char: str) -> None:
    from wcwidth import wcswidth

    name = f"{char} x"
    pad = " " * (12 - wcswidth(name))
    found = parse(f"NAME        AGE   PLACE\n{name}{pad}5m    here\nplain       7m    there\n")
    assert found.rows == ((name, "5m", "here"), ("plain", "7m", "there"))


def test_tabs_align_columns_as_in_a_terminal() -> None:
    found = parse("NAME\tAGE\tPLACE\none\t5m\there\nlonger\t7m\tthere\n")
    assert found.rows[-1] == ("longer", "7m", "there")


def test_several_tables_in_one_text_are_all_parsed() -> None:
    text = (
        "NAME      READY   STATUS    RESTARTS   AGE\n"
        "pod/web   1/1     Running   0          10d\n\n"
        "NAME                 TYPE        CLUSTER-IP   EXTERNAL-IP   PORT(S)   AGE\n"
        "service/kubernetes   ClusterIP   10.96.0.1    <none>        443/TCP   10d\n"
        "service/web          ClusterIP   10.96.0.9    <none>        80/TCP    10d\n\n"
        "NAME                  READY   UP-TO-DATE   AVAILABLE   AGE\n"
        "deployment.apps/web   1/1     1            1           10d\n"
        "deployment.apps/db    1/1     1            1           10d\n\n"
        "Warning: something else\n"
    )
    for command in ("kubectl get all", ""):
        found = parse(text, command=command)
        every = [found, *found.others]
        assert sorted(row[0] for each in every for row in each.rows) == [
            "deployment.apps/db",
            "deployment.apps/web",
            "pod/web",
            "service/kubernetes",
            "service/web",
        ]
        assert any(note.endswith("hold 2 more tables") for note in found.notes)
        assert all(len(row) == len(each.headers) for each in every for row in each.rows)
        assert any("line 12 outside the tables" in note for note in found.notes)


def test_columns_between_tabs_are_parsed_by_the_tabs_and_not_by_their_position_on_a_screen() -> None:
    text = (
        "NAME   \tREVISION\tUPDATED                                \tSTATUS  \tAPP VERSION\n"
        "web    \t3       \t2026-11-21 16:51:00.123456 +0000 UTC    \tdeployed\t1.16.0     \n"
        "db     \t12      \t2026-11-20 16:51:00.123456 +0000 UTC    \tfailed  \t           \n"
    )
    for command in ("helm list -A", ""):
        found = parse(text, command=command)
        assert found.headers == ("NAME", "REVISION", "UPDATED", "STATUS", "APP VERSION")
        assert found.rows[1] == ("db", "12", "2026-11-20 16:51:00.123456 +0000 UTC", "failed", "")


def test_columns_with_the_same_first_word_are_two() -> None:
    text = (
        "IMAGE          CREATED        CREATED BY                SIZE      COMMENT\n"
        "3e23a5875458   8 days ago     /bin/sh -c #(nop) ENV A   0 B       \n"
        "511136ea3c5a   9 months ago                             0 B       Imported from -\n"
    )
    assert parse(text).headers == ("IMAGE", "CREATED", "CREATED BY", "SIZE", "COMMENT")


def test_a_row_of_words_is_no_header_if_the_line_above_it_could_be_a_row_too() -> None:
    text = (
        "Uuid             status                  zone         tag\n"
        "web              Up 5 minutes (healthy)  default\n"
        "web              one                     kube-system\n"
        "api-7f9c8-abcde  2 days ago              -\n"
        "api-7f9c8-abcde  2 days ago              a\n"
    )
    found = parse(text)
    assert "one" not in found.headers


W = (
    " 16:51:00 up  1:00,  2 users,  load average: 0.1, 0.2, 0.3\n"
    "USER     TTY      FROM             LOGIN@   IDLE   JCPU   PCPU WHAT\n"
    "root     pts/0    10.0.0.1         16:50    1.00s  0.05s  0.00s w -i\n"
    "bob      tty1     -                15:00    2:00m  0.01s  0.01s -bash\n"
)


def test_w_is_parsed_though_its_header_is_misaligned() -> None:
    found = parse(W, command="w")
    assert found.rows[0] == ("root", "pts/0", "10.0.0.1", "16:50", "1.00s", "0.05s", "0.00s", "w -i")
    assert found.rows[1][-2:] == ("0.01s", "-bash")
    without = W + "ann               10.0.0.2         16:50    1.00s  0.05s  0.00s sshd: ann [priv]\n"
    assert [row[0] for row in parse(without, command="w").rows] == ["root", "bob"]
