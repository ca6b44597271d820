/* Start-up code and vectors of firmware for a Cortex-M: variables get their first values, main runs.
 *
 * Interrupt number N of the chip goes to a function interrupt_N that the firmware defines; one that it does not define
 * ends in on_fault(), as every fault does.
 */
#include <stdint.h>

extern uint32_t data_load, data_start, data_end, bss_start, bss_end, stack_top;
int main(void);
void on_fault(void) __attribute__((weak));
void _start(void);

void _start(void)
{
    for (uint32_t *to = &data_start, *from = &data_load; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;)
        *to++ = 0;
    main();
    for (;;)
        __asm__ volatile("cpsid i");
}

static void __attribute__((used)) unexpected(void)
{
    if (on_fault)
        on_fault();
    for (;;)
        ;
}

#define WEAK(n) void __attribute__((weak, alias("unexpected"))) interrupt_##n(void);
#define TEN(apply, n)                                                                                           \
    apply(n##0) apply(n##1) apply(n##2) apply(n##3) apply(n##4) apply(n##5) apply(n##6) apply(n##7) apply(n##8) \
        apply(n##9)
#define ALL(apply) TEN(apply, ) TEN(apply, 1) TEN(apply, 2) TEN(apply, 3) TEN(apply, 4)
ALL(WEAK)

typedef void handler(void);
#define ENTRY(n) [16 + n] = interrupt_##n,
__attribute__((section(".vectors"), used)) static handler *const vectors[] = {(handler *)&stack_top, _start,
                                                                              [2 ... 15] = unexpected, ALL(ENTRY)};
