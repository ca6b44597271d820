#!/bin/sh
# usage: options.sh MOTET
# Options about the application's code do not reach the recorder's own sources, and clones that the compiler makes of a
# function whose name begins like a library's are not taken for library routines.
. "$(dirname "$0")/../lib/core.sh"
motet=$1
cat >"$work/in.c" <<'C'
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
void __cyg_profile_func_enter(void *function, void *site) __attribute__((no_instrument_function));
void __cyg_profile_func_exit(void *function, void *site) __attribute__((no_instrument_function));
static volatile unsigned ticks, sum, entered;
void __cyg_profile_func_enter(void *function, void *site)
{
    (void)function, (void)site;
    entered++;
}
void __cyg_profile_func_exit(void *function, void *site)
{
    (void)function, (void)site;
}
ISR(TIMER0_COMP_vect)
{
    ticks++;
}
static int __attribute__((noinline)) __mix(int a, int b)
{
    for (int i = 0; i < b; i++)
        a = a * 3 + 1;
    return a;
}
static unsigned char __attribute__((noinline)) late(unsigned long *value) /* leaves it unset now and then */
{
    if (TCNT1 & 1)
        return 0;
    *value = TCNT1;
    return 1;
}
static unsigned latest(void)
{
    unsigned long value;
    return late(&value) ? (unsigned)value : 0;
}
int main(void)
{
    TCCR0 = 1 << CS02;
    TIMSK = 1 << OCIE0;
    sei();
    for (;;) {
        sum += (unsigned)__mix((int)TCNT0, 7) + (unsigned)__mix((int)TCNT1, 7);
        sum += latest();
        sleep_mode();
        if (ticks & 1) /* no else that could belong to another if */
            __asm__ __volatile__("sleep");
    }
}
C
for options in "-O2" "-Os -Wall -Wextra -pedantic -Werror" "-Os -finstrument-functions" "-Os -fstack-usage -Wconversion -Werror=sign-conversion"; do
    command="avr-gcc $options"
    rm -f "$work/out.elf"
    (cd "$work" && "$motet" cc --board micaz -- avr-gcc -mmcu=atmega128 -std=gnu11 $options -o out.elf in.c) >"$work/out" 2>"$work/err"
    status=$?
    [ $status = 0 ] && [ -s "$work/out.elf" ] || fail "it must be built"
    case $options in
    -O2) avr-nm "$work/out.elf" | grep -q "__mix\." || fail "the compiler has made no clone: the test is of no use" ;;
    *-finstrument*) avr-objdump -d "$work/out.elf" | sed -n '/<flash_exchange/,/ret/p' | grep -q __cyg_profile &&
        fail "the recorder's functions must not be instrumented" ;;
    esac
done
finish
