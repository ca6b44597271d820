# What the scripts beside this one share. `session OPTIONS` gives the commands of standard input to Motet's own debugger;
# `expect TEXT` looks for TEXT in what it printed, after what was expected before; `finish` ends the script.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
last=0

session() { # ARGUMENTS of motet
    timeout 300 "$MOTET" "$@" --line >"$work/out" 2>&1
    status=$?
    last=0
}

show() {
    failures=$((failures + 1))
    printf 'FAILED: %s (status %s)\n' "$1" "$status"
    sed "$((last > 0 ? last : 1)),\$!d; s/^/  /" "$work/out" | head -40
}

expect() {
    line=$(tail -n +$((last + 1)) "$work/out" | grep -nF -m1 -e "$1" | cut -d: -f1)
    if [ -n "$line" ]; then last=$((last + line)); else show "there should be, after line $last: $1"; fi
}

expect_none() { ! grep -qF -e "$1" "$work/out" || show "there should not be: $1"; }
expect_status() { [ "$status" -eq "$1" ] || show "status should be $1"; }

finish() { [ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }; }
