/* Figure 2's functions again, with an end: the sum grows until it is too large, and the program goes on for a while.
 * Then it sends its trace, as hexadecimal numbers. */
#include <stdint.h>

#include "motet.h"

static int a, b, elsewhere;
static uint8_t rounds;

static void f3(void)
{
    a += 2;
}

static void f4(void)
{
    b++;
}

static void f1(void)
{
    f3();
    f4();
}

static void f2(void)
{
    f3();
}

static void f0(void)
{
    if (rounds & 1)
        f1();
    else
        f2();
}

static void unrelated(void)
{
    elsewhere++;
}

static void put(unsigned char byte)
{
    static const char digits[] = "0123456789abcdef";
    MOTET_CONSOLE = digits[byte >> 4];
    MOTET_CONSOLE = digits[byte & 15];
    MOTET_CONSOLE = '\n';
}

extern void motet_trace_send(void (*put)(unsigned char));

int main(void)
{
    for (rounds = 0; rounds < 40; rounds++) {
        f0();
        unrelated();
    }
    motet_trace_send(put);
    motet_exit(0);
    for (;;)
        ;
}
