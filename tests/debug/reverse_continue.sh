# reverse-continue stops at breakpoints, at the last write of a variable, and at the beginning.
. ./session.sh
session debug-counter <<'.'
continue
watch total
reverse-continue
reverse-continue
reverse-continue
delete
break add
reverse-continue
reverse-continue
delete
reverse-continue
break add
continue
.
expect 'the CPU stands still for good'
expect 'Old value = 1000'
expect 'total = 1000;'
expect 'Old value = '
expect 'New value = 55'
expect 'New value = 30'
expect 'add (n=5 '
expect 'Breakpoint 2, add (n=5 '
expect 'Breakpoint 2, add (n=4 '
expect 'No more reverse-execution history.'
expect 'Breakpoint 3, add (n=1 '
finish
