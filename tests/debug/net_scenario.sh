# What a scenario does to its network comes again by going there again, and is done once; the end of it ends a run.
. ./session.sh
mixed 'at(0.03, function() kill(3) print("killed") end)' 'at(0.05, function() boot(3) end)' 'run_for(0.08)'
session "$work/mixed.lua" <<'.'
monitor seek 20ms
monitor nodes
monitor seek 40ms
monitor nodes
monitor seek 70ms
monitor history
monitor nodes
monitor seek 40ms
monitor nodes
monitor seek 70ms
monitor history
continue
monitor when
.
expect '  3    micaz'
expect ' off '
expect 'digest'
expect '  3    micaz'
expect ' off '
expect 'digest'
expect 'No more reverse-execution history.'
expect '0.080000000 s'
first=$(grep -o 'digest [0-9a-f]*' "$work/out" | head -1)
[ "$(grep -c "$first" "$work/out")" -eq 2 ] || show 'both digests should be the same'
[ "$(grep -c killed "$work/out")" -eq 1 ] || show 'the action should be done once'
finish
