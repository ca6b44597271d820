/* Start-up code and vectors of the test firmwares for Cortex-M. Handlers are weak: a test defines those it uses. */
#include <stdint.h>

extern uint32_t data_load, data_start, data_end, bss_start, bss_end, stack_top;
int main(void);

void start(void);
void start(void)
{
#ifdef __ARM_FP
    *(volatile uint32_t *)0xe000ed88 |= 0xf << 20;
    __asm__ volatile("dsb\n isb");
#endif
    for (uint32_t *to = &data_start, *from = &data_load; to < &data_end;)
        *to++ = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end;)
        *to++ = 0;
    main();
    __asm__ volatile("cpsid i");
    for (;;)
        ;
}

static void hang(void)
{
    for (;;)
        ;
}

#define WEAK __attribute__((weak, alias("hang")))
WEAK void on_nmi(void);
WEAK void on_hard_fault(void);
WEAK void on_mem_manage(void);
WEAK void on_bus_fault(void);
WEAK void on_usage_fault(void);
WEAK void on_svc(void);
WEAK void on_pendsv(void);
WEAK void on_systick(void);
WEAK void on_irq(void);

#ifndef INTERRUPTS
#define INTERRUPTS 48
#endif

typedef void handler(void);
__attribute__((section(".vectors"), used)) static handler *const vectors[16 + INTERRUPTS] = {
    (handler *)&stack_top,
    start,
    on_nmi,
    on_hard_fault,
    on_mem_manage,
    on_bus_fault,
    on_usage_fault,
    0,
    0,
    0,
    0,
    on_svc,
    0,
    0,
    on_pendsv,
    on_systick,
    [16 ... 15 + INTERRUPTS] = on_irq,
};

#ifdef CC2538
/* The boot configuration page: no boot loader at a pin, a valid image, its vectors. */
__attribute__((section(".boot"), used)) static const struct {
    uint32_t loader, valid;
    handler *const *vectors;
} boot = {0xefffffff, 0, vectors};
#endif
