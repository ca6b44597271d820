/* For native replay: interrupts between uses of the same variable, in a loop without calls; in a function with a large
 * frame, for which an AVR locks interrupts; around memcpy and a product, which are routines on some chips. What a round
 * computes depends on after which use the interrupts came. */
#include <stdint.h>
#include <string.h>

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#define HANDLER ISR(TIMER1_COMPA_vect)
#define WAKE()

static void start(void)
{
    OCR1A = 4099;
    TCCR1B = 1 << WGM12 | 1 << CS10;
    TIMSK = 1 << OCIE1A;
    sei();
}

static void rest(void)
{
    sleep_mode();
}
#else
#include <msp430.h>

#define HANDLER                                                           \
    __attribute__((interrupt(TIMERA0_VECTOR), used)) void on_timer(void); \
    __attribute__((interrupt(TIMERA0_VECTOR), used)) void on_timer(void)
#define WAKE() LPM0_EXIT

static void start(void)
{
    TACCR0 = 1987;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
    __asm__ volatile("nop\n\teint\n\tnop" ::: "memory");
}

static void rest(void)
{
    __bis_SR_register(LPM0_bits | GIE);
}
#endif

struct pair {
    uint8_t low, high;
};

static volatile uint8_t beats; /* by the handler, which reads what busy() writes */
static volatile uint16_t place;
static volatile struct pair held;
static volatile uint32_t wide; /* an 8-bit chip reads it in four parts, and the handler comes in between */
static uint16_t noted;
static uint8_t seen;
static uint32_t sum;

HANDLER
{
    beats++;
    noted = noted * 5 + place + held.low;
    held.high++;
    wide = ~(wide << 1);
    WAKE();
}

static void busy(void)
{
    for (uint16_t i = 0; i < 300; i++) {
        place = i;
        if (beats != seen) {
            seen = beats;
            sum = sum * 31 + i;
        }
        held.low = (uint8_t)(i ^ held.high);
        sum ^= wide;
    }
}

__attribute__((noinline)) static uint16_t framed(const uint8_t *from, uint8_t size)
{
    uint8_t copy[90];
    uint16_t result = 0;
    memcpy(copy, from, size);
    for (uint8_t i = 0; i < size; i++)
        result += copy[i] * (uint16_t)(place + i);
    return result;
}

int main(void)
{
    static uint8_t bytes[90];
    start();
    for (;;) {
        busy();
        bytes[sum % sizeof bytes]++;
        sum += framed(bytes, sizeof bytes);
        rest();
    }
}
