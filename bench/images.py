"""Images: what looking for them costs other output, and the CPU time that they take themselves."""

import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Final

from bench.payloads import write
from bench.plan import Plan, late, middle
from bench.table import Row
from fugue_tui.geometry import Size
from fugue_tui.terminal.ghostty.emulator import GhosttyEmulator
from fugue_tui.terminal.screen.images import Graphics, Pixels

_SIZE: Final = Size(120, 36)
_CHUNK: Final = 1 << 16
_ON, _OFF = Graphics(64 << 20, shown=True), Graphics(0)
_WIDTH, _HEIGHT = 320, 240


def measure(plan: Plan) -> Iterator[Row]:
    """Output with images on, relative to off, in pairs; and the time to parse an image, and to encode it for a host."""
    for kind in ("plain", "dense colour", "cursor motion", "Unicode"):
        data = write(plan.folder, kind, plan.often(16, 2) << 20).read_bytes()
        ratios = [_ratio(data, turn) for turn in range(plan.often(12, 2))]
        yield Row(
            "images",
            f"{kind}: time to parse, images on / off",
            "",
            middle(ratios),
            most=1.05,
            samples={"fugue": ratios},
        )
    for what, frame in (("kitty graphics", _kitty()), ("sixel", _sixel())):
        times = [1000 * _fed(frame * 4, _ON) / 4 for _ in range(plan.often(30, 3))]
        yield Row("images", f"{what}, {_WIDTH}x{_HEIGHT}: parsed", "ms", middle(times), samples={"fugue": times})
    for what, encode in _encoders().items():
        times = [_timed(encode) for _ in range(plan.often(20, 3))]
        yield Row(
            "images", f"{what}, {_WIDTH}x{_HEIGHT}: made in a thread", "ms", middle(times), samples={"fugue": times}
        )
        yield Row("images", f"{what}: the same, p95", "ms", late(times))


def _ratio(data: bytes, turn: int) -> float:
    first, second = (_ON, _OFF) if turn % 2 else (_OFF, _ON)
    times = {graphics: _fed(data, graphics) for graphics in (first, second)}
    return times[_ON] / times[_OFF]


def _fed(data: bytes, graphics: Graphics) -> float:
    """Seconds of CPU to parse output as it is read from a PTY."""
    emulator = GhosttyEmulator(_SIZE)
    emulator.set_graphics(graphics)
    began = time.thread_time()
    for at in range(0, len(data), _CHUNK):
        emulator.feed(data[at : at + _CHUNK])
    spent = time.thread_time() - began
    emulator.close()
    return spent


def _pixels() -> Pixels:
    rng = Random("image")
    row = b"".join(bytes((x * 255 // _WIDTH, rng.randrange(64), 128)) for x in range(_WIDTH))
    return Pixels("RGB", _WIDTH, _HEIGHT, row * _HEIGHT)


def _kitty() -> bytes:
    from fugue_tui.attach_server.output.kitty_images import payload, transmission

    return b"\x1b[H" + b"".join(transmission(1, payload(_pixels()))) + b"\x1b_Ga=p,i=1,q=2,C=1\x1b\\"


def _sixel() -> bytes:
    from PIL import Image

    from fugue_tui.attach_server.output.sixel_encoder import encode

    return b"\x1b[H" + encode(Image.frombytes("RGB", (_WIDTH, _HEIGHT), _pixels().data).convert("RGBA"), 255)


def _encoders() -> dict[str, Callable[[], object]]:
    from fugue_tui.attach_server.output.color_depth import Depth
    from fugue_tui.attach_server.output.kitty_images import payload
    from fugue_tui.terminal.emulator import sixel_decoder
    from fugue_tui.terminal.screen.images import Area, Image, Placement
    from fugue_tui.tui.render.image_canvas import half_blocks, sixel

    pixels, area, cell = _pixels(), Area(0, 0, _WIDTH, _HEIGHT), (8, 16)
    placement = Placement(Image(1, 1, _WIDTH, _HEIGHT), area, area)
    body = _sixel().removeprefix(b"\x1b[H\x1bP").removesuffix(b"\x1b\\")
    return {
        "for kitty graphics": lambda: payload(pixels),
        "as sixels": lambda: sixel(pixels, placement, cell, cell, 255, last=False),
        "as half blocks": lambda: half_blocks(pixels, placement, cell, Depth.TRUE),
        "a program's sixels, decoded": lambda: sixel_decoder.decode(body, _WIDTH, _HEIGHT),
    }


def _timed(encode: Callable[[], object]) -> float:
    began = time.thread_time()
    encode()
    return 1000 * (time.thread_time() - began)
