# Conditions on variables in memory, in registers and on the stack, evaluated by Motet.
. ./session.sh
session debug-counter <<'.'
break add if total == 5 && n == 3
continue
print total
print n
delete
break square if n * 2 > limit + 4
continue
print n
delete
break __vector_14 if ticks >= 2 || total > 900
continue
print ticks
.
expect 'Breakpoint 1, add (n=3 '
expect '$1 = 5'
expect '$2 = 3 '
expect 'Breakpoint 2, square (n=5 '
expect 'Breakpoint 3, __vector_14'
expect '$4 = '
finish
