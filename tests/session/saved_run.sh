# The debugger over a saved run of one node: inputs come again by themselves, also in what another future makes of them.
. ./lines.sh

printf 'hello\n' >"$work/in"
timeout 300 "$MOTET" run "$FIRMWARE/cli-echo.elf" --serial "0=file:$work/in,$work/heard" --for 1s --quiet \
    --save "$work/echo.motet"
session open "$work/echo.motet" --at 0.5s <<'END'
when
reverse-continue
seek 0.8s
continue
when
END
expect '0.5000'
expect 'No more reverse-execution history.'
expect 'This is where the run ends.'
expect '1.0000'
grep -q '> HELLO' "$work/out" || show 'the firmware should have echoed what it was sent'
expect_status 0

# Something that happens just when a snapshot is taken is part of that moment, however it is reached.
cat >"$work/s.lua" <<END
for i = 0, 1 do node{board = "uno", firmware = "$FIRMWARE/cli-echo.elf"} end
run_for(0.6)
at(0.3, function() kill(1) end)
at(0.5, function() boot(1) end)
END
timeout 300 "$MOTET" run "$work/s.lua" --quiet --save "$work/acts.motet" >/dev/null
printf 'seek 0.3s\nnodes\nwhen\nseek 0.5s\nnodes\nwhen\nseek 0.29s\nnodes\nseek 0.3s\nnodes\n' >"$work/commands"
session open "$work/acts.motet" <"$work/commands"
grep -E ' uno |instruction' "$work/out" >"$work/first" # what the firmware prints comes where it is executed
[ "$(grep -c '1 .* off ' "$work/out")" -eq 2 ] || show 'node 1 should be off at 0.3 s, both times'
session open "$work/acts.motet" --anew <"$work/commands"
grep -E ' uno |instruction' "$work/out" | cmp -s - "$work/first" || show 'snapshots should change nothing'

# What is saved from the debugger has the pins, the voltages and the bytes of the run.
session debug "$FIRMWARE/cli-watcher.elf" --drive PD2=1@0.1s --drive PD2=0@0.2s --analog 0=sine:0V:5V:7Hz <<END
seek 0.35s
seek 0.05s
reverse-stepi 5
seek 0.35s
save $work/watcher.motet
END
expect 'saved to'
timeout 300 "$MOTET" open "$work/watcher.motet" --verify >"$work/out" 2>&1 || show 'what was saved should be a run'
timeout 300 "$MOTET" run "$FIRMWARE/cli-watcher.elf" --drive PD2=1@0.1s --drive PD2=0@0.2s --analog 0=sine:0V:5V:7Hz \
    --for 0.35s --json --quiet >"$work/plain"
digest=$(sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/plain")
timeout 300 "$MOTET" open "$work/watcher.motet" --json >"$work/out" 2>&1
last=0
expect "\"digest\": \"$digest\""

# gdb's server over a saved run, if there is an avr-gdb.
if command -v avr-gdb >/dev/null; then
    printf 'monitor when\nreverse-stepi\nmonitor when\nbreak main\nreverse-continue\n' >"$work/commands"
    timeout 300 "$MOTET" open "$work/echo.motet" --at 0.5s --exec "avr-gdb -nx -q -batch -x '$work/commands'" \
        </dev/null >"$work/out" 2>&1
    status=$?
    last=0
    expect '0.5000'
    expect '0.49'
    expect 'Breakpoint 1'
fi

# What cannot be: sentences.
session debug "$work/nothing.elf" </dev/null
expect_status 2
session open "$work/nothing.motet" </dev/null
expect_status 2
session debug "$FIRMWARE/cli-echo.elf" <<'END'
x/4
print
foo
seek later
restart 3
save
help
help step
help foo
last-write
frame 99
set
quit
when
END
expect_none ' s, instruction '
expect 'print what?'
expect "there is no command 'foo'; see help"
expect "'later' is not a time"
expect "there is no checkpoint '3'"
expect 'save to which file?'
expect 'break FUNCTION|LINE'
expect 'step [N]: to another line, into functions (s)'
expect "there is no command 'foo'"
expect 'last-write of what?'
expect 'you cannot go up'
expect 'set what?'
expect_status 0
finish
