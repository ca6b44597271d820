/* The component that tests log. What it reads of others is read where others have changed it since. */
#include "component.h"

static uint32_t total;
static uint8_t stored[8];
struct message component_message = {.length = sizeof stored, .data = stored};

uint16_t component_scalars(uint8_t a, int16_t b, uint32_t c, int8_t d, bool e, uint64_t f, uint16_t g, uint8_t h)
{
    total += a + (uint16_t)b + c + (uint8_t)d + e + (uint32_t)f + g + h;
    return (uint16_t)total;
}

struct point component_turn(struct point p)
{
    return (struct point){.x = (int16_t)-p.y, .y = p.x};
}

struct large component_fill(uint8_t first, struct large l, int16_t last)
{
    for (uint8_t i = 0; i < sizeof l.bytes; i++)
        l.bytes[i] = (uint8_t)(l.bytes[i] + first + last);
    return l;
}

void component_read(const uint8_t *data, uint8_t length)
{
    for (uint8_t i = 0; i < length && i < sizeof stored; i++)
        stored[i] = data[i];
    outside_send(&component_message);
}

/* `busy` is cleared outside, without a call. */
bool component_poll(void)
{
    return component_message.busy;
}

uint16_t component_sum(void)
{
    uint16_t sum = outside_count;
#ifdef UNSIZED
    outside_note("sum");
#endif
    for (uint8_t i = 0; i < sizeof outside_shared; i++)
        sum += outside_shared[i];
    uint8_t *buffer = outside_buffer();
    return sum + buffer[0] + buffer[1];
}

int16_t component_back(int16_t (*through)(int16_t value), int16_t value)
{
    return (int16_t)(through(value) + 1);
}
