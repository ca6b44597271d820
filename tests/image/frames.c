/* Frames of every shape, for unwind.c: locals on the stack, of variable size, calls through pointers, interrupts. */
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline, noclone))

volatile uint8_t ticks;
volatile uint16_t sink;

APART static void leaf(uint8_t n)
{
    sink += n;
}

ISR(TIMER0_OVF_vect)
{
    uint8_t copy[12];
    memset(copy, ticks, sizeof copy);
    ticks++;
    leaf(copy[ticks % sizeof copy]);
}

ISR(TIMER1_OVF_vect)
{
    ticks++;
}

APART uint16_t deep(uint8_t n, uint32_t a, uint32_t b)
{
    uint8_t local[20];
    memset(local, n, sizeof local);
    if (n == 0)
        return (uint16_t)(a ^ b);
    uint16_t below = deep(n - 1, a * 3 + local[n], b + a);
    leaf(local[3]);
    return below + local[n % sizeof local] + (uint16_t)a;
}

APART uint16_t sized(uint8_t n)
{
    uint8_t local[n];
    for (uint8_t k = 0; k < n; k++)
        local[k] = k * n;
    leaf(local[n - 1]);
    return local[n / 2];
}

APART uint16_t many(uint8_t count, ...)
{
    va_list list;
    va_start(list, count);
    uint16_t sum = 0;
    while (count--)
        sum += (uint16_t)va_arg(list, int);
    va_end(list);
    leaf((uint8_t)sum);
    return sum;
}

APART uint16_t big(uint8_t n)
{
    volatile uint8_t local[100];
    for (uint8_t k = 0; k < sizeof local; k++)
        local[k] = k ^ n;
    leaf(n);
    return local[n % sizeof local];
}

static int compare(const void *a, const void *b)
{
    leaf(1);
    return *(const uint8_t *)a - *(const uint8_t *)b;
}

uint16_t (*volatile pointer)(uint8_t) = sized;

int main(void)
{
    TCCR0B_NAME = 2;
    TCCR1B = 1;
    TIMSK0_NAME = 1 << TOIE0;
    TIMSK1_NAME |= 1 << TOIE1;
    TCNT1 = 64000;
    sei();
    for (uint8_t n = 1; n < 10; n++) {
        uint8_t values[6] = {5, 2, n, 9, 1, 0};
        qsort(values, sizeof values, 1, compare);
        sink += deep(n, ticks, 77) + pointer(n) + many(3, n, 2, values[2]) + big(n);
    }
    cli();
    sleep_mode();
    for (;;)
        ;
}
