/* What a native program cannot keep: each line below that says so is refused. */
#include <stdint.h>
#include <stdlib.h>

union both { /* refused */
    uint16_t number;
    int *pointer;
};

static union both u;
static int x;
static char room[sizeof(int *)]; /* refused */

static int next(void)
{
    return ++x;
}

static int pair(int a, int b)
{
    return 10 * a + b;
}

static int list[4];

static void order(void)
{
    pair(next(), next()); /* refused */
    list[x] = next();     /* refused */
    pair(next(), list[0]);
    list[0] = pair(next(), 1) + next();
    x += next(); /* refused */
    list[1] += next();
    list[1] = x + next();          /* refused */
    list[2] = x - list[1];         /* and after it nothing */
    room[0] = (char)(x == next()); /* refused */
}

int main(void)
{
    order();
    uint16_t address = (uint16_t)(uintptr_t)&x; /* refused */
    u.number = address;
    __asm__ volatile("swap r24"); /* refused */
    return atoi(room);            /* refused */
}
