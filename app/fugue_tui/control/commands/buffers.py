"""Paste buffers, under tmux's names: list, show, set, paste and delete them, write them to files and read them."""

import os
import time
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

from msgspec import Meta, Struct
from msgspec.structs import replace

from fugue_tui import trusted_files
from fugue_tui.control.commands.clipboard import redacted
from fugue_tui.control.commands.send_keys import MAX_TEXT, SendInput
from fugue_tui.control.core import target
from fugue_tui.control.core.command import Command, Effect, Origin, StartedCommand, Toolset
from fugue_tui.control.core.deferred import Deferred
from fugue_tui.control.core.send_input import Input, Sent, send, typeable
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.ids import PaneId
from fugue_tui.multiplexer import Multiplexer
from fugue_tui.multiplexer.clipboard import HEAVIEST, Copied, CopySource
from fugue_tui.sanitize import clean, clean_text

SAMPLE: Final = 60
"""Characters of a buffer that its line in the list shows."""
BufferName = Annotated[str, Meta(max_length=target.LONGEST_NAME)]


class BufferInfo(Struct, frozen=True):
    """One paste buffer."""

    name: str
    """Its name: buffer0, buffer1 and so on for what was copied, or the one that it was given."""
    characters: int
    """How many characters it has."""
    lines: int
    """How many lines."""
    at: str
    """When it was set, in local time."""
    pane: str
    """The pane that it was copied from, which may be closed; empty for none."""
    sample: str
    """How it begins, without secrets: untrusted."""


class BufferList(Struct, frozen=True):
    """The paste buffers, newest first."""

    buffers: tuple[BufferInfo, ...]
    """The buffers."""


class BufferSet(Struct, frozen=True):
    """A buffer that was set, or deleted."""

    name: str
    """Its name."""
    characters: int
    """How many characters it has."""


class BufferFile(Struct, frozen=True):
    """A buffer that was written to a file."""

    path: str
    """The file."""
    bytes: int
    """How many bytes it has."""


class ListBuffers(Command[BufferList], name="list-buffers", effect=Effect.CLIPBOARD, toolset=Toolset.READING):
    """List the paste buffers, newest first: what was copied, and what set-buffer named.

    There are 50 at most, in memory only. Agents need the user's permission each time, or a grant.
    """

    def run(self, mux: Multiplexer, origin: Origin) -> BufferList:
        """The buffers."""
        return BufferList(tuple(info(mux, each) for each in mux.clipboard.entries))


class ShowBuffer(Command[str], name="show-buffer", effect=Effect.CLIPBOARD, plain=True, toolset=Toolset.READING):
    """Show the text of a paste buffer, to agents without secrets and with the user's permission."""

    buffer: BufferName = ""
    """Its name; omitted, what was copied last."""

    def run(self, mux: Multiplexer, origin: Origin) -> str:
        """The text. Raises NotFound."""
        text = chosen(mux, self.buffer).text
        return clean_text(text if origin.kind.acts_for_user else redacted(mux, text), max(len(text), 1))


class SetBuffer(
    Command[BufferSet], name="set-buffer", effect=Effect.CLIPBOARD, also=Effect.LAYOUT, toolset=Toolset.RUNNING
):
    """Set a paste buffer; without a name, the text is what is pasted next, as if it was copied."""

    text: Annotated[str, Meta(min_length=1, max_length=MAX_TEXT)]
    """The text, without control characters but tabs and newlines."""
    buffer: BufferName = ""
    """A name for it; omitted, an automatic one."""

    def run(self, mux: Multiplexer, origin: Origin) -> BufferSet:
        """The buffer. Raises InvalidArgument or Refused."""
        text = typeable(self.text, "text", "buffers hold text only")
        return _set(mux, Copied(text, CopySource.COMMAND, origin.pane, time.time(), self.buffer))


class DeleteBuffer(
    Command[BufferSet], name="delete-buffer", effect=Effect.CLIPBOARD, also=Effect.LAYOUT, toolset=Toolset.RUNNING
):
    """Delete a paste buffer; clear-clipboard deletes all."""

    buffer: BufferName = ""
    """Its name; omitted, what was copied last."""

    def run(self, mux: Multiplexer, origin: Origin) -> BufferSet:
        """What was deleted. Raises NotFound."""
        found = chosen(mux, self.buffer)
        mux.clipboard.delete(found)
        return BufferSet(found.name, len(found.text))


class SaveBuffer(Command[BufferFile], name="save-buffer", effect=Effect.CLIPBOARD, user_only=True):
    """Write a paste buffer to a new file, which only you can read."""

    path: Annotated[str, Meta(min_length=1)]
    """The file: an absolute path, or one that begins with ~."""
    buffer: BufferName = ""
    """The buffer's name; omitted, what was copied last."""

    def run(self, mux: Multiplexer, origin: Origin) -> BufferFile:
        """The file. Raises InvalidArgument, NotFound or Refused."""
        path, data = _absolute(self.path), chosen(mux, self.buffer).text.encode("utf-8", "replace")
        try:
            _write_new(path, data)
        except (OSError, ValueError) as error:
            raise Refused(f"{clean(path)} cannot be written: {getattr(error, 'strerror', error)}") from None
        return BufferFile(clean(path), len(data))


class LoadBuffer(Command[BufferSet], name="load-buffer", effect=Effect.CLIPBOARD, user_only=True):
    """Read a text file into a paste buffer; without a name, it is what is pasted next."""

    path: Annotated[str, Meta(min_length=1)]
    """The file: an absolute path, or one that begins with ~."""
    buffer: BufferName = ""
    """A name for the buffer; omitted, an automatic one."""

    def run(self, mux: Multiplexer, origin: Origin) -> BufferSet:
        """The buffer. Raises InvalidArgument or Refused."""
        path = _absolute(self.path)
        try:
            found = trusted_files.text(Path(path), HEAVIEST)
        except (OSError, ValueError) as error:
            raise Refused(trusted_files.describe(path, error)) from None
        text = typeable(found, clean(path), "buffers hold text only")
        if not text:
            raise InvalidArgument(f"{clean(path)} is empty")
        return _set(mux, Copied(text, CopySource.COMMAND, origin.pane, time.time(), self.buffer))


class PasteBuffer(
    Command[Sent], name="paste-buffer", effect=Effect.INPUT, also=Effect.CLIPBOARD, toolset=Toolset.RUNNING
):
    """Paste a buffer into a pane as it is; agents need the permissions to type there and to see what was copied.

    The paste is bracketed if the program takes that; if not, it reads each line break as Enter.
    """

    pane: str = target.ACTIVE
    """The pane to paste into: an id or a name; agents must name it."""
    buffer: BufferName = ""
    """The buffer's name; omitted, what was copied last."""
    delete: bool = False
    """Whether to delete the buffer then (paste-buffer -d)."""
    wait_for_user: target.WaitForUser = 0.0
    """Seconds to wait, at most 110, while the user types in the pane; 0 refuses the call then."""

    def targets(self, mux: Multiplexer, origin: Origin) -> tuple[PaneId, ...]:
        """The pane."""
        return (target.typed_pane(mux, self.pane, origin),)

    def pinned(self, mux: Multiplexer, origin: Origin) -> "PasteBuffer":
        """The same with the buffer that is the newest now."""
        return replace(self, buffer=chosen(mux, self.buffer).name)

    def started(self, mux: Multiplexer, origin: Origin) -> tuple[StartedCommand, ...]:
        """The text, if it has several lines and goes to a shell."""
        return SendInput(pane=self.pane, text=chosen(mux, self.buffer).text).started(mux, origin)

    def run(self, mux: Multiplexer, origin: Origin) -> Sent | Deferred[Sent]:
        """Paste it. Raises NotFound, Refused, TerminalGone or InputFull."""
        found = chosen(mux, self.buffer)
        if not origin.kind.acts_for_user and redacted(mux, found.text) != found.text:
            raise Refused(f"{found.name} has a secret in it, which only the user may paste; give a text to send-input")
        sent = send(mux, origin, self.pane, (Input(found.text, pasted=True),), self.wait_for_user)
        if self.delete:
            mux.clipboard.delete(found)
        return sent


def info(mux: Multiplexer, buffer: Copied) -> BufferInfo:
    """A buffer in a line."""
    return BufferInfo(
        name=buffer.name,
        characters=len(buffer.text),
        lines=buffer.text.rstrip("\n").count("\n") + 1,
        at=datetime.fromtimestamp(buffer.at).isoformat(" ", "seconds"),
        pane=str(buffer.pane or ""),
        sample=clean(" ".join(redacted(mux, buffer.text[: 8 * SAMPLE]).split()), SAMPLE),
    )


def chosen(mux: Multiplexer, name: str) -> Copied:
    """The buffer of that name, or the newest automatic one. Raises NotFound."""
    return mux.clipboard.find(name) if name else mux.clipboard.newest()


def _set(mux: Multiplexer, copied: Copied) -> BufferSet:
    """Set a named buffer, or add an automatic one, which is pasted next. Raises InvalidArgument or Refused."""
    if not copied.name:
        mux.clipboard.add(copied)
        mux.clipboard.text = copied.text
        return BufferSet(mux.clipboard.newest().name, len(copied.text))
    name = clean(copied.name)
    if name != copied.name or not name.strip() or name.removeprefix("buffer").isdigit():
        raise InvalidArgument(f"buffer: {name!a} cannot name a buffer; use letters and digits, and not buffer1")
    mux.clipboard.set(copied)
    return BufferSet(name, len(copied.text))


def _absolute(path: str) -> str:
    """The path of a file. Raises InvalidArgument for a relative one, which would depend on the server's directory."""
    found = os.path.expanduser(path)
    if not os.path.isabs(found) or "\0" in found:
        raise InvalidArgument(f"path: {clean(path)!a} must be an absolute path, or begin with ~")
    return found


def _write_new(path: str, data: bytes) -> None:
    """Write a new file, of which nothing is left if that fails. Raises OSError or ValueError."""
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(data)
    except OSError:
        os.unlink(path)
        raise
