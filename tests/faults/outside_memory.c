/* Reads through a pointer that leads beyond RAM. */
#include <stdint.h>

static __attribute__((noinline)) uint8_t fetch(const volatile uint8_t *from)
{
    return *from;
}

int main(void)
{
#ifdef __AVR__
    return fetch((const volatile uint8_t *)0x1234);
#else
    return fetch((const volatile uint8_t *)0x0a34);
#endif
}
