"""Writes the C declarations of the installed pyghostty: `python -m tests.terminal.ghostty.write_declarations`."""

import importlib.util
import zlib
from pathlib import Path
from typing import Final

from fugue_tui.terminal.ghostty import binding

MODULE: Final = Path(binding.__file__).with_name("declarations.py")
_HEAD: Final = """# type: ignore
# ruff: noqa
# fmt: off
\"""The C declarations of libghostty-vt as cffi emits them, written by tests/terminal/ghostty/write_declarations.py.\"""

SOURCE = {crc:#010x}
\"""CRC-32 of the file of pyghostty that it was made from.\"""

"""


def module() -> str:
    """The module's text."""
    package = importlib.util.find_spec("pyghostty")
    assert package is not None
    assert package.submodule_search_locations
    text = Path(package.submodule_search_locations[0], "_cdef.py").read_bytes()
    return _HEAD.format(crc=zlib.crc32(text)) + binding.emit(text)


if __name__ == "__main__":
    MODULE.write_text(module())
