
# Signals and scopes of the dump that stands on the command line of `lockstep vcd`.
function __fish_lockstep_names
    for word in (commandline -opc)[4..]
        if test -f $word
            lockstep vcd names $argv -- $word (commandline -ct) 2>/dev/null
            return
        end
    end
end
