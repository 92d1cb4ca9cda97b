"""The entry point: `fugue-tui`, or `python -m fugue_tui`."""

import sys


def main() -> int:
    """Run the command line; the exit status."""
    from fugue_tui.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
