# Nodes that come to a breakpoint at the very same moment are all seen there, though gdb steps each over it alone; and with
# schedule-multiple off only the current node's count.
. ./session.sh
session network-cc2420-busy --board micaz --nodes 3 --boot 0s <<'.'
break __vector_12
commands
silent
printf "node %d sends %d\n", TOS_NODE_ID, said
end
break set_register
continue
continue
continue
continue
reverse-continue
reverse-continue
set schedule-multiple off
inferior 2
continue
continue
.
expect 'Thread 1.1 "node 0" hit Breakpoint'
expect 'Thread 2.1 "node 1" hit Breakpoint'
expect 'Thread 3.1 "node 2" hit Breakpoint'
expect 'Thread 1.1 "node 0" hit Breakpoint'
expect 'Thread 3.1 "node 2" hit Breakpoint'
expect 'Thread 2.1 "node 1" hit Breakpoint'
expect 'Switching to inferior 2'
expect 'Thread 2.1 "node 1" hit Breakpoint'
expect 'node 1 sends 0'
finish
