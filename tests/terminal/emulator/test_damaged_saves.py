"""A save that something or somebody spoilt costs neither the process nor its memory."""

import gc
import resource
import struct
import subprocess
import sys
import textwrap
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from fugue_tui.errors import SaveError
from fugue_tui.geometry import Size
from fugue_tui.terminal.emulator import save_format
from fugue_tui.terminal.ghostty import snapshot as records
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

SIZE = Size(40, 10)
TEXT = b"".join(
    b"\x1b[3%dmline %d\x1b[0m \x1b]8;;https://example.com/%d\x07link\x1b]8;;\x07 \xe6\xbc\xa2 e\xcc\x81\r\n"
    % (number % 8, number, number)
    for number in range(200)
)
FRAME = struct.Struct("<HII")


def saved(text: bytes = TEXT) -> save_format.Save:
    emulator = GhosttyEmulator(SIZE, 500)
    emulator.feed(text)
    save = save_format.unpack(emulator.save())
    emulator.close()
    return save


def recall(save: save_format.Save) -> GhosttyEmulator:
    emulator = GhosttyEmulator(SIZE, 500)
    emulator.recall(save_format.pack(save))
    return emulator


FUZZ = """
    import random, sys
    from msgspec.structs import replace
    from fugue_tui.errors import SaveError
    from fugue_tui.geometry import Size
    from fugue_tui.terminal.emulator import save_format
    from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator

    chance = random.Random(int(sys.argv[1]))
    whole = open(sys.argv[2], "rb").read()
    save = save_format.unpack(whole)

    def spoilt(data):
        data = bytearray(data)
        for _ in range(chance.choice([1, 1, 1, 3, 20])):
            at = chance.randrange(len(data) or 1)
            how = chance.randrange(5)
            if not data:
                break
            if how == 0:
                data[at] ^= 1 << chance.randrange(8)
            elif how == 1:
                data[at : at + 4] = chance.choice([b"\\xff\\xff\\xff\\xff", b"\\0\\0\\0\\0", b"\\xff\\x7f\\xff\\x7f"])
            elif how == 2:
                del data[at : at + chance.randrange(1, 50)]
            elif how == 3:
                data[at:at] = chance.randbytes(chance.randrange(1, 50))
            else:
                del data[at + 1 :]
        return bytes(data)

    refused = 0
    for turn in range(500):
        spoil_all = turn % 2
        data = spoilt(whole) if spoil_all else save_format.pack(replace(save, native=spoilt(save.native), portable=b""))
        emulator = GhosttyEmulator(Size(chance.choice([1, 20, 80]), chance.choice([1, 24])), 300)
        try:
            emulator.recall(data)
        except SaveError:
            refused += 1
            continue
        finally:
            emulator.refresh()
            emulator.feed(b"on it goes\\r\\n")
        assert emulator.save()
    print(refused)
"""


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_a_thousand_damaged_saves_cause_no_error(seed: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("fuzz") / "save"
    path.write_bytes(save_format.pack(saved()))

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))

    call = [sys.executable, "-c", textwrap.dedent(FUZZ), str(seed), str(path)]
    done = subprocess.run(call, capture_output=True, text=True, timeout=120, preexec_fn=limit, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert 300 <= int(done.stdout) <= 500


def forged(tag: int, at: int, value: bytes, native: bytes) -> bytes:
    """A snapshot with other bytes in the first record of a kind, and the checksum that goes with them."""
    start = 10
    while (frame := FRAME.unpack_from(native, start))[0] != tag:
        start += FRAME.size + frame[1]
    body = start + FRAME.size
    payload = bytearray(native[body : body + frame[1]])
    payload[at : at + len(value)] = value
    check = records.crc32c(struct.pack("<HI", tag, len(payload)) + payload)
    return native[:start] + FRAME.pack(tag, len(payload), check) + payload + native[body + len(payload) :]


def claims() -> Iterator[tuple[str, int, int, bytes]]:
    yield "the terminal is of another size", 1, 0, struct.pack("<HH", 65_535, 65_535)
    yield "a page of 65,535 by 65,535", 3, 0, struct.pack("<HH", 65_535, 65_535)
    yield "four gigabytes of characters", 3, 12, b"\xff\xff\xff\xff"
    yield "four gigabytes of links", 3, 16, b"\xff\xff\xff\xff"
    yield "no columns", 3, 0, b"\0\0"
    yield "more pages than there are", 2, 2, b"\xff\xff"
    yield "no pages", 2, 2, b"\0\0"
    yield "no screens", 1, 23, b"\0\0"
    yield "many screens", 1, 23, b"\xff\xff"
    yield "another screen in front", 1, 21, b"\x01\0"
    yield "more history than there is", 4, 2, b"\xff\xff\xff\xff"


@pytest.mark.parametrize(("tag", "at", "value"), [pytest.param(*what, id=name) for name, *what in claims()])
def test_a_claim_with_the_right_checksum_is_refused_without_cost(tag: int, at: int, value: bytes) -> None:
    save = saved()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SaveError):
        recall(replace(save, native=forged(tag, at, value, save.native), portable=b""))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 65_536


def test_a_forged_snapshot_with_valid_content_is_accepted() -> None:
    save = saved()
    cols_and_rows = struct.pack("<HH", SIZE.cols, SIZE.rows)
    native = forged(1, 0, cols_and_rows, save.native)
    assert native == save.native
    assert recall(replace(save, native=native, portable=b"")).scrollback.lines > 100


@pytest.mark.parametrize("length", [0, 8, 10, 11, 19, 20, 100, 960, 1_000])
def test_a_snapshot_that_is_cut_is_refused(length: int) -> None:
    save = saved()
    with pytest.raises(SaveError):
        recall(replace(save, native=save.native[:length] or b"x", portable=b""))


@pytest.mark.slow
def test_saving_and_restoring_frees_all_memory() -> None:
    emulator = GhosttyEmulator(SIZE, 2_000)
    emulator.feed(TEXT * 10)

    def turn(count: int) -> int:
        for _ in range(count):
            new = GhosttyEmulator(Size(60, 20), 2_000)
            new.recall(emulator.save())
            with pytest.raises(SaveError):
                new.recall(b"FUGUETXT")
            new.close()
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[1]) * resource.getpagesize()

    gc.disable()
    try:
        before = turn(20)
        assert turn(200) - before < 8 << 20
    finally:
        gc.enable()
    emulator.close()


def test_the_checksum_is_that_of_the_engine() -> None:
    assert records.crc32c(b"123456789") == 0xE3069283
