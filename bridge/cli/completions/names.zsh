# Signals of the dump that stands on the command line of `lockstep vcd`.
_lockstep_names() {
    _lockstep_ways
}

# Its scopes.
_lockstep_scopes() {
    _lockstep_ways --scopes
}

# How the path that is begun may go on.
_lockstep_ways() {
    local dump= word
    local -a names
    for word in $words; do
        if [[ -f ${~word} ]]; then
            dump=${~word}
            break
        fi
    done
    [[ -n $dump ]] && names=(${(f)"$(lockstep vcd names $1 -- $dump ${PREFIX//\\/} 2>/dev/null)"})
    if (( ! $#names )); then
        _default
        return
    fi
    # More follows behind a dot.
    compadd -S '' -- ${(M)names:#*.}
    compadd -- ${names:#*.}
}

