/* Constructors of global objects read registers, some through functions that main uses too: the recorder has begun
 * before them. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdint.h>

static uint16_t now()
{
    return TCNT1;
}

struct Clock {
    uint16_t began;
    Clock() : began(now()) {}
};

class Seed
{
    uint8_t bytes[4];

  public:
    Seed()
    {
        TCCR1B = 1 << CS10; /* the timer runs from here on */
        for (uint8_t i = 0; i < sizeof bytes; i++)
            bytes[i] = TCNT1L;
    }
    uint8_t operator[](uint8_t i) const { return bytes[i % sizeof bytes]; }
};

static Seed seed;
static struct {
    Clock clock;
} users[2];
static volatile uint16_t ticks, seen;

ISR(TIMER0_COMP_vect)
{
    ticks++;
}

int main()
{
    OCR0 = 40;
    TCCR0 = 1 << WGM01 | 1 << CS02;
    TIMSK = 1 << OCIE0;
    sei();
    for (uint8_t i = 0;; i++) {
        seen = users[i % 2].clock.began + seed[i] + now();
        sleep_mode();
    }
}
