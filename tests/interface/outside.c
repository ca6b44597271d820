/* What surrounds the component: calls it, and changes what it reads. */
#include "component.h"

#include <motet.h>

uint8_t outside_shared[4] = {1, 2, 3, 4};
volatile uint16_t outside_count;
static uint8_t buffer[2];
static struct message *pending;

int16_t outside_twice(int16_t value)
{
    return (int16_t)(2 * value);
}

void outside_send(struct message *m)
{
    m->busy = true;
    pending = m;
}

uint8_t *outside_buffer(void)
{
    buffer[0]++;
    return buffer;
}

void outside_note(const char *text)
{
    (void)text;
}

int main(void)
{
    bool (*volatile poll)(void) = component_poll;
    for (uint8_t round = 1; round <= 3; round++) {
        uint8_t data[5] = {round, 2, 3, 4, 5};
        struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
        component_scalars(round, -2, 100000, -4, true, 0x100000002, 7, 8);
        component_turn((struct point){3, -4});
        component_fill(round, l, -1);
        component_read(data, sizeof data);
        poll();
        pending->busy = false;
        poll();
        outside_shared[round] = (uint8_t)(10 * round);
        outside_count++;
        component_sum();
        component_back(outside_twice, -21);
    }
    motet_exit(0);
    return 0;
}
