# step into a function, next over one, finish, until; each shows the line it comes to.
. ./session.sh
session debug-counter <<'.'
break add
continue
step
backtrace
finish
stepi 3
finish
stepi
info registers r24 SP
.
expect 'Breakpoint 1, add (n=1 '
expect 'square (n=1 '
expect ' in add (n=1 '
expect ' in main () at'
expect 'Value returned is $1 = 1'
expect 'total += s;'
expect 'main () at'
expect 'sleep_mode();'
expect 'SP  '
finish

session debug-counter-2560 <<'.'
break square
continue
backtrace
finish
finish
.
expect 'Breakpoint 1, square (n=1 '
expect ' in add (n=1 '
expect ' in main ()'
expect 'Value returned is $1 = 1'
expect 'main () at'
finish
