"""Who may use the page: one-time links, the sessions that they start, and the names that the server answers to.

A link starts a session, once. A session is a cookie whose path nobody else knows: browsers send cookies of one port to
all ports of a host, but not those of another path.
"""

import secrets
import time
from collections.abc import Callable, Iterable
from ipaddress import ip_address
from typing import Final

from msgspec import Struct

TOKEN_BYTES: Final = 32
LOCAL_NAMES: Final = ("localhost", "127.0.0.1", "[::1]")
LINK_MINUTES: Final = 10
"""How long a link is valid, unless that is given."""
MOST_SESSIONS: Final = 64
"""The oldest session ends when a link starts one more."""


class Session(Struct, frozen=True):
    """What a browser has to show. Both are secrets."""

    id: str
    """A part of the path of its URLs."""
    cookie: str


class Access:
    """The links and sessions of one server."""

    def __init__(self, link_seconds: float = 60 * LINK_MINUTES, clock: Callable[[], float] = time.monotonic) -> None:
        """`link_seconds` is how long a link is valid."""
        self._link_seconds, self._clock = link_seconds, clock
        self._token, self._until = b"", 0.0
        self._sessions: dict[str, Session] = {}

    def new_token(self) -> str:
        """A token that starts one session; the one before it is no longer valid."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        self._token, self._until = token.encode(), self._clock() + self._link_seconds
        return token

    def has_expired(self, token: str) -> bool:
        """Whether this is the token of the last link, unused, whose time is over."""
        return self._is_last(token) and self._clock() >= self._until

    def redeem(self, token: str) -> Session | None:
        """Start the session of a token, which is used up; None if it is not valid."""
        if not self._is_last(token) or self._clock() >= self._until:
            return None
        self._token = b""
        session = Session(secrets.token_urlsafe(TOKEN_BYTES), secrets.token_urlsafe(TOKEN_BYTES))
        self._sessions[session.id] = session
        if len(self._sessions) > MOST_SESSIONS:
            del self._sessions[next(iter(self._sessions))]
        return session

    def _is_last(self, token: str) -> bool:
        equal = secrets.compare_digest(token.encode("utf-8", "replace"), self._token)
        return equal and bool(self._token)

    def is_valid(self, session_id: str, cookie: str) -> bool:
        """Whether a session has this cookie."""
        found = self._sessions.get(session_id)
        known = found.cookie.encode() if found is not None else b""
        return secrets.compare_digest(cookie.encode("utf-8", "replace"), known) and found is not None


class Names:
    """The host names that requests may be sent to, and origins that they may come from.

    A page of another site can have its own name resolve to this machine (DNS rebinding), but cannot send another name
    than its own. Ports are not compared, as those of an SSH tunnel differ.
    """

    def __init__(self, bind: str, scheme: str, others: Iterable[str] = ()) -> None:
        """`bind` is the address that the server listens at, `others` are further names of it."""
        self._scheme = scheme
        self._names = {*LOCAL_NAMES, *(name.lower() for name in others)}
        self._any_address = not is_loopback(bind)

    def fault(self, hosts: list[str], origins: list[str], *, needs_origin: bool) -> str:
        """Why a request with these headers Host and Origin is refused; empty if it is accepted."""
        if len(hosts) != 1 or not self._is_known(hosts[0]):
            return "the Host header does not name this server; --host NAME adds a name"
        if not origins and not needs_origin:
            return ""
        if len(origins) != 1 or origins[0].lower() != f"{self._scheme}://{hosts[0].lower()}":
            return "requests of other origins are refused"
        return ""

    def _is_known(self, host: str) -> bool:
        name = host_name(host.lower())
        return name in self._names or (self._any_address and _is_address(name))


def host_name(host: str) -> str:
    """A Host header without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


def _is_address(name: str) -> bool:
    try:
        ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True
