# Watchpoints on writes, reads and both; on a variable in RAM and on a register of the chip.
. ./session.sh
session debug-counter <<'.'
watch total
continue
continue
delete
rwatch limit
continue
continue
delete
awatch ticks
continue
delete
watch *(unsigned char*)0x800047
continue
.
expect 'Hardware watchpoint 1: total'
expect 'Old value = 0'
expect 'New value = 1'
expect 'total += s;'
expect 'Old value = 1'
expect 'New value = 5'
expect 'Hardware read watchpoint 2: limit'
expect 'Value = 5'
expect 'Value = 5'
expect 'Hardware access (read/write) watchpoint 3: ticks'
expect '__vector_14'
finish

session debug-counter <<'.'
watch *(unsigned char*)0x800047
continue
.
expect 'Old value = 0'
expect "New value = 249"
expect 'TIMSK0'
finish
