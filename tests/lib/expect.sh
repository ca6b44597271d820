# For tests of single calls. `motet ARGUMENTS` runs the program and keeps what it printed and its status; the expect_ functions
# look at that and count what is not as it should be.
. "${LIB:-$(dirname "$0")/../lib}/core.sh"

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
