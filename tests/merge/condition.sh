#!/bin/sh
# usage: condition.sh ELF (with MOTET set)
# A condition over variables of two nodes: in a real gdb (nodes as inferiors), forward and backward, and in Lua. Both say
# the same moment.
. "$(dirname "$0")/../lib/expect.sh"
elf=$1
for i in 0 1 2; do
    flashes="${flashes:-} --save-flash $i:$work/$i.flash" logs="${logs:-} $i:$work/$i.flash"
done
motet run --quiet "$elf" --board micaz --topology line:3:10m --medium disk:15m --boot 2s --for 25s $flashes
expect_status 0
set -- $logs --elf "$elf" --board micaz --time ticks/32768
condition='node[2].cost > node[1].cost && node[2].cost < 200 && node[1].cost > 0'

gdb_session() { # COMMANDS ON STANDARD INPUT
    { echo 'set print entry-values no'; cat; } >"$work/gdb"
    "$MOTET" replay $logs --elf "$elf" --board micaz --time ticks/32768 --exec "avr-gdb -nx -q -batch -x '$work/gdb'" \
        </dev/null >"$work/out" 2>&1
}
gdb_session <<END
monitor stop-when $condition
continue
monitor when
print cost > 0 && cost < 200
inferior 2
print cost
inferior 3
print cost
watch ticks
continue
monitor when
delete
reverse-continue
monitor when
inferior 3
print cost
continue
monitor when
reverse-continue
reverse-continue
monitor when
monitor stop-when
monitor stop-when node[9].cost > 1
monitor stop-when cost > node[1].cost
monitor stop-when node[1].nothing > 1
monitor stop-when 1 > 0
monitor stop-when node[1].cost >
END
grep -qF "now $condition" "$work/out" || fail "the condition did not stop the nodes"
grep -q 'before the write that made it true: ' "$work/out" || fail "the condition did not stop them backward"
grep -q 'received signal SIGTRAP' "$work/out" || fail "gdb does not show the stop"
awk '/ s, node / { time[++t] = $1 } /^\$[0-9]+ = / { value[++v] = $3 }
    END { exit !(t == 5 && v == 4 && value[1] == 1 && value[3] > value[2] && value[3] < 200 && time[2] > time[1] &&
        time[3] <= time[1] && time[1] - time[3] < 0.00002 && (value[4] <= value[2] || value[4] >= 200) &&
        time[4] == time[1] && time[5] == 0) }' "$work/out" ||
    fail "forward, backward and forward again are not one moment"
for sentence in "there is no node 9" "which node's cost? write node\[ID\].NAME" "node 1: there is no .*nothing" \
    "names no node; write node\[ID\].NAME" "no condition stops the nodes"; do
    grep -q "$sentence" "$work/out" || fail "gdb: no '$sentence'"
done
gdb_time=$(awk '/ s, node / { print $1; exit }' "$work/out")

# The same in Lua, by a script over the replayed logs.
cat >"$work/when.lua" <<END
if node.id == 2 then
    when("$condition", function(time, id)
        print(("true at %.9f by node %d, %d"):format(time, id, node.var.cost))
        stop()
    end)
end
END
motet replay "$@" --script "$work/when.lua"
lua_time=$(sed -n 's/^2: true at \([0-9.]*\) by node [12], .*/\1/p' "$work/err")
[ -n "$lua_time" ] || fail "Lua: the condition did not become true"
awk -v a="$gdb_time" -v b="$lua_time" 'BEGIN { d = a - b; exit !(d < 0.00002 && d > -0.00002) }' ||
    fail "gdb says $gdb_time and Lua $lua_time"

# And in a scenario, over a network that runs; what the function does there is part of the run, with any threads.
cat >"$work/when-run.lua" <<END
for i = 0, 2 do node{ id = i, board = "micaz", firmware = "$elf", x = 10 * i, boot = i * 0.3 } end
medium{ model = "disk", range = 15 }
when("$condition", function(time, id)
    check(now() - time >= 0 and now() - time < 0.00013, "late")
    check(read(2, "cost") > read(1, "cost"), "it does not hold")
    kill(2)
end)
at_end(function() check(not alive(2), "it never became true") end)
run_for(25)
END
motet run --quiet "$work/when-run.lua" --digest
expect_status 0
cp "$work/out" "$work/digest"
motet run --quiet "$work/when-run.lua" --digest --threads 1
cmp -s "$work/out" "$work/digest" || fail "other threads, another run"
motet debug "$work/when-run.lua" --line </dev/null
expect_complaint "acts by when()"
motet run --quiet "$work/when-run.lua" --save "$work/run.motet"
expect_status 0
motet open --verify "$work/run.motet"
expect_status 0
sed 's/node\[2\].cost > /node[2].cost[i] > /' "$work/when-run.lua" >"$work/bad.lua"
motet run "$work/bad.lua"
expect_complaint "an index must be a number"

finish
