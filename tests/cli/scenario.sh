# Scenarios in Lua.
. "$SOURCE/tests/lib/expect.sh"

scenario() { # the text is standard input
    cat >"$work/s.lua"
    motet run "$@" "$work/s.lua"
}

declare_nodes="for i = 0, 2 do node{board = 'uno', firmware = '$FIRMWARE/cli-echo.elf', boot = i / 10} end"

scenario --quiet <<END
$declare_nodes
run_for(2)
at(0.5, function() check(send(2, 0, "hi") == 2) end)
at(1, function() kill(1) end)
at(1.5, function() boot(1) end)
local ticks = 0
every(0.25, function() ticks = ticks + 1 end)
at_end(function()
    check(output(2) == "> HI", "node 2 says " .. output(2))
    check(output(1) == "> > ", "node 1 says " .. output(1))
    check(alive(1) and now() == 2 and ticks == 8, "ticks " .. ticks)
    check(led(0, "L") == false)
end)
END
expect_status 0
expect_no_err

# What a node senses, by name; and what none of its sensors does.
scenario --quiet <<END
node{firmware = "$FIRMWARE/cli-sensing.elf"}
sense(0, "temperature", 85)
run_for(0.1)
at_end(function() check(read(0, "reading") == 353, read(0, "reading")) end)
END
expect_status 0
scenario --quiet <<END
node{firmware = "$FIRMWARE/cli-sensing.elf"}
sense(0, "light", 85)
END
expect_status 2
expect_err "node 0 does not sense 'light'"
scenario --quiet <<END
node{firmware = "$FIRMWARE/cli-sensing.elf"}
analog(0, 9, 1)
END
expect_status 2
expect_err "node 0 has no analog channel 9"

# Pins and voltages, of one node of two; a reset and a reboot.
scenario --quiet <<END
for i = 0, 1 do node{board = "uno", firmware = "$FIRMWARE/cli-watcher.elf"} drive(i, "PD2", "low") analog(i, 0, 0) end
run_for(0.5)
at(0.1, function() analog(1, 0, 2.5) drive(1, "PD2", "high") end)
at(0.2, function() reset(1) end)
at(0.3, function() boot(1) end)
at_end(function()
    check(output(0) == "0 00\\n", output(0))
    check(output(1) == "0 00\\n1 80\\n1 80\\n1 80\\n", output(1))
end)
END
expect_status 0
expect_no_err

# A trace of one node, with a reset and a reboot in it; inputs are the scenario's own.
scenario --quiet --trace 1:resets,leds <<END
$declare_nodes
run_for(0.5)
at(0.3, function() reset(1) end)
at(0.4, function() boot(1) end)
END
expect_status 0
grep -qE '^ +0\.30000[0-9]* node 1 reset external' "$work/err" || fail "the reset should be traced"
expect_not_in_err "node 0"
scenario --drive PD2=1 <<END
$declare_nodes
run_for(0.5)
END
expect_complaint "says for itself what is on pins and inputs"

# Failed checks: all of them, with their places, and status 3.
scenario --json <<END
$declare_nodes
run_for(0.1)
at(0.05, function()
    check(false, "first")
end)
at_end(function() check(false, "second") end)
END
expect_status 3
expect_err "s.lua:4: first (at 0.05 s)"
expect_err "s.lua:6: second (at 0.1 s)"
tail -n 1 "$work/out" | jq -e '.checks_failed == 2 and (.nodes | length) == 3' >"$work/jq" || fail "JSON"

scenario --quiet <<END
$declare_nodes
run_for(100)
at(0.3, stop)
at_end(function() check(now() == 0.3) end)
END
expect_status 0

# Order and chance are the same every time.
for i in 1 2; do
    scenario --quiet --seed 5 --for 1ms <<END
$declare_nodes
local t = {}
for i = 1, 30 do t["key" .. i] = math.random(1000) end
for k, v in pairs(t) do print(k, v) end
END
    expect_status 0
    cp "$work/out" "$work/run$i"
done
cmp -s "$work/run1" "$work/run2" || fail "pairs and math.random should not change from run to run"

# Errors: file and line, nothing runs.
bad() { # line, text expected; the scenario is standard input
    scenario
    expect_complaint "s.lua:$1: "
    expect_err "$2"
}
bad 2 "there is no node 7" <<END
$declare_nodes
link(0, 7, -60)
END
bad 2 "there is nothing called 'colour'" <<END
-- nodes
node{id = 1, colour = "red"}
END
bad 1 "has no 'firmware'" <<END
node{id = 1}
END
bad 1 "cannot be opened" <<END
node{firmware = "missing.elf"}
END
bad 1 "was built for atmega328p" <<END
node{board = "mega", firmware = "$FIRMWARE/cli-echo.elf"}
END
bad 1 "there is no board or chip 'toaster'" <<END
node{board = "toaster", firmware = "$FIRMWARE/cli-echo.elf"}
END
bad 1 "there is no symbol 'nothing'" <<END
node{board = "uno", firmware = "$FIRMWARE/cli-echo.elf", set = {nothing = 1}}
END
bad 2 "there already is a node 1" <<END
$declare_nodes
node{id = 1, board = "uno", firmware = "$FIRMWARE/cli-echo.elf"}
END
bad 2 "is not a probability" <<END
$declare_nodes
medium{loss = 2}
END
bad 2 "there is no model 'fog'" <<END
$declare_nodes
medium{model = "fog"}
END
bad 3 "this runs on and on" <<END
$declare_nodes

while true do end
END
bad 2 "attempt to index a nil value (global 'os')" <<END
$declare_nodes
os.exit(0)
END
bad 2 "attempt to call a nil value (global 'load')" <<END
$declare_nodes
load("x = 1")
END
scenario <<END
local s = string.rep("x", 1 << 30)
END
expect_complaint "not enough memory"
scenario <<END
x = = 1
END
expect_complaint "s.lua:1: unexpected symbol"
scenario <<END
run_for(1)
END
expect_complaint "there are no nodes"
scenario <<END
$declare_nodes
END
expect_complaint "does not say how long to run"
motet run "$work/none.lua"
expect_complaint "none.lua"
scenario --nodes 3 <<END
$declare_nodes
END
expect_complaint "says for itself"

# An error in an action ends the run where it happens.
scenario <<END
$declare_nodes
run_for(1)
at(0.5, function() kill(9) end)
END
expect_status 2
expect_err "s.lua:3: there is no node 9"

# A run that is broken off tells which checks have failed by then; those at the end do not take place.
cat >"$work/s.lua" <<END
$declare_nodes
run_for(1000000)
at(0, function() check(false, "this one failed") end)
at_end(function() check(false, "this one had no turn") end)
END
: >"$work/err"
"$MOTET" run --json --trace serial "$work/s.lua" </dev/null >"$work/out" 2>"$work/err" &
run=$!
command="motet run of a scenario, interrupted"
while [ ! -s "$work/err" ] && kill -0 $run 2>/dev/null; do sleep 0.05; done
kill -INT $run
wait $run
status=$?
expect_status 3
expect_err "this one failed"
expect_not_in_err "no turn"
expect_out '"checks_failed": 1'
finish
