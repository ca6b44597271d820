/* Calls through a function pointer that leads to where nothing was programmed. */
#include <stdint.h>

static void (*volatile handler)(void) = (void (*)(void))0x2000; /* a word address */

static __attribute__((noinline)) void dispatch(void)
{
    handler();
    __asm__ volatile("nop");
}

int main(void)
{
    dispatch();
    return 0;
}
