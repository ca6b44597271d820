# Steps of one node, while time passes for all.
. ./session.sh
mixed 'run_for(1)'
session "$work/mixed.lua" <<'.'
break add
continue
monitor when
stepi
monitor when
reverse-stepi
next
print s
next
print total
reverse-next
print total
monitor nodes
.
expect 'hit Breakpoint 1, add (n=1 '
expect 'node 2, tick @94, instruction 65, at add'
expect 'node 2, tick @98, instruction 66, at square'
expect '27	    total += s;'
expect '$1 = 1'
expect '$2 = 1'
expect '$3 = 0'
expect '  0    micaz'
expect '* 2    uno'
expect_none '3    uno'
finish
