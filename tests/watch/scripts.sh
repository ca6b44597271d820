#!/bin/sh
# Lua scripts on nodes: what they see, that they change nothing, and what is said when they are wrong.
. "$(dirname "$0")/../lib/core.sh"

run() { # CHIP LUA: the script's lines in $work/err, the status in $status
    printf '%s\n' "$2" >"$work/probe.lua"
    "$MOTET" run --board "$1" --quiet --digest --script "$work/probe.lua" "$FIRMWARE/watch-routing-$1.elf" \
        >"$work/out" 2>"$work/err"
    status=$?
}

pieces() { # CHIP LUA: the same with the other firmware
    printf '%s\n' "$2" >"$work/probe.lua"
    "$MOTET" run --board "$1" --quiet --digest "$FIRMWARE/watch-pieces-$1.elf" 2>"$work/pieces"
    "$MOTET" run --board "$1" --quiet --digest --script "$work/probe.lua" "$FIRMWARE/watch-pieces-$1.elf" \
        >"$work/out" 2>"$work/err"
    status=$?
}

has() { # TEXT
    grep -qF -- "$1" "$work/err" || fail "no '$1' in: $(cat "$work/err")"
}

for chip in atmega128 msp430f1611; do
    "$MOTET" run --board $chip --quiet --digest "$FIRMWARE/watch-routing-$chip.elf" 2>"$work/bare"
    run $chip 'local calls = 0
probe("update", function() calls = calls + 1 end)
at_end(function() print("calls", calls, node.var.routing_table[2].etx, node.var.routing_table[2].state,
    node.var.routing_table[2].hops, node.var.best.next.etx, node.var.load, #node.var.routing_table) end)'
    [ $status -eq 0 ] || fail "$chip: status $status: $(cat "$work/err")"
    has "calls	40	90	LINK_DOWN	6	99	0.5	4"
    grep digest "$work/err" | cmp -s - "$work/bare" || fail "$chip: the digest is another"

    run $chip 'watch("routing_table[2].etx", function(a) if a.write then print("etx", a.value) end end)
local n = 0
probe("update:returns", function() n = n + 1 end)
hook("register", function(h) end)
every(0.0001, function() end)
at_end(function() print("returns", n, tostring(node.var.routing_table[3])) print("first", node.var.routing_table[1].etx) end)'
    [ $status -eq 0 ] || fail "$chip: status $status: $(cat "$work/err")"
    has "returns	40	{etx = 93"
    has "first	99"
    grep digest "$work/err" | cmp -s - "$work/bare" || fail "$chip: the digest is another"

    run $chip 'assertion("routing_table[1].etx", function(etx) return etx <= 50 end)'
    [ $status -eq 3 ] || fail "$chip: an assertion that fails: status $status"
    has "the assertion on routing_table[1].etx does not hold"
    has "it became 63 in update"

    run $chip 'assertion("rounds", function(v) return v % 3 == 0 end)'
    [ $status -eq 0 ] || fail "$chip: an assertion saw half a write: $(cat "$work/err")"

    # A buffer on the stack is watched in each of its frames, and in no other place that the stack takes there later.
    run $chip 'local writes, values = 0, {}
watch("depths::buffer", function(a) writes = writes + 1 values[a.value & 255] = true end)
probe("update", function() if node.var.etx > 100 then print("etx in scope", value("etx")) end end)
at_end(function() print("buffer", writes, #values) end)'
    [ $status -eq 0 ] || fail "$chip: status $status: $(cat "$work/err")"
    has "buffer	24	5"
    has "etx in scope	102"
    # Put on while the function is active, also several times, it covers the frames there are: from the first call of
    # fill() on all 24 writes, from the third on 16.
    for at in 1 3; do
        run $chip "local calls, writes = 0, 0
probe('fill', function()
    calls = calls + 1
    if calls == $at then watch('depths::buffer', function(a) writes = writes + 1 end) end
end)
at_end(function() print('buffer', writes) end)"
        has "buffer	$((28 - 4 * at))"
        grep digest "$work/err" | cmp -s - "$work/bare" || fail "$chip: the digest is another"
    done
    grep digest "$work/err" | cmp -s - "$work/bare" || fail "$chip: the digest is another"

    # One that is in several registers, which are not the same all along, is reported as it changes: all that is ever
    # stored of it has been reported before, and after the last change of a turn it is what is stored.
    pieces $chip 'local told, turns, good = {}, 0, 0
watch("mix::sum", function(a) assert(not a.address and a.size == 2 and a.value ~= a.old) told[#told + 1] = value("mix::sum") end)
watch("turns", function() turns = turns + 1 end)
probe("mix:returns", function() if told[#told] == node.var.shown then good = good + 1 end end)
at_end(function() print("sum", #told >= 10, told[#told] == node.var.shown, good) end)'
    [ $status -eq 0 ] || fail "$chip: status $status: $(cat "$work/err")"
    has "sum	true	true	1"
    grep digest "$work/err" | cmp -s - "$work/pieces" || fail "$chip: the digest is another"
    "$MOTET" run --board $chip --quiet --plot mix::sum "$FIRMWARE/watch-pieces-$chip.elf" >"$work/err" 2>&1
    has "mix::sum = 16917045"
    has "mix::sum = 17214275"
    pieces $chip 'watch("mix::sum", print, "read")'
    [ $status -eq 2 ] || fail "$chip: reads of what is in registers: status $status"
    has "only its changes can be watched"
    pieces $chip 'watch("mix::summ", print)'
    has "did you mean \`sum\`?"
    pieces $chip 'print(value("mix::sum"))'
    has "is a local variable of \`mix\`, which is not under way here"
    pieces $chip 'local w, told = nil, 0
w = watch("mix::sum", function() told = told + 1 w() end)
at_end(function() print("told", told) end)'
    has "told	1"
    run $chip 'local seen = 0
watch("depths::buffer[1]", function() seen = seen + 1 end)
at_end(function() print("element", seen) end)'
    has "element	6"

    run $chip 'probe("routing.c:30", function() print(place()) stop() end)'
    [ $status -eq 0 ] || fail "$chip: status $status: $(cat "$work/err")"
    has "update"
done

# Each node has its own time, from its power-on and with its drift; the network's time is the same for all.
cat >"$work/times.lua" <<'END'
probe("main", function() print(string.format("main %.3f %.3f", node.now, network.now)) end)
at(0.2, function() print(string.format("alarm %.6f %.6f", node.now, network.now)) end)
END
"$MOTET" run --quiet --nodes 2 --boot 0:0s --boot 1:300ms --drift 1:500ppm --for 1s \
    --script "$work/times.lua" "$FIRMWARE/cli-forever.elf" >"$work/out" 2>"$work/err"
status=$?
[ $status -eq 0 ] || fail "times of a network: status $status"
for line in "0: main 0.0" "0: alarm 0.200000 0.200000" "1: main 0.0" "1: alarm 0.200000 0.499900"; do
    has "$line"
done
grep -q '^1: main 0.0[0-9]* 0.3' "$work/err" || fail "node 1 reaches main after 0.3 s of the network's time"
run atmega128 'print(network.nwo)'
[ $status -eq 2 ] || fail "what a network has not: status $status"
has "a network has no 'nwo'; it has now"
run atmega128 'network.now = 3'
has "a script looks on and changes nothing"

run atmega128 'probe("updaet", print)'
[ $status -eq 2 ] || fail "a function that does not exist: status $status"
has "probe.lua:1:"
has "'update'"
run atmega128 'watch("routing_tabel[2].etx", print)'
[ $status -eq 2 ] || fail "a variable that does not exist: status $status"
has "routing_table"
run atmega128 'probe("update", function()
    local x = nil + 1 end)'
[ $status -eq 2 ] || fail "an error in a callback: status $status"
has "probe.lua:2:"
for address in -1 0x10000; do
    run atmega128 "watch($address, print)"
    [ $status -eq 2 ] || fail "an address that does not exist: status $status"
    has "there is no memory at this data address"
done
run atmega128 'local n = 0
for i = 1, 3000 do probe("depths", function() n = n + 1 end) end
local second = probe("depths", function() n = n + 1000000 end)
probe("update", function() second() end)
probe("depths", function() n = n + 10000000 end)
at_end(function() print("calls", n) end)'
has "calls	60018000"
run atmega128 'probe("routing.c:9999", print)'
[ $status -eq 2 ] || fail "a line that does not exist: status $status"
run atmega128 'node.var.rounds = 3'
[ $status -eq 2 ] || fail "a script that writes: status $status"
has "changes nothing"
run atmega128 'hook("fualt", print)'
has "fault"
run atmega128 'while true do end'
[ $status -eq 2 ] || fail "a script that never ends: status $status"

# Each mistake: one sentence that names file, line and, where there are any, the nearest names; status 2, no output.
wrong() { # LUA EXPECTED...
    script=$1
    run atmega128 "$1"
    [ $status -eq 2 ] || fail "$script: status $status"
    shift
    for text in "probe.lua" "$@"; do
        has "$text"
    done
    [ "$(wc -l <"$work/err")" -eq 1 ] || fail "$script: there should be one line: $(cat "$work/err")"
}
wrong 'probe("update", function( end)' "probe.lua:1:" "near 'end'"
wrong 'local function f(n) if n == 0 then error("deep down") end f(n - 1) end
probe("update", function() f(20) end)' "probe.lua:1: deep down"
wrong 'probe("update", function() error({}) end)' "an error that is not a text"
wrong 'at_end(function() error("last") end)' "probe.lua:1: last"
wrong 'probe("update", function() while true do end end)' "probe.lua:1:" "runs on and on"
wrong 'while true do pcall(function() while true do end end) end' "probe.lua:1:" "runs on and on"
wrong 'local function f() return 1 + f() end f()' "probe.lua:1:" "stack overflow"
wrong 'string.rep("x", 1e9)' "not enough memory: this script may take 256 MB"

# C functions that a script calls are bounded too, and no pcall lives on after a bound was reached.
for call in '("a"):rep(40):find(("a*"):rep(20) .. "b")' '("a"):rep(40):match(("a-"):rep(20) .. "b")' \
    '("a"):rep(40):gsub(("a?"):rep(40) .. ("a"):rep(41), "")' 'for x in ("a"):rep(40):gmatch(("a*"):rep(20) .. "b") do end' \
    '("a"):rep(1e6):find(("a"):rep(5e5) .. ".-b")' \
    'local s = ("x"):rep(1e7) while true do s = s:upper() end' \
    'local s = ("x"):rep(1e7) while true do local t = s .. "y" end' \
    'table.move({}, 1, math.maxinteger - 1, 2)' \
    'table.insert(setmetatable({}, {__len = function() return 1 << 50 end}), 1, 0)' \
    'table.remove(setmetatable({}, {__len = function() return 1 << 50 end}), 1)' \
    'table.concat(setmetatable({}, {__index = rawlen}), "", 1, 1 << 50)'; do
    wrong "for i = 1, 1000 do pcall(function() $call end) end" "runs on and on"
done
wrong '("a"):rep(40):find(("a*"):rep(20) .. "b")' "probe.lua:1: this runs on and on; ended after 200 million steps"
wrong 'while true do pcall(string.rep, "x", 1e9) end' "not enough memory"
wrong 'local t = {} for i = 1, 1e9 do t[i] = {} end' "not enough memory"
wrong 'setmetatable({}, {__gc = function() while true do end end})' "probe.lua:1: __gc is not available"
run atmega128 'print(#("") .. string.rep("", 1 << 60), #string.rep("", 3, ","))
local t = {} for i = 1, 1000 do t[i] = {i % 10, i} end
table.sort(t, function(a, b) return a[1] < b[1] end)
for i = 2, 1000 do assert(t[i - 1][1] < t[i][1] or t[i - 1][2] < t[i][2]) end -- equal ones stay in order
local u = {3, 1, 2} table.sort(u) print(table.concat(u, " "))'
[ $status -eq 0 ] || fail "bounded functions: status $status: $(cat "$work/err")"
has "0	2"
has "1 2 3"

# Ctrl-C and TERM: the first ends a script that runs, and asks a run with many callbacks to end; the second always ends.
signal_to() { # LUA SIGNAL...: the status in $status, once all signals were sent; the script says "go" when it is time
    printf '%s\n' "$1" >"$work/probe.lua"
    shift
    rm -f "$work/err" "$work/cut.motet"
    "$MOTET" run --script "$work/probe.lua" --save "$work/cut.motet" "$FIRMWARE/cli-forever.elf" \
        >"$work/out" 2>"$work/err" </dev/null &
    process=$!
    for signal; do
        until grep -qs go "$work/err"; do kill -0 $process || break; done
        kill -"$signal" $process
    done
    wait $process
    status=$?
}
signal_to 'at(0.1, function() print("go") for i = 1, 1e9 do local s = ("a"):rep(10):find("a*b") end end)' TERM
[ $status -eq 2 ] || fail "the first signal: status $status"
has "probe.lua:1: interrupted"
[ ! -e "$work/cut.motet" ] || fail "a script that was cut short should leave no saved run"
signal_to 'at(0.1, function() print("go") pcall(function() for i = 1, 1e9 do local s = i end end) end)' INT
[ $status -eq 2 ] || fail "the first signal, with pcall: status $status"
has "probe.lua:1: interrupted"
signal_to 'every_cycles(100, function() print("go") for i = 1, 900 do local s = i end end)' INT # each one is short
[ $status -eq 0 ] || fail "the first signal, between callbacks: status $status"
has "interrupted"
signal_to 'print("go") while true do end' TERM INT # while the file is read the first has to wait
case $status in 130 | 143) ;; *) fail "the second signal: status $status" ;; esac
wrong 'watch("routing_table[2].etc", print)' "probe.lua:1:" "\`etx\`"
wrong 'watch("routing_table[4].etx", print)' "probe.lua:1:" "4 elements"
wrong 'watch("routing_table[-1].etx", print)' "probe.lua:1:" "4 elements"
wrong 'probe("update", function() print(node.var.routing_table[9].etx) end)' "probe.lua:1:" "4 elements"
wrong 'assertion("routing_tabel", print)' "probe.lua:1:" "\`routing_table\`"
wrong 'watch("updaet::entry", print)' "probe.lua:1:" "\`update\`"
wrong 'watch("update::nothing_like_it", print)' "probe.lua:1:" "the function \`update\` has no variable"
wrong 'probe("updaet", print)' "probe.lua:1:" "'update'"
wrong 'probe("routing.c:9999", print)' "probe.lua:1:" "the nearest with code is"
wrong 'probe("routing.c:1", print)' "probe.lua:1:" "the nearest with code is"
wrong 'probe("ruoting.c:31", print)' "probe.lua:1:" "\`routing.c\`"
wrong 'probe("update:retruns", print)' "probe.lua:1:" "'returns'"
wrong 'every(0, print)' "probe.lua:1:" "too short"
wrong 'peek(0x10000)' "probe.lua:1:" "no memory at that address"

# The same lines in a network, whatever the threads.
cat >"$work/probe.lua" <<'END'
probe("update", function() print("update", node.cycles) end)
END
for threads in 1 2 3; do
    "$MOTET" run --board mica2 --nodes 5 --for 3s --threads $threads --quiet --digest --script "$work/probe.lua" \
        "$FIRMWARE/watch-routing-atmega128.elf" 2>"$work/network.$threads" || fail "a network: status $?"
done
cmp "$work/network.1" "$work/network.2" && cmp "$work/network.1" "$work/network.3" || fail "threads matter"
[ "$(grep -c update "$work/network.1")" -eq 200 ] || fail "a network: $(grep -c update "$work/network.1") lines"

# Of several nodes it is said whose script was wrong.
printf 'probe("update", function() if node.id == 3 then node.var.bset = 1 end end)\n' >"$work/probe.lua"
"$MOTET" run --board mica2 --nodes 5 --for 3s --quiet --script "$work/probe.lua" "$FIRMWARE/watch-routing-atmega128.elf" \
    2>"$work/err"
[ $? -eq 2 ] || fail "a wrong script in a network: $(cat "$work/err")"
has "probe.lua:1: "
has " (on node 3)"

# A script of one node ends the run of all, at the same moment whatever the threads.
cat >"$work/probe.lua" <<'END'
probe("update", function() if node.id == 2 then print("enough") stop() end end)
END
for threads in 1 3; do
    "$MOTET" run --board mica2 --nodes 5 --for 3s --threads $threads --quiet --digest --script "$work/probe.lua" \
        "$FIRMWARE/watch-routing-atmega128.elf" 2>"$work/network.$threads" || fail "a network that is stopped: status $?"
done
cmp "$work/network.1" "$work/network.3" || fail "a network is stopped elsewhere with threads"
[ "$(grep -c enough "$work/network.1")" -eq 1 ] || fail "it goes on after stop: $(cat "$work/network.1")"

finish
