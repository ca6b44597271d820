# Breakpoints stop whichever node comes to them first; all others have come just as far; conditions are evaluated by
# Motet.
. ./session.sh
mixed 'run_for(1)'
session "$work/mixed.lua" <<'.'
break add
continue
backtrace
print limit
continue
print n
delete
inferior 1
break strobe if said == 3
continue
continue
print said
print TOS_NODE_ID
info program
delete
inferior 3
print total
.
expect 'Thread 3.1 "node 2" hit Breakpoint 1, add (n=1 '
expect '#1  0x0000011c in main'
expect '$1 = 5'
expect 'hit Breakpoint 1, add (n=2 '
expect '$2 = 2'
expect 'node 2: the CPU stands still for good after 0.0'
expect 'Thread 1.1 "node 0" hit Breakpoint 2'
expect '$3 = 3'
expect '$4 = 0'
expect 'Switching to inferior 3'
expect '$5 = 1000'
finish
