# A fault stops with a signal and is explained; going back from it shows how it came there.
. ./session.sh
session fault-stack_recursion <<'.'
continue
reverse-stepi
stepi
continue
.
expect 'stack'
expect 'Program received signal SIGSEGV'
expect 'Program received signal SIGSEGV'
expect 'No more reverse-execution history.'
finish
session fault-erased_flash <<'.'
continue
.
expect 'Program received signal SIGILL'
finish
