# What the scripts beside this one share. `motet ARGUMENTS` runs the program and keeps what it printed and its status;
# the expect_ functions look at that and count what is not as it should be; `finish` ends the script.
set -u
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED: %s\n  of: %s\n  status %s\n' "$1" "$command" "$status"
    sed 's/^/  out: /' "$work/out" | head -20
    sed 's/^/  err: /' "$work/err" | head -20
}

motet() { # standard input is the caller's; a run that does not end is stopped
    command="motet $*"
    timeout "${PATIENCE:-300}" "$MOTET" "$@" >"$work/out" 2>"$work/err"
    status=$?
}

expect_status() { [ "$status" -eq "$1" ] || fail "status should be $1"; }
expect_out() { grep -qF -e "$1" "$work/out" || fail "standard output should have: $1"; }
expect_err() { grep -qF -e "$1" "$work/err" || fail "standard error should have: $1"; }
expect_no_out() { [ ! -s "$work/out" ] || fail "standard output should be empty"; }
expect_no_err() { [ ! -s "$work/err" ] || fail "standard error should be empty"; }
expect_not_in_out() { ! grep -qF -e "$1" "$work/out" || fail "standard output should not have: $1"; }
expect_not_in_err() { ! grep -qF -e "$1" "$work/err" || fail "standard error should not have: $1"; }

# One sentence on standard error, nothing on standard output, status 2.
expect_complaint() {
    expect_status 2
    expect_no_out
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "there should be one line on standard error"
    case $(cat "$work/err") in "motet: "*) ;; *) fail "the line should begin with motet:" ;; esac
    expect_err "$1"
}

finish() {
    [ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }
}
