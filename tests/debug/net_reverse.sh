# "reverse-continue to the last write of this variable on node 3", in a network of mixed firmware; and on past it to the
# beginning.
. ./session.sh
mixed 'run_for(1)'
session "$work/mixed.lua" <<'.'
monitor seek 105ms
inferior 4
print said
monitor last-write said
watch said
reverse-continue
monitor when
print said
reverse-continue
continue
delete
monitor last-write 0:said
monitor last-write 2:total
inferior 3
watch total
reverse-continue
print total
delete
reverse-continue
monitor when
.
expect '$1 = 8'
expect 'said was written at 0.096230795 s, node 3, tick @687372'
expect 'from 07 00 to 08 00'
expect 'Thread 4.1 "node 3" hit Hardware watchpoint 1: said'
expect 'Old value = 8'
expect 'New value = 7'
expect '__vector_12 () at'
expect '0.096230795 s, node 3, tick @687372'
expect '$2 = 7'
expect 'New value = 6'
expect 'New value = 7'
expect 'said was written at 0.0'
expect 'total was written at 0.0'
expect 'to e8 03'
expect 'Thread 3.1 "node 2" hit Hardware watchpoint 2: total'
expect 'Old value = 1000'
expect '$3 = '
expect 'No more reverse-execution history.'
expect '0.000000000 s'
finish
