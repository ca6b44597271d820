# One node can be let go of and taken back; run begins anew with all.
. ./session.sh
session network-cc2420-busy --board micaz --nodes 3 <<'.'
break strobe
continue
detach inferior 3
info inferiors
continue
add-inferior
inferior 4
attach 3
info inferiors
inferior 1
run
monitor when
kill
.
expect 'hit Breakpoint 1'
expect '3    <null>'
expect 'hit Breakpoint 1'
expect '* 4    process 3'
expect 'hit Breakpoint 1'
expect 's, node'
expect_status 0
finish
