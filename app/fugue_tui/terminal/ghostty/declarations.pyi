"""The part of the declarations that is used, typed: handles, structs and functions of libghostty-vt.

A handle is a pointer to what the library owns. What takes `void *` takes any object here.
"""

from collections.abc import Callable
from types import TracebackType
from typing import Generic, Literal, Self, TypeAlias, TypeVar, overload

Value = TypeVar("Value")
Handle = TypeVar("Handle")
Result: TypeAlias = int
"""0 for success."""
OnError: TypeAlias = Callable[[type[BaseException], BaseException, TracebackType | None], None]

class Null:
    def __bool__(self) -> Literal[False]: ...

class GhosttyTerminal: ...
class GhosttyRenderState: ...
class GhosttyRenderStateRowIterator: ...
class GhosttyRenderStateRowCells: ...
class GhosttyFormatter: ...
class GhosttyKeyEncoder: ...
class GhosttyKeyEvent: ...
class GhosttySnapshotDecoder: ...
class GhosttyTrackedGridRef: ...
class GhosttyKittyGraphics: ...
class GhosttyKittyGraphicsImage: ...
class GhosttyKittyGraphicsPlacementIterator: ...
class UserData(Generic[Value]): ...
class Function: ...

class CType:
    """cffi's description of a type."""

    fields: list[tuple[str, object]]
    args: tuple[CType, ...]

class Pointer(Generic[Value]):
    """A pointer or an array; cffi frees what `new` made with its last reference."""

    def __getitem__(self, index: int) -> Value: ...
    def __setitem__(self, index: int, value: Value) -> None: ...
    def __len__(self) -> int: ...
    def __enter__(self) -> Self: ...
    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

class Memory:
    """The bytes behind a pointer."""

    def __getitem__(self, index: slice) -> bytes: ...
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int) -> memoryview: ...

class GhosttyKittyGraphicsPlacementRenderInfo:
    pixel_width: int
    pixel_height: int
    viewport_col: int
    viewport_row: int
    viewport_visible: bool
    source_x: int
    source_y: int
    source_width: int
    source_height: int

class GhosttySysImage:
    width: int
    height: int
    data: Pointer[int]
    data_len: int

class GhosttyTerminalModeConfig:
    mode: int
    value: bool

class GhosttyColorRgb:
    r: int
    g: int
    b: int

class GhosttyTerminalScrollbar:
    total: int
    offset: int
    len: int

class GhosttyString:
    ptr: Pointer[int]
    len: int
    def __getitem__(self, index: int) -> GhosttyString: ...

class GhosttyGridRef:
    size: int

class GhosttyPointCoordinate:
    x: int
    y: int

class FuguePoint:
    tag: int
    value: GhosttyPointCoordinate
    def __getitem__(self, index: int) -> FuguePoint: ...

class FugueScrollValue:
    delta: int

class FugueScroll:
    tag: int
    value: FugueScrollValue
    def __getitem__(self, index: int) -> FugueScroll: ...

class GhosttySelection:
    size: int
    start: GhosttyGridRef
    end: GhosttyGridRef

class GhosttyFormatterScreenExtra:
    size: int

class GhosttyFormatterTerminalExtra:
    size: int
    screen: GhosttyFormatterScreenExtra

class GhosttyFormatterTerminalOptions:
    size: int
    emit: int
    unwrap: bool
    trim: bool
    extra: GhosttyFormatterTerminalExtra
    selection: GhosttySelection

class GhosttyCellsView:
    ptr: Pointer[int]
    len: int

class GhosttyBuffer:
    ptr: Pointer[int]
    cap: int
    len: int

class GhosttyStyleColorValue:
    palette: int
    rgb: GhosttyColorRgb

class GhosttyStyleColor:
    tag: int
    value: GhosttyStyleColorValue

class GhosttyStyle:
    fg_color: GhosttyStyleColor
    bg_color: GhosttyStyleColor
    underline_color: GhosttyStyleColor
    underline: int
    bold: bool
    faint: bool
    italic: bool
    blink: bool
    inverse: bool
    invisible: bool
    strikethrough: bool
    overline: bool

class GhosttyRenderStateCursor:
    viewport_has_value: bool
    viewport_x: int
    viewport_y: int
    visible: bool
    visual_style: int
    blinking: bool

class GhosttySizeReportSize:
    rows: int
    columns: int
    cell_width: int
    cell_height: int

class GhosttyDeviceAttributesPrimary:
    conformance_level: int
    num_features: int
    features: Pointer[int]

class GhosttyDeviceAttributesSecondary:
    device_type: int
    firmware_version: int
    rom_cartridge: int

class GhosttyDeviceAttributesTertiary:
    unit_id: int

class GhosttyDeviceAttributes:
    primary: GhosttyDeviceAttributesPrimary
    secondary: GhosttyDeviceAttributesSecondary
    tertiary: GhosttyDeviceAttributesTertiary

class GhosttyClipboardContent:
    mime: GhosttyString
    data: GhosttyString

class GhosttyClipboardWrite:
    contents: Pointer[GhosttyClipboardContent]
    contents_len: int

class GhosttyTerminalDesktopNotification:
    title: GhosttyString
    body: GhosttyString

class FFI:
    NULL: Null
    @overload
    def new(
        self,
        kind: Literal[
            "size_t *",
            "uint8_t *",
            "uint16_t *",
            "uint32_t *",
            "int32_t *",
            "uint64_t *",
            "GhosttyCell *",
            "GhosttyCellWide *",
            "GhosttyRow *",
            "GhosttyRowSemanticPrompt *",
            "GhosttyTerminalScreen *",
            "GhosttyTerminalCursorStyle *",
            "GhosttyTerminalCompressionResult *",
            "GhosttyRenderStateDirty *",
        ],
        value: int = 0,
    ) -> Pointer[int]: ...
    @overload
    def new(self, kind: Literal["bool *"], value: bool = False) -> Pointer[bool]: ...
    @overload
    def new(self, kind: Literal["uint8_t[]", "char[]"], value: int | bytes) -> Pointer[int]: ...
    @overload
    def new(self, kind: Literal["uint8_t **"]) -> Pointer[Pointer[int]]: ...
    @overload
    def new(self, kind: Literal["GhosttyTerminal *"]) -> Pointer[GhosttyTerminal]: ...
    @overload
    def new(self, kind: Literal["GhosttyRenderState *"]) -> Pointer[GhosttyRenderState]: ...
    @overload
    def new(self, kind: Literal["GhosttyRenderStateRowIterator *"]) -> Pointer[GhosttyRenderStateRowIterator]: ...
    @overload
    def new(self, kind: Literal["GhosttyRenderStateRowCells *"]) -> Pointer[GhosttyRenderStateRowCells]: ...
    @overload
    def new(self, kind: Literal["GhosttyFormatter *"]) -> Pointer[GhosttyFormatter]: ...
    @overload
    def new(self, kind: Literal["GhosttyKeyEncoder *"]) -> Pointer[GhosttyKeyEncoder]: ...
    @overload
    def new(self, kind: Literal["GhosttyKeyEvent *"]) -> Pointer[GhosttyKeyEvent]: ...
    @overload
    def new(self, kind: Literal["GhosttySnapshotDecoder *"]) -> Pointer[GhosttySnapshotDecoder]: ...
    @overload
    def new(self, kind: Literal["GhosttyTrackedGridRef *"]) -> Pointer[GhosttyTrackedGridRef]: ...
    @overload
    def new(
        self, kind: Literal["GhosttyTerminalModeConfig *"], value: dict[str, int] = ...
    ) -> GhosttyTerminalModeConfig: ...
    @overload
    def new(self, kind: Literal["GhosttyColorRgb *"]) -> GhosttyColorRgb: ...
    @overload
    def new(self, kind: Literal["GhosttyColorRgb[256]"]) -> Pointer[GhosttyColorRgb]: ...
    @overload
    def new(self, kind: Literal["GhosttyTerminalScrollbar *"]) -> GhosttyTerminalScrollbar: ...
    @overload
    def new(self, kind: Literal["GhosttyString *"]) -> GhosttyString: ...
    @overload
    def new(self, kind: Literal["GhosttyGridRef *"], value: dict[str, int]) -> GhosttyGridRef: ...
    @overload
    def new(self, kind: Literal["GhosttyPointCoordinate *"]) -> GhosttyPointCoordinate: ...
    @overload
    def new(self, kind: Literal["FuguePoint *"], value: dict[str, int] = ...) -> FuguePoint: ...
    @overload
    def new(self, kind: Literal["FugueScroll *"]) -> FugueScroll: ...
    @overload
    def new(self, kind: Literal["GhosttySelection *"], value: dict[str, int]) -> GhosttySelection: ...
    @overload
    def new(
        self, kind: Literal["GhosttyFormatterTerminalOptions *"], value: dict[str, int]
    ) -> GhosttyFormatterTerminalOptions: ...
    @overload
    def new(self, kind: Literal["GhosttyCellsView *"]) -> GhosttyCellsView: ...
    @overload
    def new(self, kind: Literal["GhosttyBuffer *"], value: dict[str, object]) -> GhosttyBuffer: ...
    @overload
    def new(self, kind: Literal["GhosttyKittyGraphics *"]) -> Pointer[GhosttyKittyGraphics]: ...
    @overload
    def new(
        self, kind: Literal["GhosttyKittyGraphicsPlacementIterator *"]
    ) -> Pointer[GhosttyKittyGraphicsPlacementIterator]: ...
    @overload
    def new(
        self, kind: Literal["GhosttyKittyGraphicsPlacementRenderInfo *"], value: dict[str, int]
    ) -> GhosttyKittyGraphicsPlacementRenderInfo: ...
    @overload
    def new(self, kind: Literal["GhosttyKittyGraphicsPlacementData[]"], value: list[int]) -> Pointer[int]: ...
    @overload
    def new(self, kind: Literal["void *[]"], value: list[object]) -> Pointer[object]: ...
    @overload
    def new(self, kind: Literal["GhosttyStyle *"], value: dict[str, int]) -> GhosttyStyle: ...
    @overload
    def new(self, kind: Literal["GhosttyRenderStateCursor *"], value: dict[str, int]) -> GhosttyRenderStateCursor: ...
    def new_allocator(self, *, should_clear_after_alloc: bool) -> Callable[[str, int], Pointer[int]]: ...
    def sizeof(self, kind: str) -> int: ...
    def buffer(self, pointer: object, size: int = -1) -> Memory: ...
    def from_buffer(self, kind: Literal["uint8_t[]"], data: bytes | bytearray | memoryview) -> Pointer[int]: ...
    def memmove(self, to: Pointer[int], data: bytes, length: int) -> None: ...
    def gc(self, pointer: Handle, free: Callable[[Handle], object], size: int = 0) -> Handle: ...
    @overload
    def addressof(self, value: GhosttySelection, field: Literal["start", "end"]) -> GhosttyGridRef: ...
    @overload
    def addressof(self, value: Lib, field: str) -> Function: ...
    @overload
    def cast(self, kind: Literal["uintptr_t"], value: object) -> int: ...
    @overload
    def cast(self, kind: Literal["uint8_t *"], value: Pointer[int]) -> Pointer[int]: ...
    @overload
    def cast(self, kind: Literal["GhosttyFormatter"], value: int) -> GhosttyFormatter: ...
    @overload
    def cast(
        self, kind: Literal["GhosttyResult(*)(GhosttyTerminal, FuguePoint, GhosttyGridRef *)"], value: Function
    ) -> Callable[[GhosttyTerminal, FuguePoint, GhosttyGridRef], Result]: ...
    @overload
    def cast(
        self, kind: Literal["void(*)(GhosttyTerminal, FugueScroll)"], value: Function
    ) -> Callable[[GhosttyTerminal, FugueScroll], None]: ...
    @overload
    def cast(
        self,
        kind: Literal["GhosttyResult(*)(GhosttyTerminal, FuguePoint, GhosttyTrackedGridRef *)"],
        value: Function,
    ) -> Callable[[GhosttyTerminal, FuguePoint, Pointer[GhosttyTrackedGridRef]], Result]: ...
    def callback(self, kind: str, function: Callable[..., object], onerror: OnError) -> Function: ...
    def new_handle(self, value: Value) -> UserData[Value]: ...
    def from_handle(self, handle: UserData[Value]) -> Value: ...
    def typeof(self, kind: str | Function) -> CType: ...
    def string(self, text: Pointer[int]) -> bytes: ...
    def dlopen(self, path: str) -> Lib: ...

class Lib:
    def ghostty_terminal_new(self, allocator: Null, out: Pointer[GhosttyTerminal], cols: int, rows: int) -> Result: ...
    def ghostty_terminal_free(self, terminal: GhosttyTerminal) -> None: ...
    def ghostty_terminal_set(self, terminal: GhosttyTerminal, option: int, value: object) -> Result: ...
    def ghostty_terminal_get(self, terminal: GhosttyTerminal, data: int, out: object) -> Result: ...
    def ghostty_terminal_vt_write(self, terminal: GhosttyTerminal, data: Pointer[int], length: int) -> None: ...
    def ghostty_terminal_resize(
        self, terminal: GhosttyTerminal, cols: int, rows: int, cell_width: int, cell_height: int
    ) -> Result: ...
    def ghostty_terminal_compress(self, terminal: GhosttyTerminal, mode: int, out: Pointer[int]) -> Result: ...
    def ghostty_terminal_compression_activity(self, terminal: GhosttyTerminal, out: Pointer[int]) -> Result: ...
    def ghostty_tracked_grid_ref_point(
        self, ref: GhosttyTrackedGridRef, tag: int, out: GhosttyPointCoordinate
    ) -> Result: ...
    def ghostty_tracked_grid_ref_free(self, ref: GhosttyTrackedGridRef) -> None: ...
    def ghostty_grid_ref_hyperlink_uri(
        self, ref: GhosttyGridRef, buffer: Pointer[int], length: int, out: Pointer[int]
    ) -> Result: ...
    def ghostty_render_state_row_get(self, rows: GhosttyRenderStateRowIterator, data: int, out: object) -> Result: ...
    def ghostty_render_state_row_cells_select(self, cells: GhosttyRenderStateRowCells, x: int) -> Result: ...
    def ghostty_render_state_row_cells_get(
        self, cells: GhosttyRenderStateRowCells, data: int, out: object
    ) -> Result: ...
    def ghostty_render_state_new(self, allocator: Null, out: Pointer[GhosttyRenderState]) -> Result: ...
    def ghostty_render_state_free(self, state: GhosttyRenderState) -> None: ...
    def ghostty_render_state_row_iterator_new(
        self, allocator: Null, out: Pointer[GhosttyRenderStateRowIterator]
    ) -> Result: ...
    def ghostty_render_state_row_iterator_free(self, rows: GhosttyRenderStateRowIterator) -> None: ...
    def ghostty_render_state_row_cells_new(
        self, allocator: Null, out: Pointer[GhosttyRenderStateRowCells]
    ) -> Result: ...
    def ghostty_render_state_row_cells_free(self, cells: GhosttyRenderStateRowCells) -> None: ...
    def ghostty_row_get(self, row: int, data: int, out: object) -> Result: ...
    def ghostty_formatter_format_buf(
        self, formatter: GhosttyFormatter, buffer: Pointer[int], length: int, out: Pointer[int]
    ) -> Result: ...
    def ghostty_key_encoder_new(self, allocator: Null, out: Pointer[GhosttyKeyEncoder]) -> Result: ...
    def ghostty_key_encoder_free(self, encoder: GhosttyKeyEncoder) -> None: ...
    def ghostty_key_event_new(self, allocator: Null, out: Pointer[GhosttyKeyEvent]) -> Result: ...
    def ghostty_key_event_free(self, event: GhosttyKeyEvent) -> None: ...
    def ghostty_key_event_set_action(self, event: GhosttyKeyEvent, action: int) -> None: ...
    def ghostty_key_event_set_key(self, event: GhosttyKeyEvent, key: int) -> None: ...
    def ghostty_key_event_set_mods(self, event: GhosttyKeyEvent, mods: int) -> None: ...
    def ghostty_key_event_set_utf8(self, event: GhosttyKeyEvent, text: bytes, length: int) -> None: ...
    def ghostty_key_event_set_unshifted_codepoint(self, event: GhosttyKeyEvent, codepoint: int) -> None: ...
    def ghostty_snapshot_encode_buf(
        self, terminal: GhosttyTerminal, buffer: Pointer[int], length: int, out: Pointer[int]
    ) -> Result: ...
    def ghostty_snapshot_encode_alloc(
        self, terminal: GhosttyTerminal, allocator: Null, out: Pointer[Pointer[int]], length: Pointer[int]
    ) -> Result: ...
    def ghostty_snapshot_decoder_new_buf(
        self, allocator: Null, out: Pointer[GhosttySnapshotDecoder], data: Pointer[int], length: int
    ) -> Result: ...
    def ghostty_snapshot_decoder_decode(
        self, decoder: GhosttySnapshotDecoder, out: Pointer[GhosttyTerminal]
    ) -> Result: ...
    def ghostty_snapshot_decoder_free(self, decoder: GhosttySnapshotDecoder) -> None: ...
    def ghostty_kitty_graphics_get(self, graphics: GhosttyKittyGraphics, data: int, out: object) -> Result: ...
    def ghostty_kitty_graphics_image(
        self, graphics: GhosttyKittyGraphics, image: int
    ) -> GhosttyKittyGraphicsImage | Null: ...
    def ghostty_kitty_graphics_image_get(
        self, image: GhosttyKittyGraphicsImage | Null, data: int, out: object
    ) -> Result: ...
    def ghostty_kitty_graphics_placement_iterator_new(
        self, allocator: Null, out: Pointer[GhosttyKittyGraphicsPlacementIterator]
    ) -> Result: ...
    def ghostty_kitty_graphics_placement_iterator_free(
        self, iterator: GhosttyKittyGraphicsPlacementIterator
    ) -> None: ...
    def ghostty_kitty_graphics_placement_next(self, iterator: GhosttyKittyGraphicsPlacementIterator) -> bool: ...
    def ghostty_kitty_graphics_placement_get_multi(
        self,
        iterator: GhosttyKittyGraphicsPlacementIterator,
        count: int,
        keys: Pointer[int],
        values: Pointer[object],
        out: Null,
    ) -> Result: ...
    def ghostty_kitty_graphics_placement_render_info(
        self,
        iterator: GhosttyKittyGraphicsPlacementIterator,
        image: GhosttyKittyGraphicsImage | Null,
        terminal: GhosttyTerminal,
        out: GhosttyKittyGraphicsPlacementRenderInfo,
    ) -> Result: ...
    def ghostty_sys_set(self, option: int, value: object) -> Result: ...
    def ghostty_alloc(self, allocator: Null, length: int) -> Pointer[int] | Null: ...
    def ghostty_free(self, allocator: Null, data: Pointer[int], length: int) -> None: ...
    def ghostty_type_json(self) -> Pointer[int]: ...
    GHOSTTY_CELL_DATA_WIDE: int
    GHOSTTY_CELL_WIDE_SPACER_HEAD: int
    GHOSTTY_FORMATTER_FORMAT_PLAIN: int
    GHOSTTY_FORMATTER_FORMAT_VT: int
    GHOSTTY_KEY_ACTION_PRESS: int
    GHOSTTY_KEY_SEMICOLON: int
    GHOSTTY_KITTY_GRAPHICS_DATA_PLACEMENT_ITERATOR: int
    GHOSTTY_KITTY_IMAGE_DATA_DATA_LEN: int
    GHOSTTY_KITTY_IMAGE_DATA_DATA_PTR: int
    GHOSTTY_KITTY_IMAGE_DATA_FORMAT: int
    GHOSTTY_KITTY_IMAGE_DATA_GENERATION: int
    GHOSTTY_KITTY_IMAGE_DATA_HEIGHT: int
    GHOSTTY_KITTY_IMAGE_DATA_WIDTH: int
    GHOSTTY_OUT_OF_SPACE: int
    GHOSTTY_POINT_TAG_ACTIVE: int
    GHOSTTY_POINT_TAG_SCREEN: int
    GHOSTTY_POINT_TAG_VIEWPORT: int
    GHOSTTY_RENDER_STATE_DATA_CURSOR: int
    GHOSTTY_RENDER_STATE_DATA_DIRTY: int
    GHOSTTY_RENDER_STATE_DATA_ROW_ITERATOR: int
    GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_GRAPHEMES_UTF8: int
    GHOSTTY_RENDER_STATE_ROW_CELLS_DATA_STYLE: int
    GHOSTTY_RENDER_STATE_ROW_DATA_CELLS: int
    GHOSTTY_RENDER_STATE_ROW_DATA_CELLS_RAW: int
    GHOSTTY_RENDER_STATE_ROW_DATA_RAW: int
    GHOSTTY_ROW_DATA_SEMANTIC_PROMPT: int
    GHOSTTY_ROW_DATA_WRAP: int
    GHOSTTY_ROW_SEMANTIC_NONE: int
    GHOSTTY_ROW_SEMANTIC_PROMPT: int
    GHOSTTY_SCROLL_VIEWPORT_BOTTOM: int
    GHOSTTY_SCROLL_VIEWPORT_DELTA: int
    GHOSTTY_STYLE_COLOR_PALETTE: int
    GHOSTTY_STYLE_COLOR_RGB: int
    GHOSTTY_SYS_OPT_DECODE_PNG: int
    GHOSTTY_TERMINAL_COMPRESSION_MODE_INCREMENTAL: int
    GHOSTTY_TERMINAL_COMPRESSION_RESULT_PENDING: int
    GHOSTTY_TERMINAL_CURSOR_STYLE_BLOCK_HOLLOW: int
    GHOSTTY_TERMINAL_DATA_ACTIVE_SCREEN: int
    GHOSTTY_TERMINAL_DATA_COLOR_BACKGROUND: int
    GHOSTTY_TERMINAL_DATA_COLOR_FOREGROUND: int
    GHOSTTY_TERMINAL_DATA_COLOR_PALETTE: int
    GHOSTTY_TERMINAL_DATA_COLOR_PALETTE_DEFAULT: int
    GHOSTTY_TERMINAL_DATA_COLS: int
    GHOSTTY_TERMINAL_DATA_CURSOR_PENDING_WRAP: int
    GHOSTTY_TERMINAL_DATA_CURSOR_STYLE: int
    GHOSTTY_TERMINAL_DATA_CURSOR_VISIBLE: int
    GHOSTTY_TERMINAL_DATA_CURSOR_X: int
    GHOSTTY_TERMINAL_DATA_CURSOR_Y: int
    GHOSTTY_TERMINAL_DATA_KITTY_GRAPHICS: int
    GHOSTTY_TERMINAL_DATA_KITTY_KEYBOARD_FLAGS: int
    GHOSTTY_TERMINAL_DATA_MODE: int
    GHOSTTY_TERMINAL_DATA_PWD: int
    GHOSTTY_TERMINAL_DATA_SCROLLBACK_ROWS: int
    GHOSTTY_TERMINAL_DATA_SCROLLBAR: int
    GHOSTTY_TERMINAL_DATA_TITLE: int
    GHOSTTY_TERMINAL_DATA_TOTAL_ROWS: int
    GHOSTTY_TERMINAL_OPT_APC_MAX_BYTES: int
    GHOSTTY_TERMINAL_OPT_APC_MAX_BYTES_KITTY: int
    GHOSTTY_TERMINAL_OPT_CLIPBOARD_WRITE_MAX_BYTES: int
    GHOSTTY_TERMINAL_OPT_COLOR_BACKGROUND: int
    GHOSTTY_TERMINAL_OPT_COLOR_CURSOR: int
    GHOSTTY_TERMINAL_OPT_COLOR_FOREGROUND: int
    GHOSTTY_TERMINAL_OPT_CONTINUATION_MAX_BYTES: int
    GHOSTTY_TERMINAL_OPT_DEFAULT_CURSOR_STYLE: int
    GHOSTTY_TERMINAL_OPT_GLYPH_PROTOCOL: int
    GHOSTTY_TERMINAL_OPT_KITTY_IMAGE_STORAGE_LIMIT: int
    GHOSTTY_TERMINAL_OPT_MODE: int
    GHOSTTY_TERMINAL_OPT_MODE_DEFAULT: int
    GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_BYTES: int
    GHOSTTY_TERMINAL_OPT_SCROLLBACK_MAX_LINES: int
    GHOSTTY_TERMINAL_OPT_USERDATA: int
    GHOSTTY_TERMINAL_SCREEN_ALTERNATE: int

SOURCE: int
ffi: FFI
