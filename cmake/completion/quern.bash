# bash completion of quern: the words are asked from the tools themselves.
_quern() {
    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words
    if [ "$current" = = ]; then
        current=
    elif [ "$previous" = = ]; then
        previous=${COMP_WORDS[COMP_CWORD - 2]}
    fi
    if [ "$COMP_CWORD" -eq 1 ]; then
        words=$("${COMP_WORDS[0]}" completion words)
    elif [[ $current == -* ]]; then
        words=$("${COMP_WORDS[0]}" completion words "${COMP_WORDS[1]}")
    else
        words=$("${COMP_WORDS[0]}" completion words "${COMP_WORDS[1]}" "$previous")
    fi 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o bashdefault -o default -F _quern quern
