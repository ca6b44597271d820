/* One case a build: stacks that are in order, and stacks that run into something. */
#include <avr/io.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { STACK_SIZE = 120, THREADS = 2 };

volatile uint8_t guard[32];
uint8_t thread_stack[THREADS][STACK_SIZE];
volatile uint16_t saved[THREADS + 1];
volatile uint8_t progress[THREADS];
uint8_t running = THREADS; /* main itself */

static __attribute__((noinline)) uint16_t deep(uint16_t n)
{
    volatile uint8_t room[6] = {(uint8_t)n};
    return n == 0 ? room[0] : (uint16_t)(deep(n - 1) + room[0]);
}

static __attribute__((noinline)) uint8_t wide_frame(void)
{
    volatile uint8_t room[RAMEND - RAMSTART - 0x60]; /* reaches into the variables */
    memset((void *)room, 1, 4);
    return (uint8_t)(deep(1) + room[0]);
}

/* ---- threads, switched as tightly as can be: SP is read for one and written for the next ---- */

static __attribute__((naked, noinline)) void switch_stack(volatile uint16_t *from, volatile uint16_t *to)
{
    (void)from, (void)to;
    __asm__ volatile("push r28\n push r29\n push r16\n push r17\n"
                     "movw r26, r24\n movw r30, r22\n"
                     "in r0, __SP_L__\n st X+, r0\n in r0, __SP_H__\n st X, r0\n"
                     "ld r28, Z\n ldd r29, Z+1\n"
                     "in r0, __SREG__\n cli\n out __SP_H__, r29\n out __SREG__, r0\n out __SP_L__, r28\n"
                     "pop r17\n pop r16\n pop r29\n pop r28\n ret\n");
}

/* The same with the new value as an argument. */
static __attribute__((naked, noinline)) void switch_to_value(volatile uint16_t *from, uint16_t to)
{
    (void)from, (void)to;
    __asm__ volatile("push r28\n push r29\n push r16\n push r17\n"
                     "movw r26, r24\n"
                     "in r0, __SP_L__\n st X+, r0\n in r0, __SP_H__\n st X, r0\n"
                     "in r0, __SREG__\n cli\n out __SP_H__, r23\n out __SREG__, r0\n out __SP_L__, r22\n"
                     "pop r17\n pop r16\n pop r29\n pop r28\n ret\n");
}

static void yield(void)
{
    uint8_t from = running;
    running = (uint8_t)((running + 1) % (THREADS + 1));
    if (progress[0] & 1)
        switch_to_value(&saved[from], saved[running]);
    else
        switch_stack(&saved[from], &saved[running]);
}

static void thread(void)
{
    for (;;) {
        uint8_t me = running;
        progress[me]++;
#ifdef CASE_THREAD_DEEP
        deep(me == 1 && progress[me] == 5 ? 40 : 2);
#else
        deep(2);
#endif
        yield();
    }
}

static void prepare(uint8_t i, uint8_t *stack)
{
    uint8_t *top = stack + STACK_SIZE - 1;
    uint16_t entry = (uint16_t)thread;
    *top-- = (uint8_t)entry;
    *top-- = (uint8_t)(entry >> 8);
#ifdef __AVR_3_BYTE_PC__
    *top-- = 0;
#endif
    saved[i] = (uint16_t)(top - 4); /* four registers */
}

/* A stack entered by computing where it is, as a boot of an RTOS does. */
static __attribute__((noinline)) void start_on(volatile uint8_t which)
{
    uint16_t main_stack = SP;
    SP = (uint16_t)(thread_stack[which] + STACK_SIZE - 1);
    progress[which] = (uint8_t)deep(3);
    SP = main_stack;
}

int main(void)
{
    guard[0] = 1;
#if defined CASE_DEEP
    return (int)deep(2000);
#elif defined CASE_FRAME
    return wide_frame();
#elif defined CASE_HEAP
    /* The heap grows up to just below the stack, which then goes deeper. */
    uint8_t *here = (uint8_t *)SP;
    __malloc_margin = 8;
    uint8_t *block = malloc((size_t)(here - (uint8_t *)__malloc_heap_start - 40));
    if (!block)
        return 1;
    return (int)deep(20);
#elif defined CASE_STARTED
    for (uint8_t i = 0; i < 4; i++)
        start_on(i % THREADS);
    return progress[0] ? 0 : 1;
#else
    for (uint8_t i = 0; i < THREADS; i++)
#ifdef CASE_HEAP_THREADS
        prepare(i, malloc(STACK_SIZE));
#else
        prepare(i, thread_stack[i]);
#endif
    for (uint8_t round = 0; round < 20; round++)
        yield();
    return progress[0] == 20 && progress[1] == 20 ? 0 : 1;
#endif
}
