"""A coverage-guided fuzzer of the stream parser: `python -m tests.sideband.fuzz [MEGABYTES]`, with atheris installed.

It mutates the corpus of `test_stream_parser`; a failure prints its input. It checks that no byte is lost, that nothing
depends on where a read ends, and that little is held. Not a part of the test suite.
"""

import os
import sys
from collections.abc import Sequence

import atheris  # pyright: ignore[reportMissingImports]

with atheris.instrument_imports():  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    from fugue_tui.sideband import grammar, stream_parser

from fugue_tui.sideband.tag import ParseError, Tag

fed = 0


def parsed(reads: Sequence[bytes]) -> list[object]:
    """What the reads contain, with adjacent output joined."""
    parser, out = stream_parser.StreamParser(), list[object]()
    for read in (*reads, None):
        for each in parser.feed(read) if read is not None else [parser.flush()]:
            if isinstance(each, bytes) and out and isinstance(out[-1], bytes):
                out[-1] += each
            elif each:
                out.append(each)
        assert len(parser._kept) <= 3 * grammar.LIMIT  # pyright: ignore[reportPrivateUsage]
    return out


def check(data: bytes) -> None:
    """One input: its first byte says where reads end."""
    global fed
    fed += len(data)
    step, stream = max(1, data[0] if data else 1), data[1:]
    whole = parsed([stream])
    assert parsed([stream[at : at + step] for at in range(0, len(stream), step)]) == whole, data
    shown = sum(len(each) for each in whole if isinstance(each, bytes))
    tags = [each for each in whole if isinstance(each, Tag)]
    assert shown <= len(stream)
    assert tags or shown == len(stream), data
    assert all(isinstance(each, bytes | Tag | ParseError) for each in whole)
    if fed > LIMIT:
        print(f"{fed} bytes, no fault", flush=True)
        os._exit(0)


LIMIT = int(float(sys.argv[1]) * 1e6) if len(sys.argv) > 1 else 10_000_000

if __name__ == "__main__":
    from tempfile import TemporaryDirectory

    from tests.sideband.test_stream_parser import CORPUS

    with TemporaryDirectory() as folder:
        for number, stream in enumerate(CORPUS.values()):
            with open(f"{folder}/{number}", "wb") as file:
                file.write(b"\x01" + stream)
        atheris.Setup([sys.argv[0], "-max_len=600", "-only_ascii=0", folder], check)  # pyright: ignore[reportUnknownMemberType]
        atheris.Fuzz()  # pyright: ignore[reportUnknownMemberType]
