"""Tags in a stream of output: what is one, what is not, and that reads may end anywhere."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui.sideband.grammar import LIMIT, format_tag
from fugue_tui.sideband.stream_parser import Found, StreamParser
from fugue_tui.sideband.tag import ParseError, Tag, TagForm

ROOT = Path(__file__).parents[2]
LIST = b"<fugue:list />"


def parse(*reads: bytes, parser: StreamParser | None = None) -> list[Found]:
    """What a stream contains, with adjacent output joined."""
    parser = parser or StreamParser()
    found = [each for read in reads for each in parser.feed(read)]
    return joined([*found, parser.flush()])


def joined(found: list[Found]) -> list[Found]:
    out = list[Found]()
    for each in found:
        if isinstance(each, bytes) and out and isinstance(out[-1], bytes):
            out[-1] += each
        elif each:
            out.append(each)
    return out


def shown(found: list[Found]) -> bytes:
    return b"".join(each for each in found if isinstance(each, bytes))


def tags(*reads: bytes) -> list[tuple[str, dict[str, str], str]]:
    return [(each.name, each.attributes, each.text) for each in parse(*reads) if isinstance(each, Tag)]


def errors(*reads: bytes) -> list[str]:
    return [each.reason for each in parse(*reads) if isinstance(each, ParseError)]


SPAWN = ("spawn", {"direction": "vertical", "command": "cargo build"}, "")
CORPUS = {
    "a line": b'<fugue:spawn direction="vertical" command="cargo build" />\r\n',
    "text around": b'a\r\n<fugue:input target="%3">make &lt;x&gt; &amp;&amp; ls</fugue:input> b\r\nc\r\n',
    "list marks": b"- <fugue:list />\r\n  * <fugue:list/>\r\n\xe2\x97\x8f <fugue:list />\r\n12. <fugue:list />",
    "colours": b'\x1b[1m<\x1b[32mfugue:list\x1b[0m \x1b[33mreply\x1b[0m=\x1b[34m"file"\x1b[0m />\x1b[m after\r\n',
    "two on a line": b"<fugue:list /><fugue:focus target='%2'/>x<fugue:list />\r\n",
    "over lines": b'  <fugue:spawn\r\n    command="a\r\n  b" />\r\n',
    "osc": b'text\x1b]7770;fugue:spawn direction="vertical" command="cargo build"\x1b\\more\x1b]7770;fugue:list /\x07',
    "osc with text": b"\x1b]7770;fugue:input target='%1'>hi</fugue:input\x07\r\n",
    "after marks": b"\x1b]133;C;cmdline=x\x1b\\\x1b[?2004l\r<fugue:list />\r\n\x1b]133;D;0\x07",
    "fence": b"```xml\r\n<fugue:list />\r\n```\r\n<fugue:list />\r\n"
    b"~~~\r\n<fugue:list />\r\n```\r\n~~~~\r\n<fugue:list />",
    "long escape sequence": b"a\x1b[" + b"5" * 60 + b"s\r\n<fugue:list />\r\n",
    "diff": b"@@ -1,2 +1,2 @@\r\n <fugue:list />\r\n- <fugue:list />\r\n+ <fugue:list />\r\n\r\ndone\r\n<fugue:list />",
    "drawn": b"\x1b[2;1H<fugue:list />\r\n<fugue:list />\r\n\x1b]133;C\x07<fugue:list />",
    "malformed": b"<fugue:list a=b />\r\n"
    b"<fugue:nothing />\r\n<fugue:list\x07 />\r\n<fugue:list <fugue:list />\r\n<fugue:\r\n",
    "inline": b"say <fugue:list /> here\r\n    <fugue:list />\r\n> <fugue:list />\r\n",
    "cut": b'x\r\n<fugue:list reply="file',
    "escapes": b"\x1b]0;<fugue:list />\x07\x1b[31m\x1b]77\x1b]7770x;fugue:list\x07\x1b\x1b]7770;fugue:list\x1b\x1b\\",
    "move before a word": b"\x1b[0fugue:list />\r\n<fugue:list />\r\n\x1b]133;C\x07\x1b[5```\r\n<fugue:list />",
    "osc in a fence": b"~~~\x1b]7770;x\x01\r\n<fugue:list />\r\n```\x1b]7770;fugue:list\x07\r\n<fugue:list />\r\n",
    "a mark behind a tag": b"```\r\n<fugue:list /\x1b]133;Cly>\r\n<fugue:list />\r\n",
    "osc cut by another": b"\x1b]7770;fugue:list\x1b]7770;fugue:list\x07"
    b"\x1b]7770;fugue:list\x1b\x1b[m\x1b]7770;x\x01\x1b",
    "not closed": b"<fugue:input>\r\n<fugue:list />\r\n<fugue:input>x</fugue:list\r\n<fugue:input>x<\x1b[1m/\x1b[2Jy",
    "escapes within a line": b"```\r\nx\x1b]133;D;0\x07\r\n<fugue:list />\r\nx\x1b[12;5Hy\r\n<fugue:list />\r\n",
    "wide": '- <fugue:notify text="gebaut ✓ 日本" />é\r\n'.encode(),
}


@pytest.mark.parametrize("name", CORPUS)
def test_a_read_may_end_at_any_byte(name: str) -> None:
    stream = CORPUS[name]
    whole = parse(stream)
    assert parse(*(stream[at : at + 1] for at in range(len(stream)))) == whole
    for at in range(len(stream) + 1):
        assert parse(stream[:at], stream[at:]) == whole, at
        assert parse(stream[:at], stream[at : at + 3], stream[at + 3 :]) == whole, at


def test_tags_are_parsed_and_removed() -> None:
    assert tags(CORPUS["a line"]) == [SPAWN]
    assert shown(parse(CORPUS["a line"])) == b"\r\n"
    assert tags(CORPUS["text around"]) == [("input", {"target": "%3"}, "make <x> && ls")]
    assert shown(parse(CORPUS["text around"])) == b"a\r\n b\r\nc\r\n"
    assert len(tags(CORPUS["list marks"])) == 4
    assert tags(CORPUS["two on a line"]) == [("list", {}, ""), ("focus", {"target": "%2"}, "")]
    assert shown(parse(CORPUS["two on a line"])) == b"x<fugue:list />\r\n"
    assert tags(CORPUS["over lines"]) == [("spawn", {"command": "a   b"}, "")]
    assert tags(CORPUS["wide"]) == [("notify", {"text": "gebaut ✓ 日本"}, "")]


def test_colours_inside_a_tag_still_colour_what_follows() -> None:
    assert tags(CORPUS["colours"]) == [("list", {"reply": "file"}, "")]
    assert shown(parse(CORPUS["colours"])).startswith(b"\x1b[1m\x1b[32m\x1b[0m")
    assert shown(parse(CORPUS["colours"])).endswith(b"\x1b[0m\x1b[m after\r\n")


def test_the_osc_form_counts_anywhere_and_takes_no_room() -> None:
    assert tags(CORPUS["osc"]) == [SPAWN, ("list", {}, "")]
    assert shown(parse(CORPUS["osc"])) == b"textmore"
    assert tags(CORPUS["osc with text"]) == [("input", {"target": "%1"}, "hi")]
    assert tags(b"\x1b[5;5H\x1b]7770;fugue:list\x07") == [("list", {}, "")]
    assert errors(b"\x1b]7770;fugue:list x\x07") == ['the attributes are not name="value"']
    assert shown(parse(CORPUS["escapes"])).startswith(b"\x1b]0;<fugue:list />\x07")


def test_examples_are_no_tags() -> None:
    assert len(tags(CORPUS["fence"])) == 2
    assert len(tags(CORPUS["diff"])) == 1
    assert tags(CORPUS["inline"]) == []
    assert shown(parse(CORPUS["inline"])) == CORPUS["inline"]


def test_a_code_block_without_an_end_ends_at_the_shells_prompt() -> None:
    assert tags(b"```\r\n", LIST) == []
    assert len(tags(b"```\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ \r\n", LIST)) == 1


def test_what_a_program_draws_has_no_tags() -> None:
    assert len(tags(CORPUS["drawn"])) == 1
    assert tags(b"\x1b[?1049h\x1b[H\r\n", LIST) == []
    canonical = StreamParser(lambda: True)
    assert [type(each) for each in parse(b"\x1b[H\x1b[2J\r\n", LIST, parser=canonical)] == [bytes, Tag]


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        (b"<fugue:list a=b />", 'the attributes are not name="value"'),
        (b"<fugue:list a='1' a='2' />", "the attribute a is given twice"),
        (b"<fugue:list a='&#65;' />", "only &lt; &gt; &amp; &quot; and &apos; are known"),
        (b"<fugue:list a='&bomb;' />", "only &lt; &gt; &amp; &quot; and &apos; are known"),
        (b"<fugue:list a='& ' />", "only &lt; &gt; &amp; &quot; and &apos; are known"),
        (b"<fugue:erase />", "no tag fugue:erase; there are canvas, control, focus, input, list, notify, read, spawn"),
        (b"<fugue:input><fugue:list /></fugue:input>", "the tag is not complete"),
        (b"<fugue:input>x</fugue:list>", "fugue:input is closed by another tag"),
        (b"<fugue:list \x1b[2J />", "the tag is not complete"),
        (b"<fugue:list a='\xc2\x9b' />", "the tag has control characters"),
        (b"<fugue:list a='\xff' />", "the tag is not UTF-8"),
        (b"<fugue:LIST />", "the tag has no proper name"),
        (b"<fugue:input>a <!-- b --></fugue:input>", "the tag is not complete"),
        (b"<fugue:list a='" + b"x" * 1_000_000 + b"' />", f"the tag is longer than {LIMIT} bytes"),
        (b"<fugue:list " + b"a='1' " * 1_000, f"the tag is longer than {LIMIT} bytes"),
    ],
)
def test_what_is_not_a_tag_is_shown_and_reported(source: bytes, reason: str) -> None:
    found = parse(source + b"\r\n")
    assert shown([each for each in found if not isinstance(each, Tag)]).replace(b"\r\n", b"") == source
    assert [each.reason for each in found if isinstance(each, ParseError)][:1] == [reason]


def test_a_tag_of_blanks_takes_no_longer_than_its_length_says() -> None:
    found = parse(*(b"<fugue:list " + b" " * 4_000 + b"x/>\r\n" for _ in range(100)))
    assert sum(isinstance(each, ParseError) for each in found) == 100


def test_at_most_four_kilobytes_are_held() -> None:
    parser = StreamParser()
    assert parser.feed(b"<fugue:input>") == []
    found = [each for _ in range(LIMIT // 100 + 1) for each in parser.feed(b"x" * 100)]
    assert [each.reason for each in found if isinstance(each, ParseError)] == [f"the tag is longer than {LIMIT} bytes"]
    assert not parser.held


def test_what_was_held_for_too_long_is_text_and_so_is_its_rest() -> None:
    parser = StreamParser()
    assert parser.feed(b"<fugue:li") == []
    assert parser.held
    assert parser.flush() == b"<fugue:li"
    assert parser.feed(b"st />\r\n") == [b"st />\r\n"]
    assert isinstance(parser.feed(LIST)[0], Tag)


def test_a_stream_without_tags_is_passed_on_as_it_is() -> None:
    data = b"a line of text\r\n" * 4_096
    assert StreamParser().feed(data)[0] is data


def test_the_projects_own_files_have_no_tags() -> None:
    files = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("*.md"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("app/**/*.py")]
    assert len(files) > 500
    for file in files:
        data = file.read_bytes().replace(b"\n", b"\r\n")
        assert not tags(b"$ cat\r\n", data), file
        grep = b"".join(str(file).encode() + b":" + line + b"\r\n" for line in data.split(b"\r\n") if b"fugue:" in line)
        assert not tags(grep), file
        patch = b"@@ -1,9 +1,9 @@\r\n" + b"".join(b"+" + line + b"\r\n" for line in data.split(b"\r\n"))
        assert not tags(patch), file


@given(st.lists(st.sampled_from([*b"<fugue:list />\"'`~-@\x1b]7;[mH\r\n", 200]), max_size=60).map(bytes), st.data())
def test_any_bytes_may_be_divided(stream: bytes, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=4)))
    reads = [stream[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert parse(*reads) == parse(stream)


@given(
    st.lists(st.sampled_from([*CORPUS.values(), b"\n", b" ", b"- ", b"`", b"\x1b[A", b"x" * 70]), max_size=8), st.data()
)
def test_any_mixture_may_be_divided(parts: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=6)))
    reads = [stream[start:stop] for start, stop in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    assert parse(*reads) == parse(stream)


@given(st.binary(max_size=300).filter(lambda data: not re.search(rb"fugue:|\x1b\]7770;", data)))
def test_a_stream_without_tags_is_shown_unchanged(data: bytes) -> None:
    assert shown(parse(data[:100], data[100:])) == data


@given(st.dictionaries(st.sampled_from(["target", "command", "key"]), st.text(max_size=20)), st.text(max_size=40))
def test_what_is_formatted_is_parsed(attributes: dict[str, str], text: str) -> None:
    try:
        printed = {form: format_tag("input", attributes, text, form) for form in (TagForm.OSC, TagForm.TEXT)}
    except ValueError:
        return
    for source in printed.values():
        [(name, got, body)] = tags(source.encode())
        assert (name, got) == (
            "input",
            {key: re.sub(r"\r\n|[\r\n\t]", " ", value) for key, value in attributes.items()},
        )
        assert body == text.replace("\r\n", "\n")
