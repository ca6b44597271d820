/* Overwrites its caller's return address and puts it back; calls into the middle of a function; sets markers. */
#include <motet.h>
#include <stdint.h>

static volatile uint8_t sink;
static void (*volatile pointer)(void);

__attribute__((naked, noinline)) static void target(void)
{
    __asm__ volatile("nop\n\tnop\n\tret"); /* the second instruction is as good an entry as the first */
}

/* One of the bytes above its frame, and back: the program survives. */
__attribute__((noinline)) static void vandal(volatile uint8_t *byte)
{
    uint8_t old = *byte;
    *byte = (uint8_t)(old ^ 0x10);
    *byte = old;
}

__attribute__((noinline)) static void victim(void)
{
    vandal((volatile uint8_t *)__builtin_frame_address(0) + RETURN_ADDRESS);
    sink++;
}

int main(void)
{
    motet_mark(7);
    motet_timer_begin(3);
    victim();
    motet_timer_end(3);
    motet_timer_end(9);
    pointer = target;
    pointer();
    pointer = (void (*)(void))((uintptr_t)target + SECOND);
    pointer();
    motet_mark(8);
    return 0;
}
