"""Lines are parsed into all their commands, or not at all: checked with what bash itself runs."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.multiplexer.access.shell_line import Unparsed, parse


def words(line: str) -> list[str]:
    """The commands of a line, with ? for words that are not known."""
    return [" ".join(word.text if word.is_known else "?" for word in each.words) for each in parse(line)]


@pytest.mark.parametrize(
    ("line", "commands"),
    [
        ("", []),
        ("git status", ["git status"]),
        ("a; b & c && d || e | f |& g\nh", ["a", "b", "c", "d", "e", "f", "g", "h"]),
        ("(a; (b)) && { c; }", ["a", "b", "c"]),
        ("echo $(a b; c) `d e`", ["a b", "c", "d e", "echo ? ?"]),
        ('echo "x $(a "$(b)") y"', ["b", "a ?", "echo ?"]),
        ("a'b c'd\"e f\"\\ g", ["ab cde f g"]),
        ("r''m -r\\f /", ["rm -rf /"]),
        ("ls>out 2>&1 <in >>more &>all", ["ls"]),
        ("ls -l 2> /dev/null", ["ls -l"]),
        ("echo 2 > x", ["echo 2"]),
        ("cat <$(a)", ["a", "cat"]),
        ("if a; then b; elif c; then d; else e; fi", ["a", "b", "c", "d", "e"]),
        ("while a; do b; done", ["a", "b"]),
        ("! a | time b", ["a", "b"]),
        ("echo if then 'fi'", ["echo if then fi"]),
        ("find . -name '*.o' -exec rm {} \\;", ["find . -name *.o -exec rm {} ;"]),
        ("ls *.py [ab]? ~/x $HOME ${USER} $1 $?", ["ls *.py [ab]? ~/x ? ? ? ?"]),
        ("A=1 B=$(x) make", ["x", "make"]),
        ("test a != b", ["test a != b"]),
        ("make \\\n  all", ["make all"]),
        ("git log a^ HEAD~1", ["git log a^ HEAD~1"]),
        ("$cmd x", ["? x"]),
    ],
)
def test_every_command_of_a_line_is_found(line: str, commands: list[str]) -> None:
    assert words(line) == commands


@pytest.mark.parametrize(
    "line",
    [
        "cat <<x\nx", "cat <<<x", "diff <(a) <(b)", "for i in a; do b; done", "case x in x) a;; esac", "f() { a; }",
        "function f { a; }", "echo $((1 + 2))", "((a))", "[[ a ]]", "echo ${x:-$(rm)}", "echo {a,b}", "{a,b}",
        "echo $'a'", 'echo $"a"', "!!", "!rm", 'echo "!x"', "^a^b", "a # b", "'a", '"a', "`a", "$(a", "(a", "a)", "a >",
        "> ;", "a \\", "a\tb", "a\x1bb", "a\0b", "`a \\`b\\``", "select x in a; do b; done", "coproc a", "echo (a)",
        "begin; a; end", "a\u202eb", "fi x", "x" * 70_000, "$(" * 40 + "a" + ")" * 40, "echo \xa0rm",
    ],
)  # fmt: skip
def test_what_cannot_be_parsed_for_certain_says_so(line: str) -> None:
    with pytest.raises(Unparsed):
        parse(line)


FRAGMENTS = st.lists(
    st.sampled_from(
        [*"pqr ;|\n)(`'\"\\x=&#!*", " ", "p ", "q ", "&&", "||", "$(", "if ", "; then ", "; fi", "{ ", "; }", "! ",
         "$x", "a=b ", ">f ", "2>&1", "{p,q}"]
    ),
    max_size=14,
).map("".join)  # fmt: skip


@pytest.mark.slow
@given(FRAGMENTS)
def test_bash_runs_no_program_that_was_not_found(tmp_path_factory: pytest.TempPathFactory, line: str) -> None:
    try:
        found = {each.words[0].text for each in parse(line) if each.words and each.words[0].is_known}
        unknown = any(each.words and not each.words[0].is_known for each in parse(line))
    except Unparsed:
        return
    folder: Path = tmp_path_factory.getbasetemp() / "programs"
    if not folder.exists():
        folder.mkdir()
        for name in "pqr":
            (folder / name).write_text(f"#!/bin/sh\necho {name} >> {folder}/ran\nexit 1\n")
            (folder / name).chmod(0o700)
    (folder / "ran").write_text("")
    work = folder / "work"
    work.mkdir(exist_ok=True)
    env = {"PATH": str(folder), "HOME": str(work)}
    command = ["/bin/bash", "--norc", "-c", line]
    subprocess.run(command, env=env, cwd=work, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    ran = set((folder / "ran").read_text().split())
    for each in os.listdir(work):
        (work / each).unlink()
    assert ran <= found or unknown
