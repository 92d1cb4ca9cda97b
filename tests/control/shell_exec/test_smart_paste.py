"""What is pasted is what was copied, in the form that its reader takes."""

import json
import shlex

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.control.shell_exec.dialects import Dialect
from fugue_tui.control.shell_exec.smart_paste import Lines, adapt
from fugue_tui.output_analysis.text_form import TextForm, form_of

WRAPPED = (
    "This sentence was wrapped by its writer at the sixty-ninth column or\n"
    "so, as each first word of a line would not have fitted on the line\n"
    "before."
)


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("https://example.org/a?b=1&c=2", TextForm.URL),
        ("https://a.org\nssh://b.org/c", TextForm.URL),
        ("/etc/hosts", TextForm.PATH),
        ("~/notes/to do.txt", TextForm.PATH),
        ("./a\n../b/c.py", TextForm.PATH),
        ("/bin/ls -l", TextForm.COMMAND),
        ('{"a": 1}', TextForm.JSON),
        ("[1, 2]", TextForm.JSON),
        ("12", TextForm.TEXT),
        ("{not json}", TextForm.TEXT),
        ("$ make", TextForm.COMMAND),
        ("$ 5 is the price", TextForm.TEXT),
        ("git push --force", TextForm.COMMAND),
        ("A=b npm run dev", TextForm.COMMAND),
        ("def f(x):\n    return x", TextForm.CODE),
        ("int main() {\n  puts(\"x\");\n}", TextForm.CODE),
        ("// a comment", TextForm.TEXT),
        ("make a plan", TextForm.COMMAND),
        (WRAPPED, TextForm.TEXT),
        ("", TextForm.TEXT),
    ],
)  # fmt: skip
def test_what_a_text_looks_like(text: str, form: TextForm) -> None:
    assert form_of(text) is form


@pytest.mark.parametrize(
    ("text", "dialect", "expected"),
    [
        ("/tmp/a b.txt\n", Dialect.BASH, "'/tmp/a b.txt'"),
        ("/tmp/it's.txt x.md", Dialect.ZSH, r"'/tmp/it'\''s.txt x.md'"),
        ("/tmp/a b.txt", Dialect.FISH, "'/tmp/a b.txt'"),
        ("~/a b.txt", Dialect.BASH, "~/'a b.txt'"),
        ("~/", Dialect.BASH, "~/"),
        (r"/tmp/a\ b", Dialect.BASH, r"/tmp/a\ b"),
        ("/a/b\n/c/d e.txt", Dialect.BASH, "/a/b '/c/d e.txt'"),
        ("/a/b\n/c/d", None, "/a/b\n/c/d"),
        ("https://a.org/?b=1&c=2", Dialect.BASH, "'https://a.org/?b=1&c=2'"),
        ("https://a.org/?b=1&c=2", None, "https://a.org/?b=1&c=2"),
        ("$ cd src\n$ make\n", Dialect.BASH, "cd src\nmake"),
        ("$ curl \\\n> -s a.org", Dialect.BASH, "curl \\\n-s a.org"),
        ("a\x1b[31mb\x1b[201~c", None, "a[31mbc"),
        ("ls\r\n", Dialect.BASH, "ls"),
        (WRAPPED, None, WRAPPED.replace("\n", " ")),
        (f"{WRAPPED}\n\n{WRAPPED}", None, WRAPPED.replace("\n", " ") + "\n\n" + WRAPPED.replace("\n", " ")),
        (f"- {WRAPPED}", None, f"- {WRAPPED}"),
        ("x" * 70 + "\n" + "y" * 70 + "\n" + "z", None, "x" * 70 + "y" * 70 + "z"),
        ("one\ntwo\nthree", None, "one\ntwo\nthree"),
        (
            f"git commit -m '{'x' * 60}'\ngit push origin main",
            None,
            f"git commit -m '{'x' * 60}'\ngit push origin main",
        ),
        ("echo a > b.txt\n\n", Dialect.BASH, "echo a > b.txt"),
    ],
)
def test_a_text_is_adapted(text: str, dialect: Dialect | None, expected: str) -> None:
    found = adapt(text, dialect, bracketed=True)
    assert found.text == expected
    assert bool(found.changes) == (found.text != text)


def test_json_is_formatted_and_its_tokens_stay() -> None:
    text = '{"a":1.10,"b":[],"c":[1e400,{"d":"x, {y}: \\"z\\""}],"a":12345678901234567890123}'
    found = adapt(text, None, bracketed=True)
    assert found.changes == ("JSON formatted",)
    assert found.text.startswith('{\n  "a": 1.10,\n  "b": [],\n  "c": [\n    1e400,\n    {\n      "d": "x, {y}')
    assert found.text.count('"a":') == 2
    assert adapt(found.text, None, bracketed=True).changes == ()


def test_json_is_one_line_for_a_shell_that_takes_a_newline_for_enter() -> None:
    assert adapt('{"a":\n[1,2]}', Dialect.SH, bracketed=False).text == '{"a": [1, 2]}'


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda of: st.lists(of) | st.dictionaries(st.text(), of)
    )
)
def test_formatted_json_means_the_same(value: object) -> None:
    text = json.dumps([value])
    for lines in (Lines.AUTO, Lines.JOIN):
        assert json.loads(adapt(text, None, bracketed=True, lines=lines).text) == [value]


def test_lines_are_joined_split_or_kept_on_request() -> None:
    assert adapt("tar x \\\n  -f a.tar", None, bracketed=True, lines=Lines.JOIN).text == "tar x -f a.tar"
    assert adapt("a 'b c' d", None, bracketed=True, lines=Lines.SPLIT).text == "a\nb c\nd"
    assert adapt("it's a", None, bracketed=True, lines=Lines.SPLIT).text == "it's\na"
    assert adapt(WRAPPED, None, bracketed=True, lines=Lines.KEEP).text == WRAPPED
    assert adapt("/a\n/b c.txt", Dialect.BASH, bracketed=True, lines=Lines.KEEP).text == "/a\n'/b c.txt'"


@given(st.text(), st.sampled_from([None, *Dialect]), st.booleans(), st.sampled_from(Lines))
def test_nothing_that_is_pasted_presses_a_key(
    text: str, dialect: Dialect | None, bracketed: bool, lines: Lines
) -> None:
    found = adapt(text, dialect, bracketed=bracketed, lines=lines).text
    assert not found.endswith("\n")
    assert all(char.isprintable() or char in "\n\t" or ord(char) > 0x9F for char in found)


@given(st.from_regex(r"/[a-z]{1,3}( [a-z'$&!*]{1,6}){0,2}\.txt", fullmatch=True))
def test_a_path_is_one_word_for_the_shell(path: str) -> None:
    found = adapt(path, Dialect.BASH, bracketed=True)
    assert found.form is not TextForm.PATH or shlex.split(found.text) == [path]
