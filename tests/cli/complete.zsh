# Completes lines in an interactive zsh on a terminal of its own; prints the words that it offers, and == after each
# line. Arguments: the script, and the lines.
zmodload zsh/zpty
zpty shell zsh -f -i
await() {
    local line all=
    while zpty -r shell line; do
        all+=$line
        [[ $line == *$1* ]] && return
    done
    print -ru2 -- "zsh ended: $all"
    exit 1
}
zpty -w shell 'unsetopt zle; PS1= PS2= RPS1=; stty -echo; print REA""DY'
await READY
zpty -w shell "autoload -Uz compinit; compinit -u -D; source ${(q)1}; setopt no_beep; bindkey -e; bindkey '^I' complete-word"
zpty -w shell 'compadd() {
    local -a hits
    if [[ " $* " != *" -"[OAD]" "* ]]; then
        builtin compadd -O hits "$@"
        print -rl -- MATCH:$^hits:END
    fi
    builtin compadd "$@"
}'
zpty -w shell 'begun() { print BEGUN }; ended() { print ENDED }; zle -N zle-line-init begun; zle -N ended; bindkey "^X" ended
setopt zle'
await BEGUN  # The line editor reads keys only from now on.
local typed line
for typed in "$@[2,-1]"; do
    zpty -w -n shell "$typed"$'\t\x18'
    while zpty -r shell line; do
        [[ $line == *ENDED* ]] && break
        [[ $line == *MATCH:*:END* ]] && print -r -- ${${line#*MATCH:}%:END*}
    done
    zpty -w -n shell $'\x15'
    print -r -- '=='
done
zpty -d shell
