/* Threads that take turns, in the manner of small systems for the AVR: assembly that saves and restores all registers
 * and switches stacks, in a naked handler of the timer and where a thread gives its turn away. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <stdint.h>

struct thread {
    uint8_t *top;
};

enum { THREADS = 3, STACK = 160 };
static uint8_t stacks[THREADS][STACK];
static struct thread threads[THREADS];
struct thread *volatile current;
volatile uint16_t ticks;
uint16_t sums[THREADS], products[THREADS];

#define SAVE()                                                                                             \
    __asm__ volatile("push r0\n\tin r0, __SREG__\n\tcli\n\tpush r0\n\tpush r1\n\tclr r1\n\t"               \
                     ".irp n,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29," \
                     "30,31\n\tpush r\\n\n\t.endr\n\t"                                                     \
                     "lds r26, current\n\tlds r27, current + 1\n\t"                                        \
                     "in r0, __SP_L__\n\tst X+, r0\n\tin r0, __SP_H__\n\tst X+, r0")
#define RESTORE()                                                                                        \
    __asm__ volatile("lds r26, current\n\tlds r27, current + 1\n\t"                                      \
                     "ld r28, X+\n\tout __SP_L__, r28\n\tld r29, X+\n\tout __SP_H__, r29\n\t"            \
                     ".irp n,31,30,29,28,27,26,25,24,23,22,21,20,19,18,17,16,15,14,13,12,11,10,9,8,7,6," \
                     "5,4,3,2,1\n\tpop r\\n\n\t.endr\n\t"                                                \
                     "pop r0\n\tout __SREG__, r0\n\tpop r0")

__attribute__((noinline, used)) static void next(void)
{
    current = current == &threads[THREADS - 1] ? &threads[0] : current + 1;
}

__attribute__((noinline, used)) static void tick(void)
{
    ticks++;
    OCR0 += 120;
    next();
}

ISR(TIMER0_COMP_vect, ISR_NAKED)
{
    SAVE();
    tick();
    RESTORE();
    __asm__ volatile("reti");
}

__attribute__((naked, noinline)) static void yield(void)
{
    SAVE();
    next();
    RESTORE();
    __asm__ volatile("ret");
}

static void work(uint8_t me)
{
    for (;;) {
        sums[me] = sums[me] * 3 + TCNT1;
        for (uint8_t i = 0; i < 30; i++)
            products[me] += i * sums[me];
        if (sums[me] % 16 == 3)
            yield();
    }
}

static void first(void)
{
    work(0);
}

static void second(void)
{
    work(1);
}

static void third(void)
{
    work(2);
}

static void begin(uint8_t i, void (*function)(void))
{
    uint8_t *p = &stacks[i][STACK - 1];
    *p-- = (uint8_t)(uint16_t)function;
    *p-- = (uint8_t)((uint16_t)function >> 8);
    *p-- = 0;
    *p-- = 0x80; /* interrupts on */
    threads[i].top = p - 31;
}

int main(void)
{
    TCCR1B = 1 << CS10;
    TCCR0 = 1 << CS02;
    TIMSK = 1 << OCIE0;
    begin(0, first);
    begin(1, second);
    begin(2, third);
    current = &threads[0];
    RESTORE();
    __asm__ volatile("ret");
}
