#!/bin/sh
# usage: together.sh BOARD ELF (with MOTET set)
# Several logs replayed together: each exactly, in global time. The times of calls are those of the simulation but for the
# clock they are given in; what is sent is not received before; a condition over two nodes stops both, forward and
# backward.
. "$(dirname "$0")/../lib/expect.sh"
board=$1 elf=$2
[ "$board" = telosb ] && port=1 || port=0
for i in 0 1 2; do
    flashes="${flashes:-} --save-flash $i:$work/$i.flash" logs="${logs:-} $i:$work/$i.flash"
done
cat >"$work/calls.lua" <<'END'
for _, f in ipairs{"beacon_received", "collection_send", "send_beacon"} do
    probe(f, function() print(("%s %.6f"):format(f, network.now)) end)
end
END
motet run --quiet "$elf" --board "$board" --topology line:3:10m --medium disk:15m --boot 2s --for 25s $flashes \
    --script "$work/calls.lua" --serial "0:$port=file:,$work/reports"
expect_status 0
cp "$work/err" "$work/true"
set -- $logs --elf "$elf" --board "$board" --time ticks/32768
motet replay "$@" --script "$work/calls.lua"
expect_status 0
[ "$(grep -c 'the log ends after' "$work/err")" -eq 3 ] || fail "not all logs were replayed to their end"
for i in 0 1 2; do
    for f in beacon_received collection_send send_beacon; do
        sed -n "s/^$i: $f //p" "$work/err" >"$work/times"
        sed -n "s/^$i: $f //p" "$work/true" | paste -d' ' "$work/times" - | awk 'NF == 2 { print $1 - $2 }'
    done
done | sort -n >"$work/offsets"
[ "$(wc -l <"$work/offsets")" -gt 40 ] || fail "only $(wc -l <"$work/offsets") calls"
awk 'NR == 1 { least = $1 } { most = $1 } END { exit most - least > 0.02 }' "$work/offsets" ||
    fail "global times are off by more than 20 ms: $(sed -n '1p;$p' "$work/offsets" | tr '\n' ' ')"

# Alarms come between the events of the logs, and the replay ends where they do.
motet replay "$@" --monitor sampling
expect_status 0
[ "$(grep -c 'samples, one in' "$work/out")" -eq 3 ] || fail "each node should have samples"

# The k-th beacon of node 1 that node 0 hears was sent before: one of its own sequence.
cat >"$work/order.lua" <<'END'
if node.id == 1 then
    probe("send_beacon", function() print(("S %.6f"):format(network.now)) end)
elseif node.id == 0 then
    probe("beacon_received", function() print(("R %.6f"):format(network.now)) end)
end
END
motet replay "0:$work/0.flash" "1:$work/1.flash" --elf "$elf" --board "$board" --time ticks/32768 --script "$work/order.lua"
awk '$2 == "S" { sent++ } $2 == "R" { heard++; if (heard > sent) exit early = 1 } END { exit early || heard < 5 }' \
    "$work/err" || fail "a beacon is heard before it is sent"

# Stopped by a condition over two nodes, which is true there; and back.
cat >"$work/commands" <<'END'
watch cost node 2 if node[2].cost > node[1].cost && node[2].cost < 200 && node[1].cost > 0
continue
when
print cost
node 1
print cost
when
node 2
watch ticks node 1
reverse-continue
when
END
motet replay "$@" --line <"$work/commands"
expect_status 0
awk '/^cost = / { cost[++n] = $3 } / s, node / { time[++t] = $1 }
    END { exit !(n == 2 && cost[1] > cost[2] && time[1] == time[2] && t == 3 && time[3] < time[1]) }' "$work/out" ||
    fail "the condition over two nodes did not stop both"
motet replay "$@" --line <<END
watch cost node 2 if node[7].cost > 3
continue
END
expect_out "there is no node 7"

# Refused.
motet replay "0:$work/0.flash" "$work/1.flash" --elf "$elf" --board "$board" --time ticks/32768
expect_complaint "which node wrote"
motet replay "0:$work/0.flash" "0:$work/1.flash" --elf "$elf" --board "$board" --time ticks/32768
expect_complaint "are both of node 0"
motet replay $logs --elf "$elf" --board "$board"
expect_complaint "need a clock"
finish
