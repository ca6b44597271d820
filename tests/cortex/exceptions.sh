# Exceptions against QEMU at several levels of optimisation, and the words for a fault.
. "$SOURCE/tests/cortex/cortex.lib"
for level in -O0 -O2 -Os; do
    LEVEL=$level build exceptions "$here/exceptions.c"
    compare exceptions --fault ignore
    expect_out "only Motet: many ticks"
    expect_out "only Motet: cfsr 01000000"
done
motet run --board nrf52840dk --serial 0=null "$work/exceptions.elf"
expect_status 1
expect_err "illegal opcode"
expect_err "exceptions.c:"
finish
