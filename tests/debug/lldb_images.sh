# A network of different firmwares in lldb, which knows one: it sees the nodes that have it, and stops in no other.
. ./session.sh
cat >"$work/images.lua" <<END
node{ id = 1, board = "telosb", firmware = "$FIRMWARE/blink-telosb.elf" }
node{ id = 2, board = "telosb", firmware = "$FIRMWARE/radio-count-telosb.elf", x = 5 }
node{ id = 3, board = "telosb", firmware = "$FIRMWARE/blink-telosb.elf", x = 10, boot = 0.001 }
run_for(2)
END
cat >"$work/commands" <<'.'
breakpoint set --name toggle
continue
thread list
continue
thread list
process plugin packet monitor nodes
.
timeout 300 "$MOTET" debug "$work/images.lua" --exec "lldb-19 --no-lldbinit -b -s '$work/commands'" \
    </dev/null >"$work/out" 2>&1
status=$?
last=0
expect 'toggle'
expect 'stop reason = breakpoint 1.1'
expect 'tid = 0x0001'
expect 'tid = 0x0003'
expect 'tid = 0x0003, 0x4072 blink-telosb.elf`toggle'
expect_none 'tid = 0x0002'
expect '  2    telosb' # it runs with them
finish
