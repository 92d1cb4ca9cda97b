"""Shells with marks start as they would without: the same files, the same environment, the same options."""

import re
from pathlib import Path

import pytest
from tests.terminal.shell_integration.conftest import SHELLS, Shell, Start

pytestmark = pytest.mark.slow


BASH_FILES = {
    ".bash_profile": "echo file:bash_profile\n. ~/.bashrc\n",
    ".profile": "echo file:profile\n",
    ".bashrc": "echo file:bashrc\nPS1='b> '\n",
    ".bash_logout": "echo out > ~/logged-out\n",
    "other": "echo file:other\nPS1='o> '\n",
}
ZSH_FILES = {name: f"echo file:{name}\nPS1='z> '\n" for name in (".zshenv", ".zprofile", ".zshrc", ".zlogin")}


def _read(shell: Shell) -> list[str]:
    """The start-up files that the shell said it read."""
    shell.wait(lambda: re.search("^(b|o|z|env)>", shell.text, re.MULTILINE))
    return re.findall(r"^file:(\S+)", shell.text, re.MULTILINE)


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize(
    ("arguments", "login", "expected"),
    [
        ((), False, ["bashrc"]),
        ((), True, ["bash_profile", "bashrc"]),
        (("-l",), False, ["bash_profile", "bashrc"]),
        (("--rcfile", "other"), False, ["other"]),
        (("--norc",), False, []),
    ],
)
def test_bash_reads_its_files_in_order(
    arguments: tuple[str, ...], login: bool, expected: list[str], marks: bool, start: Start
) -> None:
    shell = start("bash", *arguments, files=BASH_FILES, login=login, marks=marks, env={"PS1": "env> "})
    assert _read(shell) == expected


@pytest.mark.parametrize(("kept", "expected"), [(".profile", ["profile"]), (".bash_login", ["login"])])
def test_a_login_bash_without_a_profile_of_its_own_reads_the_next(kept: str, expected: list[str], start: Start) -> None:
    shell = start("bash", login=True, files={kept: f"echo file:{expected[0]}\nPS1='b> '\n"})
    assert _read(shell) == expected


def test_a_login_bash_reads_bash_logout(start: Start) -> None:
    shell = start("bash", login=True, files=BASH_FILES)
    assert shell.said("shopt login_shell; echo $0").split() == ["login_shell", "on", "-bash"]
    shell.type("logout\r")
    shell.wait(lambda: shell.witness.exits)
    assert (shell.home / "logged-out").exists()


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("elsewhere", [True, False])
@pytest.mark.parametrize(("login", "names"), [(False, [".zshenv", ".zshrc"]), (True, list(ZSH_FILES))])
def test_zsh_reads_its_files_in_order(
    login: bool, names: list[str], elsewhere: bool, marks: bool, start: Start, home: Path
) -> None:
    files = {f"dot/{name}": text for name, text in ZSH_FILES.items()} if elsewhere else ZSH_FILES
    env = {"ZDOTDIR": str(home / "dot")} if elsewhere else {}
    assert _read(start("zsh", files=files, login=login, marks=marks, env=env)) == names


def test_zsh_follows_a_zshenv_that_moves_the_files(start: Start) -> None:
    shell = start("zsh", files={".zshenv": "ZDOTDIR=~/moved\n", "moved/.zshrc": "echo file:moved\nPS1='z> '\n"})
    assert _read(shell) == ["moved"]
    assert shell.run("true").trusted


@pytest.mark.parametrize("login", [False, True])
@pytest.mark.parametrize("kind", SHELLS)
def test_programs_see_the_same_environment(kind: str, login: bool, start: Start) -> None:
    seen: list[dict[str, str]] = []
    env = {"ENV": "/e n v", "ZDOTDIR": "", "XDG_DATA_DIRS": "/data"} if kind != "zsh" else {"ENV": "/e"}
    for marks in (True, False):
        shell = start(kind, login=login, marks=marks, env=env, files={".zshrc": ""})
        target = shell.home / f"environment-{marks}"
        shell.type(f"env -0 > {target}.part; mv {target}.part {target}\r")
        shell.until(target.exists)
        pairs = target.read_text().split("\0")[:-1]
        seen.append(dict(pair.split("=", 1) for pair in pairs))
    assert seen[0] == seen[1]
    assert not [name for name in seen[0] if name.startswith("FUGUE_SHELL")]


@pytest.mark.parametrize(
    ("kind", "ask"),
    [
        ("bash", "set -o; shopt; echo $HISTFILE; trap -p; alias; echo ${POSIXLY_CORRECT-none}"),
        ("zsh", "setopt; echo $HISTFILE; alias; trap"),
        ("fish", "set -S fish_function_path fish_complete_path; abbr; status is-login"),
    ],
)
@pytest.mark.parametrize("login", [False, True])
def test_options_are_the_same(kind: str, ask: str, login: bool, start: Start) -> None:
    told: list[str] = []
    for marks in (True, False):
        shell = start(kind, login=login, marks=marks)
        target = shell.home / f"options-{marks}"
        braces = ("begin;", "end") if kind == "fish" else ("{", "}")
        shell.type(f"{braces[0]} {ask}; {braces[1]} > {target}.part; mv {target}.part {target}\r")
        shell.until(target.exists)
        told.append(target.read_text())
    assert told[0] == told[1]


def test_the_history_of_a_login_bash_is_its_own(start: Start) -> None:
    shell = start("bash", login=True, files={".bash_history": "echo remembered\n"})
    assert shell.said("history | head -n 1").endswith("echo remembered")


@pytest.mark.parametrize("kind", ["bash", "zsh"])
@pytest.mark.parametrize("options", ["set -u", "set -e", "set -o vi", "set -o noclobber", "set -f"])
def test_options_of_the_user_do_no_harm(kind: str, options: str, start: Start) -> None:
    name = {"bash": ".bashrc", "zsh": ".zshrc"}[kind]
    shell = start(kind, files={name: f"PS1='p> '\n{options}\n"})
    for line, output in (("echo one", "one"), ("! true", ""), ("echo two", "two")):
        assert shell.said(line) == output
    shell.type("\r")
    assert shell.said("echo three") == "three"
    assert "__fugue" not in shell.text


def test_hooks_of_bash_are_kept(start: Start) -> None:
    bashrc = """
    trap 'true debugged' DEBUG
    PS0='<PS0>'
    remember() { code=$?; count=$((${count-0} + 1)); PS1="[$code:$count] "; }
    PROMPT_COMMAND='remember;'
    """
    shell = start("bash", files={".bashrc": bashrc})
    record = shell.run("(exit 3)")
    assert (record.line, record.exit_code, shell.output(record)) == ("(exit 3)", 3, "")
    shell.run("true")
    assert "<PS0>" in shell.text
    shell.wait(lambda: "[3:2] true" in shell.text)
    assert "true debugged" in shell.said("trap -p DEBUG")
    assert shell.said("echo $?").endswith("0")
    shell.run("false")
    assert shell.said("echo $?").endswith("1")
    shell.type("PROMPT_COMMAND='PS1=\"chan\"ged'\r\r")
    shell.wait(lambda: "changed" in shell.text)


def test_commands_added_to_a_prompt_later_run_before_the_marks(start: Start) -> None:
    shell = start("bash")
    shell.run("PROMPT_COMMAND=\"$PROMPT_COMMAND; PS1='later '\"")
    for _ in range(2):
        shell.enter("true")
    shell.wait(lambda: shell.text.endswith("later"))
    assert shell.terminal.shell.typed == ""
    shell.type("abc")
    shell.wait(lambda: shell.terminal.shell.typed == "abc")


def test_a_bash_with_several_prompt_commands_keeps_them(start: Start) -> None:
    shell = start("bash", files={".bashrc": "PROMPT_COMMAND=('one=$?' 'two=$?; PS1=\"$one$two \"')\n"})
    shell.run("(exit 7)")
    shell.run("PROMPT_COMMAND+=('three=3')")
    shell.enter("true")
    assert "77" in shell.text
    assert shell.said("echo $three ${#PROMPT_COMMAND[@]}") == "3 5"


def test_a_prompt_with_marks_is_not_what_a_hook_sees(start: Start) -> None:
    shell = start("bash", files={".bashrc": "PS1='$ '\nPROMPT_COMMAND='seen=$PS1'\n"})
    shell.run("true")
    assert shell.said('printf %s "$seen"') == "$"


def test_an_exported_prompt_does_no_harm_to_a_shell_inside(start: Start) -> None:
    shell = start("bash", files={".bashrc": "PS1='in> '\nPROMPT_COMMAND='true'\n"})
    shell.run("export PS1 PS2 PS0 PROMPT_COMMAND")
    shell.type("bash --norc\r")
    shell.wait(lambda: shell.marks("C") == 2 and shell.text.endswith("norc\nin>"))
    commands = len(shell.terminal.shell.commands)
    shell.type("echo inner\r")
    shell.wait(lambda: "\ninner\n" in shell.text)
    assert "not found" not in shell.text
    assert len(shell.terminal.shell.commands) == commands
    assert shell.terminal.shell.commands[-1].running


def test_hooks_of_zsh_are_kept(start: Start) -> None:
    zshrc = """
    PS1='plain '
    precmd() { code=$?; PS1="[$code] " }
    preexec() { ran=$1 }
    autoload -Uz add-zsh-hook
    hooked() { hooked=yes }
    add-zsh-hook precmd hooked
    RPROMPT='right'
    """
    shell = start("zsh", files={".zshrc": zshrc})
    assert shell.run("(exit 3)").line == "(exit 3)"
    shell.wait(lambda: "[3]" in shell.text)
    assert shell.said("echo $ran $hooked") == "echo $ran $hooked yes"
    shell.type("abc")
    shell.wait(lambda: shell.terminal.shell.typed.startswith("abc"))


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_prompts_of_several_lines_are_marked_whole(kind: str, start: Start) -> None:
    name = {"bash": ".bashrc", "zsh": ".zshrc"}[kind]
    shell = start(kind, files={name: "PS1=$'top\\n> '\n"})
    assert shell.said("echo one") == "one"
    shell.type("abc")
    shell.wait(lambda: shell.terminal.shell.typed == "abc")


def test_events_of_fish_are_kept(start: Start) -> None:
    config = """
    set -g fish_greeting
    function fish_prompt; echo -n "[$status] "; end
    function mine --on-event fish_postexec; set -g seen $status; end
    """
    shell = start("fish", files={".config/fish/config.fish": config})
    assert shell.run("sh -c 'exit 4'").exit_code == 4
    shell.wait(lambda: "[4]" in shell.text)
    assert shell.said("echo $seen") == "4"


@pytest.mark.parametrize("kind", ["bash", "zsh"])
def test_a_start_up_file_that_fails_leaves_a_shell_with_marks(kind: str, start: Start) -> None:
    name = {"bash": ".bashrc", "zsh": ".zshrc"}[kind]
    shell = start(kind, files={name: "no-such-thing\nreturn 3\nexit 5\n"})
    assert shell.said("echo on") == "on"
