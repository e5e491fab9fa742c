
# Signals and scopes of the dump that stands on the command line of `lockstep vcd`.
_lockstep_names() {
    local cur=${COMP_WORDS[COMP_CWORD]} option="" dump="" scopes="" index word name
    [[ ${COMP_WORDS[1]} == vcd && $COMP_CWORD -gt 2 && $cur != -* ]] || return 1
    for ((index = COMP_CWORD - 1; index > 2; index--)); do
        if [[ ${COMP_WORDS[index]} == -* ]]; then
            option=${COMP_WORDS[index]}
            break
        fi
    done
    case $option in
        --signals) ;;
        --scope) scopes=--scopes ;;
        --clock) [[ $index -eq $((COMP_CWORD - 1)) ]] || return 1 ;;
        *) return 1 ;;
    esac
    for word in "${COMP_WORDS[@]:3}"; do
        word=${word/#\~\//$HOME/}
        if [[ -f $word ]]; then
            dump=$word
            break
        fi
    done
    [[ -n $dump ]] || return 1
    COMPREPLY=()
    while IFS= read -r name; do
        COMPREPLY+=("$(printf %q "$name")")
    done < <("${COMP_WORDS[0]}" vcd names $scopes -- "$dump" "$cur" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 ]] || return 1
    # More follows behind a dot.
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *. ]]; then
        compopt -o nospace 2>/dev/null
    fi
    return 0
}

_lockstep_or_names() {
    _lockstep_names || _lockstep "$@"
}

complete -F _lockstep_or_names -o bashdefault -o default lockstep
