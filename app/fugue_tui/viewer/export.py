"""Writes a recording in another form: a moving SVG, a GIF, a video, its text, or another asciicast."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.geometry import Size
from fugue_tui.imaging.screen import Screen
from fugue_tui.recording.asciicast import CastEncoder, CastEvent, EventCode
from fugue_tui.recording.timeline import Timeline
from fugue_tui.sanitize import clean
from fugue_tui.terminal.pty.io_loop import IOLoop
from fugue_tui.terminal.screen.cells import Row
from fugue_tui.viewer.replay import load
from fugue_tui.viewer.screen_player import ScreenPlayer

if TYPE_CHECKING:
    from PIL import Image

FRAME: Final = 1 / 12.5
"""Seconds that a frame lasts at least; GIF counts in hundredths."""
LAST: Final = 2.0
"""Seconds that the last frame is shown before a moving picture begins anew."""
MOST_FRAMES: Final = 5_000
"""Frames of a moving picture; longer recordings are refused for it."""


def run(path: str, output: str, *, speed: float, idle: float) -> None:
    """Write the form that the name of the output ends in. Raises BadRecording, InvalidArgument or Refused."""
    write = FORMS.get(os.path.splitext(output)[1].lower())
    if write is None:
        raise InvalidArgument(f"--export: {clean(output, 80)} ends in none of {', '.join(FORMS)}")
    if os.path.lexists(output):
        raise Refused(f"{clean(output, 200)} exists already, and is not overwritten; give another name")
    timeline = Timeline(load(path), idle)
    try:
        write(timeline, output, speed)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(output)
        if isinstance(error, OSError):
            raise Refused(f"{clean(output, 200)} cannot be written: {error.strerror or error}") from None
        raise


def frames(timeline: Timeline, speed: float) -> Iterator[tuple[float, Screen]]:
    """Every screen that the recording shows, with the seconds that it lasts. Raises InvalidArgument for too many."""
    io_loop = IOLoop()
    io_loop.start()
    player = ScreenPlayer(timeline, io_loop)
    try:
        yield from _lasting(_screens(player, speed))
    finally:
        player.close()
        io_loop.stop()


def _lasting(screens: Iterator[tuple[float, Screen]]) -> Iterator[tuple[float, Screen]]:
    previous: tuple[float, Screen] | None = None
    for number, (at, screen) in enumerate(screens):
        if number >= MOST_FRAMES:
            raise InvalidArgument(f"more than {MOST_FRAMES} frames; use a higher --speed, or write a video (.mp4)")
        if previous is not None:
            yield at - previous[0], previous[1]
        previous = at, screen
    if previous is not None:
        yield LAST, previous[1]


def _screens(player: ScreenPlayer, speed: float) -> Iterator[tuple[float, Screen]]:
    """The screens that differ from the one before, each with its time."""
    times, last = player.timeline.times, None
    while player.shown < len(times):
        at = times[player.shown]
        player.seek(at + FRAME * speed)
        if (screen := _screen(player)) != last:
            yield at / speed, screen
            last = screen


def _screen(player: ScreenPlayer) -> Screen:
    terminal = player.terminal
    with terminal.locked() as screen:
        read, cols = screen.emulator.past(0), screen.size.cols
        cursor, caret = screen.emulator.cursor, screen.emulator.caret
        visible = screen.emulator.shows_caret
    return Screen(cols, tuple(read()), replace(cursor, x=caret[0], y=caret[1], visible=visible))


def _largest(timeline: Timeline) -> Size:
    """The size that has room for every screen."""
    sizes = [timeline.cast.header.size]
    for event in timeline.cast.events:
        cols, _, rows = event.data.partition("x")
        if event.code is EventCode.RESIZE and cols.isdecimal() and rows.isdecimal() and len(event.data) < 12:
            sizes.append(Size(int(cols), int(rows)))
    return Size(min(max(size.cols for size in sizes), 1_500), min(max(size.rows for size in sizes), 800))


def _text(timeline: Timeline, output: str, speed: float) -> None:
    io_loop = IOLoop()
    io_loop.start()
    player = ScreenPlayer(timeline, io_loop)
    try:
        player.show(len(timeline.times))
        terminal = player.terminal
        lines = terminal.lines(0, terminal.scrollback.lines + terminal.size.rows, joined=True)
    finally:
        player.close()
        io_loop.stop()
    _write(output, ("\n".join(lines).rstrip("\n") + "\n").encode("utf-8", "replace"))


def _cast(timeline: Timeline, output: str, speed: float) -> None:
    encoder = CastEncoder()
    lines = [encoder.header(timeline.cast.header)]
    for time, event in zip(timeline.times, timeline.cast.events, strict=True):
        lines.append(encoder.event(CastEvent(time / speed, event.code, event.data)))
    _write(output, b"".join(lines))


def _svg(timeline: Timeline, output: str, speed: float) -> None:
    from fugue_tui.imaging.svg import svg

    pictures = list(frames(timeline, speed))
    seconds = sum(lasts for lasts, _ in pictures) or 1.0
    ends = [0.0]
    for lasts, _ in pictures:
        ends.append(ends[-1] + lasts)
    shown, rules = list[str](), list[str]()
    for number, ((begin, end), (_, screen)) in enumerate(zip(pairwise(ends), pictures, strict=True)):
        first, last = 100 * begin / seconds, 100 * end / seconds
        hidden = f"0%{{visibility:hidden}}{first:.4f}%{{visibility:visible}}" if begin else "0%{visibility:visible}"
        rules.append(f"@keyframes f{number}{{{hidden}{last:.4f}%,100%{{visibility:hidden}}}}")
        shown.append(f'<g style="animation:f{number} {seconds:.3f}s step-end infinite">{svg(screen)}</g>')
    size = _largest(timeline)
    whole = svg(Screen(size.cols, tuple(_blank(size))))
    head, _, _ = whole.partition(">")
    style = f"<style>g{{visibility:visible}}{''.join(rules)}</style>"
    _write(output, f"{head}>{style}{''.join(shown)}</svg>\n".encode())


def _blank(size: Size) -> Iterator[Row]:
    return (Row(()) for _ in range(size.rows))


def _images(timeline: Timeline, speed: float) -> Iterator[tuple[float, "Image.Image"]]:
    """Images of one size, each with the seconds that it lasts."""
    from PIL import Image

    from fugue_tui.imaging.palette import Theme
    from fugue_tui.imaging.png import draw

    size, theme = _largest(timeline), Theme()
    empty = draw(Screen(size.cols, tuple(_blank(size))), theme)
    for lasts, screen in frames(timeline, speed):
        picture = draw(screen, theme)
        if picture.size != empty.size:
            whole: Image.Image = empty.copy()
            whole.paste(picture, (0, 0))
            picture = whole
        yield lasts, picture


def _gif(timeline: Timeline, output: str, speed: float) -> None:
    from PIL import Image

    durations, pictures = list[int](), list["Image.Image"]()
    for lasts, picture in _images(timeline, speed):
        durations.append(max(20, round(lasts * 100) * 10))
        pictures.append(picture.quantize(64, dither=Image.Dither.NONE))
    if not pictures:
        raise InvalidArgument("the recording has no output")
    pictures[0].save(
        output, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0, optimize=False
    )


def _video(timeline: Timeline, output: str, speed: float) -> None:
    ffmpeg = shutil.which("ffmpeg")
    if ffmpeg is None:
        raise Refused("a video needs ffmpeg, which is not on PATH; .gif and .svg need nothing")
    pictures, rate = _images(timeline, speed), 25
    first = next(pictures, None)
    if first is None:
        raise InvalidArgument("the recording has no output")
    width, height = first[1].size
    line = [
        ffmpeg,
        "-loglevel",
        "error",
        "-f",
        "rawvideo",
        "-pix_fmt",
        "rgb24",
        "-s",
        f"{width}x{height}",
        "-r",
        str(rate),
    ]
    line += ["-i", "-", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-pix_fmt", "yuv420p", os.path.abspath(output)]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        with suppress(BrokenPipeError):
            for lasts, picture in chain((first,), pictures):
                for _ in range(max(1, round(lasts * rate))):
                    process.stdin.write(picture.tobytes())
        _, stderr = process.communicate()
    if process.returncode:
        raise Refused(f"ffmpeg: {clean(stderr.decode('utf-8', 'replace'), 300)}")


def _write(output: str, data: bytes) -> None:
    with open(output, "xb") as file:
        file.write(data)


FORMS: Final[dict[str, Callable[[Timeline, str, float], None]]] = {
    ".svg": _svg,
    ".gif": _gif,
    ".mp4": _video,
    ".txt": _text,
    ".cast": _cast,
}
"""What writes a form, by the end of its file's name."""
