/* Loops that let time pass by a timer and leave nothing, as TinyOS has them where it measures a clock: of these nothing
 * is recorded. And some that look like it, of which what is used later is. */
#include <stdint.h>

static volatile uint16_t ticks, odd, mixed;

#include "../record/waker.h"

uint16_t last, rounds, spun;

static void measure(void)
{
    uint8_t wraps;
    uint16_t start = COUNTER, now;
    for (wraps = 3; wraps;) {
        uint16_t next = COUNTER;
        if (next < start)
            wraps--;
        start = next;
    }
    now = COUNTER;
    while (COUNTER == now)
        ;
    start = COUNTER;
    mixed = start - now;
}

static void use(void)
{
    uint16_t start = COUNTER, count = 0;
    while ((uint16_t)(COUNTER - start) < 300) /* how often is used */
        count++;
    rounds = count;
    start = COUNTER;
    do {
        count = COUNTER; /* and the last that was read */
    } while ((uint16_t)(count - start) < 200);
    last = count;
    for (uint8_t i = 0; i < 2; i++) {
        uint16_t from = COUNTER;
        for (count = 0; (uint16_t)(COUNTER - from) < 100;) /* in another loop, and used there */
            count++;
        spun += count;
    }
}

int main(void)
{
    begin();
    for (uint8_t i = 0;; i++) {
        measure();
        for (uint8_t k = 0; k < 8; k++) {
            use();
            wait();
        }
    }
}
