# Has bash mark its prompts and commands (OSC 133) and report its directory (OSC 7), for Fugue.
#
# Bash reads this in place of its own start-up files, as its --init-file or as the $ENV of a --posix shell, and reads
# those files from here. Written for bash 3.2 to 5.3, for any options the user has set, and without subshells.

__fugue_nonce=
if [[ -r ${FUGUE_SHELL_NONCE-} ]]; then
    \builtin read -r __fugue_nonce <"$FUGUE_SHELL_NONCE"
    \builtin eval "exec ${FUGUE_SHELL_NONCE##*/}<&-"
fi
__fugue_reads=$FUGUE_SHELL_MARKS
\builtin unset -v FUGUE_SHELL_MARKS FUGUE_SHELL_NONCE

__fugue_a=$'\033]133;A;redraw=last;fugue='$__fugue_nonce
__fugue_z=$'\a'
__fugue_b=$'\033]133;B;fugue='$__fugue_nonce$'\a'
__fugue_c=$'\033[J\033]133;C;fugue='$__fugue_nonce$'\a'
__fugue_more=$'\033]133;A;k=s;redraw=last;fugue='$__fugue_nonce$'\a'
# What a shell says of its steps under `set -x` is no output of the command before.
__fugue_first='{ __fugue_begin; } 2>/dev/null'
__fugue_last='{ __fugue_end; } 2>/dev/null'

# First of what PROMPT_COMMAND runs: reports the directory and how the command ended, and takes our marks off the prompts.
__fugue_begin() {
    \builtin local status=$? here last
    here=${PWD-}
    case $here in
        *[[:cntrl:]]*) here= ;;
        *) here=${here//\%/%25} here=${here//;/%3B} ;;
    esac
    \builtin printf '\033]7;%s\a\033]133;D;%s;cwd=%s;fugue=%s\a' \
        "${here:+file://$here}" "$status" "$here" "$__fugue_nonce"
    if [[ ${PS1-} == "${__fugue_marked1-}" ]]; then PS1=${__fugue_plain1-}; fi
    if [[ ${PS2-} == "${__fugue_marked2-}" ]]; then PS2=${__fugue_plain2-}; fi
    # What was added to PROMPT_COMMAND since goes before our last word. It may undo that at this prompt still.
    if [[ -n ${PROMPT_COMMAND[1]+set} && $__fugue_version -ge 501 ]]; then
        last=${PROMPT_COMMAND[@]: -1}
    else
        last=${PROMPT_COMMAND##*'
'}
    fi
    if [[ $last != "$__fugue_last" ]]; then
        __fugue_hook
        \builtin printf '%s' "$__fugue_a$__fugue_z"
    fi
    if [[ $- == *e* ]]; then \builtin return 0; fi
    \builtin return "$status"
}

# Last of what PROMPT_COMMAND runs: puts marks around what the prompts have become.
__fugue_end() {
    # Should another take the place of PROMPT_COMMAND, the prompt still reports how the command ended.
    \builtin local a='${__fugue_a:+$__fugue_a;status=$?$__fugue_z}' b='${__fugue_b-}' c='${__fugue_c-}' more='${__fugue_more-}'
    if ! \builtin shopt -q promptvars; then
        a=$__fugue_a$__fugue_z b=$__fugue_b c=$__fugue_c more=$__fugue_more
    fi
    __fugue_plain1=${PS1-} __fugue_plain2=${PS2-}
    PS1="\\[$a\\]$__fugue_plain1\\[$b\\]" PS2="\\[$more\\]$__fugue_plain2\\[$b\\]"
    __fugue_marked1=$PS1 __fugue_marked2=$PS2
    # A shell inside this one would know none of these functions.
    \builtin export -n PROMPT_COMMAND
    if [[ $__fugue_version -ge 404 ]]; then
        # What the user has in PS0 is neither what was typed nor output.
        if [[ ${PS0-} != *"$c"* ]]; then PS0=${PS0:+$more$PS0}$c; fi
    else
        __fugue_armed=1
    fi
    \builtin return 0
}

# Has __fugue_begin run first and __fugue_end last.
__fugue_hook() {
    \builtin local command list
    if [[ -n ${PROMPT_COMMAND[1]+set} && $__fugue_version -ge 501 ]]; then
        list=()
        for command in "${PROMPT_COMMAND[@]}"; do
            if [[ $command != "$__fugue_first" && $command != "$__fugue_last" ]]; then list+=("$command"); fi
        done
        PROMPT_COMMAND=("$__fugue_first" ${list[@]+"${list[@]}"} "$__fugue_last")
    else
        command=${PROMPT_COMMAND-}
        command=${command//"$__fugue_first
"/}
        command=${command//"
$__fugue_last"/'
:'}
        command=${command%'
:'}
        PROMPT_COMMAND="$__fugue_first
$command
$__fugue_last"
    fi
}

# For a bash without PS0: the first command after a prompt is what was entered.
__fugue_debug() {
    if [[ -n ${__fugue_armed-} && -z ${COMP_LINE-} ]]; then
        __fugue_armed=
        if [[ ${BASH_COMMAND-} != __fugue_begin ]]; then \builtin printf '%s' "$__fugue_c"; fi
    fi
    \builtin return 0
}

__fugue_version=$((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1]))

# What bash reads itself, in its order.
case $__fugue_reads in
    rc*) ;;
    *)
        \builtin set +o posix
        \builtin shopt -u inherit_errexit 2>/dev/null
        if [[ -n ${FUGUE_SHELL_ENV+set} ]]; then
            \builtin export ENV="$FUGUE_SHELL_ENV"
            \builtin unset -v FUGUE_SHELL_ENV
        else
            \builtin unset -v ENV
        fi
        if [[ ${HISTFILE-} == ~/.sh_history ]]; then HISTFILE=~/.bash_history; fi
        ;;
esac
case $__fugue_reads in
    rc)
        if [[ -r ~/.bashrc ]]; then \builtin source ~/.bashrc; fi
        ;;
    rc=*)
        if [[ -r ${__fugue_reads#rc=} ]]; then \builtin source "${__fugue_reads#rc=}"; fi
        ;;
    profile)
        if [[ -r /etc/profile ]]; then \builtin source /etc/profile; fi
        if [[ -r ~/.bash_profile ]]; then
            \builtin source ~/.bash_profile
        elif [[ -r ~/.bash_login ]]; then
            \builtin source ~/.bash_login
        elif [[ -r ~/.profile ]]; then
            \builtin source ~/.profile
        fi
        ;;
esac

\builtin unset -v __fugue_reads
# A start-up file may have set PATH anew, and the tmux of the workspace has to come first.
if [[ -n ${FUGUE_TMUX-} && ${PATH-} != "$FUGUE_TMUX":* ]]; then PATH=$FUGUE_TMUX${PATH:+:$PATH}; fi
if [[ -n $__fugue_nonce ]]; then
    __fugue_hook
    if [[ $__fugue_version -lt 404 && -z $(\builtin trap -p DEBUG) ]]; then \builtin trap __fugue_debug DEBUG; fi
fi
