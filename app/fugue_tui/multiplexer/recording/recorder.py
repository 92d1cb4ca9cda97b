"""What every recording that is being made has in common: its file, its events, and how it ends."""

import os
import time
from collections.abc import Callable
from threading import Lock
from typing import Final

from fugue_tui.geometry import Size
from fugue_tui.multiplexer.recording.recording_info import RecordingInfo
from fugue_tui.recording.asciicast import CastEvent, CastHeader, EventCode
from fugue_tui.recording.cast_file import CastFile
from fugue_tui.sanitize import clean

MARKERS: Final = 1_000
"""The most markers that wait to be written."""


class CastWriter:
    """Writes the events of one recording, and begins another file when one is full. On the recorder's thread."""

    def __init__(
        self,
        path: str,
        make_header: Callable[[], CastHeader],
        *,
        version: int,
        largest: int,
        older: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Raises OSError."""
        self._make_header, self.clock = make_header, clock
        self.began = self._base = clock()
        self.file = CastFile(path, make_header(), version=version, largest=largest, older=older)

    def event(self, code: EventCode, data: str, at: float | None = None) -> CastEvent:
        """An event at a time of the clock, now if None."""
        return CastEvent(max(0.0, (self.clock() if at is None else at) - self._base), code, data)

    def marked(self, queue: "MarkerQueue") -> list[CastEvent]:
        """The markers that wait, as events."""
        return [self.event(EventCode.MARKER, label, at) for at, label in queue.take()]

    def write(self, events: list[CastEvent]) -> None:
        """Append events in the order of their times. Raises OSError."""
        self.file.write(sorted(events, key=lambda event: event.time))

    def info(self, source: str, *, input: bool = False) -> RecordingInfo:
        """What list-recordings shows of the recording."""
        return RecordingInfo(source, self.file.path, round(self.clock() - self.began, 1), self.file.written, input)

    def discard(self) -> None:
        """Close the file, in which nothing was recorded, and remove it. Raises OSError."""
        self.file.close()
        os.unlink(self.file.path)

    def rotate_if_full(self) -> bool:
        """Begin another file if this one is full; whether it did. Raises OSError."""
        if not self.file.is_full:
            return False
        self._base = self.clock()
        self.file.rotate(self._make_header())
        return True


class MarkerQueue:
    """Markers that wait to be written, from any thread."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._lock = Lock()
        self._waiting: list[tuple[float, str]] = []

    def put(self, label: str) -> None:
        """Add one at this time; of too many, the newest are dropped."""
        with self._lock:
            if len(self._waiting) < MARKERS:
                self._waiting.append((self._clock(), clean(label, 200)))

    def take(self) -> list[tuple[float, str]]:
        """All that wait, which then wait no longer."""
        with self._lock:
            waiting, self._waiting = self._waiting, []
        return waiting


def resized(size: Size) -> str:
    """The data of a resize event."""
    return f"{size.cols}x{size.rows}"
