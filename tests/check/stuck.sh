# Without any property: a node that never sleeps again is found, and a radio whose buffer is not emptied any more. A node
# that never slept is none, and --stuck 0 looks for neither.
. "$SOURCE/tests/lib/expect.sh"
check() { motet check --steady 4s --length 8s --stuck 2s --walks 12 --save "$work/found.motet" "$@"; }

motet check --board uno --steady 4s --length 20s --as-found --save "$work/found.motet" "$FIRMWARE/check-stuck.elf"
expect_status 1
expect_out "node 0 does not sleep any more: it is awake for 10 s"
check --board uno "$FIRMWARE/check-stuck.elf"
expect_status 1
expect_out "node 0 does not sleep any more: it is awake for 2 s"
expect_out "departs from the plain run 1 time "
expect_out "its reset pin is pulled"
motet check --json --replay "$work/found.motet"
expect_status 1
expect_out '"violation": "awake"'
expect_out '"same": true'
check --board uno --stuck 0 --walks 2 "$FIRMWARE/check-stuck.elf"
expect_status 0
check --board uno --weight reset=0 "$FIRMWARE/check-stuck.elf"
expect_status 0
check --board uno --walks 4 --weight power=1 "$FIRMWARE/check-busy.elf" # never sleeps
expect_status 0

check --board micaz --nodes 2 --weight reset=0.5 "$FIRMWARE/check-deaf.elf"
expect_status 1
expect_out "does not fetch what its radio has received"
expect_out "departs from the plain run 1 time "
motet check --json --replay "$work/found.motet"
expect_status 1
expect_out '"violation": "unread"'
finish
