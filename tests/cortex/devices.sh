# Devices that check themselves, and what a device reports.
. "$SOURCE/tests/cortex/cortex.lib"
compile "$work/devices.elf" "$here/devices.c"
motet run --board nrf52840dk --for 5s --serial 0=null --drive P0.11=1@1ms --drive P0.11=0@400ms --analog 0=1.5V --analog 1=0.6V "$work/devices.elf"
expect_status 0
expect_not_in_out WRONG
[ "$(grep -c good "$work/out")" -eq 19 ] || fail "there should be nineteen good lines"
expect_out "watchdog good"
cat >"$work/store.c" <<'C'
int main(void)
{
    *(volatile unsigned *)0x20000 = 1;
    return 0;
}
C
compile "$work/store.elf" "$work/store.c"
motet run --board nrf52840dk --for 1ms --serial 0=null "$work/store.elf"
expect_err "while CONFIG of the NVMC allows to write"
finish
