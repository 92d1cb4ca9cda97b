"""Links are good once, cookies are compared whole, and only known names and origins are answered."""

import pytest

from fugue_tui.web.access import MOST_SESSIONS, Access, Names


def test_a_link_starts_one_session() -> None:
    access = Access()
    token = access.new_token()
    session = access.redeem(token)
    assert session is not None
    assert access.redeem(token) is None
    assert access.is_valid(session.id, session.cookie)
    assert not access.is_valid(session.id, session.cookie[:-1])
    assert not access.is_valid(session.id, "")
    assert not access.is_valid(session.id, "ü")
    assert not access.is_valid("another", session.cookie)


def test_a_link_that_is_not_used_in_time_expires_and_another_one_is_valid() -> None:
    now = [0.0]
    access = Access(600, lambda: now[0])
    token = access.new_token()
    now[0] = 599.0
    assert not access.has_expired(token)
    now[0] = 600.0
    assert access.redeem(token) is None
    assert access.has_expired(token)
    assert not access.has_expired("wrong")
    assert not access.has_expired("")
    assert access.redeem(access.new_token()) is not None
    assert not access.has_expired(token)


def test_a_token_has_256_bits_and_is_a_new_one_each_time() -> None:
    tokens = {Access().new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert {len(token) for token in tokens} == {43}  # 32 bytes in Base64


@pytest.mark.parametrize("token", ["", "wrong", "ü", "\ud800"])
def test_a_wrong_token_starts_none_and_leaves_the_link_valid(token: str) -> None:
    access = Access()
    assert access.redeem(token) is None
    right = access.new_token()
    assert access.redeem(token) is None
    assert access.redeem(right) is not None
    assert access.redeem("") is None


def test_a_new_link_replaces_the_one_before() -> None:
    access = Access()
    old, new = access.new_token(), access.new_token()
    assert access.redeem(old) is None
    assert access.redeem(new) is not None


def test_sessions_are_bounded() -> None:
    access = Access()
    sessions = [access.redeem(access.new_token()) for _ in range(MOST_SESSIONS + 1)]
    assert [access.is_valid(each.id, each.cookie) for each in sessions if each] == [False] + [True] * MOST_SESSIONS


def fault(host: str, origin: str = "", bind: str = "127.0.0.1", scheme: str = "http", *others: str) -> str:
    return Names(bind, scheme, others).fault([host], [origin] if origin else [], needs_origin=bool(origin))


@pytest.mark.parametrize("host", ["127.0.0.1:8022", "localhost:9000", "LOCALHOST", "[::1]:8022"])
def test_local_names_are_answered_at_any_port(host: str) -> None:
    assert not fault(host)
    assert not fault(host, f"http://{host}")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8022", "127.0.0.1.evil.example", "192.0.2.1:8022", "", "localhost.", "::1"]
)
def test_other_names_are_refused(host: str) -> None:
    assert "Host" in fault(host)


@pytest.mark.parametrize(
    "origin",
    ["null", "http://evil.example", "http://localhost:9001", "https://localhost:9000", "http://localhost:9000/"],
)
def test_other_origins_are_refused(origin: str) -> None:
    assert "origins" in fault("localhost:9000", origin)


def test_repeated_headers_and_a_missing_origin_are_refused() -> None:
    names = Names("127.0.0.1", "http")
    assert names.fault([], [], needs_origin=False)
    assert names.fault(["localhost", "localhost"], [], needs_origin=False)
    assert names.fault(["localhost"], [], needs_origin=True)
    assert names.fault(["localhost"], ["http://localhost"] * 2, needs_origin=True)


def test_an_open_server_answers_to_addresses_and_the_names_that_it_was_given() -> None:
    assert not fault("192.0.2.1:8022", "", "0.0.0.0")
    assert not fault("[2001:db8::1]:8022", "", "::")
    assert fault("evil.example:8022", "", "0.0.0.0")
    assert not fault("fugue.example", "https://fugue.example", "0.0.0.0", "https", "Fugue.example")
