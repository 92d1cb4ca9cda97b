"""The grammar of sideband tags, a strict subset of XML.

    <fugue:spawn direction="vertical" command="cargo build" />
    <fugue:input target="%3">make test</fugue:input>

Attributes are quoted; the five predefined entities are the only ones; there is no nesting, DTD, comment or processing
instruction. Colour codes (SGR) may stand anywhere but inside `fugue:`. The OSC form has the same text without the first
`<` and the last `>`: `ESC ] 7770 ; fugue:spawn command="cargo build" / ST`; the last `/` may be left out.
"""

import re
from collections.abc import Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui.sideband.tag import ParseError, Tag, TagForm

LIMIT: Final = 4_096
"""Bytes of a tag, colour codes included; a longer one is text."""
NAMES: Final = frozenset(("list", "spawn", "read", "input", "focus", "control", "canvas", "notify"))
OSC: Final = b"\x1b]7770;"
SHOWN: Final = 200
"""Characters kept of what could not be parsed."""

SGR: Final = rb"\x1b\[[0-9;:]*m"
_PLAIN: Final = rb"\x00-\x08\x0b\x0c\x0e-\x1f\x7f"
"""Control characters that end a tag: all but tab and line ends."""
_QUOTED: Final = rb'"(?:[^"<%b]|%b)*"' % (_PLAIN, SGR) + rb"|'(?:[^'<%b]|%b)*'" % (_PLAIN, SGR)
_OPEN: Final = re.compile(rb"<(?:%b)*fugue:(?:[^\"'<>%b]|%b|%b)*" % (SGR, _PLAIN, SGR, _QUOTED))
_UNCLOSED: Final = re.compile(rb"(?:\"(?:[^\"<%b]|%b)*|'(?:[^'<%b]|%b)*)?" % (_PLAIN, SGR, _PLAIN, SGR))
_TEXT: Final = re.compile(rb"(?:[^<%b]|%b)*" % (_PLAIN, SGR))
_CUT_ESCAPE: Final = re.compile(rb"\x1b(?:\[[0-9;:]*)?")
_CLOSE: Final = re.compile(rb"<(?:%b)*/(?:%b)*fugue:[a-z]{1,32}(?:%b|\s)*>" % (SGR, SGR, SGR))
_CUT_CLOSE: Final = re.compile(
    rb"<(?:%b)*(?:/(?:%b)*(?:f(?:u(?:g(?:u(?:e(?::[a-z]{0,32}(?:%b|\s)*)?)?)?)?)?)?)?" % (SGR, SGR, SGR)
)
_SGR: Final = re.compile(SGR)
_NAME: Final = re.compile(r"<fugue:([a-z]{1,32})(?=\s|\Z)", re.ASCII)
_ATTRIBUTE: Final = re.compile(r"\s+([A-Za-z_][A-Za-z0-9_.-]{0,63})\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.ASCII)
_ENTITY: Final = re.compile("&([^;&]{0,16};?)")
_ENTITIES: Final = {"lt;": "<", "gt;": ">", "amp;": "&", "quot;": '"', "apos;": "'"}
_CONTROLS: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]")


class Element(Struct, frozen=True):
    """What is at a position that begins with `<fugue:`."""

    end: int
    """The number of bytes that belong to it."""
    found: Tag | ParseError | None
    """None if more bytes are needed to tell."""


def element(data: bytes, start: int) -> Element:
    """Parse the tag that begins at an offset. Whether it is complete depends on the bytes alone."""
    limit = start + LIMIT
    head = _OPEN.match(data, start, limit)
    if head is None:
        return Element(1, ParseError("not a tag", _shown(data[start:limit])))
    at = head.end()
    if data[at : at + 1] != b">":
        rest = _UNCLOSED.match(data, at, limit)
        return _incomplete(data, start, rest.end() if rest else at, limit)
    if _SGR.sub(b"", data[start:at]).endswith(b"/"):
        return _parsed(data, start, at + 1)
    text = _TEXT.match(data, at + 1, limit)
    stop = text.end() if text else at + 1
    if close := _CLOSE.match(data, stop, limit):
        return _parsed(data, start, close.end(), (at + 1, stop))
    cut = _CUT_CLOSE.match(data, stop, limit)
    if cut and (found := _incomplete(data, start, cut.end(), limit)).found is None:
        return found
    return _incomplete(data, start, stop, limit)


def tag_of(source: str, form: TagForm) -> Tag | ParseError:
    """Parse a whole tag that is on the screen, or the text of an OSC with its `<` and `>` put back."""
    data = source.encode("utf-8", "replace")
    found = element(data, 0)
    match found.found:
        case None:
            return ParseError("the tag is not complete", source[:SHOWN])
        case Tag() as tag if found.end == len(data):
            return replace(tag, form=form)
        case Tag():
            return ParseError("there is text behind the tag", source[:SHOWN])
        case error:
            return error


def format_tag(name: str, attributes: Mapping[str, str], text: str = "", form: TagForm = TagForm.OSC) -> str:
    """A tag as a program prints it, with its text escaped. Raises ValueError for what no tag can hold."""
    if any(_CONTROLS.search(each) for each in (*attributes.values(), text)):
        raise ValueError("a tag has no control characters but tabs and line ends")
    body = "".join(f" {key}={_quoted(value)}" for key, value in attributes.items())
    source = f"<fugue:{name}{body}>{_escaped(text)}</fugue:{name}>" if text else f"<fugue:{name}{body} />"
    match tag_of(source, form):
        case ParseError(reason):
            raise ValueError(reason)
        case _:
            return f"\x1b]7770;{source[1:-1]}\x1b\\" if form is TagForm.OSC else source


def _incomplete(data: bytes, start: int, stop: int, limit: int) -> Element:
    """An element of which everything before `stop` may belong to a tag."""
    if stop >= limit:
        return _wrong(data, start, limit, f"the tag is longer than {LIMIT} bytes")
    cut = _CUT_ESCAPE.match(data, stop, limit)
    if stop == len(data) or (cut and cut.end() == len(data)):
        return Element(len(data) - start, None)
    return _wrong(data, start, max(stop, start + 1), "the tag is not complete")


def _wrong(data: bytes, start: int, stop: int, reason: str) -> Element:
    return Element(stop - start, ParseError(reason, _shown(data[start:stop])))


def _shown(data: bytes) -> str:
    return _SGR.sub(b"", data).decode("utf-8", "replace")[:SHOWN]


def _parsed(data: bytes, start: int, stop: int, content: tuple[int, int] = (0, 0)) -> Element:
    """A tag from its first byte to its last; `content` are the offsets of its text."""
    try:
        source = _SGR.sub(b"", data[start:stop]).decode()
        text = _SGR.sub(b"", data[slice(*content)]).decode()
        head = _SGR.sub(b"", data[start : content[0] or stop]).decode()
        found = _tag(head, text, source)
    except UnicodeDecodeError:
        return _wrong(data, start, stop, "the tag is not UTF-8")
    except ValueError as error:
        return _wrong(data, start, stop, str(error))
    return Element(stop - start, found)


def _tag(head: str, text: str, source: str) -> Tag:
    """Raises ValueError saying what is wrong."""
    if _CONTROLS.search(source):
        raise ValueError("the tag has control characters")
    inner = head.removesuffix(">").removesuffix("/")
    parts = _NAME.match(inner)
    if parts is None:
        raise ValueError("the tag has no proper name")
    name, rest = parts[1], inner[parts.end() :]
    if name not in NAMES:
        raise ValueError(f"no tag fugue:{name}; there are {', '.join(sorted(NAMES))}")
    if not head.endswith("/>") and not re.search(rf"</fugue:{name}\s*>\Z", source, re.ASCII):
        raise ValueError(f"fugue:{name} is closed by another tag")
    return Tag(name, _attributes(rest), _unescaped(text.replace("\r\n", "\n")), TagForm.TEXT, source)


def _attributes(rest: str) -> dict[str, str]:
    found: dict[str, str] = {}
    at = 0
    while each := _ATTRIBUTE.match(rest, at):
        if each[1] in found:
            raise ValueError(f"the attribute {each[1]} is given twice")
        value = each[2] if each[3] is None else each[3]
        found[each[1]] = _unescaped(re.sub(r"\r\n|[\r\n\t]", " ", value))
        at = each.end()
    if rest[at:].strip():
        raise ValueError('the attributes are not name="value"')
    return found


def _unescaped(text: str) -> str:
    def character(found: re.Match[str]) -> str:
        if (known := _ENTITIES.get(found[1])) is None:
            raise ValueError("only &lt; &gt; &amp; &quot; and &apos; are known")
        return known

    return _ENTITY.sub(character, text)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(value: str) -> str:
    return '"' + _escaped(value).replace('"', "&quot;") + '"'
