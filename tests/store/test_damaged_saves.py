"""Saved files that are cut off, flipped, exchanged or too large are refused, set aside, and told of."""

import os
import random
import tracemalloc

import pytest
from tests.store.store_contents import files, got, manifest_file, put, text_file
from tests.store.store_contents import store as store

from fugue_tui.errors import SaveError
from fugue_tui.store import blobs
from fugue_tui.store.rotating_copies import MOST_BAD
from fugue_tui.store.store import Store

pytestmark = pytest.mark.slow


def test_a_damaged_manifest_is_set_aside_and_the_one_before_it_used(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    manifest_file(store).write_bytes(b"broken")
    (entry,) = store.names("auto")
    assert entry.head["n"] == 1
    found = store.get("auto", "main")
    assert found.manifest["n"] == 1
    (fault,) = found.faults
    assert fault == f"{store.root}/auto/main.json: is no saved workspace; it is kept as main.json.bad.1"
    assert files(store)["main.json.bad.1"].read_bytes() == b"broken"
    assert store.get("auto", "main").faults == ()
    for number in (3, 4, 5, 6):
        put(store, number)
    assert files(store)["main.json.bad.1"].read_bytes() == b"broken"
    assert got(store) == 6


def test_a_damaged_manifest_is_set_aside_by_the_next_put_too(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    manifest_file(store).write_bytes(b"broken")
    put(store, 3)
    manifest_file(store).unlink()
    assert got(store) == 1
    assert files(store)["main.json.bad.1"].read_bytes() == b"broken"


def test_so_many_damaged_ones_are_kept_and_no_more(store: Store) -> None:
    for number in range(MOST_BAD + 3):
        put(store, number)
        manifest_file(store).write_bytes(b"broken %d" % number)
    put(store, 99)
    bad = [path.read_bytes() for name, path in sorted(files(store).items()) if ".bad." in name]
    assert bad == [b"broken %d" % number for number in range(3, MOST_BAD + 3)]


def test_when_every_copy_is_damaged_all_are_kept_and_that_is_reported(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    for copy in ("", ".1"):
        manifest_file(store, copy).write_bytes(b"broken")
    assert "is no saved workspace" in store.names("auto")[0].fault
    with pytest.raises(SaveError, match=r"no copy of 'main' can be read: .*main.json.bad.1.*main.json.bad.2"):
        store.get("auto", "main")
    put(store, 3)
    assert got(store) == 3


def test_a_manifest_cut_off_anywhere_is_never_taken_for_whole(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    whole = manifest_file(store).read_bytes()
    for length in range(len(whole)):
        manifest_file(store).write_bytes(whole[:length])
        assert store.get("auto", "main").manifest["n"] == 1
    manifest_file(store).write_bytes(whole)
    assert got(store) == 2


def test_a_manifest_with_a_flipped_bit_is_never_taken_for_whole(store: Store) -> None:
    put(store, 1)
    put(store, 2)
    whole, chance = manifest_file(store).read_bytes(), random.Random(3)
    for _ in range(200):
        manifest_file(store).write_bytes(flipped(whole, chance.randrange(len(whole) * 8)))
        found = store.get("auto", "main")
        assert (found.manifest["n"], len(found.faults)) == (1, 1)


def test_a_text_that_is_cut_off_is_refused(store: Store) -> None:
    digest = put(store, 1)
    whole = text_file(store, digest).read_bytes()
    for data in [*(whole[:length] for length in range(len(whole))), whole + b"x", whole[:44] + whole[45:]]:
        text_file(store, digest).write_bytes(data)
        with pytest.raises(SaveError, match=digest):
            store.text(digest)


def test_a_text_with_a_flipped_bit_is_refused_unless_the_bit_meant_nothing(store: Store) -> None:
    data, chance, refused = random.Random(6).randbytes(3_000), random.Random(4), 0
    with store.saving() as saving:
        digest = saving.keep(data)
    whole = text_file(store, digest).read_bytes()
    for _ in range(200):
        text_file(store, digest).write_bytes(flipped(whole, chance.randrange(len(whole) * 8)))
        try:
            assert store.text(digest) == data
        except SaveError:
            refused += 1
    assert refused >= 195


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_exchanged_texts_are_noticed(store: Store) -> None:
    one, other = text_file(store, put(store, 1)), text_file(store, put(store, 2))
    held = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(held)
    for file in (one, other):
        with pytest.raises(SaveError, match="holds another text than its name declares"):
            store.text(file.name)


def test_keeping_a_text_again_mends_a_damaged_one(store: Store) -> None:
    digest = put(store, 1)
    for damage in (b"", b"broken", flipped(text_file(store, digest).read_bytes(), 900)):
        text_file(store, digest).write_bytes(damage)
        put(store, 1)
        assert got(store) == 1


def test_a_text_larger_than_allowed_is_not_inflated(store: Store) -> None:
    with store.saving() as saving:
        digest = saving.keep(bytes(50_000_000))
    with pytest.raises(SaveError, match="the text has 50000000 bytes, 1000 are allowed"):
        store.text(digest, 1_000)
    honest = bytearray(text_file(store, digest).read_bytes())
    honest[28:36] = (1_000).to_bytes(8, "big")
    text_file(store, digest).write_bytes(honest)
    tracemalloc.start()
    try:
        with pytest.raises(SaveError, match="has another length than declared"):
            store.text(digest, 1_000)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_text_under_the_name_of_another_is_refused_even_if_its_head_lies(store: Store) -> None:
    digest = put(store, 1)
    text_file(store, digest).write_bytes(b"".join(blobs.pack(digest, b"something else")))
    with pytest.raises(SaveError, match="its checksum is wrong"):
        store.text(digest)


def test_a_huge_file_is_refused_unread(store: Store) -> None:
    digest = put(store, 1)
    put(store, 2)
    os.truncate(manifest_file(store), 1 << 40)
    os.truncate(text_file(store, digest), 1 << 40)
    assert "has more than" in store.get("auto", "main").faults[0]
    with pytest.raises(SaveError, match="has more than"):
        store.text(digest)
