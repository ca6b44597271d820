# In a network of AVR and MSP430 avr-gdb is shown the AVR nodes; the others run with them, and monitor shows all.
. ./session.sh
cat >"$work/both.lua" <<END
node{ id = 1, board = "micaz", firmware = "$FIRMWARE/blink-micaz.elf" }
node{ id = 2, board = "telosb", firmware = "$FIRMWARE/blink-telosb.elf" }
node{ id = 3, board = "micaz", firmware = "$FIRMWARE/blink-micaz.elf", boot = 0.1 }
run_for(2)
END
session "$work/both.lua" <<'.'
info inferiors
break toggle
continue
backtrace 1
continue
monitor nodes
monitor last-write 2:timers
reverse-continue
monitor when
.
expect '1    process 1'
expect '2    process 3'
expect 'Breakpoint 1 at'
expect 'Thread 1.1 "node 1" hit Breakpoint 1'
expect '#0  toggle'
expect 'Thread 2.1 "node 3" hit Breakpoint 1'
expect '  2    telosb     asleep'
expect 'timers was written at 0.'
expect 'Thread 1.1 "node 1" hit Breakpoint 1'
expect 'node 1, tick @'
expect_none 'process 2 '
finish
