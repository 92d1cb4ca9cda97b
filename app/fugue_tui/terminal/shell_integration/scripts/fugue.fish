# Has fish mark its prompts and commands (OSC 133) and report its directory (OSC 7), for Fugue.
#
# Fish runs this by --init-command, after its own start-up files. Needs nothing newer than fish 3.0.

set -g __fugue_nonce
if test -r "$FUGUE_SHELL_NONCE"
    read -g __fugue_nonce <$FUGUE_SHELL_NONCE
end
set -eg FUGUE_SHELL_MARKS
set -eg FUGUE_SHELL_NONCE

# A start-up file may have set PATH anew, and the tmux of the workspace has to come first.
if test -n "$FUGUE_TMUX"; and test "$PATH[1]" != "$FUGUE_TMUX"
    set -gx PATH $FUGUE_TMUX $PATH
end

if status is-interactive; and test -n "$__fugue_nonce"
    function __fugue_prompt --on-event fish_prompt
        set -l here (string escape --style=url -- $PWD)
        builtin printf '\e]7;file://%s\a\e]133;A;cwd=%s;fugue=%s\a' "$here" "$here" $__fugue_nonce
    end

    function __fugue_preexec --on-event fish_preexec
        set -l line
        if test (string length -- "$argv[1]") -le 4000
            set line ';cmdline_url='(string escape --style=url -- "$argv[1]")
        end
        builtin printf '\e[J\e]133;C%s;fugue=%s\a' "$line" $__fugue_nonce
    end

    function __fugue_postexec --on-event fish_postexec
        builtin printf '\e]133;D;%s;fugue=%s\a' $status $__fugue_nonce
    end

    # A line that was given up: the prompt is there again, which fish does not report.
    function __fugue_cancel --on-event fish_cancel
        builtin printf '\e]133;A;fugue=%s\a' $__fugue_nonce
    end

    # A line that fish refuses is not run and stays at the prompt.
    function __fugue_posterror --on-event fish_posterror
        set -l line (string escape --style=url -- "$argv[1]")
        builtin printf '\e]133;D;127;cmdline_url=%s;fugue=%s\a\e]133;A;fugue=%s\a' "$line" $__fugue_nonce $__fugue_nonce
    end
end
