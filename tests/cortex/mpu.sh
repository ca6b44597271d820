# The memory protection unit, against QEMU; and the same state after a search backward.
. "$SOURCE/tests/cortex/cortex.lib"
for level in -O0 -O2; do
    LEVEL=$level
    build mpu "$here/mpu.c"
    compare mpu
    expect_out "only Motet: unprivileged 00000500 written read 11111611"
done
motet run --board nrf52840dk --for 60s --serial 0=null --save "$work/run.motet" "$work/mpu.elf"
motet open --verify "$work/run.motet"
expect_status 0
finish
