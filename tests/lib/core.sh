# What all shell tests share: $work, a folder of the test's own that is removed at its end; `fail WHAT`, which counts a
# failure and shows what was printed last; `finish`, which ends the test. A script in tests/FOLDER begins with
#     . "$(dirname "$0")/../lib/core.sh"
# or with expect.sh (one call of motet and what it printed) or transcript.sh (a debugger's session) beside this file, which
# include it.
set -u
export LC_ALL=C # debuggers and compilers speak the language of the user
work=$(mktemp -d)
trap 'code=$?; rm -rf "$work"; [ "$failures" -eq 0 ] || code=1; exit $code' EXIT # also where `finish` is forgotten
failures=0 command=${0##*/} status=0

fail() { # WHAT...
    failures=$((failures + 1))
    printf 'FAILED: %s\n  of: %s\n  status %s\n' "$*" "$command" "$status"
    for stream in out err; do
        [ ! -s "$work/$stream" ] || sed "s/^/  $stream: /" "$work/$stream" | head -20
    done
}

finish() { [ "$failures" -eq 0 ] || { echo "$failures failed"; exit 1; }; }
