"""`fugue-tui show FILE`: shows a file in this terminal."""

from fugue_tui.cli.args import Usage, options_of
from fugue_tui.file_kind import FileKind


def run(arguments: list[str]) -> int:
    """Show it until the user closes it; the exit status."""
    options, positional, rest = options_of(arguments, ("--type",))
    files = [*positional, *rest]
    kind = options.get("--type", FileKind.AUTO.value)
    if kind not in set(FileKind):
        raise Usage(f"show: --type: {kind[:40]!a} is not one of {', '.join(FileKind)}")
    if len(files) != 1:
        raise Usage("show: requires one file")
    from fugue_tui.viewer import app

    return app.run(files[0], FileKind(kind))
