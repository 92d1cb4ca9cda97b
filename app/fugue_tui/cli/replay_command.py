"""`fugue-tui replay FILE`: plays a recording in this terminal, or writes it in another form."""

import math

from fugue_tui.cli.args import Usage, options_of


def run(arguments: list[str]) -> int:
    """Play it until the user closes it, or write what `--export` names; the exit status."""
    options, positional, rest = options_of(arguments, ("--speed", "--idle", "--export"))
    files = [*positional, *rest]
    if len(files) != 1:
        raise Usage("replay: requires one file, an asciicast")
    speed, idle = _number(options, "--speed", 1.0), _number(options, "--idle", 2.0)
    if speed == 0:
        raise Usage("replay: --speed: 0 shows nothing; 1 is as it was")
    if "--export" in options:
        from fugue_tui.viewer import export

        export.run(files[0], options["--export"], speed=speed, idle=idle)
        return 0
    from fugue_tui.viewer import replay

    return replay.run(files[0], speed=speed, idle=idle)


def _number(options: dict[str, str], name: str, default: float) -> float:
    try:
        number = float(options.get(name, default))
    except ValueError:
        number = math.nan
    if not 0 <= number <= 3600:
        raise Usage(f"replay: {name}: {options[name][:40]!a} is no number from 0 to 3600")
    return number
