"""Where a shell says it is: OSC 7's file URL, or a bare path, as a path on this machine."""

import os
from typing import Final

_PATH_LIMIT: Final = 4_096


def local_path(location: str) -> str | None:
    """The path that a file URL or a bare path names; empty for an empty report, None if it is not on this machine."""
    if not location:
        return ""
    path = _file_url(location) if "://" in location else location
    if path is None or not path.startswith("/") or "\0" in path or len(path) > _PATH_LIMIT:
        return None
    return path


def _file_url(url: str) -> str | None:
    from urllib.parse import unquote

    scheme, _, rest = url.partition("://")
    host, slash, path = rest.partition("/")
    if scheme.lower() not in ("file", "kitty-shell-cwd") or not _is_here(host.lower()):
        return None
    return unquote(slash + path) if scheme.lower() == "file" else slash + path


def _is_here(host: str) -> bool:
    name = os.uname().nodename.lower()
    return host in ("", "localhost", name, name.partition(".")[0])
