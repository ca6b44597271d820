# For tests of sessions: `$work/out` is what a debugger printed. `expect TEXT` looks for TEXT in it, after what was expected
# before. A session sets `status` and `last=0`.
. "$(dirname "$0")/../lib/core.sh"
last=0

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
