"""The user's editor as the program of a pane: $VISUAL, $EDITOR, or vi."""

import os
from typing import Final

_EDIT: Final = 'eval "${VISUAL:-${EDITOR:-vi}} \\"\\$@\\""'
"""As git does: the variable may hold options and quotes."""
_ONCE: Final = f"[ -e \"$1\" ] || exit 0; trap 'rm -f -- \"$1\"' EXIT; trap 'exit 1' HUP INT TERM; {_EDIT}"


def editor(path: str, line: int = 0) -> tuple[str, ...]:
    """The arguments that open a file, by its absolute path, at a line if given (`+12`, as vi, Emacs and nano know)."""
    return ("/bin/sh", "-c", _EDIT, "editor", *([f"+{line}"] if line else []), path)


def editor_once(path: str) -> tuple[str, ...]:
    """The same for a temporary file, which is removed when the editor ends."""
    return ("/bin/sh", "-c", _ONCE, "editor", path)


def write_private(text: str) -> str:
    """Write a text to a file that only the user can read; its path. Raises OSError. On a thread of its own."""
    import tempfile

    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    file, path = tempfile.mkstemp(".txt", "fugue-tui-", runtime if os.path.isdir(runtime) else None)
    with open(file, "w", encoding="utf-8", errors="replace") as opened:
        opened.write(text)
    return path
