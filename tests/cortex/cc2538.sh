# Devices of the CC2538 that check themselves; snapshots; what it reports; files that it would not start.
. "$SOURCE/tests/cortex/cortex.lib"
compile_cc2538 "$work/devices.elf" "$here/cc2538.c"
set -- --board cc2538dk --for 5s --serial 0=null --drive PA3=1@0 --drive PA3=0@400ms --analog 4=500mV
motet run "$@" "$work/devices.elf"
expect_status 0
expect_not_in_out WRONG
[ "$(grep -c good "$work/out")" -eq 34 ] || fail "there should be 34 good lines"
expect_out "watchdog good"
expect_not_in_err "the reset of a single peripheral"
motet run "$@" --save "$work/run.motet" "$work/devices.elf"
motet open --verify "$work/run.motet"
expect_status 0
compile_cc2538 "$work/crypto.elf" "$here/cc2538_crypto.c"
motet run --board cc2538dk --for 1s --serial 0=null "$work/crypto.elf"
expect_status 0
expect_not_in_out WRONG
[ "$(grep -c good "$work/out")" -eq 24 ] || fail "there should be 24 good lines of the ciphers"
expect_err "only its DMA moves data"
motet run --board cc2538dk --for 1s --serial 0=null --save "$work/run.motet" "$work/crypto.elf"
motet open --verify "$work/run.motet"
expect_status 0
cat >"$work/store.c" <<'C'
int main(void)
{
    *(volatile unsigned *)0x210000 = 1;
    *(volatile unsigned *)0x4000c048 = 3;
    *(volatile unsigned *)0x400d2014 = 1;
    *(volatile unsigned *)0x40044000 = 1; /* PKA, which is not there */
    return 0;
}
C
compile_cc2538 "$work/store.elf" "$work/store.c"
motet run --board openmote --for 1ms --serial 0=null "$work/store.elf"
expect_err "flash is written through FADDR and FWDATA"
expect_err "the UART is asked to request transfers of the uDMA"
expect_err "the reset of a single peripheral (SRGPT, SRSSI, SRUART)"
expect_err "0x40044000, where there is no memory"
compile "$work/other.elf" "$work/store.c"
motet run --board cc2538dk "$work/other.elf"
expect_complaint "so that the chip would stay in its boot loader"
finish
