# What the scripts beside this one share. `session OPTIONS` gives the commands of standard input to Motet's own debugger;
# `expect TEXT` looks for TEXT in what it printed, after what was expected before; `finish` ends the script.
. "$(dirname "$0")/../lib/transcript.sh"

session() { # ARGUMENTS of motet
    timeout 300 "$MOTET" "$@" --line >"$work/out" 2>&1
    status=$?
    last=0
}
