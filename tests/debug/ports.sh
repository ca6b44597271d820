# Serial ports connected to files: what comes in is part of the run, what is sent goes out once.
. ./session.sh
printf 'hello\nmotet\n' >"$work/in"
journey() {
    session cli-echo "$@" <<'.'
monitor seek 60ms
monitor history
monitor seek 5ms
monitor seek 60ms
monitor history
.
    first=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
    [ "$(grep -c "$first" "$work/out")" -eq 2 ] || show 'both digests should be the same'
}
journey --serial "0=file:$work/in,$work/sent"
grep -q HELLO "$work/sent" || show 'the firmware should have answered'
[ "$(grep -c HELLO "$work/sent")" -eq 1 ] || show 'what it sends should go out once'
journey --nodes 2 --boot 0s --serial "1:0=file:$work/in,$work/sent"
grep -q HELLO "$work/sent" || show 'node 1 should have answered'
[ "$(grep -c HELLO "$work/sent")" -eq 1 ] || show 'what node 1 sends should go out once'
session cli-echo --nodes 2 --serial 0=stdio </dev/null
expect_status 2
expect "several nodes cannot share stdio"
finish
