"""The images that a terminal of libghostty-vt holds by the kitty graphics protocol, and where they are.

Every call needs the terminal's lock.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from fugue_tui.terminal.ghostty.binding import Binding
from fugue_tui.terminal.screen.images import Area, Image, Pixels, Placement

if TYPE_CHECKING:
    from fugue_tui.terminal.ghostty.declarations import (
        GhosttyKittyGraphics,
        GhosttyKittyGraphicsImage,
        GhosttyTerminal,
        Null,
    )

PLACEMENTS: Final = 1_024
"""Placements that one screen may have: the engine takes longer for each, with every line that scrolls."""
LONGEST_COMMAND: Final = 1 << 20
"""Bytes of one graphics command."""
_INFO: Final = "GhosttyKittyGraphicsPlacementRenderInfo"
_MODES: Final = ("RGB", "RGBA", "", "LA", "L")
"""Modes of Pillow by the engine's number of the format."""


class GraphicsReader:
    """The images of one terminal."""

    def __init__(self, binding: Binding, terminal: "GhosttyTerminal") -> None:
        self._ffi, self._lib = ffi, lib = binding.ffi, binding.lib
        self._terminal = terminal
        new = ffi.new
        self._graphics = new("GhosttyKittyGraphics *")
        self._number, self._size = new("uint64_t *"), new("size_t *")
        made = new("GhosttyKittyGraphicsPlacementIterator *")
        if lib.ghostty_kitty_graphics_placement_iterator_new(ffi.NULL, made):
            raise MemoryError("no memory for a terminal's images")
        self._held = ffi.gc(made[0], lib.ghostty_kitty_graphics_placement_iterator_free)
        self._each = made
        self._info = new("GhosttyKittyGraphicsPlacementRenderInfo *", {"size": ffi.sizeof(_INFO)})
        self._id, self._left, self._top = new("uint32_t *"), new("uint32_t *"), new("uint32_t *")
        self._cols, self._rows = new("uint32_t *"), new("uint32_t *")
        self._z, self._virtual = new("int32_t *"), new("bool *")
        data = "GHOSTTY_KITTY_GRAPHICS_PLACEMENT_DATA_"
        names = ("IMAGE_ID", "IS_VIRTUAL", "X_OFFSET", "Y_OFFSET", "Z", "COLUMNS", "ROWS")
        self._keys = new("GhosttyKittyGraphicsPlacementData[]", [getattr(lib, data + name) for name in names])
        self._values = new(
            "void *[]", [self._id, self._virtual, self._left, self._top, self._z, self._cols, self._rows]
        )
        self._count = len(names)

    def limit(self, memory: int) -> None:
        """Keep images up to that many bytes; 0 drops all, and ignores those that come."""
        value = self._ffi.new("uint64_t *", memory)
        self._lib.ghostty_terminal_set(self._terminal, self._lib.GHOSTTY_TERMINAL_OPT_KITTY_IMAGE_STORAGE_LIMIT, value)
        longest = self._ffi.new("size_t *", LONGEST_COMMAND)
        self._lib.ghostty_terminal_set(self._terminal, self._lib.GHOSTTY_TERMINAL_OPT_APC_MAX_BYTES_KITTY, longest)

    def _storage(self) -> "GhosttyKittyGraphics | None":
        key = self._lib.GHOSTTY_TERMINAL_DATA_KITTY_GRAPHICS
        return None if self._lib.ghostty_terminal_get(self._terminal, key, self._graphics) else self._graphics[0]

    def _walk(self, visit: "Callable[[GhosttyKittyGraphics], None]") -> None:
        """Call `visit` with the storage for each placement, whose data stands in the fields."""
        lib, graphics = self._lib, self._storage()
        key = lib.GHOSTTY_KITTY_GRAPHICS_DATA_PLACEMENT_ITERATOR
        if graphics is None or lib.ghostty_kitty_graphics_get(graphics, key, self._each):
            return
        while lib.ghostty_kitty_graphics_placement_next(self._each[0]):
            lib.ghostty_kitty_graphics_placement_get_multi(
                self._each[0], self._count, self._keys, self._values, self._ffi.NULL
            )
            visit(graphics)

    def count(self) -> int:
        """How many placements there are."""
        found = 0

        def add(graphics: "GhosttyKittyGraphics") -> None:
            nonlocal found
            found += 1

        self._walk(add)
        return found

    def placements(self, cell: tuple[int, int]) -> tuple[list[Placement], dict[int, tuple[Image, int, int]]]:
        """Those that the viewport shows, for cells of that size; and the images that placeholders show, by id, with
        the columns and rows that each fills."""
        shown: list[Placement] = []
        virtual: dict[int, tuple[Image, int, int]] = {}

        def add(graphics: "GhosttyKittyGraphics") -> None:
            image = self.image(self._id[0], graphics)
            if image is None:
                return
            if self._virtual[0]:
                virtual[image.id] = (image, self._cols[0], self._rows[0])
            elif (placement := self._placement(image, graphics, cell)) is not None:
                shown.append(placement)

        self._walk(add)
        return shown, virtual

    def _placement(self, image: Image, graphics: "GhosttyKittyGraphics", cell: tuple[int, int]) -> Placement | None:
        lib, info = self._lib, self._info
        native = lib.ghostty_kitty_graphics_image(graphics, image.id)
        result = lib.ghostty_kitty_graphics_placement_render_info(self._each[0], native, self._terminal, info)
        if result or not info.viewport_visible:
            return None
        x, y = info.viewport_col * cell[0] + self._left[0], info.viewport_row * cell[1] + self._top[0]
        target = Area(x, y, info.pixel_width, info.pixel_height)
        source = Area(info.source_x, info.source_y, info.source_width, info.source_height)
        if not (target.width and target.height and source.width and source.height):
            return None
        return Placement(image, target, source, self._z[0])

    def image(self, number: int, graphics: "GhosttyKittyGraphics | None" = None) -> Image | None:
        """The image with an id; None if there is none."""
        lib, graphics = self._lib, graphics or self._storage()
        native = lib.ghostty_kitty_graphics_image(graphics, number) if graphics is not None else None
        if not native:  # A null pointer is false.
            return None
        keys = (
            lib.GHOSTTY_KITTY_IMAGE_DATA_GENERATION,
            lib.GHOSTTY_KITTY_IMAGE_DATA_WIDTH,
            lib.GHOSTTY_KITTY_IMAGE_DATA_HEIGHT,
        )
        generation, width, height = (self._data(native, key) for key in keys)
        return Image(number, generation, width, height)

    def _data(self, native: "GhosttyKittyGraphicsImage | Null", key: int) -> int:
        self._number[0] = 0
        self._lib.ghostty_kitty_graphics_image_get(native, key, self._number)
        return self._number[0]

    def pixels(self, image: Image) -> Pixels | None:
        """A copy of an image's pixels; None if the terminal no longer has it."""
        lib, graphics = self._lib, self._storage()
        if graphics is None or self.image(image.id, graphics) != image:
            return None
        native = lib.ghostty_kitty_graphics_image(graphics, image.id)
        format_, length = (
            self._data(native, key)
            for key in (lib.GHOSTTY_KITTY_IMAGE_DATA_FORMAT, lib.GHOSTTY_KITTY_IMAGE_DATA_DATA_LEN)
        )
        data = self._ffi.new("uint8_t **")
        lib.ghostty_kitty_graphics_image_get(native, lib.GHOSTTY_KITTY_IMAGE_DATA_DATA_PTR, data)
        mode = _MODES[format_] if format_ < len(_MODES) else ""
        if not mode or length != image.width * image.height * len(mode):
            return None
        return Pixels(mode, image.width, image.height, self._ffi.buffer(data[0], length)[:])
