# One inferior for each node, its firmware loaded by gdb itself, its name in the list; a breakpoint is in all that have the
# function.
. ./session.sh
mixed 'run_for(1)'
session "$work/mixed.lua" <<'.'
info inferiors
info threads
break add
break strobe
info breakpoints
.
expect '* 1    process 1'
expect 'network-cc2420-beacon.elf'
expect 'debug-counter.elf'
expect '4    process 4'
expect '"node 0" (micaz)'
expect '"node 2" (uno)'
expect '"node 3" (micaz)'
expect 'Breakpoint 1 at'
expect 'Breakpoint 2 at 0xe0: strobe. (3 locations)'
expect 'counter.c:26 inf 3'
expect_anywhere 'cc2420_beacon.c:46 inf 1' # gdb lists them in any order
expect_anywhere 'cc2420_beacon.c:46 inf 2'
expect_anywhere 'cc2420_beacon.c:46 inf 4'
expect_none 'warning'
finish
