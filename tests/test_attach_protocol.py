"""What clients and servers say to each other, and what each makes of the other's nonsense."""

import json
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fugue_tui import __version__, attach_protocol
from fugue_tui.attach_protocol import Bye, Extent, Frames, Hello, Welcome
from fugue_tui.errors import SocketError

KINDS = [
    attach_protocol.INPUT,
    attach_protocol.SIZE,
    attach_protocol.PAUSE,
    attach_protocol.OUTPUT,
    attach_protocol.BYE,
]


@pytest.mark.slow
@given(st.text(), st.text(), st.booleans(), st.integers(0, 1 << 40))
def test_whatever_a_client_is_called_arrives(term: str, tty: str, read_only: bool, cols: int) -> None:
    hello = Hello(term=term, tty=tty, read_only=read_only, cols=cols)
    line = attach_protocol.request(hello)
    assert (line.count(b"\n"), line[-1:]) == (1, b"\n")
    said = json.loads(line)
    assert (said["method"], said["id"]) == (attach_protocol.METHOD, 1)
    assert Hello.load(said["params"]) == hello
    assert Hello.load(hello.dump()) == hello


def test_a_record_is_a_value() -> None:
    assert Extent(100, 30) == Extent(rows=30, cols=100)
    assert Extent(100, 30) != Extent(100, 31)
    assert hash(Extent(1, 2)) == hash(Extent(1, 2))
    assert repr(Extent(1, 2)) == "Extent(cols=1, rows=2, xpixel=0, ypixel=0)"
    with pytest.raises(AttributeError, match="frozen"):
        setattr(Extent(), "cols", 1)  # noqa: B010
    for wrong in ({"colls": 1}, {"cols": 1, "read_only": True}):
        with pytest.raises(TypeError, match="has the fields cols, rows"):
            Extent(**wrong)
    with pytest.raises(TypeError):
        Extent(*range(5))


def test_unknown_fields_of_a_newer_version_are_ignored() -> None:
    assert Bye.load(b'{"reason": "detached", "mood": "fine"}') == Bye("detached")


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"null", b"7", b'{"cols": "80"}', b'{"cols": true}', b'{"cols": 1.5}', b"\xff", b"[" * 99_999]
)
def test_an_invalid_record_is_rejected(data: bytes) -> None:
    with pytest.raises(SocketError, match="not a extent"):
        Extent.load(data)


def test_an_answer_is_a_welcome_or_the_reason_why_not() -> None:
    there = Welcome("dev", mouse=False, title='Fugue "dev" größe')
    assert attach_protocol.welcome(attach_protocol.answer(there)) == there
    with pytest.raises(SocketError, match=r'^a "reason"; and a way out$'):
        attach_protocol.welcome(attach_protocol.refusal('a "reason"; and a way out'))
    for line in (b"", b"HTTP/1.1 400\r\n", b"[]\n", b"{}\n", b'{"result": 7}\n', b'{"error": 7}\n', b"[" * 99_999):
        with pytest.raises(SocketError):
            attach_protocol.welcome(line)


def test_a_server_without_the_attach_method_is_reported_as_another_version() -> None:
    line = b'{"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "Method not found"}}\n'
    with pytest.raises(SocketError, match=r"run by another version .*; attach with that version, or end it with"):
        attach_protocol.welcome(line)


def test_a_client_of_another_protocol_is_told_both_versions_and_the_way_out() -> None:
    assert attach_protocol.protocol_fault(Hello()) == attach_protocol.protocol_fault(Hello(version="9.9")) == ""
    said = attach_protocol.protocol_fault(Hello(protocol=7, version="9.9"))
    assert f"fugue-tui {__version__} (protocol {attach_protocol.PROTOCOL})" in said
    assert "fugue-tui 9.9 (protocol 7)" in said
    assert "kill-server" in said
    assert "\x1b" not in attach_protocol.protocol_fault(Hello(protocol=7, version="\x1b[31m"))


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.binary(max_size=40))), st.integers(1, 9))
def test_frames_arrive_however_they_are_cut(sent: list[tuple[bytes, bytes]], size: int) -> None:
    stream = b"".join(attach_protocol.frame(kind, payload) for kind, payload in sent)
    frames = Frames()
    found = [each for at in range(0, len(stream), size) for each in frames.feed(stream[at : at + size])]
    assert found == sent


@pytest.mark.parametrize("data", [b"x\0\0\0\0", b"o\xff\xff\xff\xff", b'{"jsonrpc"'])
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(SocketError, match="does not speak this protocol"):
        list(Frames().feed(data))


def test_attach_protocol_imports_few_modules() -> None:
    script = (
        "import sys; from fugue_tui import attach_protocol as wire; wire.request(wire.Hello(term='xterm'));"
        "print(sorted({'dataclasses', 'msgspec', 'typing', 'json', 're', 'enum'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
