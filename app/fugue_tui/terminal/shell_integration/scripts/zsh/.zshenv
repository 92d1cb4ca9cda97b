# Has zsh mark its prompts and commands (OSC 133) and report its directory (OSC 7), for Fugue.
#
# Zsh finds this by a ZDOTDIR that is set back here, so that it reads all other start-up files where they are.

if [[ -n ${FUGUE_SHELL_ZDOTDIR+set} ]]; then
    'builtin' 'export' ZDOTDIR="$FUGUE_SHELL_ZDOTDIR"
    'builtin' 'unset' FUGUE_SHELL_ZDOTDIR
else
    'builtin' 'unset' ZDOTDIR
fi
'builtin' 'typeset' -g __fugue_nonce=
if [[ -r ${FUGUE_SHELL_NONCE-} ]]; then
    'builtin' 'read' -r __fugue_nonce <"$FUGUE_SHELL_NONCE"
    'builtin' 'typeset' -g __fugue_fd=${FUGUE_SHELL_NONCE##*/}
    'builtin' 'exec' {__fugue_fd}<&-
    'builtin' 'unset' __fugue_fd
fi
'builtin' 'unset' FUGUE_SHELL_MARKS FUGUE_SHELL_NONCE

# Once the start-up files are read, before the first prompt: goes behind the user's own hooks.
__fugue_start() {
    'builtin' 'local' ret=$?
    # A start-up file may have set PATH anew, and the tmux of the workspace has to come first.
    if [[ -n ${FUGUE_TMUX-} && ${PATH-} != "$FUGUE_TMUX":* ]]; then PATH=$FUGUE_TMUX${PATH:+:$PATH}; fi
    __fugue_hook
    __fugue_prompt $ret
    # Hooks that come later may make the first prompt anew, without marks.
    __fugue_say '\e]133;A;fugue=%s\a' "$__fugue_nonce"
}

__fugue_hook() {
    'builtin' 'emulate' -L zsh
    precmd_functions=(${${precmd_functions:#__fugue_start}:#__fugue_precmd} __fugue_precmd)
    preexec_functions=(${preexec_functions:#__fugue_preexec} __fugue_preexec)
}

# Where `exec >file` sent all output elsewhere, the terminal still gets the marks.
__fugue_say() {
    if [[ -t 1 ]]; then
        'builtin' 'printf' "$@"
    else
        'builtin' 'printf' "$@" >&2
    fi
}

__fugue_precmd() {
    __fugue_prompt $?
}

# Reports the directory and how the command ended, and puts marks around what the prompt has become.
__fugue_prompt() {
    'builtin' 'setopt' localoptions noxtrace
    'builtin' 'local' sp=
    if [[ -o prompt_sp && -o prompt_cr ]]; then sp=1; fi
    'builtin' 'emulate' -L zsh
    'builtin' 'local' ret=$1 here= eol=
    if [[ ${precmd_functions[-1]} != __fugue_precmd ]]; then
        precmd_functions=(${precmd_functions:#__fugue_precmd} __fugue_precmd)
    fi
    # Zsh leaves the status as it was when it refuses a line.
    if [[ -z ${__fugue_ran-} && $ret != 0 ]]; then ret=1; fi
    'builtin' 'typeset' -g __fugue_ran=
    if [[ ${PWD-} != *[[:cntrl:]]* ]]; then here=${${PWD//\%/%25}//;/%3B}; fi
    if [[ -n $sp ]]; then
        # What zsh has just printed if the output did not end its last line.
        eol=${${PROMPT_EOL_MARK-%#}//\%[BbSsUufk]/}
        eol=${${(%)eol}//;/}
        if [[ $eol == *[[:cntrl:]]* ]]; then eol=; fi
    fi
    __fugue_say '\e]7;%s\a\e]133;D;%s;cwd=%s;eol=%s;fugue=%s\a' \
        "${here:+file://$here}" "$ret" "$here" "$eol" "$__fugue_nonce"
    if [[ ${(t)PS1} != *export* ]]; then
        if [[ ${PS1-} != "${__fugue_marked-}" ]]; then 'builtin' 'typeset' -g __fugue_plain="${PS1-}"; fi
        PS1="%{"$'\e]133;A;fugue='$__fugue_nonce$'\a'"%}$__fugue_plain%{"$'\e]133;B;fugue='$__fugue_nonce$'\a'"%}"
        'builtin' 'typeset' -g __fugue_marked="$PS1"
    else
        __fugue_say '\e]133;A;fugue=%s\a' "$__fugue_nonce"
    fi
}

# Reports which line is run.
__fugue_preexec() {
    'builtin' 'setopt' localoptions noxtrace
    'builtin' 'emulate' -L zsh
    'builtin' 'local' line="${1-}"
    'builtin' 'typeset' -g __fugue_ran=1
    if [[ -n ${__fugue_marked-} && ${PS1-} == "$__fugue_marked" ]]; then PS1=$__fugue_plain; fi
    if (( ${#line} > 4000 )); then line=; fi
    line=${${line//\%/%25}//;/%3B}
    if [[ $line == *[[:cntrl:]]* ]]; then
        line=${${${line//$'\n'/%0A}//$'\t'/%09}//$'\e'/%1B}
        line=${line//[[:cntrl:]]/}
    fi
    if [[ -n $line ]]; then line=";cmdline_url=$line"; fi
    __fugue_say '\e[J\e]133;C%s;fugue=%s\a' "$line" "$__fugue_nonce"
}

if [[ -o interactive && -n $__fugue_nonce ]]; then
    'builtin' 'typeset' -ga precmd_functions preexec_functions
    precmd_functions+=(__fugue_start)
fi

if [[ -r ${ZDOTDIR-$HOME}/.zshenv ]]; then
    'builtin' 'source' "${ZDOTDIR-$HOME}/.zshenv"
fi
