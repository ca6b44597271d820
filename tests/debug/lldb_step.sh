# lldb on a TelosB: instructions, lines, out of functions, watchpoints, writes.
. ./session.sh
lldb_session blink-telosb --board telosb <<'.'
breakpoint set --name timer_every
continue
stepi
register read pc
next
finish
breakpoint delete
watchpoint set variable timers[1].running
continue
print timers[1].running
watchpoint delete
expression timers[2].period = 4242
print timers[2].period
memory write 0x1200 0x5a
memory read --size 1 --count 1 0x1200
kill
.
expect 'stop reason = breakpoint 1.1'
expect 'stop reason = instruction step into'
expect 'pc = 0x'
expect 'stop reason = step over'
expect 'stop reason = step out'
expect 'Watchpoint 1 hit:'
expect 'stop reason = watchpoint 1'
expect 'true'
expect '4242'
expect '5a'
finish
