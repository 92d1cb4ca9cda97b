"""Loading the native library: at once with the declarations in the package, else by parsing pyghostty's."""

import ast
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


def fields(name: str) -> list[str]:
    """The annotated names of a class of the stub."""
    return [
        node.target.id
        for node in STUB[name].body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
    ]


STUB = {
    node.name: node for node in ast.parse(MODULE.with_suffix(".pyi").read_text()).body if isinstance(node, ast.ClassDef)
}
STRUCTS = [name for name in STUB if name.startswith(("Ghostty", "Fugue")) and fields(name)]
FUNCTIONS = [node for node in STUB["Lib"].body if isinstance(node, ast.FunctionDef)]


@pytest.mark.slow
def test_the_declarations_are_those_of_the_installed_pyghostty() -> None:
    assert MODULE.read_text() == module(), "run python -m tests.terminal.ghostty.write_declarations"


def test_declarations_are_not_parsed() -> None:
    assert not parses()


@pytest.mark.slow
def test_the_declarations_of_another_pyghostty_are_parsed() -> None:
    assert parses("from fugue_tui.terminal.ghostty import declarations\ndeclarations.SOURCE = 0\n")


@pytest.mark.slow
def test_declarations_that_cffi_refuses_are_parsed() -> None:
    assert parses("import sys\nsys.modules['fugue_tui.terminal.ghostty.declarations'] = None\n")


def test_unknown_layouts_of_what_is_passed_by_value_are_refused() -> None:
    tags = "typedef int GhosttyPointTag; typedef int GhosttyTerminalScrollViewportTag; "
    structs = "typedef struct { char c; } GhosttyPoint; typedef struct { char c; } GhosttyTerminalScrollViewport;"
    with pytest.raises(ImportError, match="unknown layout"):
        binding.emit(f"CDEF = {tags + structs!r}".encode())


@pytest.mark.parametrize("name", STRUCTS)
def test_a_struct_has_the_fields_that_its_stub_names(name: str) -> None:
    kind = binding.load().ffi.typeof(name)
    assert set(fields(name)) <= {field for field, _ in kind.fields}


@pytest.mark.parametrize("stub", FUNCTIONS, ids=lambda stub: stub.name)
def test_a_function_takes_as_many_arguments_as_its_stub_names(stub: ast.FunctionDef) -> None:
    ffi, lib = binding.load().ffi, binding.load().lib
    assert len(ffi.typeof(ffi.addressof(lib, stub.name)).args) == len(stub.args.args) - 1


def test_every_constant_of_the_stub_is_in_the_library() -> None:
    constants = fields("Lib")
    assert len(constants) > 50
    assert all(isinstance(getattr(binding.load().lib, name), int) for name in constants)
