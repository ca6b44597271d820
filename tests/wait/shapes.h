/* What the two files of loops share: a variable that says which loop to run, set from outside, and numbers for phases.
 */
#ifndef TESTS_WAIT_SHAPES_H
#define TESTS_WAIT_SHAPES_H

#include <stdint.h>

volatile uint8_t shape;           /* --set: which loop */
volatile uint16_t seed = 1;       /* --set: another phase */
volatile uint8_t flag;            /* set by a handler */
volatile uint16_t beats, wide[2]; /* counted by a handler */
volatile uint32_t sum;            /* what the loops came to */

static uint16_t draw(void)
{
    seed = (uint16_t)(seed * 25173u + 13849u);
    return seed >> 3;
}

#endif
