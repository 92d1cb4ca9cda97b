"""The MCP servers that other clients have configured, as settings of `[mcp.servers]`."""

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, cast

from msgspec import Struct
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.config import json_edit, toml_edit
from fugue_tui.config.mcp_clients import CLIENTS, SERVER, Client, file_of
from fugue_tui.config.servers import ServerSettings, name_fault
from fugue_tui.errors import InvalidArgument
from fugue_tui.sanitize import clean
from fugue_tui.validation.annotations import Record

SIZE_LIMIT: Final = 32 << 20
"""Bytes of a client's file; Claude Code keeps its state in it."""
PROJECT_FILES: Final = (
    ("claude-code", ".mcp.json", ("mcpServers",)),
    ("gemini", ".gemini/settings.json", ("mcpServers",)),
    ("cursor", ".cursor/mcp.json", ("mcpServers",)),
    ("vscode", ".vscode/mcp.json", ("servers",)),
    ("codex", ".codex/config.toml", ("mcp_servers",)),
)
"""Clients' files in a project: name of the client, path, and the keys of its servers."""
_ENV: Final = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]*)\}")
_BARE: Final = re.compile(r"\$(?!\{)([A-Za-z_][A-Za-z0-9_]*)")
"""A variable as Gemini CLI may write it."""
_OTHER: Final = re.compile(r"\$\{(?:input|workspaceFolder|userHome|pathSeparator)[^}]*\}")
_OLD_TRANSPORTS: Final = ("sse",)


class FoundServer(Struct, frozen=True):
    """A server that a client has configured."""

    name: str
    client: str
    file: str
    settings: ServerSettings | None
    """None if it cannot be taken over."""
    fault: str = ""
    """Why not."""


def found(directory: str, env: Mapping[str, str] = os.environ) -> Iterator[FoundServer]:
    """The servers in the files of all clients, and in those of a project directory; without Fugue itself.

    Files that cannot be read count as empty."""
    for client in CLIENTS:
        file = file_of(client, env)
        content = _content(file)
        yield from _servers(client, file, _at(content, client.keys[:-1]))
        if client.name == "claude-code" and directory:
            yield from _servers(client, file, _at(content, ("projects", directory, "mcpServers")))
    clients = {client.name: client for client in CLIENTS}
    for name, path, keys in PROJECT_FILES if directory else ():
        file = os.path.join(directory, path)
        yield from _servers(clients[name], file, _at(_content(file), keys))


def distinct(servers: Iterator[FoundServer]) -> list[FoundServer]:
    """The servers with distinct names: a name that stands for different servers gets the client's name behind it."""
    kept = dict[str, FoundServer]()
    for each in servers:
        name = each.name
        if name in kept and kept[name].settings != each.settings:
            name = f"{each.name[:48]}-{each.client}"
        if name not in kept or kept[name].settings is None:
            kept[name] = replace(each, name=name)
    return list(kept.values())


def _servers(client: Client, file: str, entries: Mapping[str, Any]) -> Iterator[FoundServer]:
    for name, entry in entries.items():
        given = _table(entry)
        if name == SERVER or _is_fugue(given):
            continue
        label = re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:64].strip("._-") or "server"
        try:
            if fault := name_fault(label):
                raise InvalidArgument(fault)
            given = _braced(given) if client.name == "gemini" else given
            yield FoundServer(label, client.name, file, settings_of(given))
        except InvalidArgument as error:
            yield FoundServer(label, client.name, file, None, clean(str(error), 400))


def settings_of(entry: Mapping[str, Any]) -> ServerSettings:
    """The settings for a client's entry. Raises InvalidArgument if it cannot be taken over."""
    command, args = entry.get("command"), _list(entry.get("args"))
    if isinstance(command, list):
        command, *args = _list(cast("object", command)) or [""]
    if entry.get("envFile"):
        raise InvalidArgument("it reads variables from an envFile; set those that it needs in env")
    url = entry.get("url") or entry.get("httpUrl") or entry.get("serverUrl") or ""
    if (entry.get("type") or entry.get("transport")) in _OLD_TRANSPORTS:
        raise InvalidArgument("it uses the old transport over SSE; ask for its URL over streamable HTTP")
    given: dict[str, Any] = {"url": url, "headers": _headers(entry)}
    if not url:
        env = _table(entry.get("env")) or _table(entry.get("environment"))
        names = (each for each in _list(entry.get("env_vars")) if isinstance(each, str))
        env = {name: f"${{{name}:-}}" for name in names} | env
        given = {"command": command or "", "args": args, "env": env, "cwd": entry.get("cwd") or ""}
    found: ServerSettings = Record(ServerSettings).check(_converted(given), "")
    if found.fault:
        raise InvalidArgument(found.fault)
    disabled = entry.get("disabled") is True or entry.get("enabled") is False
    return replace(found, enabled=False) if disabled else found


def _headers(entry: Mapping[str, Any]) -> dict[str, Any]:
    headers = _table(entry.get("headers")) | _table(entry.get("http_headers"))
    headers |= {name: f"${{{variable}}}" for name, variable in _table(entry.get("env_http_headers")).items()}
    if token := entry.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer ${{{token}}}"
    return headers


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _converted(value: Any) -> Any:
    """A value with variables as Fugue writes them."""
    match value:
        case str():
            if other := _OTHER.search(value):
                raise InvalidArgument(f"{clean(other[0])} is known to that client alone")
            return _ENV.sub(r"${\1}", value)
        case dict():
            entries = cast("dict[str, Any]", value)
            return {name: _converted(each) for name, each in entries.items()}
        case list():
            return [_converted(each) for each in cast("list[Any]", value)]
        case int() | float() if not isinstance(value, bool):
            return str(value)
        case _:
            return value


def _braced(value: Any) -> Any:
    """A value of Gemini CLI with braces around its variables."""
    match value:
        case str():
            return _BARE.sub(r"${\1}", value)
        case dict():
            return {name: _braced(each) for name, each in cast("dict[str, Any]", value).items()}
        case list():
            return [_braced(each) for each in cast("list[Any]", value)]
        case _:
            return value


def _is_fugue(entry: Mapping[str, Any]) -> bool:
    command = entry.get("command")
    words = [*_list(command), command, *_list(entry.get("args"))]
    return any(isinstance(word, str) and ("fugue-tui" in word or "fugue_tui" in word) for word in words)


def _content(file: str) -> dict[str, Any]:
    try:
        text = trusted_files.content(Path(os.path.realpath(file)), SIZE_LIMIT).decode()
        return toml_edit.parse(text) if file.endswith(".toml") else json_edit.parse(text)
    except (OSError, ValueError):
        return {}


def _at(content: Mapping[str, Any], keys: tuple[str, ...]) -> Mapping[str, Any]:
    value: Any = content
    for key in keys:
        value = _table(value).get(key)
    return _table(value)
