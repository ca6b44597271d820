# What is set through a pointer to a register reaches its device, wherever it lies among the addresses.
. ./lines.sh

[ -e "$FIRMWARE/session-ports-msp430f1611.elf" ] || exit 0
session debug "$FIRMWARE/session-ports-msp430f1611.elf" --board msp430f1611 <<'END'
tbreak main
continue
print/x *p3in
set *p3dir = 0xff
set *p3out = 0xa5
print/x *p3in
seek 1ms
print/x *p3in
seek 0
seek 2ms
print/x *p3in
set *watchdog = 0x5a90
print/x *watchdog
set *again = 0x1234
print/x *again
END
expect '0x0'
expect '0xa5'
expect '0xa5'
expect '0xa5'
expect '0x6990'
expect '0x1234'
expect_status 0
finish
