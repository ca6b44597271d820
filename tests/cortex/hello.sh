# A first firmware: serial port, an LED by a real-time counter, sleep; the same state with and without observers; a file for
# another board.
. "$SOURCE/tests/cortex/cortex.lib"
compile "$work/hello.elf" "$here/hello.c"
motet run --board nrf52840dk --trace leds "$work/hello.elf"
expect_status 3
expect_out "hello from a Cortex-M4"
expect_out "five blinks"
expect_err "led LED1 off"
expect_err "the firmware ended the run with status 7"
digest() { sed -n 's/.*"digest": "\([0-9a-f]*\)".*/\1/p' "$work/out"; }
motet run --board nrf52840dk --serial 0=null --json --quiet "$work/hello.elf"
plain=$(digest)
motet run --board nrf52840dk --serial 0=null --json --quiet --monitor calls --monitor trace "$work/hello.elf"
[ "$(digest)" = "$plain" ] || fail "monitors should change nothing"
motet run --board nrf52840dk --serial '*:0=null' --json --quiet --nodes 4 --threads 1 "$work/hello.elf"
plain=$(digest)
motet run --board nrf52840dk --serial '*:0=null' --json --quiet --nodes 4 --threads 2 "$work/hello.elf"
[ -n "$plain" ] && [ "$(digest)" = "$plain" ] || fail "threads should change nothing"
motet run --board nrf52840dk --serial 0=null --save "$work/run.motet" "$work/hello.elf"
motet open --verify "$work/run.motet"
expect_status 0
motet run --board micaz "$work/hello.elf"
expect_complaint "this firmware is for another kind of processor"
motet stack --board nrf52840dk "$work/hello.elf"
expect_status 0
expect_out "interrupt 16: on_irq (hello.c:"
cat >"$work/id.c" <<'C'
#include "port.h"
volatile unsigned short node_id = 99;
int main(void)
{
    port_number(node_id);
    port_put('\n');
    port_end(0);
    return 0;
}
C
compile "$work/id.elf" "$work/id.c"
motet run --board nrf52840dk --serial '*:0=null' --nodes 2 "$work/id.elf"
expect_status 0
expect_out "0: 0"
expect_out "1: 1"
cat >"$work/calls.c" <<'C'
#include "port.h"
__attribute__((noinline)) static int leaf(int x)
{
    __asm__ volatile("" ::: "memory");
    return x + 1;
}
__attribute__((noinline)) static int twice(int x)
{
    return leaf(leaf(x)) + 2;
}
int main(void)
{
    int sum = twice(1);
    sum += leaf(sum);
    port_end(sum != 11);
    return 0;
}
C
compile "$work/calls.elf" "$work/calls.c"
motet run --board nrf52840dk --serial 0=null --monitor calls "$work/calls.elf"
expect_status 0
expect_not_in_out "without a return"
[ "$(grep -c 'return from leaf' "$work/out")" -eq 3 ] || fail "three returns from leaf should be seen"
expect_out "return from twice"
echo 'local n = 0 probe("leaf:returns", function() n = n + 1 end) at_end(function() print("left", n) end)' >"$work/returns.lua"
motet run --board nrf52840dk --serial 0=null --script "$work/returns.lua" "$work/calls.elf"
expect_status 0
expect_err "left	3"

# A function that the firmware has as an array; a stack of a thread right below the limit of the main one.
cat >"$work/threads.c" <<'C'
#include "port.h"
__attribute__((aligned(4))) static const uint16_t half[] = {0x0840, NEXT}; /* lsrs r0, #1; bx lr */
static uint32_t stack[64];
extern uint32_t bss_end;
static __attribute__((noinline)) unsigned below(unsigned (*f)(unsigned))
{
    volatile uint32_t place[4] = {0};
    place[1] = (uint32_t)(uintptr_t)place < (uint32_t)(uintptr_t)&bss_end;
    return place[1] ? f(84) : 0;
}
int main(void)
{
    static volatile uintptr_t at;
    static volatile unsigned v;
    at = (uintptr_t)half | 1;
    stack[0] = 1;
    __asm__ volatile("msr psp, %0\n msr control, %1\n isb" ::"r"(&bss_end), "r"(2));
    v = below((unsigned (*)(unsigned))at);
    __asm__ volatile("msr control, %0\n isb" ::"r"(0));
    port_number(v + (stack[0] == 0));
    port_end(0);
    return 0;
}
C
compile "$work/threads.elf" "$work/threads.c" -DNEXT=0x4770
motet run --board nrf52840dk --serial 0=null "$work/threads.elf"
expect_status 0
expect_out "42"
compile "$work/threads.elf" "$work/threads.c" -DNEXT=0x4771
motet run --board nrf52840dk --for 1s --serial 0=null "$work/threads.elf"
expect_err "execution of data at half"
finish
