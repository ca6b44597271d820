# run begins anew, kill and detach end the session.
. ./session.sh
session debug-counter <<'.'
break add
continue
continue
run
print total
detach
.
expect 'Breakpoint 1, add (n=1 '
expect 'Breakpoint 1, add (n=2 '
expect 'Breakpoint 1, add (n=1 '
expect '$1 = 0'
expect 'detached]'
expect_status 0
finish

session debug-counter <<'.'
stepi
kill
.
expect_status 0
finish
