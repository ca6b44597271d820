# lldb on a TelosB: breakpoints, the call chain up to the start and no further, variables, registers.
. ./session.sh
lldb_session blink-telosb --board telosb <<'.'
breakpoint set --name toggle
continue
bt
frame variable
print timers
register read pc sp
disassemble --count 2
detach
.
expect 'Breakpoint 1: where = blink-telosb.elf`toggle at blink.c:11'
expect 'stop reason = breakpoint 1.1'
expect 'toggle(t=0x1100) at blink.c:11'
expect '-> 11  	    leds_toggle(1 << (t - timers));'
expect '* frame #0: 0x4072 blink-telosb.elf`toggle(t=0x1100) at blink.c:11'
expect '`fire at timer.c'
expect '`main at task.c'
expect '`__start at start.S'
expect '(timer *) t = 0x1100'
expect 'period = 8000'
expect 'period = 16000'
expect 'pc = 0x4072'
expect 'mov    #4352, r13'
expect_none 'frame #5'
expect_status 0
finish
