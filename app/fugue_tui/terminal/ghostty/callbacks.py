"""What libghostty-vt calls back while it is fed: replies, bells, titles and the rest, collected in order.

Callbacks run inside `feed`, under the terminal's lock. They only collect, and nothing that a program does makes what is
collected grow without bound. One set of C callbacks serves every terminal; the user data identifies the inbox.
"""

from functools import cache
from types import TracebackType
from typing import TYPE_CHECKING, Final

from fugue_tui.terminal.emulator.events import Bell, Notification
from fugue_tui.terminal.emulator.pending_events import TEXT_LIMIT, PendingEvents
from fugue_tui.terminal.emulator.protocol import XTERM_VERSION
from fugue_tui.terminal.ghostty.binding import Binding

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import (
        GhosttyClipboardWrite,
        GhosttyDeviceAttributes,
        GhosttySizeReportSize,
        GhosttyString,
        GhosttySysImage,
        GhosttyTerminal,
        GhosttyTerminalDesktopNotification,
        Null,
        Pointer,
        UserData,
    )

    Inbox = UserData[PendingEvents]


PNG_PIXELS: Final = 1 << 24
"""Pixels of the largest PNG file that is decoded, whose parser the engine leaves to its host."""


class Callbacks:
    """The C functions that libghostty-vt calls, kept alive for as long as the process."""

    def __init__(self, binding: Binding, version: str) -> None:
        self._ffi, self._lib = binding.ffi, binding.lib
        self._version = self._ffi.new("char[]", version.encode())
        self._string = self._ffi.new("GhosttyString *")
        handlers = (
            ("WRITE_PTY", "WritePty", self._write_pty),
            ("BELL", "Bell", self._bell),
            ("XTVERSION", "Xtversion", self._xtversion),
            ("TITLE_CHANGED", "TitleChanged", self._title_changed),
            ("PWD_CHANGED", "PwdChanged", self._pwd_changed),
            ("SIZE", "Size", self._size),
            ("COLOR_SCHEME", "ColorScheme", self._color_scheme),
            ("DEVICE_ATTRIBUTES", "DeviceAttributes", self._device_attributes),
            ("CLIPBOARD_WRITE", "ClipboardWrite", self._clipboard_write),
            ("DESKTOP_NOTIFICATION", "DesktopNotification", self._desktop_notification),
            ("RENDER_HOLD", "RenderHold", self._render_hold),
        )
        self._functions = [
            (
                getattr(self._lib, f"GHOSTTY_TERMINAL_OPT_{option}"),
                self._ffi.callback(f"GhosttyTerminal{name}Fn", function, onerror=_log),
            )
            for option, name, function in handlers
        ]

        self._png = self._ffi.callback("GhosttySysDecodePngFn", self._decode_png, onerror=_log)
        self._lib.ghostty_sys_set(self._lib.GHOSTTY_SYS_OPT_DECODE_PNG, self._png)

    def install(self, terminal: "GhosttyTerminal", inbox: PendingEvents) -> "Inbox":
        """Send a terminal's callbacks to an inbox; the caller keeps the returned handle as long as the terminal."""
        handle = self._ffi.new_handle(inbox)
        self._lib.ghostty_terminal_set(terminal, self._lib.GHOSTTY_TERMINAL_OPT_USERDATA, handle)
        for option, function in self._functions:
            self._lib.ghostty_terminal_set(terminal, option, function)
        return handle

    def _inbox(self, handle: "Inbox") -> PendingEvents:
        return self._ffi.from_handle(handle)

    def _bytes(self, string: "GhosttyString") -> bytes:
        return self._ffi.buffer(string.ptr, string.len)[:] if string.len else b""

    def _text(self, string: "GhosttyString") -> str:
        return self._bytes(string)[: 4 * TEXT_LIMIT].decode("utf-8", "replace")[:TEXT_LIMIT]

    def _data(self, terminal: "GhosttyTerminal", key: int) -> str:
        self._lib.ghostty_terminal_get(terminal, key, self._string)
        return self._text(self._string)

    def _write_pty(self, terminal: "GhosttyTerminal", handle: "Inbox", data: "Pointer[int]", length: int) -> None:
        self._inbox(handle).reply(self._ffi.buffer(data, length)[:])

    def _bell(self, terminal: "GhosttyTerminal", handle: "Inbox") -> None:
        self._inbox(handle).emit(Bell())

    def _xtversion(self, terminal: "GhosttyTerminal", handle: "Inbox") -> "GhosttyString":
        answer = self._ffi.new("GhosttyString *")
        answer.ptr = self._ffi.cast("uint8_t *", self._version)
        answer.len = len(self._version) - 1
        return answer[0]

    def _title_changed(self, terminal: "GhosttyTerminal", handle: "Inbox") -> None:
        self._inbox(handle).set_title(self._data(terminal, self._lib.GHOSTTY_TERMINAL_DATA_TITLE))

    def _pwd_changed(self, terminal: "GhosttyTerminal", handle: "Inbox") -> None:
        self._inbox(handle).set_cwd(self._data(terminal, self._lib.GHOSTTY_TERMINAL_DATA_PWD))

    def _size(self, terminal: "GhosttyTerminal", handle: "Inbox", out: "GhosttySizeReportSize") -> bool:
        size = self._inbox(handle).size
        out.rows, out.columns = size.rows, size.cols
        out.cell_width, out.cell_height = self._inbox(handle).graphics.cell
        return True

    def _color_scheme(self, terminal: "GhosttyTerminal", handle: "Inbox", out: "Pointer[int]") -> bool:
        out[0] = int(self._inbox(handle).dark)
        return True

    def _device_attributes(self, terminal: "GhosttyTerminal", handle: "Inbox", out: "GhosttyDeviceAttributes") -> bool:
        """A VT220 with ANSI colour (22), as Ghostty itself reports, and sixels (4) while they are shown; with xterm's
        version."""
        features = (4, 22) if self._inbox(handle).graphics.shown else (22,)
        out.primary.conformance_level = 62
        out.primary.num_features = len(features)
        for index, feature in enumerate(features):
            out.primary.features[index] = feature
        out.secondary.device_type = 1
        out.secondary.firmware_version = XTERM_VERSION
        out.secondary.rom_cartridge = 0
        out.tertiary.unit_id = 0
        return True

    def _clipboard_write(self, terminal: "GhosttyTerminal", handle: "Inbox", write: "GhosttyClipboardWrite") -> None:
        kinds = [write.contents[index] for index in range(min(write.contents_len, 16))]
        for content in kinds:
            if self._bytes(content.mime).startswith(b"text/plain"):
                self._inbox(handle).copy(self._bytes(content.data))
                break

    def _desktop_notification(
        self, terminal: "GhosttyTerminal", handle: "Inbox", notification: "GhosttyTerminalDesktopNotification"
    ) -> None:
        notice = Notification(self._text(notification.title), self._text(notification.body))
        self._inbox(handle).emit(notice)

    def _decode_png(
        self, handle: object, allocator: "Null", data: "Pointer[int]", length: int, out: "GhosttySysImage"
    ) -> bool:
        decoded = decode_png(self._ffi.buffer(data, length)[:])
        if decoded is None:
            return False
        out.width, out.height, pixels = decoded
        room = self._lib.ghostty_alloc(allocator, len(pixels))
        if not room:  # A null pointer is false.
            return False
        self._ffi.memmove(room, pixels, len(pixels))
        out.data, out.data_len = room, len(pixels)
        return True

    def _render_hold(self, terminal: "GhosttyTerminal", handle: "Inbox", held: bool) -> None:
        self._inbox(handle).on_hold(held)


def decode_png(data: bytes) -> tuple[int, int, bytes] | None:
    """Width, height and RGBA pixels of a PNG file; None if it is broken or has too many pixels."""
    from io import BytesIO

    from PIL import Image

    try:
        with Image.open(BytesIO(data), formats=("PNG",)) as picture:
            if picture.width * picture.height > PNG_PIXELS:
                return None
            return picture.width, picture.height, picture.convert("RGBA").tobytes()
    except (OSError, ValueError, SyntaxError):
        return None


def _log(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Log an exception in a callback, which has no caller to raise it in."""
    import logging

    logging.getLogger(__name__).error("a callback of the terminal engine failed", exc_info=error)


@cache
def callbacks(binding: Binding, version: str) -> Callbacks:
    """The callbacks of this process, made once."""
    return Callbacks(binding, version)
