"""The command line: starts workspaces, runs commands in a running one, and connects MCP clients to it.

Expensive imports are deferred to the subcommand that needs them: a command to a running workspace loads only the
client, and `mcp` only the bridge.
"""

import importlib
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from fugue_tui.cli.args import Usage, as_json, complain, echo, json_form, options_of, split_own, write
from fugue_tui.errors import FugueError, InvalidArgument, NotRunning, SocketError, Switched, UnknownCommand

_FROM_FILES = frozenset({"list-layouts", "list-saved"})
"""Commands that list files, so that they are answered where no workspace runs, too."""


def run(arguments: Sequence[str]) -> int:
    """Run the command line; the exit status: 0, 1 if it failed, 2 for malformed arguments, or that of the program that
    was run.

    The outermost error handler: every exception becomes one line, or a traceback if FUGUE_DEBUG is set.
    """
    try:
        return _followed(lambda: _route(list(arguments)))
    except FugueError as error:
        return _failed(error, _form_of_errors(arguments))
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 1
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("FUGUE_DEBUG"):
            raise
        complain(f"internal: {type(error).__name__}: {error}; a bug, FUGUE_DEBUG=1 shows where")
        return 1


def _followed(call: Callable[[], int]) -> int:
    """Call what may show a workspace, and show the others that the user switches to; the exit status of the last."""
    while True:
        try:
            return call()
        except Switched as switched:
            call = partial(_switch, switched)


def _switch(switched: Switched) -> int:
    """Show another workspace on this terminal, starting it first if it does not run."""
    from fugue_tui.cli import start_args

    prefix = ["--prefix", switched.prefix] if switched.prefix else []
    read_only = ["--read-only"] if switched.read_only else []
    return start_args.start(start_args.StartRequest(["--workspace", switched.workspace, *prefix, *read_only]))


def _form_of_errors(arguments: Sequence[str]) -> str:
    """The form of JSON in which errors are printed; empty for text."""
    with suppress(Usage):
        return json_form(arguments)
    return ""


def _route(arguments: list[str]) -> int:
    first = arguments[0] if arguments else ""
    if not first or first.startswith("-"):
        return _SUBCOMMANDS[first](arguments[1:]) if first in _SUBCOMMANDS else _start(arguments)
    from fugue_tui.cli import tmux_words

    arguments = tmux_words.rewritten(arguments)
    first = arguments[0]
    if first in _SUBCOMMANDS:
        return _SUBCOMMANDS[first](arguments[1:])
    if hint := tmux_words.hint(first):
        raise UnknownCommand(hint)
    if json_form(arguments) or ("-" in first[1:] and not _runs(first)):
        return _command(arguments)
    return _start(arguments)


def _runs(word: str) -> bool:
    """Whether a word that looks like a command is the name of a running workspace. That workspace is asked, which is
    faster than loading all commands."""
    from fugue_tui import sockets
    from fugue_tui.client import command_request

    try:
        path = sockets.path_of(word)
        return (
            os.path.lexists(path)
            and _error_code(command_request.ask(path, [word, "--help"], 5.0)) == UnknownCommand.code
        )
    except SocketError:
        return False


def _start(arguments: list[str]) -> int:
    from fugue_tui.cli import start_args

    if {"--help", "-h"} & set(_own_words(arguments)):
        return _help()
    if "--version" in _own_words(arguments):
        return _version()
    return start_args.start(start_args.StartRequest(arguments), _refusal)


def _new(arguments: list[str]) -> int:
    from fugue_tui.cli import start_args

    if {"--help", "-h"} & set(_own_words(arguments)):
        return _help("new")
    asked = start_args.StartRequest(arguments)
    if not asked.workspace:
        raise Usage("new: requires the workspace's name, such as fugue-tui new shop")
    return start_args.start(asked)


def _own_words(arguments: list[str]) -> list[str]:
    """The words before `--`; the words after it belong to the program to run."""
    return arguments[: arguments.index("--")] if "--" in arguments else arguments


def _command(arguments: list[str]) -> int:
    """Run a command in a running workspace; a word that is no command may name a saved workspace."""
    words, where, form = split_own(arguments)
    if "--help" in words or "-h" in words:
        return _help(words[0])
    from fugue_tui import sockets
    from fugue_tui.client import command_request

    try:
        answer = command_request.ask(sockets.find(where.get("--workspace", ""), where.get("--socket", "")), words)
    except SocketError as error:
        if len(words) == 1 and words[0] in _FROM_FILES and not where:
            return _show(_from_files(words[0]), form)
        if _is_unknown(words[0]):
            return _named(arguments, form)
        start = f"fugue-tui new {where['--workspace']}" if "--workspace" in where else "fugue-tui"
        way_out = f"; start one with: {start}" if isinstance(error, NotRunning) else ""
        return _failed(type(error)(f"{error}{way_out}"), form)
    except FugueError as error:
        return _failed(error, form)
    if _error_code(answer) == UnknownCommand.code and _is_unknown(words[0]):
        return _named(arguments, form)
    if "--output" in where and not answer.get("exit"):
        write(_data(answer, form), where["--output"])
        return _exit_status(answer)
    return _show(answer, form)


def _from_files(command: str) -> dict[str, object]:
    """The answer of a command that lists files, without a workspace. Raises SaveError."""
    from fugue_tui.control.commands import layout_files, save
    from fugue_tui.control.schema.table import render
    from fugue_tui.store.paths import state_dir
    from fugue_tui.store.store import Store
    from fugue_tui.validation.annotations import dump

    found = dump(layout_files.listed(os.getcwd()) if command == "list-layouts" else save.saved(Store(state_dir())))
    return {"text": render(found), "json": found, "exit": 0}


def _data(answer: dict[str, object], form: str) -> bytes:
    """The bytes for `--output`: the image if the answer has one, else what would be printed."""
    found = answer.get("json")
    if form:
        return as_json(found, form).encode(errors="replace") + b"\n"
    from typing import cast

    image = cast("dict[str, object]", found).get("image") if isinstance(found, dict) else ""
    if isinstance(image, str) and image:
        from base64 import b64decode

        return b64decode(image)
    return str(answer.get("text")).encode(errors="replace") + b"\n"


def _named(arguments: list[str], form: str) -> int:
    """Start the workspace that a word names; with arguments that only a command accepts, report an unknown command."""
    from fugue_tui.cli.start_args import StartRequest
    from fugue_tui.control.introspection import known

    try:
        with suppress(Usage):
            if StartRequest(arguments).positional:
                return _start(arguments)
        known(arguments[0])
    except UnknownCommand as error:
        return _failed(error, form)
    raise AssertionError(f"{arguments[0]} is a command")


def _refusal(word: str) -> str:
    """Why a word starts no new workspace: it is a command, a mistyped command, or neither."""
    from fugue_tui.control.introspection import verbs
    from fugue_tui.control.schema.command_line import nearest, unknown

    if word in _SUBCOMMANDS or word in verbs():
        return f"{word} is a command, and comes first: fugue-tui {word}"
    name, near = ascii(word[:40])[1:-1], nearest(word, _SUBCOMMANDS, 0.7)
    reason = (
        unknown(word, _SUBCOMMANDS, 0.7) if near else f"no command {name}, and no workspace {name} runs or is saved"
    )
    return f"{reason} (fugue-tui new {name} starts a workspace)"


def _policy(arguments: list[str]) -> int:
    """`policy` is `show-policy`; `policy explain WORDS...` is `explain-policy`, for a call in words."""
    if arguments[:1] != ["explain"]:
        return _command(["show-policy", *arguments])
    import shlex

    words, where, form = split_own(arguments[1:])
    own = [part for name, value in where.items() for part in (name, value)]
    return _command(["explain-policy", f"--call={shlex.join(words)}", *own, *([f"--json={form}"] if form else [])])


def _show(answer: dict[str, object], form: str) -> int:
    status = answer.get("exit")
    if form:
        echo(as_json(answer.get("json"), form))
    elif status:
        complain(str(answer.get("text")))
    elif text := answer.get("text"):
        echo(str(text))
    if status == 0:
        return _exit_status(answer, silent=bool(form))
    return status if isinstance(status, int) else 1


def _exit_status(answer: dict[str, object], *, silent: bool = False) -> int:
    """The exit status of a command that succeeded; prints its note on the outcome, if any, to stderr."""
    status, aside = answer.get("status"), answer.get("aside")
    if aside and not silent:
        complain(str(aside))
    return status if isinstance(status, int) else 0


def _failed(error: FugueError, form: str) -> int:
    found = {"error": {"code": error.code, "message": str(error)}}
    return _show({"text": str(error), "json": found, "exit": _status(error)}, form)


def _status(error: FugueError) -> int:
    return 2 if isinstance(error, UnknownCommand | InvalidArgument) else 1


def _error_code(answer: dict[str, object]) -> str:
    found = answer.get("json")
    error = found.get("error") if isinstance(found, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return str(error.get("code")) if isinstance(error, dict) else ""  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def _is_unknown(verb: str) -> bool:
    """Whether no command has that name."""
    from fugue_tui.control.introspection import verbs

    return verb not in verbs()


def _mcp(arguments: list[str]) -> int:
    options, positional, program = options_of(arguments, ("--workspace", "--socket"), ("--url", "--token"))
    if "--help" in options:
        return _help("mcp")
    if positional or program:
        raise Usage(f"mcp: {(positional or program)[0][:40]!a}: unexpected argument; it takes --workspace and --socket")
    if options.keys() & {"--url", "--token"}:
        return _http_address(options)
    from fugue_tui_mcp.bridge.stdio_bridge import main

    return main(options.get("--workspace", ""), options.get("--socket", ""))


def _http_address(options: dict[str, str]) -> int:
    """Print where a workspace serves MCP over HTTP, or the token; never both, so that no token is shown by chance."""
    import shlex

    from fugue_tui import sockets
    from fugue_tui_mcp import http_address

    file, address = http_address.find(sockets.find(options.get("--workspace", ""), options.get("--socket", "")))
    if "--token" in options:
        echo(address.token)
        return 0
    where = "".join(f" {name} {shlex.quote(value)}" for name, value in options.items() if value)
    echo(http_address.USAGE.format(url=address.url, file=file, where=where))
    return 0


def _reflect(arguments: list[str]) -> int:
    options, positional, _ = options_of(arguments, ("--format",))
    if "--help" in options:
        return _help("reflect")
    if positional:
        raise Usage(f"reflect: {positional[0][:40]!a}: unexpected argument; it takes --format")
    from fugue_tui.control.introspection import Format, reflect

    wanted = options.get("--format", "tree")
    if wanted not in set(Format):
        raise Usage(f"reflect: --format: {wanted[:40]!a} is not one of {', '.join(Format)}")
    echo(reflect(Format(wanted)).rstrip("\n"))
    return 0


def _config(arguments: list[str]) -> int:
    options, positional, _ = options_of(arguments, ("--config",))
    if "--help" in options:
        return _help("config")
    from fugue_tui.cli.config_command import ACTIONS

    if len(positional) != 1 or positional[0] not in ACTIONS:
        raise Usage(f"config: requires one of {', '.join(ACTIONS)}")
    return ACTIONS[positional[0]](options.get("--config", ""))


def _say(arguments: list[str]) -> int:
    if {"--help", "-h"} & set(_own_words(arguments)):
        return _help("say")
    from fugue_tui.cli.say_command import run

    return run(arguments)


def _tmux(arguments: list[str]) -> int:
    """Do what a command of tmux does, in the workspace that its target names, or the usual one."""
    words, where, form = split_own(arguments)
    if not words or words[0] in ("--help", "-h"):
        return _help("tmux")
    from fugue_tui.cli import tmux_words

    name, words = tmux_words.aimed(words)
    if name and words == ["kill-session"]:
        return _SUBCOMMANDS["kill-server"]([name])
    from fugue_tui import sockets
    from fugue_tui.client import command_request

    try:
        path = sockets.find(where.get("--workspace", name), where.get("--socket", ""))
        answer = command_request.ask(path, ["run-tmux-command", "--base-index", "1", "--", *words])
    except NotRunning as error:
        return _failed(NotRunning(f"{error}; start one with: fugue-tui"), form)
    return _show({**answer, "text": str(answer.get("text", "")).removeprefix("run-tmux-command: ")}, form)


def _claude(arguments: list[str]) -> int:
    from fugue_tui.cli.claude_command import run

    return run(arguments)


def _hook(arguments: list[str]) -> int:
    if {"--help", "-h"} & set(arguments):
        return _help("hook")
    from fugue_tui.cli.hook_command import run

    return run(arguments)


def _show_file(arguments: list[str]) -> int:
    if {"--help", "-h"} & set(_own_words(arguments)):
        return _help("show")
    from fugue_tui.cli.show_command import run

    return run(arguments)


def _replay(arguments: list[str]) -> int:
    if {"--help", "-h"} & set(_own_words(arguments)):
        return _help("replay")
    from fugue_tui.cli.replay_command import run

    return run(arguments)


def _web(arguments: list[str]) -> int:
    if {"--help", "-h"} & set(_own_words(arguments)):
        return _help("web")
    from fugue_tui.cli.web_command import run

    return run(arguments)


def _open(arguments: list[str]) -> int:
    if {"--help", "-h"} & set(arguments):
        return _help("open")
    from fugue_tui.cli.open_project import run

    return run(arguments)


def _version() -> int:
    from fugue_tui import __version__

    echo(f"fugue-tui {__version__}")
    return 0


def _help(verb: str = "") -> int:
    from fugue_tui.cli.subcommands import help_of, usage
    from fugue_tui.control.introspection import known, listing, verbs
    from fugue_tui.control.schema.command_line import help_text

    if verb in _SUBCOMMANDS and verb not in verbs():
        echo(help_of(verb).rstrip("\n"))
    else:
        echo(help_text(known(verb)).rstrip("\n") if verb else f"{usage()}\n{listing()}")
    return 0


def _whole(verb: str) -> Callable[[list[str]], int]:
    """A subcommand on a whole workspace; its module is loaded when it is called."""

    def run(arguments: list[str]) -> int:
        if {"--help", "-h"} & set(_own_words(arguments)):
            return _help(verb)
        module = importlib.import_module(f"fugue_tui.cli.{_WHOLE[verb]}")
        return getattr(module, verb.replace("-", "_"))(arguments)

    return run


_WHOLE = {
    **dict.fromkeys(("attach", "detach", "rename", "kill-server"), "workspace_commands"),
    "serve": "start_args",
    "ls": "workspace_list",
    "audit": "audit_command",
    "setup": "setup.setup",
    "doctor": "doctor.doctor",
    "completions": "completions.completions",
    "man": "man_page",
}
_SUBCOMMANDS: dict[str, Callable[[list[str]], int]] = {
    "mcp": _mcp,
    "reflect": _reflect,
    "config": _config,
    "policy": _policy,
    "popup": lambda arguments: _command(["display-popup", *arguments]),
    "say": _say,
    "show": _show_file,
    "replay": _replay,
    "web": _web,
    "hook": _hook,
    "claude": _claude,
    "open": _open,
    "tmux": _tmux,
    "new": _new,
    "help": lambda arguments: _help(arguments[0] if arguments else ""),
    **{verb: _whole(verb) for verb in _WHOLE},
}
