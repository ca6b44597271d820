# The PWM of the nRF52840 checks itself, and says what it is not told.
. "$SOURCE/tests/cortex/cortex.lib"
compile "$work/pwm.elf" "$here/pwm.c"
motet run --board nrf52840dk --for 5s --serial 0=null "$work/pwm.elf"
expect_status 0
expect_not_in_out WRONG
[ "$(grep -c good "$work/out")" -eq 29 ] || fail "there should be 27 good lines"

cat >"$work/odd.c" <<'C'
#include <stdint.h>
#define PWM(address) (*(volatile uint32_t *)(address))
int main(void)
{
    PWM(0x40021500) = 1;
    PWM(0x40021008) = 1;
    PWM(0x40022500) = 1;
    PWM(0x40022508) = 2;
    PWM(0x40022524) = 1;
    PWM(0x40022008) = 1;
    for (;;)
        ;
}
C
compile "$work/odd.elf" "$work/odd.c"
motet run --board nrf52840dk --for 1ms --serial 0=null "$work/odd.elf"
expect_err "a sequence without values"
expect_err "counts to less than 3"
finish
