/* Forced to its deepest path: through a saved frame, a jump table and a pointer, with an interrupt at the very bottom.
 * Interrupts are on only there, and the leaf waits for one. */
#include <stdint.h>

static volatile uint8_t fired, chosen = 5, sink;
static uint8_t (*volatile hop)(uint8_t);

#ifdef __AVR__
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>

#ifdef TIMER0_OVF_vect
#define TICK TIMER0_OVF_vect
#else
#define TICK TIM0_OVF_vect
#endif

ISR(TICK)
{
    volatile uint8_t room[9];
    room[chosen] = 1;
    fired = room[chosen];
}

static void timer_begin(void)
{
#ifdef TIMSK0
    TIMSK0 = 1 << TOIE0;
#else
    TIMSK = 1 << TOIE0;
#endif
#ifdef TCCR0B
    TCCR0B = 1;
#else
    TCCR0 = 1;
#endif
}
#define INTERRUPTS_ON()  sei()
#define INTERRUPTS_OFF() cli()
#elif defined __arm__
void interrupt_20(void);
void interrupt_20(void)
{
    volatile uint8_t room[9];
    room[chosen] = 1;
    fired = room[chosen];
}

static void timer_begin(void)
{
    __asm__ volatile("cpsid i" ::: "memory");
    *(volatile uint32_t *)0xe000e100 = 1 << 20; /* on, and pending from the beginning */
    *(volatile uint32_t *)0xe000e200 = 1 << 20;
}
#define INTERRUPTS_ON()  __asm__ volatile("cpsie i" ::: "memory")
#define INTERRUPTS_OFF() __asm__ volatile("cpsid i" ::: "memory")
#else
#include <msp430.h>
#include <intrinsics.h>

INTERRUPT(TIMERA0_VECTOR, tick)
{
    volatile uint8_t room[9];
    room[chosen] = 1;
    fired = room[chosen];
}

static void timer_begin(void)
{
    TACCR0 = 400;
    TACCTL0 = CCIE;
    TACTL = TASSEL_2 | MC_1;
}
#define INTERRUPTS_ON()  __eint()
#define INTERRUPTS_OFF() __dint()
#endif

__attribute__((noinline)) static uint8_t leaf(uint8_t x)
{
    volatile uint8_t room[21];
    room[x] = x;
    INTERRUPTS_ON();
    while (!fired)
        ;
    INTERRUPTS_OFF();
    return room[x];
}

__attribute__((noinline)) static uint8_t by_table(uint8_t x)
{
    switch (x) {
    case 0: sink = 3; return 9;
    case 1: sink = 7; return 8;
    case 2: sink = 1; return 17;
    case 3: sink = 5; return 33;
    case 4: sink = 2; return 4;
    case 5: return leaf(x) + 1;
    case 6: sink = 6; return 61;
    case 7: sink = 9; return 99;
    default: return 0;
    }
}

__attribute__((noinline, used)) static uint8_t through_pointer(uint8_t x)
{
    volatile uint8_t room[300]; /* more than one instruction can take from the stack pointer */
    room[x] = by_table(x);
    return room[x];
}

int main(void)
{
    timer_begin();
    hop = through_pointer;
    return hop(chosen) != 6;
}
