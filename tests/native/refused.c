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

int main(void)
{
    uint16_t address = (uint16_t)(uintptr_t)&x; /* refused */
    u.number = address;
    __asm__ volatile("swap r24"); /* refused */
    return atoi(room);            /* refused */
}
