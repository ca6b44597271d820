/* Two variables that are equal whenever the task has ended, and two that are whenever the handler has. The task is long
 * enough that handlers interrupt it many times. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

volatile uint16_t left, right;
volatile uint8_t halves[2];
struct {
    uint8_t low : 3, high : 5;
} bits;
enum colour { RED, GREEN } colour;

__attribute__((noinline)) uint8_t work(uint16_t round)
{
    left++;
    for (volatile uint16_t i = 0; i < 2000; i++)
        ;
    right++;
    bits.high = (uint8_t)round & 15;
    colour = round & 1 ? GREEN : RED;
    return (uint8_t)round & 3;
}

ISR(TIMER0_OVF_vect)
{
    halves[0]++;
    for (volatile uint8_t i = 0; i < 5; i++)
        ;
    halves[1]++;
}

int main(void)
{
    TCCR0 = 2; /* every 2048 cycles */
    TIMSK = 1 << TOIE0;
    sei();
    for (uint16_t round = 0;; round++) {
        work(round);
        sleep_mode();
    }
}
