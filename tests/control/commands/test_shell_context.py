"""Variables and aliases that a shell has for a while, in every shell."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest
from tests.control.every_shell import every, integrated
from tests.control.real_shells import Shell
from tests.control.real_shells import shell as shell
from tests.multiplexer.conftest import agent

from fugue_tui.config.model import McpSettings, UiSettings
from fugue_tui.control.commands.shell_context import InjectContext, Injected, WithdrawContext
from fugue_tui.control.core.command import Interface, Origin
from fugue_tui.control.core.deferred import is_deferred
from fugue_tui.control.dispatch.dispatcher import Dispatcher
from fugue_tui.control.output.pane_titles import pane_title
from fugue_tui.control.shell_exec.context_scripts import ShellContext
from fugue_tui.errors import InvalidArgument, Refused
from fugue_tui.multiplexer.events.pane_events import ContextChanged
from fugue_tui.terminal.emulator.save_format import unpack
from fugue_tui.tui.ui.view_model import shows_titles

pytestmark = pytest.mark.slow


VALUES = {
    "PLAIN": "a b",
    "QUOTES": 'it\'s "quoted" `x` $HOME $(ls) \\ \\\\ !x',
    "SEVERAL": "one\n  two\n\nthree\n",
    "LETTERS": "é日本🙂",
    "EMPTY": "",
}


def inject(shell: Shell, **arguments: object) -> Injected:
    return shell.room.run(InjectContext(pane=str(shell.pane), **arguments), agent())  # pyright: ignore[reportArgumentType]


def withdraw(shell: Shell) -> Injected:
    return shell.room.run(WithdrawContext(pane=str(shell.pane)), agent())


def seen(shell: Shell, name: str) -> str | None:
    """The value that programs in the shell see; None if they see none."""
    out = shell.home / "seen"
    shell.run(f"printenv {name} > {out}")
    found = out.read_text("utf-8")
    return found.removesuffix("\n") if found else None


def set_to(shell: Shell, name: str, value: str) -> None:
    shell.run(f"set -gx {name} '{value}'" if shell.fish else f"export {name}='{value}'")


@every
def test_every_injected_value_is_set_and_withdrawn(shell: Shell) -> None:
    set_to(shell, "PLAIN", "mine  too")
    found = inject(shell, env=VALUES)
    assert (found.active, found.exit_code, found.variables) == (True, 0, tuple(VALUES))
    for name, value in VALUES.items():
        assert seen(shell, name) == value
    assert "quoted" not in shell.text
    assert "fugue: PLAIN, QUOTES, SEVERAL, LETTERS, EMPTY set for a while" in shell.text.replace("\n", "")
    assert not withdraw(shell).active
    assert seen(shell, "PLAIN") == "mine  too"
    for name in list(VALUES)[1:]:
        assert seen(shell, name) is None
    with pytest.raises(Refused, match="nothing is injected"):
        withdraw(shell)
    left = shell.run("set | grep -i __fugue_was").text
    assert "PLAIN" not in left


@every
def test_a_variable_that_was_not_exported_is_so_again(shell: Shell) -> None:
    shell.run("set -g LOCAL here" if shell.fish else "LOCAL=here")
    language = seen(shell, "LANG")
    assert language
    inject(shell, env={"LOCAL": "there", "LANG": "POSIX"})
    assert seen(shell, "LOCAL") == "there"
    assert seen(shell, "LANG") == "POSIX"
    withdraw(shell)
    assert seen(shell, "LOCAL") is None
    assert shell.run("echo $LOCAL").text == "here"
    assert seen(shell, "LANG") == language


@every
def test_aliases_come_and_go(shell: Shell) -> None:
    inject(shell, aliases={"newer": "echo it\\'s new" if shell.fish else 'echo "it\'s" new', "other": "echo other"})
    assert shell.run("newer").text == "it's new"
    assert shell.run("other").text == "other"
    inject(shell, aliases={"other": "echo another"})
    assert shell.run("other").text == "another"
    withdraw(shell)
    assert shell.run("newer").exit_code == 127
    assert shell.run("other").exit_code == 127


@every
def test_no_alias_takes_the_place_of_a_command_of_the_user(shell: Shell) -> None:
    shell.run("alias mine 'echo before'" if shell.fish else "alias mine='echo before'")
    shell.run("function own; echo own; end" if shell.fish else "own() { echo own; }")
    for name in ("mine", "own", "ls", "cd"):
        with pytest.raises(Refused, match=f"aliases: {name} is a command"):
            inject(shell, env={"A": "1"}, aliases={"unused": "echo unused", name: "echo injected"})
    assert [shell.run(name).text for name in ("mine", "own")] == ["before", "own"]
    assert shell.run("unused").exit_code == 127
    assert seen(shell, "A") is None
    assert not shell.room.mux.injected_contexts


SECRET = "supersecret-123"


def arguments_of_processes() -> str:
    """The command lines of all processes but this one."""
    found = list[bytes]()
    for name in filter(str.isdecimal, os.listdir("/proc")):
        with suppress(OSError):
            found.append(b"" if int(name) == os.getpid() else Path(f"/proc/{name}/cmdline").read_bytes())
    return b"\n".join(found).decode(errors="replace")


@every
def test_injected_values_are_shown_nowhere(shell: Shell) -> None:
    mux, terminal, processes = shell.room.mux, shell.room.mux.terminal(shell.pane), list[str]()
    mux.on_event.connect(lambda pane, event: processes.append(arguments_of_processes()))
    trace = "set -g fish_trace 1" if shell.fish else "set -x"
    shell.run("echo before")
    shell.run(trace)
    mux.permissions = McpSettings(trust="full")
    dispatcher = Dispatcher(mux)
    later = dispatcher.run(InjectContext(pane=str(shell.pane), env={"API_TOKEN": SECRET}), agent())
    assert is_deferred(later)
    shell.room.awaited(later)
    inject(shell, aliases={"newer": f"echo {SECRET}"}, functions={"made": f"echo {SECRET}"})
    shell.run("set -e fish_trace" if shell.fish else "set +x")
    processes.append(arguments_of_processes())
    saved = unpack(terminal.saved()).past.decode()
    shown = [
        *(str(shell.room.say(f"{each} {shell.pane}")) for each in ("list-commands", "snapshot-pane", "read-pane")),
        str(shell.room.say("list-events --limit 500")),
        str(shell.room.say(f"read-pane {shell.pane} --source scrollback")),
        shell.run("history").text,
        *map(str, dispatcher.audit),
        saved,
        *processes,
        *(path.read_text("utf-8", "replace") for path in shell.home.rglob("*") if path.is_file()),
    ]
    assert not [text for text in shown if SECRET in text]
    assert "API_TOKEN" not in saved
    assert seen(shell, "API_TOKEN") == SECRET


@integrated
def test_what_fugue_types_for_itself_is_no_last_command(shell: Shell) -> None:
    shell.run("echo before")
    inject(shell, env={"A": "1"})
    for answer in ("list-commands", "snapshot-pane", "detect-intent"):
        assert "__fugue" not in str(shell.room.say(f"{answer} {shell.pane}"))
    listed = shell.room.say(f"list-commands {shell.pane}").commands
    assert [each.line.strip() for each in listed] == ["echo before"]
    assert shell.room.say(f"read-pane {shell.pane} --source last_command").text.strip() == "before"
    withdraw(shell)
    assert [each.line.strip() for each in shell.room.say(f"list-commands {shell.pane}").commands] == ["echo before"]


@every
def test_functions_come_and_go(shell: Shell) -> None:
    body = "set -l n $argv[1]\necho it\\'s $n" if shell.fish else 'n=$1\necho "it\'s" $n'
    found = inject(shell, functions={"made": body, "broken": "end" if shell.fish else "fi"})
    assert found.functions == ("made", "broken")
    assert "broken has an error" in shell.text.replace("\n", "")
    assert shell.run("made new").text == "it's new"
    inject(shell, functions={"made": "echo again"})
    assert shell.run("made").text == "again"
    withdraw(shell)
    assert shell.run("made").exit_code == 127


@integrated
def test_functions_expire_and_take_no_name_that_is_taken(shell: Shell) -> None:
    with pytest.raises(Refused, match="functions: ls is a command"):
        inject(shell, functions={"ls": "echo mine"})
    inject(shell, functions={"made": "echo made"}, expires_after_commands=1)
    with pytest.raises(InvalidArgument, match="made is an alias already"):
        inject(shell, aliases={"made": "echo alias"})
    assert shell.run("made").text == "made"
    assert shell.run("made").exit_code == 127


LOADED = ("PATH", "LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "GLIBC_TUNABLES", "path")
SHELLS_OWN = ("BASH_ENV", "ENV", "IFS", "SHELLOPTS", "ZDOTDIR", "CDPATH", "FPATH", "fish_function_path", "MAILPATH")
PROMPTS = ("PROMPT_COMMAND", "PS1", "PS4", "RPROMPT", "precmd_functions")
OTHERS = ("HOME", "XDG_CONFIG_HOME", "FUGUE_SOCKET")


@pytest.mark.parametrize("name", [*LOADED, *SHELLS_OWN, *PROMPTS, *OTHERS])
def test_variables_that_decide_what_the_user_s_own_commands_do_are_refused(name: str) -> None:
    with pytest.raises(InvalidArgument, match=f"env: {name} decides .*; for one command"):
        ShellContext({"FINE": "1", name: "x"}).checked()


@pytest.mark.parametrize(
    "name", ["PATHS", "MY_PATH", "PSQL", "TOKEN", "ENVIRONMENT", "PYTHONUNBUFFERED", "SHARED", "LDAP"]
)
def test_other_variables_are_accepted(name: str) -> None:
    assert ShellContext({name: "x"}).checked()


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_context_is_withdrawn_when_its_client_is_gone(shell: Shell) -> None:
    client = subprocess.Popen(["cat"], stdin=subprocess.PIPE)
    origin = Origin(Interface.MCP, client="test", pid=client.pid)
    shell.room.run(InjectContext(pane=str(shell.pane), env={"A": "1"}), origin)
    assert seen(shell, "A") == "1"
    client.communicate()
    shell.room.skip(60)
    shell.room.until(lambda: not shell.room.mux.injected_contexts)
    assert seen(shell, "A") is None


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_a_pane_shows_that_something_is_injected(shell: Shell) -> None:
    mux = shell.room.mux
    events: list[object] = []
    mux.on_event.connect(lambda pane, event: events.append(event))
    inject(shell, env={"A": "1"})
    assert ContextChanged() in events
    assert "injected" in pane_title(mux, shell.pane).state
    assert shows_titles(mux, mux.workspace.windows[0], UiSettings())
    events.clear()
    shell.room.run(WithdrawContext())
    assert ContextChanged() in events
    assert "injected" not in pane_title(mux, shell.pane).state
    assert not shows_titles(mux, mux.workspace.windows[0], UiSettings())


@every
def test_several_injections_are_withdrawn_to_the_first_state(shell: Shell) -> None:
    set_to(shell, "A", "0")
    inject(shell, env={"A": "1"})
    found = inject(shell, env={"A": "2", "B": "3"})
    assert found.variables == ("A", "B")
    assert (seen(shell, "A"), seen(shell, "B")) == ("2", "3")
    withdraw(shell)
    assert (seen(shell, "A"), seen(shell, "B")) == ("0", None)


@integrated
def test_it_expires_after_some_commands(shell: Shell) -> None:
    found = inject(shell, env={"A": "1"}, expires_after_commands=2)
    assert found.expires_after == 2
    assert shell.run("echo $A").text == "1"
    assert shell.run("echo $A").text == "1"
    assert shell.run('echo "got:$A:"').text == "got::"
    shell.room.until(lambda: not shell.room.mux.injected_contexts)
    assert "A as before" in shell.text


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_context_that_expires_while_the_user_types_is_withdrawn_later(shell: Shell) -> None:
    terminal = shell.room.mux.terminal(shell.pane)
    inject(shell, env={"A": "1"}, expires_after_commands=1)
    shell.room.until(lambda: terminal.shell.at_input)
    later = shell.begin("sleep 0.5")
    shell.room.until(lambda: terminal.foreground == "sleep")
    terminal.write(b"echo mine")
    shell.room.awaited(later)
    shell.room.until(lambda: terminal.shell.typed.strip() == "echo mine")
    shell.room.until(lambda: not shell.room.mux.pane_queue.waiting(shell.pane))
    assert shell.room.mux.injected_contexts
    terminal.write(b"\r")
    shell.room.until(lambda: not shell.room.mux.injected_contexts)
    assert shell.run('echo "got:$A:"').text == "got::"


@pytest.mark.parametrize("shell", ["bash", "zsh", "dash"], indirect=True)
def test_context_is_injected_into_shells_with_strict_options(shell: Shell) -> None:
    shell.run("set -eu")
    assert inject(shell, env={"A": "1"}, aliases={"zz": "echo zz"}).exit_code == 0
    assert shell.run("zz").text == "zz"
    assert withdraw(shell).exit_code == 0
    assert shell.run("echo ${A-none}").text == "none"


@pytest.mark.parametrize("shell", ["bash", "dash"], indirect=True)
def test_what_cannot_be_set_is_refused(shell: Shell) -> None:
    shell.run("true")
    for wrong in (
        {"env": {"A-B": "1"}},
        {"env": {"A": "x\0y"}},
        {"env": {"A": "x\x03y"}},
        {"env": {"__fugue_was_A": "1"}},
        {"aliases": {"a b": "1"}},
        {"aliases": {"a;b": "1"}},
        {},
    ):
        with pytest.raises(InvalidArgument):
            inject(shell, **wrong)
    if shell.kind == "dash":
        with pytest.raises(InvalidArgument, match="cannot be counted"):
            inject(shell, env={"A": "1"}, expires_after_commands=1)
    with pytest.raises(Refused, match="your own pane"):
        InjectContext(pane=str(shell.pane), env={"A": "1"}).run(shell.room.mux, agent(shell.pane))


@pytest.mark.parametrize("shell", ["bash"], indirect=True)
def test_what_the_shell_does_not_take_is_reported(shell: Shell) -> None:
    shell.run("readonly FIXED=1")
    found = inject(shell, env={"FIXED": "2", "A": "1"})
    assert "readonly" in shell.text
    assert found.active
    withdraw(shell)
    assert seen(shell, "A") is None
    assert not [name for name in os.listdir(os.environ["XDG_RUNTIME_DIR"]) if name.startswith("fugue-c")]
