/* Calls into a table in program memory. */
#include <avr/pgmspace.h>

static const uint16_t table[4] PROGMEM = {0x0000, 0x0000, 0x0000, 0x0000};

static __attribute__((noinline)) void dispatch(void)
{
    void (*volatile handler)(void) = (void (*)(void))((uint16_t)table / 2);
    handler();
}

int main(void)
{
    dispatch();
    return 0;
}
