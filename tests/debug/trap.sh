# A check of the compiler that fails stops like any fault, also when stepped to, and can be gone back from.
. ./session.sh
session fault-trap <<'.'
break main
continue
set var which = 4
break fill
continue
stepi 20
info registers pc
reverse-stepi
reverse-stepi
reverse-stepi
x/i $pc
.
expect "Breakpoint 2, fill (t=0x0"
expect "null pointer at fill+0xa (trap.c:20)"
expect "the pointer is null"
expect "    main+0x2c"
expect "SIGABRT"
expect "<abort>"
expect "breq"
expect_status 0

# A breakpoint at the same place comes first.
session fault-trap <<'.'
break main
continue
set var which = 7
break abort
continue
continue
.
expect "Breakpoint 2, 0x"
expect "null pointer at follow+0x4 (trap.c:32)"
expect "SIGABRT"
finish
