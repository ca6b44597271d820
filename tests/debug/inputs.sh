# What is given from the debugger is part of the run: undone by going back, done again by going forward.
. ./session.sh
session cli-echo <<'.'
monitor seek 10ms
monitor send 0 hello\n
monitor seek 60ms
monitor history
monitor seek 5ms
monitor seek 60ms
monitor history
.
expect 'digest '
first=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
[ "$(grep -c "$first" "$work/out")" -eq 2 ] || show 'both digests should be the same'
grep -q HELLO "$work/out" || show 'the firmware should have answered'
[ "$(grep -c HELLO "$work/out")" -eq 1 ] || show 'what it prints should be printed once'
finish
