/* For chips with more than 128 KB of program memory: code on both sides of that, so that return addresses have 17 bits,
 * functions are called through the linker's stubs, and interrupts come in all of it. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

static volatile uint16_t ticks;
static uint32_t sum;
static uint8_t bytes[40];

/* The linker puts constants before code. */
#define ROOM __attribute__((used, section(".progmem.room")))
ROOM static const char first[27000] = {1}, second[27000] = {1}, third[27000] = {1}, fourth[27000] = {1},
                       fifth[27000] = {1};

ISR(TIMER0_OVF_vect)
{
    ticks++;
}

ISR(TIMER1_COMPA_vect, ISR_NOBLOCK)
{
    uint8_t n = TCNT0 & 7;
    while (n--)
        bytes[n] += n;
}

static uint16_t __attribute__((noinline)) fold(uint16_t v)
{
    while (v > 0x40)
        v = (v >> 1) ^ (v & 0x33);
    return v;
}

static uint16_t __attribute__((noinline)) divide(uint16_t v)
{
    return (uint16_t)(sum / (v | 1));
}

uint16_t (*volatile const work[])(uint16_t) = {fold, divide};

int main(void)
{
    TCCR0B = 1 << CS02; /* 244 interrupts a second */
    TCCR1B = 1 << CS11 | 1 << WGM12, OCR1A = 9345;
    TIMSK0 = 1 << TOIE0;
    TIMSK1 = 1 << OCIE1A;
    sei();
    for (;;) {
        for (uint8_t i = 0; i < 20; i++)
            sum = sum * 5 + work[i & 1]((uint16_t)(ticks + bytes[i]));
        sum += TCNT1;
        set_sleep_mode(SLEEP_MODE_IDLE);
        sleep_mode();
    }
}
