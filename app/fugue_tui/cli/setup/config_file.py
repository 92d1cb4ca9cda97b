"""The configuration file of a client: one entry of it is read, set and removed, or another edit checked, and the file
backed up and restored.

A file that cannot be parsed, is read-only or may have been written by another user is left alone. Links are followed,
and the mode is kept.
"""

import copy
import os
import stat
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, cast

from fugue_tui import trusted_files
from fugue_tui.config import json_edit, toml_edit
from fugue_tui.errors import ConfigError
from fugue_tui.trusted_files import UntrustedFile

BACKUP: Final = ".fugue-backup"
"""What is appended to a file's name for its backup."""
_BY_HAND: Final = "make it writable, or make the change that --dry-run shows by hand"
SIZE_LIMIT: Final = 32 << 20
"""Bytes; Claude Code keeps its state in the file, too."""


class ConfigFile:
    """A client's file as it was read, and the entry at a path of keys. Raises ConfigError if it cannot be parsed."""

    def __init__(self, path: str, keys: Sequence[str], backup: str = BACKUP) -> None:
        self.path = Path(os.path.realpath(path))
        self.backup = self.path.with_name(self.path.name + backup)
        self._keys = keys
        self._syntax = toml_edit if self.path.suffix == ".toml" else json_edit
        self.text = self._read(self.path)
        """What it contains; empty if it does not exist."""
        self._content = self._parsed(self.text)

    @property
    def content(self) -> dict[str, Any]:
        """A copy of what the file contains."""
        return copy.deepcopy(self._content)

    @property
    def entry(self) -> dict[str, Any] | None:
        """The entry; None if there is none."""
        found: object = self._content
        for key in self._keys:
            found = cast("dict[str, object]", found).get(key) if isinstance(found, dict) else None
        return cast("dict[str, Any]", found) if isinstance(found, dict) else None

    def with_entry(self, entry: dict[str, Any], text: str | None = None) -> str:
        """The text with the entry set. Raises ConfigError if that is not possible without a change to the rest."""
        before = self.text if text is None else text
        expected = self._parsed(before)
        inner: dict[str, Any] = expected
        for key in self._keys[:-1]:
            if not isinstance(inner.setdefault(key, {}), dict):
                raise ConfigError(f"{self.path}: {key} is not an object")
            inner = inner[key]
        inner[self._keys[-1]] = entry
        return self.checked(lambda: self._syntax.put(before, self._keys, entry), expected)

    def without_entry(self) -> str:
        """The text without the entry. Raises ConfigError if that is not possible without a change to the rest."""
        expected = copy.deepcopy(self._content)
        path: list[dict[str, Any]] = [expected]
        for key in self._keys[:-1]:
            path.append(path[-1][key])
        for inner, key in zip(reversed(path), reversed(self._keys), strict=True):
            del inner[key]
            if inner:
                break
        return self.checked(lambda: self._syntax.drop(self.text, self._keys), expected)

    def original(self, entry: dict[str, Any]) -> str | None:
        """The text before the entry was set, empty for no file; None if the file was changed otherwise since.

        A client that registers itself may reformat the file and lose comments: then too, if nothing else is new."""
        text = self._read(self.backup)
        try:
            if self.with_entry(entry, text) == self.text:
                return text
            rest = self.without_entry()
            same = bool(text) and self._parsed(rest) == self._parsed(text)
        except ConfigError:
            return None
        return text if same and all(line.strip() in text for line in rest.splitlines()) else None

    def check_writable(self) -> None:
        """Raise ConfigError if the file is read-only."""
        if self.path.exists() and not self.path.stat().st_mode & stat.S_IWUSR:
            raise ConfigError(f"{self.path}: it is read-only, and was left as it is; {_BY_HAND}")

    def _check_unchanged(self) -> None:
        self.check_writable()
        if self._read(self.path) != self.text:
            raise ConfigError(f"{self.path}: it was changed meanwhile, and was left as it is; try again")

    def save_backup(self) -> None:
        """Copy the file to its backup, unless it has one. Raises ConfigError."""
        if self.path.exists() and not self.backup.exists():
            self._write(self.backup, self.text)

    def write(self, text: str) -> None:
        """Replace the content. Raises ConfigError, also if another program has changed it."""
        self._check_unchanged()
        self._write(self.path, text)

    def restore(self, text: str) -> None:
        """Put the original text back and remove the backup; without one, remove the file. Raises ConfigError, also if
        another program has changed it."""
        self._check_unchanged()
        if text and not self.backup.exists():
            self._write(self.path, text)
            return
        with _reported(self.path):
            if self.backup.exists():
                self.backup.replace(self.path)
            else:
                self.path.unlink(missing_ok=True)

    def drop_backup(self) -> None:
        """Remove the backup if it is the same as the file."""
        if self.backup.exists() and self._read(self.backup) == self._read(self.path):
            with _reported(self.backup):
                self.backup.unlink()

    def _write(self, path: Path, text: str) -> None:
        mode = stat.S_IMODE(self.path.stat().st_mode) if self.path.exists() else 0o600
        with _reported(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            trusted_files.write(path, text, overwrite=path == self.path, mode=mode)
            path.chmod(mode)

    def _read(self, path: Path) -> str:
        try:
            return trusted_files.content(path, SIZE_LIMIT).decode()
        except FileNotFoundError:
            return ""
        except (OSError, ValueError) as error:
            raise ConfigError(f"{trusted_files.describe(path, error)}; it was left as it is") from None

    def _parsed(self, text: str) -> dict[str, Any]:
        try:
            return self._syntax.parse(text)
        except UntrustedFile as error:
            raise ConfigError(f"{trusted_files.describe(self.path, error)}; it was left as it is") from None

    def checked(self, edit: Callable[[], str], expected: dict[str, Any]) -> str:
        """The result of an edit, which must contain what is expected. Raises ConfigError if it does not."""
        try:
            text = edit()
            if self._syntax.parse(text) == expected:
                return text
        except UntrustedFile:
            pass
        keys = ".".join(self._keys)
        raise ConfigError(f"{self.path}: {keys} cannot be edited without a change to the rest; edit it by hand")


@contextmanager
def _reported(path: Path) -> Generator[None]:
    """Raises ConfigError for a file that cannot be changed."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise ConfigError(f"{trusted_files.describe(path, error)}; it was left as it is; {_BY_HAND}") from None
