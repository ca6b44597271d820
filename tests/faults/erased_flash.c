/* Calls through a function pointer that leads to where nothing was programmed. */
#include <stdint.h>

#ifdef __AVR__
#define NOWHERE 0x2000 /* a word address */
#else
#define NOWHERE 0xe000
#endif

static void (*volatile handler)(void) = (void (*)(void))NOWHERE;

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
