/* Calls as nesC wires them: each interface of a component is a function that forwards to the one it is wired to. */
#include <motet.h>
#include <stdint.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

volatile uint16_t LinkP__sent;
uint16_t AppP__count;

KEPT uint16_t LinkP__Pass__on(uint16_t to, uint8_t length)
{
    LinkP__sent += to + length;
    return LinkP__sent & 1;
}

/* Of AppP by its name, and of LinkP by what it does. */
KEPT uint16_t AppP__Pass__on(uint16_t to, uint8_t length)
{
    return LinkP__Pass__on(to, length);
}

KEPT void AppP__Timer__fired(uint16_t now)
{
    AppP__count += AppP__Pass__on(AppP__count, now & 7) + 1;
}

/* Of TimerP by its name, and of AppP by what it does. */
KEPT void TimerP__Timer__fired(uint16_t now)
{
    AppP__Timer__fired(now);
}

int main(void)
{
    for (uint16_t i = 0; i < 50; i++)
        TimerP__Timer__fired(i);
    motet_exit(0);
}
