"""Lists of well-known commands are parsed by their formats, which the command or the form itself gives away."""

import pytest

from fugue_tui.output_analysis.parse.parse import parse
from fugue_tui.output_analysis.results import Parsed, ParsedKind

STATUS = """On branch master
Your branch is up to date with 'origin/master'.

Changes to be committed:
  (use "git restore --staged <file>..." to unstage)
\trenamed:    lib/deep/two.py -> lib/three.py
\tnew file:   new.txt

Changes not staged for commit:
  (use "git add/rm <file>..." to update what will be committed)
  (use "git restore <file>..." to discard changes in working directory)
\tdeleted:    gone.txt
\tmodified:   one.txt

Untracked files:
  (use "git add <file>..." to include in what will be committed)
\twith space.txt
"""
STAT = """ gone.txt                      | 1 -
 lib/{deep/two.py => three.py} | 0
 logo.png                      | Bin 0 -> 12 bytes
 one.txt                       | 3 ++-
 4 files changed, 3 insertions(+), 2 deletions(-)
"""
SUMS = """8fde59f67257dd53eda8c8a846b406fffc0097f822cc628005c4fa3ec484d200  one.txt
c865f6c5ab8d1b0bcd383a5e1e3879d22681c96bf462c269b7581d523fbe70ab  new file.txt
"""
FOUND = r"""  2958072      4 drwxr-xr-x   4 ann      staff        4096 Nov 23 06:00 .
  2959298      4 -rw-r--r--   1 ann      staff           6 Nov 23 06:00 ./one.txt
  2959302      0 -rw-r--r--   1 ann      staff           0 Nov 23 06:00 ./with\ space.txt
"""
APT = """Listing...
adduser/oldstable,now 3.134 all [installed,automatic]
alsa-ucm-conf/oldstable 1.2.8-1 all
"""
VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 2  0      0 22403224  25288 1807144    0    0   893   941  579 1935 64 19 13  4  0
"""
LIMITS = """real-time non-blocking time  (microseconds, -R) unlimited
core file size              (blocks, -c) 0
scheduling priority                 (-e) 0
"""
TREE = """.
├── lib
│\xa0\xa0 ├── deep
│\xa0\xa0 │\xa0\xa0 └── two.py
│\xa0\xa0 └── with space.py
└── one.txt

3 directories, 3 files
"""
NPM = """shop@1.0.0 /srv/shop
├─┬ express@4.19.2
│ ├── accepts@1.3.8
│ └─┬ body-parser@1.20.2
│   └── bytes@3.1.2
└── left-pad@1.3.0
"""
IP = """1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000
    link/loopback 00:00:00:00:00:00 brd 00:00:00:00:00:00
    inet 127.0.0.1/8 scope host lo
       valid_lft forever preferred_lft forever
    inet6 ::1/128 scope host
       valid_lft forever preferred_lft forever
2: eth0@if3: <BROADCAST,UP> mtu 1400 qdisc pfifo_fast state UP group default qlen 1000
    link/ether 02:fc:00:00:00:01 brd ff:ff:ff:ff:ff:ff
"""
SUBJECTS = "Ann (2):\n      First\n      Second: x\n\nBob (1):\n      Third\n"
LS = "lib   new.txt\t one.txt  'with space.txt'\nmore  zoo.txt"


def columns(found: Parsed, *names: str) -> list[tuple[str, ...]]:
    return [tuple(row[found.headers.index(name)] for name in names) for row in found.rows]


def test_git_status_is_a_table_of_changes() -> None:
    for text in (STATUS, STATUS.expandtabs()):
        found = parse(text, command="git status")
        assert columns(found, "part", "change", "path") == [
            ("Changes to be committed", "renamed", "lib/deep/two.py -> lib/three.py"),
            ("Changes to be committed", "new file", "new.txt"),
            ("Changes not staged for commit", "deleted", "gone.txt"),
            ("Changes not staged for commit", "modified", "one.txt"),
            ("Untracked files", "", "with space.txt"),
        ]
        assert "On branch master" in found.notes


def test_git_status_of_a_clean_tree_is_an_empty_table() -> None:
    found = parse("On branch master\n\nnothing to commit, working tree clean\n", command="git status")
    assert (found.rows, found.parser) == ((), "git status")
    assert "nothing to commit, working tree clean" in found.notes


@pytest.mark.parametrize(
    ("command", "text", "first", "last"),
    [
        ("git diff --stat", STAT, ("gone.txt", "1", "-"), ("one.txt", "3", "++-")),
        ("sha256sum *", SUMS, (SUMS[:64], "one.txt"), (SUMS[74:138], "new file.txt")),
        ("", SUMS, (SUMS[:64], "one.txt"), (SUMS[74:138], "new file.txt")),
        (
            "apt list", APT,
            ("adduser", "oldstable,now", "3.134", "all", "installed,automatic"),
            ("alsa-ucm-conf", "oldstable", "1.2.8-1", "all", ""),
        ),
        (
            "ulimit -a", LIMITS,
            ("real-time non-blocking time", "microseconds", "-R", "unlimited"), ("scheduling priority", "", "-e", "0"),
        ),
        ("ls -1s", "total 8\n4 lib\n4 'with space.txt'\n", ("4", "lib"), ("4", "'with space.txt'")),
        ("git shortlog -sn", "     3\tAnn\n     1\tBob B\n", ("3", "Ann"), ("1", "Bob B")),
        ("git shortlog", SUBJECTS, ("Ann", "First"), ("Bob", "Third")),
    ],
)  # fmt: skip
def test_lists_are_tables(command: str, text: str, first: tuple[str, ...], last: tuple[str, ...]) -> None:
    found = parse(text, command=command)
    assert (found.rows[0], found.rows[-1]) == (first, last)
    assert found.confidence >= 0.8


def test_find_and_vmstat_are_tables() -> None:
    found = parse(FOUND, command="find . -ls")
    assert columns(found, "inode", "size", "name")[1:] == [
        ("2959298", "6", "./one.txt"),
        ("2959302", "0", r"./with\ space.txt"),
    ]
    found = parse(VMSTAT, command="vmstat 1")
    assert columns(found, "r", "cache", "cs", "st") == [("2", "1807144", "1935", "0")]
    active = VMSTAT.replace("buff  cache", "inact active")
    assert parse(active, command="vmstat -a").parser != "vmstat"


def test_trees_are_nested() -> None:
    for text in (TREE, TREE.replace("\xa0", " ")):
        (root,) = parse(text, command="tree").records
        assert [each["name"] for each in root["children"]] == ["lib", "one.txt"]
        deep, spaced = root["children"][0]["children"]
        assert (deep["children"][0]["name"], spaced["name"]) == ("two.py", "with space.py")
    (root,) = parse(NPM).records
    assert root["children"][0]["children"][1]["children"][0]["name"] == "bytes@3.1.2"
    assert root["children"][1]["name"] == "left-pad@1.3.0"


def test_the_interfaces_of_ip_have_their_addresses() -> None:
    one, two = parse(IP, command="ip addr").records
    assert [each["address"] for each in one["addresses"]] == ["127.0.0.1/8", "::1/128"]
    assert (two["name"], two["state"], two["mac"], two["addresses"]) == ("eth0@if3", "UP", "02:fc:00:00:00:01", [])


def test_the_names_of_ls_are_read_column_by_column() -> None:
    found = parse(LS, command="ls")
    assert (found.kind, [row[0] for row in found.rows]) == (
        ParsedKind.LINES, ["lib", "more", "new.txt", "zoo.txt", "one.txt", "'with space.txt'"],
    )  # fmt: skip
    assert parse("one name\nanother name here", command="ls").parser != "ls"


@pytest.mark.parametrize(
    "text",
    [
        "name: shop\nservices:\n  web:\n    image: nginx\n    ports:\n      - 80\nversion: 3\n",
        "Step 1: do this\nStep 2: do that\nStep 3: rest\n",
    ],
)
def test_what_is_not_pairs_is_none_with_confidence(text: str) -> None:
    assert parse(text).confidence < 0.8


DISKS = """disk- ------------reads------------ ------------writes----------- -----IO------
       total merged sectors      ms  total merged sectors      ms    cur    sec
loop0      0      0       0       0      0      0       0       0      0      0
loop1      0      0       0       0      0      0       0       0      0      0
loop2      0      0       0       0      0      0       0       0      0      0
loop3      0      0       0       0      0      0       0       0      0      0
loop4      0      0       0       0      0      0       0       0      0      0
loop5      0      0       0       0      0      0       0       0      0      0
loop6      0      0       0       0      0      0       0       0      0      0
loop7      0      0       0       0      0      0       0       0      0      0
"""


def test_headings_over_several_columns_are_no_header() -> None:
    found = parse(DISKS, command="vmstat -d")
    assert found.confidence < 0.8 or "total" in found.headers


def test_the_options_of_du_add_a_column_or_count_something_else() -> None:
    times = "64\t2026-11-23 11:34\t./with space\n8\t2026-11-23 11:34\t.\n"
    for text in (times, times.expandtabs()):
        found = parse(text, command="du --time -a")
        assert found.headers == ("size", "modified", "path")
        assert found.rows == (("64", "2026-11-23 11:34", "./with space"), ("8", "2026-11-23 11:34", "."))
    found = parse("14\t./lib\n20\t.\n", command="du --inodes")
    assert (found.headers, found.rows[0]) == (("inodes", "path"), ("14", "./lib"))


def test_names_that_begin_with_a_blank_are_whole() -> None:
    (root,) = parse(".\n├──  lead.txt\n└── one.txt\n", command="tree").records
    assert [each["name"] for each in root["children"]] == [" lead.txt", "one.txt"]
    for text in (STATUS, STATUS.expandtabs()):
        found = parse(text.replace("with space.txt", " lead.txt"), command="git status")
        assert columns(found, "part", "path")[-1] == ("Untracked files", "lead.txt")


def test_a_tree_with_columns_before_the_names_is_none() -> None:
    text = "[       4096]  .\n├── [          2]  one.txt\n└── [       4096]  lib\n    └── [         10]  two.txt\n"
    assert parse(text, command="tree -s").confidence < 0.8
