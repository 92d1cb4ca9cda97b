"""Loading the native library: at once with the declarations in the package, else by parsing pyghostty's."""

import subprocess
import sys

import pytest
from tests.terminal.ghostty.write_declarations import MODULE, module

from fugue_tui.terminal.ghostty import binding

_SCRIPT = """
import sys
from fugue_tui.terminal.ghostty.binding import load
assert load().lib.GHOSTTY_TERMINAL_OPT_BELL == 2
print("pycparser" in sys.modules, "pyghostty" in sys.modules)
"""


def parses(before: str = "") -> bool:
    """Load in a fresh interpreter; whether the C declarations had to be parsed."""
    done = subprocess.run([sys.executable, "-c", before + _SCRIPT], capture_output=True, text=True, check=True)
    parsed, imported = done.stdout.split()
    assert (imported, done.stderr) == ("False", "")
    return parsed == "True"


def test_the_declarations_are_those_of_the_installed_pyghostty() -> None:
    assert MODULE.read_text() == module(), "run python -m tests.terminal.ghostty.write_declarations"


def test_declarations_are_not_parsed() -> None:
    assert not parses()


def test_the_declarations_of_another_pyghostty_are_parsed() -> None:
    assert parses("from fugue_tui.terminal.ghostty import declarations\ndeclarations.SOURCE = 0\n")


def test_declarations_that_cffi_refuses_are_parsed() -> None:
    assert parses("import sys\nsys.modules['fugue_tui.terminal.ghostty.declarations'] = None\n")


def test_unknown_layouts_of_what_is_passed_by_value_are_refused() -> None:
    tags = "typedef int GhosttyPointTag; typedef int GhosttyTerminalScrollViewportTag; "
    structs = "typedef struct { char c; } GhosttyPoint; typedef struct { char c; } GhosttyTerminalScrollViewport;"
    with pytest.raises(ImportError, match="unknown layout"):
        binding.emit(f"CDEF = {tags + structs!r}".encode())
