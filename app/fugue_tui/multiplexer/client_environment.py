"""The environment of the terminal that was attached or used last, for new panes (tmux's update-environment).

Panes that are open get at its SSH agent by a link, whose path is the same for as long as the workspace runs.
"""

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Final

AGENT: Final = "SSH_AUTH_SOCK"
MOST_BYTES: Final = 1 << 16
"""Bytes of what one client may send."""


class ClientEnvironment:
    """The variables of one client. Main thread only."""

    def __init__(self, socket: str = "") -> None:
        """`socket` is the workspace's own, beside which the link is; empty for no link."""
        self.names: tuple[str, ...] = ()
        """The variables that clients send; those that they lack are unset in new panes."""
        self._values: Mapping[str, str] | None = None
        self._link = os.path.join(os.path.dirname(socket), f"ssh-agent-{os.getpid()}") if socket else ""

    @property
    def values(self) -> Mapping[str, str]:
        """The variables of the client; of this process, before one has sent any."""
        found = os.environ if self._values is None else self._values
        return MappingProxyType({name: found[name] for name in self.names if name in found})

    def use(self, values: Mapping[str, str] | None) -> None:
        """Another client is the latest; None for one that sent nothing."""
        if values is not None and values != self._values:
            self._values = values
            self._update_link()

    def of_new_pane(self) -> tuple[dict[str, str], tuple[str, ...]]:
        """What is set in a new pane, and what is unset."""
        if AGENT in self.names and self._link and not os.path.lexists(self._link):
            self._update_link()
        values = dict(self.values)
        if AGENT in values and self._link and os.path.lexists(self._link):
            values[AGENT] = self._link
        return values, tuple(name for name in self.names if name not in values)

    def of_helpers(self) -> dict[str, str]:
        """The environment of programs that this process runs for the client, such as one that sets the clipboard."""
        kept = {name: value for name, value in os.environ.items() if name not in self.names}
        return kept | dict(self.values)

    def close(self) -> None:
        """Remove the link."""
        if self._link:
            with suppress(OSError):
                os.unlink(self._link)

    def _update_link(self) -> None:
        """Let the link lead to the client's agent, if that is a socket of this user; otherwise remove it."""
        if not self._link:
            return
        agent = self.values.get(AGENT, "")
        if not _is_own_socket(agent, self._link):
            self.close()
            return
        temporary = f"{self._link}.new"
        with suppress(OSError):
            with suppress(FileNotFoundError):
                os.unlink(temporary)
            os.symlink(agent, temporary)
            os.replace(temporary, self._link)


def parse(data: bytes, names: tuple[str, ...]) -> dict[str, str]:
    """The variables of a client, as it sent them: `NAME=value`, each with a NUL behind it; others than those asked for
    are left out."""
    if len(data) > MOST_BYTES:
        return {}
    pairs = (os.fsdecode(each).partition("=") for each in data.split(b"\0"))
    return {name: value for name, equals, value in pairs if equals and name in names}


def _is_own_socket(path: str, link: str) -> bool:
    if not os.path.isabs(path) or path == link:
        return False
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISSOCK(found.st_mode) and found.st_uid == os.getuid()
