/* Loops that poll through functions: as nesC writes them, as people do, one in the other. While interrupts come in
 * them. What is used after a loop is recorded all the same. */
#include <stdbool.h>
#include <stdint.h>

static volatile uint16_t ticks;
uint16_t sent, mixed;

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>

#define FLAGS UCSR0A
#define READY (1 << UDRE0)
#define DATA  UDR0

ISR(TIMER2_COMP_vect)
{
    ticks++;
    OCR2 += 97;
}

static void begin(void)
{
    UBRR0L = 7;
    UCSR0B = 1 << TXEN0;
    TCCR2 = 1 << CS21;
    TIMSK = 1 << OCIE2;
    sei();
}
#else
#include <msp430.h>

#define FLAGS IFG2
#define READY UTXIFG1
#define DATA  U1TXBUF

__attribute__((interrupt(TIMERA0_VECTOR))) void tick(void)
{
    ticks++;
    TACCR0 += 776;
}

static void begin(void)
{
    WDTCTL = WDTPW | WDTHOLD;
    U1CTL = SWRST | CHAR;
    U1TCTL = SSEL1;
    U1BR0 = 18;
    ME2 |= UTXE1;
    U1CTL &= ~SWRST;
    TACCR0 = 776;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_2;
    __enable_interrupt();
}
#endif

static inline bool Hpl__isReady(void);
inline static bool Spi__isReady(void)
{
    unsigned char __nesc_result;

    __nesc_result = Hpl__isReady();

    return __nesc_result;
}

static inline bool Hpl__isReady(void)
{
    return (FLAGS & READY) != 0;
}

static uint8_t busy(void)
{
    uint8_t flags = FLAGS & READY;
    return flags;
}

static inline bool Hpl__isPending(void) /* as TinyOS has it for the MSP430 */
{
    if (FLAGS & READY) {
        return 1;
    }
    return 0;
}

static bool is_waiting(void)
{
    if (Hpl__isPending())
        return false;
    else
        return true;
}

static bool is_busy(void)
{
    return !busy();
}

__attribute__((noinline)) static uint8_t flags_now(void) /* is used, and recorded */
{
    return FLAGS;
}

static void send(uint8_t byte)
{
    DATA = byte;
    sent++;
}

int main(void)
{
    begin();
    for (uint8_t i = 0;; i++) {
        while (!Spi__isReady())
            ;
        send(i);
        while (is_busy()) {
        }
        send((uint8_t)ticks);
        do {
        } while (!busy());
        send(i + 1);
        for (;;)
            if (Spi__isReady())
                break;
        send((uint8_t)mixed);
        while (!Hpl__isPending())
            ;
        send(i + 2);
        while (is_waiting())
            ;
        send(i + 3);
        while (!(flags_now() & READY)) /* not only one value ends it */
            ;
        mixed += flags_now();
    }
}
