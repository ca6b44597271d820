# Devices that check themselves, and what a device reports.
. "$SOURCE/tests/cortex/cortex.lib"
compile "$work/devices.elf" "$here/devices.c"
motet run --board nrf52840dk --for 5s --serial 0=null --drive P0.11=1@1ms --drive P0.11=0@400ms --analog 0=1.5V --analog 1=0.6V "$work/devices.elf"
expect_status 0
expect_not_in_out WRONG
[ "$(grep -c good "$work/out")" -eq 23 ] || fail "there should be 23 good lines"
expect_out "watchdog good"
cat >"$work/store.c" <<'C'
int main(void)
{
    *(volatile unsigned *)0x20000 = 1;
    *(volatile unsigned *)0x10001080 = 1;
    return 0;
}
C
compile "$work/store.elf" "$work/store.c"
motet run --board nrf52840dk --for 1ms --serial 0=null "$work/store.elf"
expect_err "while CONFIG of the NVMC allows to write"
expect_err "a store to UICR"

# Without a buffer for DMA, bytes that come are taken one by one.
cat >"$work/bytes.c" <<'C'
#include "port.h"
#define UARTE(offset) (*(volatile uint32_t *)(0x40002000 + (offset)))
int main(void)
{
    UARTE(0x524) = 0x01d60000;
    UARTE(0x500) = 8;
    UARTE(0) = 1;
    for (char c = 0; c != '\n'; port_put(c)) {
        while (!UARTE(0x108))
            ;
        UARTE(0x108) = 0;
        c = (char)UARTE(0x518);
    }
    port_end(0);
    return 0;
}
C
compile "$work/bytes.elf" "$work/bytes.c"
echo "one by one" >"$work/line"
motet run --board nrf52840dk --for 1s --serial "0=file:$work/line,$work/answer" "$work/bytes.elf"
expect_status 0
expect_out "one by one"
finish
