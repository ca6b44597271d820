# Breakpoints: at a function, at a line, temporary, conditional, in an interrupt; deleted ones are gone.
. ./session.sh
session debug-counter <<'.'
break add
continue
continue
delete
tbreak add if n == 4
continue
print n
break __vector_14
continue
delete
continue
.
expect 'Breakpoint 1, add (n=1 '
expect 'Breakpoint 1, add (n=2 '
expect 'Temporary breakpoint 2, add (n=4 '
expect '$1 = 4'
expect 'Breakpoint 3, __vector_14 ()'
expect 'the CPU stands still for good'
expect_status 0
finish
