# Breakpoints, conditions and watchpoints, forward and backward.
. ./lines.sh

session debug "$FIRMWARE/debug-counter.elf" <<'END'
break square if n == 4
continue
print n
condition 1 n == 2
reverse-continue
print n
delete 1
watch total
continue
continue
continue
reverse-continue
reverse-continue
last-write total
when
rwatch limit
disable 2
continue
info breakpoints
enable 2
break counter.c:43
continue
break *0xbc
break nowhere
watch nothing
delete 9
tbreak 27
END
expect 'Breakpoint 1, square (n=4)'
expect 'n = 4'
expect 'Breakpoint 1, square (n=2)'
expect 'n = 2'
expect 'Watchpoint 2: total'
expect 'Old value = 1'
expect 'New value = 5'
expect 'Old value = 5'
expect 'New value = 14'
expect 'New value = 30'
expect 'Old value = 30' # going back, what was new is old
expect 'New value = 14'
expect 'Old value = 14'
expect 'New value = 5'
expect 'total was written at'
expect 'add+0x'
expect 'Read watchpoint 3: limit'
expect 'Read watchpoint 3: limit'
expect 'Value = 5'
expect 'watchpoint      total, disabled'
expect 'Breakpoint 4 at'
expect 'Breakpoint 5 at 0xbc: add (counter.c:26)'
expect "there is no function or line 'nowhere'"
expect 'there is no global or static variable `nothing`'
expect "there is no breakpoint '9'"
expect 'Temporary breakpoint 6'
finish
