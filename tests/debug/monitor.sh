# monitor: when, seek both ways, checkpoint and restart, last-write; gdb sees the target where it was put.
. ./session.sh
session debug-counter <<'.'
monitor seek 3.5ms
print total
monitor checkpoint
monitor seek @16000
print total
print ticks
monitor restart 1
print total
monitor last-write total
monitor when
monitor last-write limit
monitor last-write nothing
monitor restart
print $pc
monitor seek yesterday
monitor dance
monitor help
.
expect '0.003500000 s, tick @56000'
expect '$1 = 30'
expect 'checkpoint 1: 0.003500000 s'
expect '0.001000'
expect '$2 = 1'
expect '$3 = 0'
expect '$4 = 30'
expect 'total was written at 0.003010313 s, tick @48165, instruction 264, at add+0x14 (counter.c:27)'
expect 'from 0e 00 to 1e 00'
expect '0.003500000 s, tick @56000'
expect 'limit was written at 0.00000'
expect "there is no global or static variable `nothing`"
expect 'instruction 0, at __vectors'
expect '<__vectors>'
expect "'yesterday' is not a time"
expect "there is no command 'dance'; see help"
expect 'last-write EXPRESSION'
finish
