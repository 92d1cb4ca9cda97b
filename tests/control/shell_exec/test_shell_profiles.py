"""Commands in shells that are set up as people do it: prompts of every kind, key maps, hooks, and options."""

import re
import shutil
from itertools import count
from pathlib import Path

import pytest
from tests.control.every_shell import every, posix, shells
from tests.control.real_shells import ALL, MARKED, Shell
from tests.control.real_shells import shell as shell
from tests.control.shell_exec.shell_profiles import await_prompt, dressed, terminal_of
from tests.multiplexer.conftest import Room

from fugue_tui.errors import Refused

pytestmark = pytest.mark.slow


BASH = {
    "several lines": r"PS1='\n[\w]\n\u@\h\n$ '",
    "right": r"PS1='\[\e7\e[50C12:00\e8\]$ '",
    "vi": "set -o vi; bind 'set show-mode-in-prompt on'; PS1='$ '",
    "hook": 'p() { local s=$?; PS1="[$s] $(echo hi) \\w > "; }; PROMPT_COMMAND=p',
    "hook with semicolons": "PS1='$ '; p() { true; }; PROMPT_COMMAND='p;history -a; '",
    "hooks": "PS1='$ '; PROMPT_COMMAND=('printf 1' 'printf 2; echo')",
    "debug trap": "PS1='$ '; pre() { [[ $BASH_COMMAND != \"$PROMPT_COMMAND\" ]] && printf '\\033]0;%s\\007' x; }; "
    "trap pre DEBUG",
    "returning trap": "PS1='$ '; set -T; trap 'x=$_' DEBUG; trap 'y=1' ERR; trap 'z=1' RETURN",
    "no prompt": "PS1=",
    "no blank": "PS1='>'",
    "wide": "PS1='🙂日本 é➜ '",
    "coloured without brackets": r"PS1='\e[1;32m\u\e[0m \w $ '",
    "title": r"PS1='\[\e]0;\w\a\]$ '",
    "substitution": 'PS1=\'$(printf "%s" "branch") $ \'',
    "strict": "PS1='$ '; set -u -o pipefail",
    "ifs": "PS1='$ '; IFS=:",
    "aliases": "PS1='$ '; alias echo='echo ' grep='grep --color' cd=false true=false; shopt -s expand_aliases",
    "no paste": "PS1='$ '; bind 'set enable-bracketed-paste off'",
    "no editing": "PS1='$ '; set +o emacs +o vi",
    "no history expansion": "PS1='$ '; set +H; shopt -s histverify histreedit",
    "globs": "PS1='$ '; shopt -s failglob nullglob extglob; set -f",
    "ps0": "PS1='$ '; PS0='<begins>'",
    "long": "PS1=\"$(printf 'p%.0s' {1..200}) \"",
    "newline first": "PS1='$ '; PROMPT_COMMAND=echo",
    "timestamps": "PS1='$ '; HISTTIMEFORMAT='%F '; HISTCONTROL=",
    "cd": "PS1='$ '; cd() { builtin cd \"$@\" && echo moved; }; CDPATH=/; shopt -s autocd cdspell",
}
ZSH = {
    "several lines": "PROMPT=$'\\n[%~]\\n%n\\n$ '",
    "right": "PROMPT='$ '; RPROMPT='%* right'",
    "vi": "bindkey -v; KEYTIMEOUT=1; zle-keymap-select() { RPS1=$KEYMAP; zle reset-prompt }; zle -N zle-keymap-select; "
    "zle-line-init() { zle -K viins }; zle -N zle-line-init; PROMPT='$ '",
    "hook": 'precmd() { local s=$?; PROMPT="[$s] $(echo hi) %~ > " }',
    "starship": "setopt promptsubst; PROMPT='$(printf \"\\n%s\\n❯ \" dir)'; RPROMPT='$(echo r)'; "
    "prompt_precmd() { S=$? }; precmd_functions+=(prompt_precmd)",
    "themes": "setopt promptsubst; autoload -U colors && colors; git_prompt_info() { echo main }; "
    "PROMPT='%{$fg_bold[green]%}➜ %{$fg[cyan]%}%c%{$reset_color%} $(git_prompt_info) '",
    "transient": "PROMPT=$'%~\\n❯ '; zle-line-finish() { local PROMPT='> '; zle reset-prompt }; zle -N zle-line-finish",
    "clock": "PROMPT='%* $ '; TMOUT=1; TRAPALRM() { zle && zle reset-prompt }",
    "urls": "PROMPT='$ '; autoload -Uz bracketed-paste-magic url-quote-magic; "
    "zle -N bracketed-paste bracketed-paste-magic; zle -N self-insert url-quote-magic",
    "no prompt": "PROMPT=",
    "wide": "PROMPT='🙂日本 é➜ '",
    "suggestions": "PROMPT='$ '; zle-line-pre-redraw() { POSTDISPLAY=' suggested' }; zle -N zle-line-pre-redraw; "
    "zle-line-finish() { POSTDISPLAY= }; zle -N zle-line-finish",
    "correcting": "PROMPT='$ '; setopt correct",
    "strict": "PROMPT='$ '; setopt nounset pipefail",
    "options": "PROMPT='$ '; setopt ksharrays shwordsplit noprompt_cr nullglob extendedglob autocd cdablevars",
    "aliases": "PROMPT='$ '; alias echo='echo ' cd=false true=false local=false; alias -g G='| grep'; alias -s txt=cat",
    "no paste": "PROMPT='$ '; unset zle_bracketed_paste",
    "long": 'PROMPT="${(l:200::p:)} "',
    "eol": "PROMPT='$ '; PROMPT_EOL_MARK='%B%S<no end>%s%b'; setopt transient_rprompt",
    "history": "PROMPT='$ '; setopt share_history hist_verify inc_append_history; HISTFILE=~/.h; HISTSIZE=9",
    "typeset": "typeset -gx PS1='$ '; export PS1",
    "psvar": "setopt promptsubst promptbang; PROMPT='%(?..%?) !! $ '",
}
FISH = {
    "several lines": "function fish_prompt; echo; echo top; echo -n '$ '; end",
    "right": "function fish_prompt; echo -n '$ '; end; function fish_right_prompt; echo right; end",
    "vi": "fish_vi_key_bindings; function fish_prompt; echo -n '$ '; end",
    "starship": "function fish_prompt; set -l s $status; printf '\\n%s\\n❯ ' $s; end; function fish_mode_prompt; end",
    "title": "function fish_prompt; echo -n '$ '; end; function fish_title; echo t; end",
    "wide": "function fish_prompt; echo -n '🙂日本 é➜ '; end",
    "abbreviations": "abbr -a -g e echo; function fish_prompt; echo -n '$ '; end",
    "no prompt": "function fish_prompt; end",
    "long": "function fish_prompt; string repeat -n 200 p; end",
    "slow": "function fish_prompt; sleep 0.3; echo -n '$ '; end",
    "hooks": "function a --on-event fish_prompt; echo pre; end; function fish_prompt; echo -n '$ '; end; "
    "function b --on-event fish_preexec; echo before; end",
}
UNMARKED = {
    "bash-": ("several lines", "hook", "no prompt", "no paste", "strict"),
    "zsh-": ("starship", "transient", "urls", "vi"),
    "fish-": ("vi", "right"),
}
DRESSES = [
    *(("bash", name) for name in BASH),
    *(("zsh", name) for name in ZSH),
    *(("fish", name) for name in FISH),
    *((kind, name) for kind, names in UNMARKED.items() for name in names),
]
PROGRAMS = [("python3", "python3 -q"), ("vim", "vim -u NONE -N"), ("less", "less /etc/passwd")]
SETTINGS = {"bash": BASH, "zsh": ZSH, "fish": FISH}


def types(shell: Shell, line: str) -> None:
    shell.room.say(f"send-input --pane {shell.pane} --text '{line}' --submit")


@pytest.mark.parametrize(("kind", "dress"), DRESSES)
def test_commands_are_told_right_whatever_the_prompt(room: Room, tmp_path: Path, kind: str, dress: str) -> None:
    shell = dressed(room, kind, tmp_path, SETTINGS[kind.rstrip("-")][dress])
    assert shell.says("echo one two") == (0, "one two")
    assert shell.says("printf foo; sh -c 'exit 3'") == (3, "foo")
    assert shell.says("echo a\necho 'b  c'\nfalse") == (1, "a\nb  c")
    assert shell.says("echo 'http://x/?a=1&b=*'; seq 1 40 | tail -1") == (0, "http://x/?a=1&b=*\n40")


@every
def test_output_of_a_job_at_the_prompt_is_not_typed_text(shell: Shell) -> None:
    shell.run("sh -c 'sleep 0.2; echo late; echo later' &")
    shell.room.shows(shell.pane, "\nlater")
    ran = shell.run("echo one")  # Fish may tell behind it that the job has ended.
    assert (ran.exit_code, ran.text.splitlines()[0]) == (0, "one")
    shell.run("sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.1; echo late; done' &")
    for _ in range(3):
        ran = shell.run("echo one")
        assert (ran.exit_code, "one" in ran.text) == (0, True)


@pytest.mark.parametrize("shell", ["fish", *MARKED], indirect=True)
def test_what_was_left_at_a_prompt_that_is_not_marked_is_not_run(shell: Shell) -> None:
    shell.run("true")
    await_prompt(shell)
    shell.room.say(f"send-input --pane {shell.pane} --text 'touch precious'")
    shell.room.shows(shell.pane, "precious")
    with pytest.raises(Refused, match=r"seems to be typed at the prompt of .* and not entered"):
        shell.run("echo glued")
    turns = count()

    def cleared() -> bool:
        if next(turns) % 250 == 0:  # Fish may miss it.
            shell.room.say(f"send-keys {shell.pane} C-c")
        return "precious" not in shell.text.split("\n")[-1]

    shell.room.until(cleared)
    assert shell.says("echo free") == (0, "free")
    assert not (shell.home / "precious").exists()


@pytest.mark.skipif(not shutil.which("less"), reason="needs less")
@pytest.mark.parametrize("shell", ["fish", "dash"], indirect=True)
def test_keys_for_another_program_are_not_left_at_the_prompt(shell: Shell) -> None:
    later = shell.begin("seq 1 100 | less")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).modes.alternate_screen)
    shell.room.say(f"send-keys {shell.pane} q")
    shell.room.awaited(later)
    assert shell.says("echo free") == (0, "free")


@every
def test_an_exec_ed_or_nested_shell_runs_commands(shell: Shell) -> None:
    shell.run("true")
    for line in (f"exec {shell.kind}", shell.kind):
        types(shell, line)
        await_prompt(shell, after=f"$ {line}")
        ran = shell.run("echo one; sh -c 'exit 3'")
        assert (ran.exit_code, ran.text, ran.method) == (3, "one", "marker")


@posix
def test_a_shell_with_xtrace_prints_few_of_our_commands(shell: Shell) -> None:
    shell.run("set -x")
    lines = [line for line in shell.run("echo hi").text.split("\n") if line not in ("+ echo hi", "hi")]
    if shell.method == "integration" and shell.kind == "bash":
        assert not lines
    assert len(lines) <= 3
    assert not any("133;D" in line for line in lines)


@posix
def test_a_variable_that_is_not_set_is_an_error_that_is_reported(shell: Shell) -> None:
    shell.run("set -u")
    ran = shell.run("echo $NOPE")
    assert ran.exit_code not in (0, None)
    if not ran.ended:
        assert shell.says("echo hi") == (0, "hi")


@pytest.mark.parametrize(
    ("kind", "settings"),
    [("bash", "HISTCONTROL="), ("bash-", "HISTCONTROL=ignoreboth"), ("zsh", ""), ("zsh-", "setopt hist_ignore_space")],
)
def test_no_mark_comes_into_the_history(room: Room, tmp_path: Path, kind: str, settings: str) -> None:
    shell = dressed(room, kind, tmp_path, f"PS1='$ '; {settings}")
    shell.run("true")
    types(shell, "echo own")
    await_prompt(shell, after="\nown")
    for _ in range(3):
        shell.run("echo 'agents own'")
    history = shell.run("history").text
    assert "133" not in history
    assert "echo own" in history


@pytest.mark.parametrize("shell", ["bash", "dash"], indirect=True)
def test_output_that_was_cleared_away_is_reported_as_missed(shell: Shell) -> None:
    terminal = shell.room.mux.terminal(shell.pane)
    for clear, kept in ((r"\033[H\033[2J", True), (r"\033[H\033[2J\033[3J", False)):
        for command in ("seq 1 50", "echo on the screen", f"printf '{clear}'; echo more", "echo last"):
            shell.run(command)
        long, short, clears, last = (terminal.shell.output(command) for command in terminal.shell.commands[-4:])
        assert (long.text.split("\n")[0], long.missed) == (("1", False) if kept else ("", True))
        assert kept or (short.text, short.missed) == ("", True)
        assert (clears.text, last.text, last.missed) == ("more", "last", False)


@shells(*(name for name in ALL if name != "dash"))
def test_a_command_that_is_suspended_is_over_for_now(shell: Shell) -> None:
    later = shell.begin("sleep 100")
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground == "sleep")
    shell.room.say(f"send-keys {shell.pane} C-z")
    assert not shell.room.awaited(later).timed_out
    assert shell.says("echo x") == (0, "x")
    shell.run("kill %1")


@pytest.mark.parametrize(("program", "line"), PROGRAMS)
@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "dash"], indirect=True)
def test_programs_that_are_no_shells_are_named(shell: Shell, program: str, line: str) -> None:
    if not shutil.which(program):
        pytest.skip(f"needs {program}")
    shell.run("true")
    types(shell, line)
    shell.room.until(lambda: shell.room.mux.terminal(shell.pane).foreground.startswith(program))
    named = re.compile(rf"no shell waits for a command in %1: .*{program}.*send-input.*wait-for-output")
    shell.room.until(lambda: named.search(refusal(shell)))  # A program may be a script that a shell runs first.


def refusal(shell: Shell) -> str:
    """Why no command is run."""
    with pytest.raises(Refused) as refused:
        shell.run("echo x")
    return str(refused.value)


@pytest.mark.parametrize(("shell", "line"), [("bash", "read -sn1 k"), ("zsh", "read -sk1 k")], indirect=["shell"])
def test_a_shell_that_wants_one_key_is_not_at_its_prompt(shell: Shell, line: str) -> None:
    assert shell.says("echo first") == (0, "first")
    terminal_of(shell).write(f"{line}; echo got $k\r".encode())
    shell.room.until(lambda: terminal_of(shell).shell.commands[-1].running)
    with pytest.raises(Refused, match="runs there"):
        shell.run("echo other")
    terminal_of(shell).write(b"x")
    shell.room.shows(shell.pane, "got x")
    terminal_of(shell).write(b"\r")
    assert shell.says("echo other") == (0, "other")


@pytest.mark.parametrize("shell", ["zsh"], indirect=True)
def test_characters_that_the_shell_shows_by_their_codes_are_known(shell: Shell) -> None:
    assert shell.says("echo '❤️ e\u0301 👩‍👧'; false") == (1, "❤️ e\u0301 👩‍👧")
    assert "<200d>" in shell.text
    assert "/command" not in shell.text


@pytest.mark.parametrize("shell", ["bash", "zsh"], indirect=True)
@pytest.mark.parametrize("stream", [1, 2])
def test_a_shell_whose_output_goes_elsewhere_tells_its_codes(shell: Shell, stream: int) -> None:
    assert shell.run(f"exec {stream}>/dev/null").exit_code in (0, None)
    assert shell.run("echo one; (exit 3)").exit_code == 3
    assert shell.run("exec >/dev/tty 2>&1").exit_code == 0
    assert shell.says("echo one; (exit 4)") == (4, "one")
