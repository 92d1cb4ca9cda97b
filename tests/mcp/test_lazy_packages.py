"""Packages whose initializers run on demand, and the imports of the first MCP client."""

import subprocess
import sys
from pathlib import Path

PACKAGE = {
    "__init__.py": "print('outer')\nfrom outer.inner.leaf import name",
    "inner/__init__.py": "print('inner')\nother = 2",
    "inner/leaf.py": "name = 1",
}


def printed(folder: Path, code: str) -> str:
    """What code prints in a process that has declared the package lazy."""
    for name, text in PACKAGE.items():
        file = folder / "outer" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    imports = "from fugue_tui.optional_imports import without\nfrom fugue_tui_mcp.lazy_packages import declare\n"
    start = f"import sys\nsys.path.insert(0, {str(folder)!r})\n{imports}"
    return run(f"{start}declare('outer', 'outer.inner')\n{code}")


def run(code: str) -> str:
    """What code prints."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout


def test_a_module_is_imported_without_the_initializers_of_its_packages(tmp_path: Path) -> None:
    assert printed(tmp_path, "from outer.inner.leaf import name; print(name)") == "1\n"


def test_an_initializer_runs_once_when_a_name_of_its_package_is_used(tmp_path: Path) -> None:
    code = "import outer.inner.leaf\nfrom outer import name\nprint(name, outer.name, outer.inner.leaf.name)"
    assert printed(tmp_path, code) == "outer\n1 1 1\n"
    assert printed(tmp_path, "import outer\nprint(outer.inner.other, outer.inner.other)") == "inner\n2 2\n"


def test_a_lazy_package_lacks_what_its_initializer_does_not_define(tmp_path: Path) -> None:
    code = "import outer\nprint(hasattr(outer, '__no__'))\nprint(hasattr(outer, 'no'), hasattr(outer, 'no'))"
    assert printed(tmp_path, code) == "False\nouter\nFalse False\n"


def test_an_imported_package_does_not_become_lazy(tmp_path: Path) -> None:
    assert (
        printed(tmp_path, "import json\ndeclare('json', 'no_such_package')\nprint(type(json).__name__)") == "module\n"
    )


def test_an_optional_module_is_absent_only_within_the_context(tmp_path: Path) -> None:
    code = (
        "import json\n"
        "with without('csv'), without('json'):\n"
        "    import json\n"
        "    try:\n        import csv\n"
        "    except ImportError:\n        print('absent')\n"
        "import csv\nprint(csv.__name__, sys.modules['json'].__name__)"
    )
    assert printed(tmp_path, code) == "absent\ncsv json\n"


def test_the_first_agent_imports_no_client_web_server_or_cryptography() -> None:
    code = (
        "import sys, fugue_tui_mcp.sdk_import as module\n"
        "module.session_module()\n"
        "unused = {'mcp.client', 'mcp.server.mcpserver', 'uvicorn', 'cryptography', 'httpx2'}\n"
        "print(sorted(unused & set(sys.modules)))\n"
        "import mcp, uvicorn.main\n"
        "print(mcp.ClientSession.__name__, mcp.server.MCPServer.__name__)"
    )
    assert run(code) == "[]\nClientSession MCPServer\n"
